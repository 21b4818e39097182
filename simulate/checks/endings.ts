import type { Entry, EventReceived } from '../journal.ts';
import type { Timeline } from '../timeline.ts';
import type { Check, Problem } from './check.ts';

/** Events that may follow the close of a conversation. */
const ALLOWED_AFTER_CLOSE = new Set(['satisfaction.answered', 'conversation.updated']);

/** Every conversation is closed once or still open, and acknowledged closes took effect. */
export const endings: Check = {
  name: 'every conversation was closed at most once, and its final state matches its events',
  findProblems: ({ conversations, events }, entries) => {
    const finalStates = new Map<number, string>();
    const acknowledgedCloses = new Map<number, number>();
    for (const entry of entries) {
      if (entry.kind === 'final_state_found') finalStates.set(entry.conversation, entry.state);
      if (isAcknowledgedClose(entry)) acknowledgedCloses.set(entry.conversation, entry.at);
    }
    const eventsByConversation = groupByConversation(events);
    const problems: Problem[] = [];
    for (const [conversation, { at }] of conversations) {
      const state = finalStates.get(conversation);
      const conversationEvents = eventsByConversation.get(conversation) ?? [];
      const report = (message: string, when = at) =>
        problems.push({ message: `conversation ${conversation}: ${message}`, at: when });
      const closes = conversationEvents.filter(({ type }) => type === 'conversation.closed');
      if (closes.length > 1) report(`was closed ${closes.length} times`, closes[1]?.at);
      const [close] = closes;
      const later =
        close &&
        conversationEvents.find(({ position, type }) => position > close.position && !ALLOWED_AFTER_CLOSE.has(type));
      if (later) report(`${later.type} came after it was closed`, later.at);
      if (state === undefined) continue; // the visitor could not read the final state
      if (close && state !== 'CLOSED') report(`was announced as closed but is ${state}`, close.at);
      if (!close && state === 'CLOSED') report('is closed without an event');
      if (state !== 'CLOSED' && acknowledgedCloses.has(conversation))
        report(`its close was acknowledged but it is ${state}`);
    }
    return problems;
  },
};

function isAcknowledgedClose(entry: Entry): entry is Entry & { conversation: number } {
  return (
    entry.kind === 'request_completed' &&
    entry.operation === 'conversationClose' &&
    entry.outcome === 'done' &&
    entry.conversation !== null
  );
}

/** Distinct events of each conversation by position, whichever participants received them. */
function groupByConversation(events: Timeline['events']): Map<number, EventReceived[]> {
  const byPosition = new Map<number, EventReceived>();
  for (const list of events.values()) for (const event of list) byPosition.set(event.position, event);
  const sorted = [...byPosition.values()].sort((a, b) => a.position - b.position);
  const byConversation = new Map<number, EventReceived[]>();
  for (const event of sorted) {
    if (event.conversation === null) continue;
    const list = byConversation.get(event.conversation) ?? [];
    byConversation.set(event.conversation, list);
    list.push(event);
  }
  return byConversation;
}
