import type { ConversationFields, ConversationReading } from './change.ts';
import type { DeskConversation, DeskState, Message, Note } from './model.ts';

export function changeConversation(
  state: DeskState,
  id: string,
  change: (conversation: DeskConversation) => DeskConversation,
): DeskState {
  const known = state.conversations.get(id);
  if (known === undefined) return state;
  const changed = change(known);
  return changed === known ? state : { ...state, conversations: new Map(state.conversations).set(id, changed) };
}

export function createConversation({ messages, notes, ...fields }: ConversationReading): DeskConversation {
  const empty = { ...fields, messages: [], notes: [], pending: [], visitorTypingUntil: 0 };
  return mergeNotes(mergeMessages(empty, messages ?? []), notes ?? []);
}

/** Replaces everything that the service tells. Markers and counts never go back, whichever answer is the last to come. */
export function replaceFields(known: DeskConversation, fields: ConversationFields): DeskConversation {
  const isOver = fields.state !== 'ACTIVE';
  const replaced = countUnread({
    ...known,
    ...fields,
    messageCount: Math.max(known.messageCount, fields.messageCount),
    readByVisitorUpTo: Math.max(known.readByVisitorUpTo, fields.readByVisitorUpTo),
    readByOperatorUpTo: Math.max(known.readByOperatorUpTo, fields.readByOperatorUpTo),
    visitorTypingUntil: isOver ? 0 : known.visitorTypingUntil,
    website: keep(known.website, fields.website),
    skill: keep(known.skill, fields.skill),
    group: keep(known.group, fields.group),
    operator: keep(known.operator, fields.operator),
    closedByOperator: keep(known.closedByOperator, fields.closedByOperator),
    visitor: keep(known.visitor, fields.visitor),
    satisfaction: keep(known.satisfaction, fields.satisfaction),
    escalatedFrom: keep(known.escalatedFrom, fields.escalatedFrom),
    tags: keep(known.tags, fields.tags),
  });
  return hasSameFields(known, replaced) ? known : replaced;
}

/** The fields of the second one. */
export function hasSameFields<Value extends object>(first: Value, second: Value): boolean {
  const names = Object.keys(second) as (keyof Value)[];
  return names.every((name) => first[name] === second[name]);
}

/** The known object if the other one has the same content: all of them are small and from the same query. */
export function keep<Value>(known: Value, received: Value): Value {
  return JSON.stringify(known) === JSON.stringify(received) ? known : received;
}

/**
 * Adds messages, which may be known. They stay without a gap: with one before the received messages, those that follow
 * it are left out, and read later, when the count says that they are missing.
 */
export function mergeMessages(known: DeskConversation, received: readonly Message[]): DeskConversation {
  const bySequence = new Map(known.messages.map((message) => [message.sequence, message]));
  const added = received.filter(({ sequence }) => !bySequence.has(sequence));
  if (added.length === 0) return known;
  for (const message of added) bySequence.set(message.sequence, message);
  const anchor = known.messages.at(-1)?.sequence ?? Math.max(...bySequence.keys());
  let first = anchor;
  let last = anchor;
  while (bySequence.has(first - 1)) first -= 1;
  while (bySequence.has(last + 1)) last += 1;
  const messages: Message[] = [];
  for (let sequence = first; sequence <= last; sequence++) messages.push(bySequence.get(sequence) as Message);
  const newest = Math.max(...added.map(({ sequence }) => sequence));
  return countUnread({ ...known, messages, messageCount: Math.max(known.messageCount, newest) });
}

export function mergeNotes(known: DeskConversation, received: readonly Note[]): DeskConversation {
  const ids = new Set(known.notes.map(({ id }) => id));
  const added = received.filter(({ id }) => !ids.has(id));
  if (added.length === 0) return known;
  const notes = [...known.notes, ...added].sort((first, second) => Number(first.id) - Number(second.id));
  return { ...known, notes };
}

export function moveReadMarker(known: DeskConversation, upTo: number): DeskConversation {
  if (upTo <= known.readByOperatorUpTo) return known;
  return countUnread({ ...known, readByOperatorUpTo: Math.min(upTo, known.messageCount) });
}

/** Counts what is there; the count of the service stays where not all messages after the marker are loaded. */
function countUnread(conversation: DeskConversation): DeskConversation {
  const { messages, readByOperatorUpTo, messageCount } = conversation;
  const isLoaded =
    readByOperatorUpTo >= messageCount ||
    (messages.at(-1)?.sequence === messageCount && (messages[0]?.sequence ?? 0) <= readByOperatorUpTo + 1);
  if (!isLoaded) return conversation;
  const unread = messages.filter(({ author, sequence }) => author === 'VISITOR' && sequence > readByOperatorUpTo);
  return unread.length === conversation.unreadCount ? conversation : { ...conversation, unreadCount: unread.length };
}

/** Whether messages are missing at the end, which have to be read. */
export function hasGap({ messages, messageCount }: DeskConversation): boolean {
  return (messages.at(-1)?.sequence ?? 0) < messageCount;
}
