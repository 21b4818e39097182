import { DomainError } from '../kernel/errors.ts';
import { FairQueue } from '../kernel/fair-queue.ts';

/** Half of Node's thread pool, which also reads files and compresses answers. */
const MAX_RUNNING = 2;
/** A hash of an import starts only if another one can start next to it at any time. */
const MAX_RUNNING_IN_BACKGROUND = MAX_RUNNING - 1;
/** At 45 hashes per second, which two cores of a small server reach, the last one waits about a second. */
const MAX_WAITING = 48;

/** Who waits for a hash. Sources of the same priority take turns; a lower priority starts when no higher one waits. */
export interface HashTurn {
  /** `known`: a network from which a login succeeded; `background`: imports, which wait without a limit. */
  readonly priority: 'known' | 'other' | 'background';
  /** For example a network and a user. */
  readonly source: readonly string[];
  /** Aborted when the hash is no longer needed. */
  readonly signal?: AbortSignal | undefined;
}

interface Waiter {
  readonly isBackground: boolean;
  start(): void;
  reject(error: DomainError): void;
}

/** Decides which password is hashed next: few at a time, in fair order, with a bounded queue. */
export class HashQueue {
  readonly #waiting: Readonly<Record<HashTurn['priority'], FairQueue<Waiter>>> = {
    known: new FairQueue(),
    other: new FairQueue(),
    background: new FairQueue(),
  };
  #running = 0;
  #runningInBackground = 0;

  async run<T>(turn: HashTurn, hash: () => Promise<T>): Promise<T> {
    const isBackground = turn.priority === 'background';
    await this.#waitForTurn(turn, isBackground);
    try {
      requireClient(turn.signal);
      return await hash();
    } finally {
      this.#running -= 1;
      if (isBackground) this.#runningInBackground -= 1;
      this.#startNext();
    }
  }

  #waitForTurn({ priority, source }: HashTurn, isBackground: boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting[priority].add(source, { isBackground, start: resolve, reject });
      this.#startNext();
      this.#dropExcess();
    });
  }

  #startNext(): void {
    while (this.#running < MAX_RUNNING) {
      const next = this.#takeNext();
      if (!next) return;
      this.#running += 1;
      if (next.isBackground) this.#runningInBackground += 1;
      next.start();
    }
  }

  #takeNext(): Waiter | undefined {
    const { known, other, background } = this.#waiting;
    const canRunInBackground = this.#runningInBackground < MAX_RUNNING_IN_BACKGROUND;
    return known.take() ?? other.take() ?? (canRunInBackground ? background.take() : undefined);
  }

  #dropExcess(): void {
    const { known, other } = this.#waiting;
    if (known.size + other.size <= MAX_WAITING) return;
    const dropped = other.drop() ?? known.drop();
    dropped?.reject(
      new DomainError('unavailable', 'Too many passwords are being checked. Try again later.', {
        retryAfterSeconds: 2,
      }),
    );
  }
}

/** Throws if the client has disconnected. */
export function requireClient(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new DomainError('unavailable', 'The client has disconnected. Nothing was changed.');
}
