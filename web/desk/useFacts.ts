import { useRef } from 'react';
import { type ConversationFacts, keepFacts } from './state/facts.ts';
import type { DeskConversation } from './state/model.ts';

/** For the parts of a view that need not be drawn again with every message. */
export function useFacts<Found extends DeskConversation | undefined>(
  conversation: Found,
): ConversationFacts | Extract<Found, undefined> {
  const last = useRef<ConversationFacts>(undefined);
  last.current = conversation && keepFacts(last.current, conversation);
  return last.current as ConversationFacts | Extract<Found, undefined>;
}
