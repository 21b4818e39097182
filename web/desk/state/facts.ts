import { hasSameFields } from './conversation.ts';
import type { DeskConversation } from './model.ts';

/** What stays as it is while messages come and go. */
export type ConversationFacts = ReturnType<typeof pickFacts>;

/** The known object while the conversation has the same facts. */
export function keepFacts(known: ConversationFacts | undefined, conversation: DeskConversation): ConversationFacts {
  const facts = pickFacts(conversation);
  return known && hasSameFields(known, facts) ? known : facts;
}

function pickFacts(conversation: DeskConversation) {
  const { messages, notes, pending, messageCount, unreadCount, ...others } = conversation;
  const { readByVisitorUpTo, readByOperatorUpTo, visitorTypingUntil, ...facts } = others;
  return facts;
}
