import type { WebSocket } from 'ws';

/** A close code from the range for private use. */
const TOO_MANY_OPERATIONS = 4429;

/** A client that sends this many operations above its limits within the period ignores the errors. */
const MAX_REFUSALS = 1000;
const DEFAULT_REFUSAL_PERIOD_MS = 10_000;

/** The pauses of many refusals add up, but not above the time after which clients may try again. */
const PAUSE_PER_REFUSAL_MS = 5;
const MAX_PAUSE_MS = 1000;

/**
 * Returns a function to call for each refused operation of a connection. Reading from the connection pauses, so that a
 * client that sends many cannot keep the service busy with refusals; one that continues is disconnected.
 */
export function createFloodGuard(
  client: Pick<WebSocket, 'pause' | 'resume' | 'close'>,
  refusalPeriodMs = DEFAULT_REFUSAL_PERIOD_MS,
): () => void {
  let count = 0;
  let since = 0;
  let resumeAt = 0;
  let isPaused = false;

  const resumeWhenDue = () => {
    const remainingMs = resumeAt - performance.now();
    if (remainingMs > 0) {
      setTimeout(resumeWhenDue, remainingMs).unref();
      return;
    }
    isPaused = false;
    client.resume();
  };

  const pause = (now: number) => {
    resumeAt = Math.min(Math.max(resumeAt, now) + PAUSE_PER_REFUSAL_MS, now + MAX_PAUSE_MS);
    if (isPaused) return;
    isPaused = true;
    client.pause();
    setTimeout(resumeWhenDue, PAUSE_PER_REFUSAL_MS).unref();
  };

  return () => {
    const now = performance.now();
    if (now - since > refusalPeriodMs) {
      count = 0;
      since = now;
    }
    count += 1;
    if (count > MAX_REFUSALS) client.close(TOO_MANY_OPERATIONS, 'Too many operations');
    else pause(now);
  };
}
