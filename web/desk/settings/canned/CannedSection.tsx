import { useRef, useState } from 'react';
import { useReading } from '../../../shared/api/useReading.ts';
import { useReloadWhileVisible } from '../../../shared/api/useReloadWhileVisible.ts';
import { Button } from '../../../shared/components/Button.tsx';
import { ConfirmDialog } from '../../../shared/frame/ConfirmDialog.tsx';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDesk } from '../../DeskContext.tsx';
import { PLUS } from '../../icons.ts';
import { Failed } from '../Failed.tsx';
import { Done } from '../SettingsSection.tsx';
import { CannedReplyList } from './CannedReplyList.tsx';
import { describeOwner } from './describe-reply.ts';
import { downloadReplies } from './download-replies.ts';
import { ImportForm } from './ImportForm.tsx';
import { findUsualLanguages } from './languages.ts';
import { ReplyForm } from './ReplyForm.tsx';
import { deleteReply, readReplies } from './replies-query.ts';
import type { OwnedReply } from './reply.ts';
import { cannedTexts } from './texts.ts';

type Task =
  | { readonly kind: 'new' }
  | { readonly kind: 'import' }
  | { readonly kind: 'edit' | 'delete'; readonly reply: OwnedReply };

/** The prepared texts that the operator can use, and those that they can change. */
export function CannedSection() {
  const t = useTexts(cannedTexts);
  const role = useDesk((state) => state.viewer.role);
  const { value, failure, reload } = useReading('', readReplies);
  const replies = value?.replies;
  const languages = value && findUsualLanguages(value.spoken, value.replies);
  useReloadWhileVisible(reload);
  const [task, setTask] = useState<Task>();
  const [said, setSaid] = useState<string>();
  const heading = useRef<HTMLHeadingElement>(null);
  const begin = (next: Task) => {
    setSaid(undefined);
    setTask(next);
  };
  const end = (text?: string) => {
    setTask(undefined);
    setSaid(text);
    // What had the focus is gone.
    heading.current?.focus();
    if (text !== undefined) reload();
  };
  const isFree = task === undefined || task.kind === 'delete';
  return (
    <section className="canned-section" aria-labelledby="canned-heading">
      <div className="canned-head">
        <div>
          <h3 id="canned-heading" ref={heading} tabIndex={-1}>
            {t('title')}
          </h3>
          <p className="small">{t('hint')}</p>
        </div>
        {isFree && replies && (
          <div className="canned-actions">
            <Button icon={PLUS} onPress={() => begin({ kind: 'new' })}>
              {t('create')}
            </Button>
            <Button onPress={() => begin({ kind: 'import' })}>{t('import')}</Button>
            {replies.length > 0 && <Button onPress={() => downloadReplies(replies)}>{t('export')}</Button>}
          </div>
        )}
      </div>
      <Done text={said} />
      <Failed failure={failure} onRetry={reload} />
      {replies === undefined && failure === undefined && <Skeleton />}
      {task?.kind === 'new' && (
        <ReplyForm {...{ role, languages }} onDone={() => end(t('created'))} onCancel={() => end()} />
      )}
      {task?.kind === 'import' && replies && (
        <ImportForm
          role={role}
          replies={replies}
          onDone={(created, updated) => end(t('imported', { created, updated }))}
          onCancel={() => end()}
        />
      )}
      {replies && (
        <CannedReplyList
          replies={replies}
          editedId={task?.kind === 'edit' ? task.reply.id : undefined}
          onEdit={(reply) => begin({ kind: 'edit', reply })}
          onDelete={(reply) => begin({ kind: 'delete', reply })}
          renderForm={(reply) => (
            <ReplyForm {...{ role, languages, reply }} onDone={() => end(t('saved'))} onCancel={() => end()} />
          )}
        />
      )}
      {task?.kind === 'delete' && (
        <ConfirmDialog
          title={t('deleteTitle', { shortcut: task.reply.shortcut })}
          action={t('delete')}
          run={() => deleteReply(task.reply.id)}
          onDone={() => end(t('deleted', { shortcut: task.reply.shortcut }))}
          onCancel={() => setTask(undefined)}
        >
          {task.reply.scope === 'OWN'
            ? t('deleteOwnText')
            : t('deleteSharedText', { owner: describeOwner(task.reply, t) })}
        </ConfirmDialog>
      )}
    </section>
  );
}

function Skeleton() {
  return (
    <div className="settings-skeleton" aria-busy="true">
      {['60%', '90%', '70%'].map((width) => (
        <span className="skeleton" key={width} style={{ '--skeleton': width } as object} />
      ))}
    </div>
  );
}
