import type { Opened, Told } from '../journal.ts';
import type { Check, Problem } from './check.ts';

/** The positions of a stream only grow, also from one connection to the next that goes on from it. */
export const positions: Check = {
  name: 'positions of events were strictly ascending in every stream',
  problems: (_timeline, entries) => {
    const reached = new Map<number, number>();
    const problems: Problem[] = [];
    for (const entry of entries) {
      if (entry.kind === 'opened') reached.set(entry.stream, startOf(entry));
      if (entry.kind !== 'told') continue;
      const before = reached.get(entry.stream) ?? 0;
      if (entry.position <= before) problems.push({ what: backwards(entry, before), at: entry.at });
      reached.set(entry.stream, Math.max(before, entry.position));
    }
    return problems;
  },
};

function startOf({ after }: Opened): number {
  return after ?? 0;
}

function backwards({ who, stream, position, type }: Told, before: number): string {
  return `${who} was told ${type} at position ${position} after ${before} (stream ${stream})`;
}
