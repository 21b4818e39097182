import { Button } from '../../../shared/components/Button.tsx';
import { Dialog } from '../../../shared/components/Dialog.tsx';
import { FailureBanner } from '../../../shared/frame/FailureBanner.tsx';
import { useAttempt } from '../../../shared/frame/useAttempt.ts';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { describeOwner } from './describe-reply.ts';
import { deleteReply } from './replies-query.ts';
import type { OwnedReply } from './reply.ts';
import { cannedTexts } from './texts.ts';

interface DeleteDialogProps {
  readonly reply: OwnedReply;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

export function DeleteDialog({ reply, onDone, onCancel }: DeleteDialogProps) {
  const t = useTexts(cannedTexts);
  const { start, isPending, failure, wait } = useAttempt(() => deleteReply(reply.id), onDone);
  return (
    <Dialog title={t('deleteTitle', { shortcut: reply.shortcut })} onCancel={onCancel}>
      <p>{reply.scope === 'OWN' ? t('deleteOwnText') : t('deleteSharedText', { owner: describeOwner(reply, t) })}</p>
      <FailureBanner failure={failure} wait={wait} />
      <div className="dialog-actions">
        <Button onPress={onCancel} data-first-focus="">
          {t('cancel')}
        </Button>
        <Button kind="danger" isPending={isPending} onPress={() => start(undefined)}>
          {t('delete')}
        </Button>
      </div>
    </Dialog>
  );
}
