import type { Entry, EventReceived, Participant } from '../journal.ts';
import { type Assignment, NEVER, type Timeline } from '../timeline.ts';
import type { Check, Problem } from './check.ts';
import { computeDetectionMs } from './detection.ts';

/** For the difference of the clocks and a response in transit. */
const CLOCK_TOLERANCE_MS = 100;
/** A silent connection is detected by two missed pings and the end of the lease. */
const SILENT_DETECTION_MS = 45_000;

/** A period in which the operator must not get offers, by the clock of the client. */
interface AwayPeriod {
  readonly from: number;
  until: number;
  readonly reason: string;
}

/**
 * Absent operators get no offers. Their journal (a closed desk, an acknowledged availability change) shows the absence
 * with a tolerance for its detection; the order of the events on their desk shows it without any tolerance.
 */
export const presence: Check = {
  name: 'no offer went to an operator who was offline or unavailable',
  findProblems: (timeline, entries) => {
    const entriesByParticipant = Map.groupBy(entries, ({ participant }) => participant);
    const detectionMs = computeDetectionMs(entries);
    const assignments = Map.groupBy(timeline.assignments, ({ participant }) => participant);
    return [...timeline.operators.keys()].flatMap((participant) => [
      ...findOffersWhileAway(
        timeline,
        assignments.get(participant) ?? [],
        findAwayPeriods(entriesByParticipant.get(participant) ?? [], detectionMs),
      ),
      ...findOffersAfterDisconnect(participant, timeline.events.get(participant) ?? []),
    ]);
  },
};

function findOffersWhileAway(
  { clockOffset }: Timeline,
  assignments: readonly Assignment[],
  away: readonly AwayPeriod[],
): Problem[] {
  const problems: Problem[] = [];
  for (const assignment of assignments) {
    const offeredAt = assignment.fromServerAt + clockOffset;
    const period = away.find(({ from, until }) => offeredAt > from && offeredAt < until);
    if (period) {
      const delayMs = Math.round(offeredAt - period.from);
      const message = `${assignment.participant} was offered conversation ${assignment.conversation} at position ${assignment.from}, ${delayMs} ms too late: ${period.reason}`;
      problems.push({ message, at: assignment.notifiedAt });
    }
  }
  return problems;
}

/** From the actions of the operator. */
function findAwayPeriods(entries: readonly Entry[], detectionMs: number): AwayPeriod[] {
  const away: AwayPeriod[] = [];
  let offline: AwayPeriod | undefined;
  let unavailable: AwayPeriod | undefined;
  let leasedUntil = 0;
  for (const entry of entries) {
    if (entry.kind === 'lease_requested') leasedUntil = entry.until;
    if (entry.kind === 'stream_opened' || entry.kind === 'lease_requested') {
      if (offline) offline.until = Math.min(offline.until, entry.at);
      offline = undefined;
    } else if (entry.kind === 'stream_ended' && entry.how !== 'finished' && entry.how !== 'lost') {
      const delayMs = entry.how === 'silent' ? SILENT_DETECTION_MS : detectionMs;
      offline = {
        from: Math.max(entry.at + delayMs, leasedUntil),
        until: NEVER,
        reason: `the desk was closed (${entry.how})`,
      };
      away.push(offline);
    } else if (entry.kind === 'availability_set' && !entry.available) {
      if (unavailable) continue;
      unavailable = {
        from: entry.at + CLOCK_TOLERANCE_MS,
        until: NEVER,
        reason: 'the operator had become unavailable',
      };
      away.push(unavailable);
    } else if (entry.kind === 'availability_set' && entry.available && unavailable) {
      unavailable.until = entry.requestedAt;
      unavailable = undefined;
    }
  }
  return away;
}

function findOffersAfterDisconnect(participant: Participant, events: readonly EventReceived[]): Problem[] {
  const problems: Problem[] = [];
  let offlineSince: number | undefined;
  for (const { type, position, conversation, at } of events) {
    if (type === 'operator.connected') offlineSince = undefined;
    if (type === 'operator.disconnected') offlineSince = position;
    if (type === 'conversation.offered' && offlineSince !== undefined) {
      const message = `${participant} was offered conversation ${conversation} at position ${position}, although announced as offline at ${offlineSince}`;
      problems.push({ message, at });
    }
  }
  return problems;
}
