import type { EventReceived } from '../journal.ts';
import type { Timeline } from '../timeline.ts';
import type { Check, Problem } from './check.ts';
import { findVisitorAbsences, type VisitorAbsence } from './visitor-absences.ts';

/** An operator who declined or missed an offer does not get the same conversation again within this time. */
const OFFER_PAUSE_MS = 60_000;
/** Conversations that started within this time of each other count as simultaneous. */
const TOLERANCE_MS = 1000;

interface QueueHistory {
  readonly conversation: number;
  readonly createdAt: number;
  /** The positions between which it was queued; several periods if it was requeued. */
  readonly periods: { from: number; to: number }[];
  /** When each operator declined or missed it, by the service's clock, because events may arrive late. */
  readonly refusedAt: Map<string, number>;
  /** From this position on it is at the head of the queue, because its operator was lost. */
  readonly headPosition: number;
  readonly absences: readonly VisitorAbsence[];
}

/**
 * Of two conversations with the same need, the older one is offered first, except during its offer pause and while its
 * visitor is absent.
 */
export const queueOrder: Check = {
  name: 'conversations with the same need were offered in the order of their start',
  findProblems: (timeline, entries) => {
    const groups = Map.groupBy(timeline.conversations.values(), ({ need }) => need);
    const histories = buildQueueHistories(timeline, findVisitorAbsences(entries));
    return [...groups.values()].flatMap((group) =>
      findInversions(
        timeline,
        group.flatMap(({ conversation }) => histories.get(conversation) ?? []),
      ),
    );
  },
};

function buildQueueHistories(
  { conversations, assignments, events }: Timeline,
  visitorAbsences: ReturnType<typeof findVisitorAbsences>,
): Map<number, QueueHistory> {
  const histories = new Map<number, QueueHistory>();
  const closedAt = new Map<number, number>();
  for (const list of events.values())
    for (const { type, conversation, position } of list)
      if (type === 'conversation.closed' && conversation !== null) closedAt.set(conversation, position);
  const byConversation = Map.groupBy(assignments, ({ conversation }) => conversation);
  for (const { conversation, createdAt, participant } of conversations.values()) {
    const conversationAssignments = (byConversation.get(conversation) ?? []).toSorted((a, b) => a.from - b.from);
    const refusedAt = new Map<string, number>();
    const periods: { from: number; to: number }[] = [];
    let from = findQueuedPosition(events.get(participant) ?? [], conversation);
    let headPosition = Number.POSITIVE_INFINITY;
    for (const assignment of conversationAssignments) {
      periods.push({ from, to: assignment.from });
      from = assignment.to;
      if (assignment.end === 'declined' || assignment.end === 'timed_out')
        refusedAt.set(assignment.participant, assignment.endedServerAt);
      if (assignment.end === 'operator_lost') headPosition = Math.min(headPosition, assignment.to);
    }
    periods.push({ from, to: closedAt.get(conversation) ?? Number.POSITIVE_INFINITY });
    const absences = visitorAbsences.get(participant) ?? [];
    histories.set(conversation, { conversation, createdAt, periods, refusedAt, headPosition, absences });
  }
  return histories;
}

/** The position from which it was queued: the first event that its visitor received. */
function findQueuedPosition(events: readonly EventReceived[], conversation: number): number {
  return events.find((event) => event.conversation === conversation)?.position ?? Number.POSITIVE_INFINITY;
}

function findInversions({ assignments, clockOffset }: Timeline, group: readonly QueueHistory[]): Problem[] {
  const members = new Map(group.map((history) => [history.conversation, history]));
  const offers = assignments.filter(({ conversation }) => members.has(conversation));
  const problems: Problem[] = [];
  for (const { conversation, participant, from, fromServerAt, notifiedAt } of offers) {
    const chosen = members.get(conversation) as QueueHistory;
    if (from > chosen.headPosition) continue;
    const passedOver = group.find(
      (other) =>
        other.createdAt < chosen.createdAt - TOLERANCE_MS &&
        other.periods.some((period) => from > period.from && from < period.to) &&
        !mayBeAbsent(other, fromServerAt + clockOffset) &&
        fromServerAt - (other.refusedAt.get(participant) ?? 0) > OFFER_PAUSE_MS + TOLERANCE_MS,
    );
    if (passedOver) {
      const earlier = Math.round(chosen.createdAt - passedOver.createdAt);
      const message = `${participant} was offered conversation ${conversation} at position ${from}, while ${passedOver.conversation} with the same need had started ${earlier} ms earlier`;
      problems.push({ message, at: notifiedAt });
    }
  }
  return problems;
}

function mayBeAbsent({ absences }: QueueHistory, at: number): boolean {
  return absences.some(({ possibleFrom, noticedAt }) => at >= possibleFrom && at <= noticedAt);
}
