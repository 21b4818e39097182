import { type RefObject, useEffect, useRef } from 'react';
import type { ComposerHandle } from './composer/Composer.tsx';
import { useComposerFocusRequests } from './memory/ConversationMemory.tsx';

interface FocusedConversation {
  readonly conversationId: string;
  readonly isClosing: boolean;
  readonly canWrite: boolean;
  readonly composer: RefObject<ComposerHandle | null>;
}

/** After an accept, and after an undo, whose button is gone with what it undid: one goes on to write. */
export function useComposerFocus({ conversationId, isClosing, canWrite, composer }: FocusedConversation): void {
  const requests = useComposerFocusRequests();
  const wasClosing = useRef(isClosing);
  useEffect(() => {
    const isUndone = wasClosing.current && !isClosing && document.activeElement === document.body;
    wasClosing.current = isClosing;
    if (canWrite && (requests.take(conversationId) || isUndone)) composer.current?.focus();
  }, [requests, conversationId, isClosing, canWrite, composer]);
}
