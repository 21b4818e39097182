import type { Entry, Participant } from '../journal.ts';
import { NEVER } from '../timeline.ts';
import { computeDetectionMs } from './detection.ts';

/** A request proves presence for at least a minute; the service may add a little. */
const MIN_REQUEST_LEASE_MS = 60_000;
const MAX_REQUEST_LEASE_MS = 70_000;
/** From the last answered ping. */
const SOCKET_LEASE_MS = 30_000;
/** The service looks for absent visitors this often. */
const CHECK_INTERVAL_MS = 2000;

/** A time without a stream, by the clock of the client. */
export interface VisitorAbsence {
  /** Before this, the service cannot count the visitor as absent. */
  readonly possibleFrom: number;
  /** From this time on, it must. */
  readonly certainFrom: number;
  /** When the visitor returned; until `noticedAt` at the latest, the service may not have noticed. */
  readonly returnedAt: number;
  readonly noticedAt: number;
}

export function computeVisitorDetectionMs(entries: readonly Entry[]): number {
  return CHECK_INTERVAL_MS + computeDetectionMs(entries);
}

/** The absences of every visitor. A lost connection is one too, mostly too short to be noticed. */
export function findVisitorAbsences(entries: readonly Entry[]): ReadonlyMap<Participant, readonly VisitorAbsence[]> {
  const detectionMs = computeVisitorDetectionMs(entries);
  const byParticipant = Map.groupBy(entries, ({ participant }) => participant);
  const absences = new Map<Participant, VisitorAbsence[]>();
  for (const [participant, own] of byParticipant)
    if (participant !== 'admin' && participant.startsWith('visitor'))
      absences.set(participant, findAbsences(own, detectionMs));
  return absences;
}

function findAbsences(entries: readonly Entry[], detectionMs: number): VisitorAbsence[] {
  return entries.flatMap((entry, index) => {
    if (entry.kind !== 'stream_ended') return [];
    const later = entries.slice(index + 1);
    const opened = later.find(({ kind }) => kind === 'stream_opened')?.at ?? NEVER;
    const connected = later.find(({ kind }) => kind === 'stream_connected')?.at ?? NEVER;
    // Requests of the closed page may still be under way; one that was made much later is a return.
    const requests = entries.filter((one) => one.kind === 'request_completed');
    const returnedBy = requests.find(({ requestedAt }) => requestedAt > entry.at)?.requestedAt ?? NEVER;
    const returnedAt = Math.min(opened, returnedBy);
    const earlier = requests.filter(({ requestedAt }) => requestedAt < returnedAt);
    const lastRequestedAt = Math.max(0, ...earlier.map(({ requestedAt }) => requestedAt));
    const lastAnsweredAt = Math.max(0, ...earlier.map(({ at }) => at));
    return {
      possibleFrom: Math.max(entry.at, lastRequestedAt + MIN_REQUEST_LEASE_MS),
      certainFrom: Math.max(entry.at + SOCKET_LEASE_MS, lastAnsweredAt + MAX_REQUEST_LEASE_MS) + detectionMs,
      returnedAt,
      noticedAt: connected + detectionMs,
    };
  });
}
