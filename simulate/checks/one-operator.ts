import type { Assignment } from '../timeline.ts';
import type { Check, Problem } from './check.ts';

/** By the positions of the events on both desks, a conversation never has two operators at the same time. */
export const oneOperator: Check = {
  name: 'no conversation was assigned to two operators at the same time',
  findProblems: ({ assignments, problems }) => [
    ...problems,
    ...[...Map.groupBy(assignments, ({ conversation }) => conversation).values()].flatMap(findOverlaps),
  ],
};

function findOverlaps(assignments: readonly Assignment[]): Problem[] {
  const sorted = assignments.toSorted((a, b) => a.from - b.from);
  const problems: Problem[] = [];
  let last: Assignment | undefined;
  for (const assignment of sorted) {
    if (last && assignment.from < last.to) {
      const message = `conversation ${assignment.conversation} went to ${assignment.participant} at position ${assignment.from} while ${last.participant} had it since ${last.from}`;
      problems.push({ message, at: assignment.notifiedAt });
    }
    if (!last || assignment.to > last.to) last = assignment;
  }
  return problems;
}
