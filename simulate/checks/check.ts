import type { Entry } from '../journal.ts';
import type { Timeline } from '../timeline.ts';

/** A violation of a rule, with the time at which a client noticed it. */
export interface Problem {
  readonly message: string;
  readonly at: number;
}

/** A rule that must always hold. It is checked by searching for violations in what clients observed. */
export interface Check {
  readonly name: string;
  findProblems(timeline: Timeline, entries: readonly Entry[]): Problem[];
}
