import type { Database, Transaction } from '../../storage/database.ts';
import { DomainError } from '../errors.ts';

const WINDOW_MS = 60_000;

/** How often something may be tried within a minute. */
export interface RateWindow {
  /** Who tries, or from where; what is tried is a part of it. */
  readonly subject: string;
  /** 0 means that there is no limit. */
  readonly most: number;
}

/** Exact sliding windows, kept in the database so that all nodes share them. A try that is refused uses up nothing. */
export class RateLimits {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Counts a try in each window, or throws with the seconds to wait. It counts whatever becomes of what was tried. */
  async admit(windows: readonly RateWindow[], message: string): Promise<void> {
    if (windows.every(({ most }) => most === 0)) return;
    // The transaction itself does not fail: a refusal would otherwise be one more reason to wait for the disk.
    const wait = await this.#database.transaction((tx) => this.#count(tx, windows));
    if (wait > 0) throw tooMany(message, wait);
  }

  /** The same as a part of what is tried: it counts when that is committed. */
  async admitWithin(tx: Transaction, windows: readonly RateWindow[], message: string): Promise<void> {
    const wait = await this.#count(tx, windows);
    if (wait > 0) throw tooMany(message, wait);
  }

  /** Forgets the windows that have passed. */
  async clean(): Promise<void> {
    await this.#database.transaction((tx) => tx.db.deleteFrom('rateWindows').where('endsAt', '<', tx.now).execute());
  }

  /** Always in the order given, so that two nodes never wait for each other. */
  async #count(tx: Transaction, windows: readonly RateWindow[]): Promise<number> {
    const looked: { subject: string; recent: number[]; wait: number }[] = [];
    for (const { subject, most } of windows) {
      if (most === 0) continue;
      const recent = await this.#recent(tx, subject);
      looked.push({ subject, recent, wait: untilFree(recent, most, tx.now) });
    }
    const wait = Math.max(0, ...looked.map((window) => window.wait));
    if (wait === 0) for (const { subject, recent } of looked) await this.#keep(tx, subject, recent);
    return wait;
  }

  /** The tries of the last minute. Reading them this way holds the row until the commit, on every database. */
  async #recent(tx: Transaction, subject: string): Promise<number[]> {
    const row = await tx.db
      .insertInto('rateWindows')
      .values({ subject, attempts: '[]', endsAt: tx.now })
      .onConflict((conflict) =>
        conflict.column('subject').doUpdateSet((eb) => ({ attempts: eb.ref('rateWindows.attempts') })),
      )
      .returning('attempts')
      .executeTakeFirstOrThrow();
    return (JSON.parse(row.attempts) as number[]).filter((at) => at > tx.now - WINDOW_MS);
  }

  async #keep(tx: Transaction, subject: string, earlier: readonly number[]): Promise<void> {
    await tx.db
      .updateTable('rateWindows')
      .set({ attempts: JSON.stringify([...earlier, tx.now]), endsAt: tx.now + WINDOW_MS })
      .where('subject', '=', subject)
      .execute();
  }
}

function untilFree(attempts: readonly number[], most: number, now: number): number {
  const blocking = attempts[attempts.length - most];
  return blocking === undefined ? 0 : blocking + WINDOW_MS - now;
}

function tooMany(message: string, wait: number): DomainError {
  return new DomainError('limited', message, { retryAfterSeconds: Math.ceil(wait / 1000) });
}
