import { DeadlineExceeded } from './deadline.ts';
import { DatabaseUnavailable } from './errors.ts';

/** Waiting for others is no fault of the database; but nobody waits for ever. */
export const MAX_WAIT_MS = 5000;

/** One after the other for each key, in the order in which they came. */
export class Turns<Key> {
  waiting = 0;
  readonly #now: () => number;
  readonly #longestWaitMs: number;
  readonly #last = new Map<Key, Promise<DeadlineExceeded | undefined>>();

  constructor({ now = () => performance.now(), longestWaitMs = MAX_WAIT_MS } = {}) {
    this.#now = now;
    this.#longestWaitMs = longestWaitMs;
  }

  take<T>(key: Key, work: () => Promise<T>): Promise<T> {
    const queuedAt = this.#now();
    this.waiting += 1;
    const turn = (this.#last.get(key) ?? Promise.resolve(undefined)).then((silence) => {
      this.waiting -= 1;
      // Whoever waited behind one that got no answer has waited long enough.
      if (silence) throw new DatabaseUnavailable('The database does not answer.', { cause: silence });
      if (this.#now() - queuedAt > this.#longestWaitMs) throw new DatabaseUnavailable('Too many changes are waiting.');
      return work();
    });
    const done = turn.then(() => undefined, silenceOf);
    this.#last.set(key, done);
    done.then(() => {
      if (this.#last.get(key) === done) this.#last.delete(key);
    });
    return turn;
  }
}

/** Also that of a commit whose outcome is not known, which has its reason further inside. */
function silenceOf(error: unknown): DeadlineExceeded | undefined {
  if (error instanceof DeadlineExceeded) return error;
  return error instanceof DatabaseUnavailable ? silenceOf(error.cause) : undefined;
}
