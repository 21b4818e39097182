import type { EventReceived } from '../journal.ts';
import type { Check, Problem } from './check.ts';

/** The positions of a stream only increase, even when a new connection resumes it. */
export const positions: Check = {
  name: 'positions of events were strictly ascending in every stream',
  findProblems: (_timeline, entries) => {
    const lastPositions = new Map<number, number>();
    const problems: Problem[] = [];
    for (const entry of entries) {
      if (entry.kind === 'stream_opened') lastPositions.set(entry.stream, entry.after);
      if (entry.kind !== 'event_received') continue;
      const last = lastPositions.get(entry.stream) ?? 0;
      if (entry.position <= last) problems.push({ message: describeProblem(entry, last), at: entry.at });
      lastPositions.set(entry.stream, Math.max(last, entry.position));
    }
    return problems;
  },
};

function describeProblem({ participant, stream, position, type }: EventReceived, last: number): string {
  return `${participant} received ${type} at position ${position} after ${last} (stream ${stream})`;
}
