import { type DeadlineExceeded, findTimeout } from './deadline.ts';
import { DatabaseUnavailable } from './errors.ts';

/** Maximum wait for earlier changes. */
export const MAX_WAIT_MS = 5000;

/** Runs work with the same key sequentially, in order of arrival. */
export class KeyedQueue<Key> {
  waiting = 0;
  readonly #now: () => number;
  readonly #maxWaitMs: number;
  readonly #last = new Map<Key, Promise<DeadlineExceeded | undefined>>();

  constructor({ now = () => performance.now(), maxWaitMs = MAX_WAIT_MS } = {}) {
    this.#now = now;
    this.#maxWaitMs = maxWaitMs;
  }

  run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    const queuedAt = this.#now();
    this.waiting += 1;
    const result = (this.#last.get(key) ?? Promise.resolve(undefined)).then((timeout) => {
      this.waiting -= 1;
      // If the previous one timed out, fail immediately instead of waiting for another timeout.
      if (timeout) throw new DatabaseUnavailable('The database does not respond.', { cause: timeout });
      if (this.#now() - queuedAt > this.#maxWaitMs) throw new DatabaseUnavailable('Too many changes are waiting.');
      return work();
    });
    const done = result.then(() => undefined, findTimeout);
    this.#last.set(key, done);
    done.then(() => {
      if (this.#last.get(key) === done) this.#last.delete(key);
    });
    return result;
  }
}
