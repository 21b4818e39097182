import type { Conversation, Message, State } from './state.ts';

/** In the order of their sequence numbers, each once; a later copy replaces an earlier one. */
export function mergeMessages(present: readonly Message[], received: readonly Message[]): readonly Message[] {
  if (received.length === 0) return present;
  const bySequence = new Map([...present, ...received].map((message) => [message.sequence, message]));
  return [...bySequence.values()].sort((first, second) => first.sequence - second.sequence);
}

export function findLastSequence(messages: readonly Message[]): number {
  return messages.at(-1)?.sequence ?? 0;
}

/** The messages of operators that the visitor has not seen. */
export function countUnread({ conversation, messages }: Pick<State, 'conversation' | 'messages'>): number {
  const seen = conversation?.readByVisitorUpTo ?? 0;
  return messages.filter(({ author, sequence }) => author === 'OPERATOR' && sequence > seen).length;
}

/** The visitor's last message that an operator has read. */
export function findLastSeen({ readByOperatorUpTo }: Conversation, messages: readonly Message[]): number | undefined {
  return messages.findLast(({ author, sequence }) => author === 'VISITOR' && sequence <= readByOperatorUpTo)?.sequence;
}
