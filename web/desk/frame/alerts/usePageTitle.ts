import { useEffect } from 'react';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDesk } from '../../DeskContext.tsx';
import type { DeskRoute } from '../route.ts';
import { frameTexts } from '../texts.ts';
import { useVisitorName } from '../useVisitorName.ts';
import { countAttention, formatTitle } from './counts.ts';
import { showFavicon } from './favicon.ts';

/** The title of the window names what is open, and counts with the icon what waits. */
export function usePageTitle(route: DeskRoute): void {
  const t = useTexts(frameTexts);
  const nameVisitor = useVisitorName();
  const count = useDesk(countAttention);
  const openId = route.view === 'conversation' ? route.conversationId : undefined;
  const visitor = useDesk((state) => (openId === undefined ? undefined : state.conversations.get(openId)?.visitor));
  const titles = { list: t('conversations'), messagesLeft: t('messagesLeft'), settings: t('settings') };
  const title = route.view === 'conversation' ? visitor && nameVisitor(visitor) : titles[route.view];
  useEffect(() => {
    document.title = formatTitle(title ?? t('conversation'), count);
  }, [title, count, t]);
  useEffect(() => {
    showFavicon(count);
  }, [count]);
}
