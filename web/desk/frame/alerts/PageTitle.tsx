import { useEffect } from 'react';
import { useTexts } from '../../../shared/texts/LanguageContext.tsx';
import { useDesk } from '../../DeskContext.tsx';
import type { DeskRoute } from '../route.ts';
import { frameTexts } from '../texts.ts';
import { useVisitorName } from '../useVisitorName.ts';
import { countAttention, formatTitle } from './counts.ts';
import { formatDot } from './dotted-icon.ts';
import { showFavicon } from './favicon.ts';

/**
 * The title of the window names what is open, and counts with the icon what waits. A part without content of its own:
 * the count changes with every message, and the frame must not be drawn again for it.
 */
export function PageTitle({ route }: { readonly route: DeskRoute }) {
  const t = useTexts(frameTexts);
  const nameVisitor = useVisitorName();
  const count = useDesk(countAttention);
  const openId = route.view === 'conversation' ? route.conversationId : undefined;
  const visitor = useDesk((state) => (openId === undefined ? undefined : state.conversations.get(openId)?.visitor));
  const titles = { list: t('conversations'), messagesLeft: t('messagesLeft'), settings: t('settings') };
  const name = route.view === 'conversation' ? visitor && nameVisitor(visitor) : titles[route.view];
  const title = formatTitle(name ?? t('conversation'), count);
  const dot = formatDot(count);
  // The browser is told of a change only: each one costs it as much as a whole message.
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => {
    showFavicon(dot);
  }, [dot]);
  return null;
}
