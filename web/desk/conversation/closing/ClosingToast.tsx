import { useSyncExternalStore } from 'react';
import { Button } from '../../../shared/components/Button.tsx';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { conversationTexts } from '../texts.ts';
import type { HeldCloses } from './held-closes.ts';

interface ClosingToastProps {
  readonly held: HeldCloses;
  /** Why the service did not close a conversation. */
  readonly refused: string | undefined;
}

/** The last conversation that was closed, as long as it can be kept open. */
export function ClosingToast({ held, refused }: ClosingToastProps) {
  const t = useTexts(conversationTexts);
  const all = useSyncExternalStore(held.subscribe, held.getAll);
  const last = all.findLast(({ step }) => step === 'held');
  return (
    <div className="toast-region" role="status">
      {last !== undefined ? (
        <span className="toast">
          {t('closedToast', { name: last.visitorName })}
          <Button onPress={() => held.undo(last.conversationId)}>{t('undo')}</Button>
        </span>
      ) : (
        refused !== undefined && (
          <span className="toast">
            {t('notClosed')} <span lang="en">{refused}</span>
          </span>
        )
      )}
    </div>
  );
}
