import { useCallback } from 'react';
import { useHeldCloses } from '../conversation/memory/ConversationMemory.tsx';
import { useDeskStore } from '../DeskContext.tsx';
import { selectMine } from '../state/select-conversations.ts';

/** Lists the own conversations in the order of the rail, without those that are being closed. */
export function useOpenConversations(): () => readonly string[] {
  const desk = useDeskStore();
  const held = useHeldCloses();
  return useCallback(() => {
    const closing = held.getIds();
    return selectMine(desk.getState()).flatMap(({ id }) => (closing.has(id) ? [] : id));
  }, [desk, held]);
}
