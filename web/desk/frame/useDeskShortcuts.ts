import { useDesk, useDeskStore } from '../DeskContext.tsx';
import { findNeighbour } from '../rail/neighbour.ts';
import { useAnswerOffer } from '../rail/useOffer.ts';
import { selectOffers } from '../state/select-conversations.ts';
import { useShortcuts } from './keyboard.ts';
import type { DeskRoute } from './route.ts';
import { focusSearch } from './SearchField.tsx';
import { switchConversation } from './switch-conversation.ts';
import { useOpenConversations } from './useOpenConversations.ts';

/** The shortcuts that work everywhere in the desk. */
export function useDeskShortcuts(route: DeskRoute, onShowShortcuts: () => void): void {
  const desk = useDeskStore();
  const hasSingleKeys = useDesk((state) => state.viewer.preferences.singleKeyShortcuts);
  const listOpen = useOpenConversations();
  const { accept, decline } = useAnswerOffer();
  const answer = (act: (conversationId: string) => void) => () => {
    const [oldest] = selectOffers(desk.getState());
    if (oldest) act(oldest.id);
  };
  const move = (step: 1 | -1) => () => {
    const next = findNeighbour(listOpen(), route.view === 'conversation' ? route.conversationId : undefined, step);
    if (next !== undefined) switchConversation(next);
  };
  useShortcuts(
    {
      a: answer(accept),
      d: answer(decline),
      '/': focusSearch,
      '?': onShowShortcuts,
      'Alt+ArrowUp': move(-1),
      'Alt+ArrowDown': move(1),
    },
    { hasSingleKeys },
  );
}
