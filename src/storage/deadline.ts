import type { RunningClock } from './running-clock.ts';

/** It took longer than it may. What was begun may still happen. */
export class DeadlineExceeded extends Error {
  constructor() {
    super('There was no answer in time.');
    this.name = 'DeadlineExceeded';
  }
}

/** So often a process that gets no processor again and again waits on. */
const MAX_EXTENSIONS = 5;
/** After a standstill the answer may be there already: at least so long it is looked for. */
const SHORTEST_EXTENSION_MS = 50;

/**
 * Waits for something that answers within a time. The time in which this process itself stood still does not count: the wait
 * is extended by it, each time by the whole time at most.
 */
export async function inTime<T>(work: PromiseLike<T>, milliseconds: number, clock: RunningClock): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const wait = (leg: number, extensions: number) => {
      const before = clock.stalledMs;
      timer = setTimeout(() => {
        const stalled = clock.stalledMs - before;
        // After a last look at what has arrived: timers come before it.
        if (stalled === 0 || extensions === MAX_EXTENSIONS) setImmediate(() => reject(new DeadlineExceeded()));
        else wait(Math.min(Math.max(stalled, SHORTEST_EXTENSION_MS), milliseconds), extensions + 1);
      }, leg);
    };
    wait(milliseconds, 0);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
