import { DatabaseUnavailable } from './errors.ts';

const LONGEST_WAIT_MS = 5000;

/** One after the other for each key, in the order in which they came. */
export class Turns {
  readonly #last = new Map<number, Promise<unknown>>();

  take<T>(key: number, work: () => Promise<T>): Promise<T> {
    const queuedAt = performance.now();
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(() => {
      if (performance.now() - queuedAt > LONGEST_WAIT_MS)
        throw new DatabaseUnavailable('Too many changes are waiting.');
      return work();
    });
    const done = turn.catch(() => undefined);
    this.#last.set(key, done);
    done.then(() => {
      if (this.#last.get(key) === done) this.#last.delete(key);
    });
    return turn;
  }
}
