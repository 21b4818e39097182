import { memo } from 'react';
import { Button } from '../../../shared/components/Button.tsx';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDeskActions } from '../../DeskContext.tsx';
import type { PendingMessage } from '../../state/model.ts';
import { conversationTexts } from '../texts.ts';
import { Linked } from './Linked.tsx';
import { NoteBox } from './NoteBox.tsx';

/** By the codes of the service. */
const FAILURE_TEXTS = new Map([
  ['state', 'notSentState'],
  ['FORBIDDEN', 'notSentForbidden'],
] as const) as ReadonlyMap<string, 'notSentState' | 'notSentForbidden'>;

interface PendingRowProps {
  readonly conversationId: string;
  readonly pending: PendingMessage;
  readonly isFirst: boolean;
}

/** A message or note that the service has not confirmed: an outline while it is sent, red after it was refused. */
export const PendingRow = memo(function PendingRow({ conversationId, pending, isFirst }: PendingRowProps) {
  const t = useTexts(conversationTexts);
  if (pending.kind === 'note') {
    return (
      <NoteBox head={pending.failure === null ? t('sendingNote') : t('noteNotSaved')} text={pending.text} isPending>
        <Failed conversationId={conversationId} pending={pending} />
      </NoteBox>
    );
  }
  const delivery = pending.failure === null ? 'pending' : 'failed';
  return (
    <div className="message" data-own="" data-same={isFirst ? undefined : ''} data-delivery={delivery}>
      <span className="visually-hidden">{t('you')}:</span>
      {pending.text !== '' && (
        <p className="bubble" dir="auto">
          <Linked text={pending.text} />
        </p>
      )}
      {pending.attachments.map(({ id, name }) => (
        <p className="bubble" key={id}>
          {name}
        </p>
      ))}
      {pending.failure === null && <span className="message-meta">{t('sending')}</span>}
      <Failed conversationId={conversationId} pending={pending} />
    </div>
  );
});

function Failed({ conversationId, pending }: Omit<PendingRowProps, 'isFirst'>) {
  const t = useTexts(conversationTexts);
  const { resend, discard } = useDeskActions();
  if (pending.failure === null) return null;
  return (
    <>
      <span className="message-meta" role="alert">
        {t(FAILURE_TEXTS.get(pending.failure) ?? 'notSent')}
      </span>
      <span className="failed-actions">
        <Button kind="quiet" size="small" onPress={() => resend(conversationId, pending.clientId)}>
          {t('tryAgain')}
        </Button>
        <Button kind="quiet" size="small" onPress={() => discard(conversationId, pending.clientId)}>
          {t('discard')}
        </Button>
      </span>
    </>
  );
}
