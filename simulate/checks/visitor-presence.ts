import type { FinalStateFound } from '../journal.ts';
import type { Assignment, Timeline } from '../timeline.ts';
import type { Check, Problem } from './check.ts';
import { computeVisitorDetectionMs, findVisitorAbsences, type VisitorAbsence } from './visitor-absences.ts';

const MINUTE_MS = 60_000;

/** A visitor who left is not offered to operators, and the conversation ends after the minutes of the website. */
export const visitorPresence: Check = {
  name: 'conversations of visitors who left were not offered, and ended when their time was over',
  findProblems: (timeline, entries) => {
    const absences = findVisitorAbsences(entries);
    const finalStates = new Map(
      entries.flatMap((entry) => (entry.kind === 'final_state_found' ? [[entry.conversation, entry] as const] : [])),
    );
    const detectionMs = computeVisitorDetectionMs(entries);
    const assignments = Map.groupBy(timeline.assignments, ({ conversation }) => conversation);
    return [...timeline.conversations.values()].flatMap(({ conversation, participant, absenceMinutes }) => {
      const own = absences.get(participant) ?? [];
      const context = { conversation, absences: own, absenceMs: absenceMinutes * MINUTE_MS, detectionMs };
      const finalState = finalStates.get(conversation);
      return [
        ...findOffers(timeline, context, assignments.get(conversation) ?? []),
        ...(finalState ? findWrongEndings(timeline, context, finalState) : []),
      ];
    });
  },
};

interface Context {
  readonly conversation: number;
  readonly absences: readonly VisitorAbsence[];
  /** 0 is never. */
  readonly absenceMs: number;
  readonly detectionMs: number;
}

function findOffers(
  { clockOffset }: Timeline,
  { conversation, absences, absenceMs }: Context,
  assignments: readonly Assignment[],
): Problem[] {
  if (absenceMs === 0) return [];
  const problems: Problem[] = [];
  for (const { participant, from, fromServerAt, notifiedAt } of assignments) {
    const offeredAt = fromServerAt + clockOffset;
    const absence = absences.find(({ certainFrom, returnedAt }) => offeredAt > certainFrom && offeredAt < returnedAt);
    if (!absence) continue;
    const late = Math.round(offeredAt - absence.certainFrom);
    const message = `conversation ${conversation} was offered to ${participant} at position ${from}, ${late} ms after its visitor was absent`;
    problems.push({ message, at: notifiedAt });
  }
  return problems;
}

function findWrongEndings(
  { clockOffset }: Timeline,
  { conversation, absences, absenceMs, detectionMs }: Context,
  { closedAt: serverClosedAt, closeReason, at }: FinalStateFound,
): Problem[] {
  const closedAt = serverClosedAt === null ? null : serverClosedAt + clockOffset;
  const problems: Problem[] = [];
  if (closedAt !== null && closeReason === 'VISITOR_LEFT') {
    const isJustified = absences.some(
      ({ possibleFrom, noticedAt }) =>
        absenceMs > 0 && closedAt >= possibleFrom + absenceMs && closedAt <= noticedAt + detectionMs,
    );
    if (!isJustified) {
      const message = `conversation ${conversation} was closed because its visitor had left, but the visitor had not been absent for ${absenceMs / MINUTE_MS} min`;
      problems.push({ message, at: closedAt });
    }
  }
  const overdue = absences.find(
    ({ certainFrom, returnedAt }) =>
      absenceMs > 0 && Math.min(closedAt ?? at, returnedAt) > certainFrom + absenceMs + detectionMs,
  );
  if (overdue) {
    const message = `conversation ${conversation} did not end, although its visitor had been absent for ${absenceMs / MINUTE_MS} min`;
    problems.push({ message, at: overdue.certainFrom + absenceMs });
  }
  return problems;
}
