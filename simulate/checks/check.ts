import type { Entry } from '../journal.ts';
import type { Timeline } from '../timeline.ts';

/** Something that must not be, with the moment at which somebody noticed it. */
export interface Problem {
  readonly what: string;
  readonly at: number;
}

/** What must always hold, as the search for its opposite in what clients saw. */
export interface Check {
  readonly name: string;
  problems(timeline: Timeline, entries: readonly Entry[]): Problem[];
}
