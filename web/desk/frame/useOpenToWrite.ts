import type { Answer } from '../../shared/api/request.ts';
import { useComposerFocusRequests } from '../conversation/memory/ConversationMemory.tsx';
import { navigate } from './navigation.ts';
import { toConversation } from './route.ts';
import { useReport } from './useReport.ts';

/** Opens a conversation that the operator gets, with the focus where one writes; or says why they do not get it. */
export function useOpenToWrite(): (conversationId: string, getting: Promise<Answer<unknown>>) => Promise<void> {
  const focus = useComposerFocusRequests();
  const report = useReport();
  return async (conversationId, getting) => {
    focus.request(conversationId);
    if (await report(getting)) navigate(toConversation(conversationId));
    else focus.cancel(conversationId);
  };
}
