import { useEffect, useSyncExternalStore } from 'react';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useToast } from '../../frame/ToastContext.tsx';
import type { HeldCloses } from './held-closes.ts';
import { closingTexts } from './texts.ts';

/** The last conversation that was closed, as long as it can be kept open. */
export function useClosingToast(held: HeldCloses): void {
  const t = useTexts(closingTexts);
  const show = useToast();
  const { conversationId, visitorName } = useSyncExternalStore(held.subscribe, () => held.findLast()) ?? {};
  useEffect(() => {
    if (conversationId === undefined || visitorName === undefined) return;
    return show({
      text: t('closedToast', { name: visitorName }),
      action: { label: t('undo'), onPress: () => held.undo(conversationId) },
      onHold: held.setPaused,
    });
  }, [conversationId, visitorName, held, show, t]);
}
