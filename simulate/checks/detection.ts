import type { Entry } from '../journal.ts';

/** A busy service detects a closed connection late, and later still if all its responses are slow. */
const DISCONNECT_DETECTION_MS = 3000;
const DETECTION_RESPONSE_FACTOR = 5;

/** How long the service may take to notice that a participant is gone or back. */
export function computeDetectionMs(entries: readonly Entry[]): number {
  return DISCONNECT_DETECTION_MS + DETECTION_RESPONSE_FACTOR * slowestResponseMs(entries);
}

/** The slowest response to a first attempt. */
function slowestResponseMs(entries: readonly Entry[]): number {
  return entries.reduce(
    (slowest, entry) =>
      entry.kind === 'request_completed' && entry.attempts === 1
        ? Math.max(slowest, entry.at - entry.requestedAt)
        : slowest,
    0,
  );
}
