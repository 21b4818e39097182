import { flushSync } from 'react-dom';
import { focusComposer } from '../conversation/composer/focus-composer.ts';
import { navigate } from './navigation.ts';
import { toConversation } from './route.ts';

/**
 * Shows another conversation. What had the focus goes with the one before: the composer gets it, because letters that
 * are typed outside of every field are shortcuts.
 */
export function switchConversation(conversationId: string): void {
  const hadFocus = document.activeElement !== document.body;
  flushSync(() => navigate(toConversation(conversationId)));
  if (hadFocus && document.activeElement === document.body) focusComposer();
}
