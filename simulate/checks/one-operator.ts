import type { Holding } from '../timeline.ts';
import type { Check, Problem } from './check.ts';

/** No conversation is in two hands at once, by the positions of the events that both desks were told. */
export const oneOperator: Check = {
  name: 'no conversation was assigned to two operators at once',
  problems: ({ holdings, problems }) => [
    ...problems,
    ...[...Map.groupBy(holdings, ({ conversation }) => conversation).values()].flatMap(overlaps),
  ],
};

function overlaps(holdings: readonly Holding[]): Problem[] {
  const sorted = holdings.toSorted((a, b) => a.from - b.from);
  const problems: Problem[] = [];
  let last: Holding | undefined;
  for (const holding of sorted) {
    if (last && holding.from < last.to) {
      const what = `conversation ${holding.conversation} went to ${holding.who} at position ${holding.from} while ${last.who} had it since ${last.from}`;
      problems.push({ what, at: holding.toldAt });
    }
    if (!last || holding.to > last.to) last = holding;
  }
  return problems;
}
