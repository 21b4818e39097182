import { useEffect, useRef, useSyncExternalStore } from 'react';
import { Button } from '../../../shared/components/Button.tsx';
import { FailureBanner } from '../../../shared/frame/FailureBanner.tsx';
import { useAttempt } from '../../../shared/frame/useAttempt.ts';
import { useLanguage, useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDesk, useDeskActions } from '../../DeskContext.tsx';
import type { DeskConversation } from '../../state/model.ts';
import { useComposerFocusRequests, useHeldCloses } from '../memory/ConversationMemory.tsx';
import { conversationTexts } from '../texts.ts';

const CLOSED_TEXTS = {
  OPERATOR: 'closedByOperator',
  VISITOR: 'closedByVisitor',
  API_KEY: 'closedByProgram',
  SYSTEM: 'closedBySystem',
} as const;

interface ReadOnlyStripProps {
  readonly conversation: DeskConversation;
  /** The viewer has closed it; the service does not know it yet. */
  readonly isClosing: boolean;
  /** The field in which the viewer wrote a moment ago is gone, perhaps with the focus. */
  readonly replacesComposer: boolean;
}

/** In place of the composer: why nothing can be written here. */
export function ReadOnlyStrip({ conversation, isClosing, replacesComposer }: ReadOnlyStripProps) {
  const t = useTexts(conversationTexts);
  const { id, state } = conversation;
  const { take } = useDeskActions();
  const mayTake = useDesk((state) => state.account.operatorsMayTake);
  const { start, isPending, failure, wait } = useAttempt(take, () => undefined);
  const focus = useComposerFocusRequests();
  const held = useHeldCloses();
  const canUndo = useSyncExternalStore(held.subscribe, () => held.canUndo(id));
  // The toast offers to undo the last one.
  const isLast = useSyncExternalStore(held.subscribe, () => held.findLast()?.conversationId === id);
  const strip = useRef<HTMLElement>(null);
  // First the dialog and the button that opened it are gone, and later the button to undo it.
  useEffect(() => {
    if (isClosing && (canUndo || document.activeElement === document.body)) strip.current?.focus();
  }, [isClosing, canUndo]);
  useEffect(() => {
    if (replacesComposer && document.activeElement === document.body) strip.current?.focus();
  }, [replacesComposer]);
  const takeIt = async () => {
    focus.request(id);
    if (await start(id)) focus.cancel(id);
  };
  const reason = useReason(conversation, isClosing);
  return (
    <section className="answer-strip" aria-label={t('readOnly')} ref={strip} tabIndex={-1}>
      <span className="answer-text" role="status">
        {reason}
      </span>
      {canUndo && !isLast && <Button onPress={() => held.undo(id)}>{t('undo')}</Button>}
      {state === 'QUEUED' && mayTake && (
        <Button kind="primary" isPending={isPending} onPress={takeIt}>
          {t('take')}
        </Button>
      )}
      <FailureBanner failure={failure} wait={wait} />
    </section>
  );
}

function useReason(conversation: DeskConversation, isClosing: boolean): string {
  const { state, operator, closedAt, closedBy, closedByOperator } = conversation;
  const viewerId = useDesk(({ viewer }) => viewer.id);
  const t = useTexts(conversationTexts);
  const { locale } = useLanguage();
  if (isClosing) return t('isClosing');
  if (state === 'CLOSED') {
    const at = closedAt === null ? '' : formatDate(closedAt, locale);
    if (closedByOperator?.id === viewerId) return t('closedByYou', { at });
    if (closedByOperator !== null) return t('closedByName', { name: closedByOperator.pseudo, at });
    return t(closedBy === null ? 'closedBySystem' : CLOSED_TEXTS[closedBy], { at });
  }
  if (state === 'QUEUED') return t('isWaiting');
  const name = operator?.pseudo ?? t('operator');
  return state === 'OFFERED' ? t('offeredToOther', { name }) : t('servedByOther', { name });
}

function formatDate(at: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at));
}
