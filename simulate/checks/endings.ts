import type { Entry, Told } from '../journal.ts';
import type { Timeline } from '../timeline.ts';
import type { Check, Problem } from './check.ts';

/** What may still be said of a conversation that is over. */
const AFTERWARDS = new Set(['satisfaction.answered', 'conversation.updated']);

/** Every conversation ends in one way: closed once, or it waits still; and what was acknowledged is so. */
export const endings: Check = {
  name: 'every conversation ended in exactly one way: closed, abandoned or still waiting',
  problems: ({ started, told }, entries) => {
    const found = new Map<number, string>();
    const closed = new Map<number, number>();
    for (const entry of entries) {
      if (entry.kind === 'found') found.set(entry.conversation, entry.state);
      if (isClose(entry)) closed.set(entry.conversation, entry.at);
    }
    const events = eventsOf(told);
    const problems: Problem[] = [];
    for (const [conversation, { at }] of started) {
      const state = found.get(conversation);
      const own = events.get(conversation) ?? [];
      const report = (what: string, when = at) =>
        problems.push({ what: `conversation ${conversation}: ${what}`, at: when });
      const ends = own.filter(({ type }) => type === 'conversation.closed');
      if (ends.length > 1) report(`was closed ${ends.length} times`, ends[1]?.at);
      const [end] = ends;
      const later = end && own.find(({ position, type }) => position > end.position && !AFTERWARDS.has(type));
      if (later) report(`${later.type} came after it was closed`, later.at);
      if (state === undefined) continue; // nobody could look
      if (end && state !== 'CLOSED') report(`was announced closed and is ${state}`, end.at);
      if (!end && state === 'CLOSED') report('is closed, which nobody was told');
      if (state !== 'CLOSED' && closed.has(conversation)) report(`its close was acknowledged and it is ${state}`);
    }
    return problems;
  },
};

function isClose(entry: Entry): entry is Entry & { conversation: number } {
  return (
    entry.kind === 'answered' &&
    entry.operation === 'conversationClose' &&
    entry.outcome === 'done' &&
    entry.conversation !== null
  );
}

/** The events of each conversation once, in the order of their positions, whoever was told of them. */
function eventsOf(told: Timeline['told']): Map<number, Told[]> {
  const byPosition = new Map<number, Told>();
  for (const events of told.values()) for (const event of events) byPosition.set(event.position, event);
  const sorted = [...byPosition.values()].sort((a, b) => a.position - b.position);
  const own = new Map<number, Told[]>();
  for (const event of sorted) {
    if (event.conversation === null) continue;
    const list = own.get(event.conversation) ?? [];
    own.set(event.conversation, list);
    list.push(event);
  }
  return own;
}
