import { findTimeout } from '../deadline.ts';
import { DatabaseUnavailable } from '../errors.ts';
import type { Change, TakeChange } from './changes.ts';

interface QueuedChange extends Change {
  readonly queuedAt: number;
}

export interface AccountQueuesOptions {
  /** Runs the changes that it takes in one transaction, and settles each. Rejects if the transaction failed. */
  run(take: TakeChange, accountId: number): Promise<void>;
  now(): number;
  readonly maxWaitMs: number;
}

/** A transaction takes no more changes after this time, because those of other nodes wait for it. */
const MAX_TAKING_MS = 30;
/** PostgreSQL caches 64 subtransactions of a transaction: with savepoints, each change after the first is one. */
const MAX_TAKEN = 50;

/**
 * The changes of this node that wait, by account. Changes of one account run one after the other; those that wait
 * while one runs share its transaction.
 */
export class AccountQueues {
  readonly #options: AccountQueuesOptions;
  readonly #queues = new Map<number, QueuedChange[]>();

  constructor(options: AccountQueuesOptions) {
    this.#options = options;
  }

  /** Changes that have not begun. */
  get waiting(): number {
    return this.#queues.values().reduce((sum, { length }) => sum + length, 0);
  }

  add(accountId: number, change: Change): void {
    const queuedChange = { ...change, queuedAt: this.#options.now() };
    const queue = this.#queues.get(accountId);
    if (queue) {
      queue.push(queuedChange);
    } else {
      const newQueue = [queuedChange];
      this.#queues.set(accountId, newQueue);
      this.#run(accountId, newQueue);
    }
  }

  async #run(accountId: number, queue: QueuedChange[]): Promise<void> {
    while (queue.length > 0) {
      try {
        await this.#options.run(this.#takeFrom(queue), accountId);
      } catch (error) {
        const timeout = findTimeout(error);
        if (!timeout) continue;
        // Fail immediately instead of waiting for another timeout.
        const unavailable = new DatabaseUnavailable('The database does not respond.', { cause: timeout });
        for (const change of queue.splice(0)) change.reject(unavailable);
      }
    }
    this.#queues.delete(accountId); // in the same tick as the last check of the queue, so that no change is left
  }

  /** Returns a function that takes the next change of a transaction. */
  #takeFrom(queue: QueuedChange[]): TakeChange {
    const { now, maxWaitMs } = this.#options;
    let takenCount = 0;
    let endsAt = Number.POSITIVE_INFINITY;
    return () => {
      const takenAt = now();
      if (takenCount === MAX_TAKEN || takenAt > endsAt) return undefined;
      for (let change = queue.shift(); change; change = queue.shift()) {
        if (takenAt - change.queuedAt <= maxWaitMs) {
          takenCount += 1;
          if (takenCount === 2) endsAt = takenAt + MAX_TAKING_MS; // the first waited for the lock
          return change;
        }
        change.reject(new DatabaseUnavailable('Too many changes are waiting.'));
      }
      return undefined;
    };
  }
}
