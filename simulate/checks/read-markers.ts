import type { Entry } from '../journal.ts';
import type { Check, Problem } from './check.ts';

/** What a visitor marked as read stays read, and only the operators' later messages are unread. */
export const readMarkers: Check = {
  name: 'unread messages were counted after the last one that was marked as read',
  findProblems: (_timeline, entries) => {
    const byConversation = Map.groupBy(entries.filter(isAboutReading), ({ conversation }) => conversation);
    return [...byConversation.values()].flatMap(findWrongCount);
  },
};

type ReadingEntry = Extract<Entry, { kind: 'read_marked' | 'messages_read' | 'final_state_found' }>;

function isAboutReading(entry: Entry): entry is ReadingEntry {
  return entry.kind === 'read_marked' || entry.kind === 'messages_read' || entry.kind === 'final_state_found';
}

function findWrongCount(entries: readonly ReadingEntry[]): Problem[] {
  const found = entries.find((entry) => entry.kind === 'final_state_found');
  const reads = entries.filter((entry) => entry.kind === 'messages_read');
  const read = reads.findLast(({ at }) => at <= (found?.at ?? 0));
  // Messages may still arrive in an open conversation between reading them and counting them.
  if (!found || !read || found.state !== 'CLOSED') return [];
  const marks = entries.filter((entry) => entry.kind === 'read_marked');
  const certain = marks.filter(({ isAcknowledged, at }) => isAcknowledged && at < found.requestedAt);
  const countAfter = (marked: typeof marks) => {
    const upTo = Math.max(0, ...marked.map((mark) => mark.upTo));
    return read.messages.filter(({ author, sequence }) => author === 'OPERATOR' && sequence > upTo).length;
  };
  const [min, max] = [countAfter(marks), countAfter(certain)];
  if (found.unreadCount >= min && found.unreadCount <= max) return [];
  const expected = min === max ? min : `${min} to ${max}`;
  const message = `conversation ${found.conversation}: ${found.unreadCount} messages are unread instead of ${expected}`;
  return [{ message, at: found.at }];
}
