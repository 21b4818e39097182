import { useEffect, useState } from 'react';
import { graphql, runQuery } from '../../../shared/api/query.ts';
import type { Failure } from '../../../shared/api/request.ts';
import { succeed } from '../../../shared/api/request.ts';
import { Button } from '../../../shared/components/Button.tsx';
import { Dialog } from '../../../shared/components/Dialog.tsx';
import { FailureBanner } from '../../../shared/frame/FailureBanner.tsx';
import { useAttempt } from '../../../shared/frame/useAttempt.ts';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDeskActions } from '../../DeskContext.tsx';
import { useVisitorName } from '../../frame/useVisitorName.ts';
import type { DeskConversation, Named } from '../../state/model.ts';
import { useDraft } from '../composer/useDraft.ts';
import { useHeldCloses } from '../memory/ConversationMemory.tsx';
import { conversationTexts } from '../texts.ts';
import { UNDO_MS } from './held-closes.ts';

const tagsQuery = graphql(`
  query DeskTags {
    tags(first: 100) {
      nodes { id name websites { id } }
    }
  }
`);

interface CloseDialogProps {
  readonly conversation: DeskConversation;
  readonly onClose: () => void;
}

/** Tags to find it again, and a last line. The page then holds the closing back for some seconds. */
export function CloseDialog({ conversation, onClose }: CloseDialogProps) {
  const t = useTexts(conversationTexts);
  const nameVisitor = useVisitorName();
  const { setTags } = useDeskActions();
  const held = useHeldCloses();
  const { id, tags } = conversation;
  const name = nameVisitor(conversation.visitor);
  const [line, setLine] = useDraft(`${id}:closing`);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(tags.map((tag) => tag.id)));
  const { all, failure: tagsFailure } = useTags(conversation);
  const isChanged = chosen.size !== tags.length || tags.some((tag) => !chosen.has(tag.id));
  const { start, isPending, failure, wait } = useAttempt(
    async () => (isChanged ? setTags(id, [...chosen]) : succeed(undefined)),
    () => {
      held.hold({
        conversationId: id,
        visitorName: name,
        closingLine: line.trim(),
        until: Date.now() + UNDO_MS,
      });
      onClose();
    },
  );
  const toggle = (tagId: string) => {
    const next = new Set(chosen);
    if (!next.delete(tagId)) next.add(tagId);
    setChosen(next);
  };
  return (
    <Dialog title={t('closeTitle', { name })} onCancel={onClose}>
      <form
        className="dialog-form"
        onSubmit={(event) => {
          event.preventDefault();
          start(undefined);
        }}
      >
        <FailureBanner failure={failure ?? tagsFailure} wait={wait} />
        {all.length > 0 && (
          <fieldset className="field">
            <legend className="field-label">{t('tags')}</legend>
            <span className="tag-choice">
              {all.map((tag) => (
                <label className="tag" key={tag.id}>
                  <input
                    className="visually-hidden"
                    type="checkbox"
                    checked={chosen.has(tag.id)}
                    onChange={() => toggle(tag.id)}
                  />
                  {tag.name}
                </label>
              ))}
            </span>
          </fieldset>
        )}
        <label className="field">
          <span className="field-label">{t('closingLine')}</span>
          <textarea
            className="input"
            data-first-focus=""
            rows={2}
            dir="auto"
            lang={conversation.language}
            maxLength={10_000}
            value={line}
            onChange={(event) => setLine(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
              event.preventDefault();
              event.currentTarget.form?.requestSubmit();
            }}
          />
          <span className="field-hint">{t('closingLineHint')}</span>
        </label>
        <div className="dialog-actions">
          <Button onPress={onClose}>{t('cancel')}</Button>
          <Button kind="primary" type="submit" isPending={isPending}>
            {t('closeConversation')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** The tags that a conversation of this website can have, and those that it has. */
function useTags({ website, tags }: DeskConversation): {
  readonly all: readonly Named[];
  readonly failure: Failure | undefined;
} {
  const [found, setFound] = useState<readonly Named[]>([]);
  const [failure, setFailure] = useState<Failure>();
  const websiteId = website?.id;
  useEffect(() => {
    let isGone = false;
    runQuery(tagsQuery).then((answer) => {
      if (isGone) return;
      if (!answer.ok) return setFailure(answer.failure);
      setFound(answer.value.tags.nodes.filter(({ websites }) => websites.some((each) => each.id === websiteId)));
    });
    return () => {
      isGone = true;
    };
  }, [websiteId]);
  const missing = tags.filter((tag) => !found.some(({ id }) => id === tag.id));
  return { all: [...found, ...missing], failure };
}
