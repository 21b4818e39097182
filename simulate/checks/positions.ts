import type { EventReceived, StreamOpened } from '../journal.ts';
import type { Check, Problem } from './check.ts';

/** The positions of a stream only increase, also when a new connection resumes it. */
export const positions: Check = {
  name: 'positions of events were strictly ascending in every stream',
  findProblems: (_timeline, entries) => {
    const lastPositions = new Map<number, number>();
    const problems: Problem[] = [];
    for (const entry of entries) {
      if (entry.kind === 'opened') lastPositions.set(entry.stream, startOf(entry));
      if (entry.kind !== 'told') continue;
      const last = lastPositions.get(entry.stream) ?? 0;
      if (entry.position <= last) problems.push({ what: describeProblem(entry, last), at: entry.at });
      lastPositions.set(entry.stream, Math.max(last, entry.position));
    }
    return problems;
  },
};

function startOf({ after }: StreamOpened): number {
  return after ?? 0;
}

function describeProblem({ who, stream, position, type }: EventReceived, last: number): string {
  return `${who} received ${type} at position ${position} after ${last} (stream ${stream})`;
}
