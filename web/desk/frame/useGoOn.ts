import { useComposerFocusRequests } from '../conversation/memory/ConversationMemory.tsx';
import { findNeighbour } from '../rail/neighbour.ts';
import { navigate } from './navigation.ts';
import { parseRoute, toConversation } from './route.ts';
import { useOpenConversations } from './useOpenConversations.ts';

/** Leaves a conversation that the operator has given away: the next one is opened to write, or else the list. */
export function useGoOn(): (conversationId: string) => void {
  const listOpen = useOpenConversations();
  const focus = useComposerFocusRequests();
  return (conversationId) => {
    const shown = parseRoute(location);
    if (shown.view !== 'conversation' || shown.conversationId !== conversationId) return;
    const next = findNeighbour(listOpen(), conversationId, 1);
    if (next === undefined || next === conversationId) return navigate({ view: 'list' });
    focus.request(next);
    navigate(toConversation(next));
  };
}
