import { DatabaseUnavailable } from './errors.ts';
import type { RunningClock } from './running-clock.ts';

/** The work took too long. It may still complete. */
export class DeadlineExceeded extends Error {
  constructor() {
    super('The deadline was exceeded.');
    this.name = 'DeadlineExceeded';
  }
}

/** Searches the causes too: a commit with unknown outcome wraps its timeout. */
export function findTimeout(error: unknown): DeadlineExceeded | undefined {
  if (error instanceof DeadlineExceeded) return error;
  return error instanceof DatabaseUnavailable ? findTimeout(error.cause) : undefined;
}

/** Extensions for a process that stalls repeatedly. */
const MAX_EXTENSIONS = 5;
/** After a stall, the response may have arrived already: leaves time to read it. */
const MIN_EXTENSION_MS = 50;

/**
 * Rejects if the work takes too long. Time during which this process was stalled does not count: it extends the wait,
 * each time by at most the full timeout.
 */
export async function withDeadline<T>(work: PromiseLike<T>, milliseconds: number, clock: RunningClock): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const wait = (delayMs: number, extensions: number) => {
      const stalledBefore = clock.stalledMs;
      timer = setTimeout(() => {
        const stalledMs = clock.stalledMs - stalledBefore;
        // Timers run before I/O: `setImmediate` gives responses that have already arrived precedence.
        if (stalledMs === 0 || extensions === MAX_EXTENSIONS) setImmediate(() => reject(new DeadlineExceeded()));
        else wait(Math.min(Math.max(stalledMs, MIN_EXTENSION_MS), milliseconds), extensions + 1);
      }, delayMs);
    };
    wait(milliseconds, 0);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
