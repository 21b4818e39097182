import { sql } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';
import { Turns } from '../../storage/turns.ts';
import { deleteInBatches } from '../kernel/batched-delete.ts';
import { DomainError } from '../kernel/errors.ts';

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
  /** The database decides. This only keeps many tries of one subject from taking all its connections to wait for each other. */
  readonly #turns = new Turns<string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Counts a try in each window, or throws with the seconds to wait. It counts whatever becomes of what was tried. */
  async admit(windows: readonly RateWindow[], message: string): Promise<void> {
    const limited = windows.filter(({ most }) => most > 0);
    if (limited.length === 0) return;
    const wait = await this.#inTurn(limited, () => this.#countUnlessFull(limited));
    if (wait > 0) throw tooMany(message, wait);
  }

  #inTurn<T>([first, ...rest]: readonly RateWindow[], work: () => Promise<T>): Promise<T> {
    return first ? this.#turns.take(first.subject, () => this.#inTurn(rest, work)) : work();
  }

  /** Tries are only added, so one that a plain read refuses is refused for good: it costs no lock and no commit. */
  async #countUnlessFull(windows: readonly RateWindow[]): Promise<number> {
    const rows = await this.#database.read
      .selectFrom('rateWindows')
      .select((eb) => ['subject', 'attempts', eb.fn<number>('now_ms', []).as('now')])
      .where(
        'subject',
        'in',
        windows.map(({ subject }) => subject),
      )
      .execute();
    const waits = rows.map(({ subject, attempts, now }) => {
      const { most = 0 } = windows.find((window) => window.subject === subject) ?? {};
      return untilFree(recent(attempts, now), most, now);
    });
    return Math.max(...waits, 0) || this.#database.transaction((tx) => this.#count(tx, windows));
  }

  /** The same as a part of what is tried: it counts when that is committed. */
  async admitWithin(tx: Transaction, windows: readonly RateWindow[], message: string): Promise<void> {
    const wait = await this.#count(tx, windows);
    if (wait > 0) throw tooMany(message, wait);
  }

  /** Forgets the windows that have passed. */
  clean(): Promise<void> {
    const where = sql`ends_at < now_ms()`;
    return deleteInBatches(this.#database, { table: 'rate_windows', key: ['subject'], where });
  }

  /** Always in the order given, so that two nodes never wait for each other. */
  async #count(tx: Transaction, windows: readonly RateWindow[]): Promise<number> {
    const looked: { subject: string; tries: number[]; wait: number }[] = [];
    for (const { subject, most } of windows) {
      if (most === 0) continue;
      const tries = await this.#recent(tx, subject);
      looked.push({ subject, tries, wait: untilFree(tries, most, tx.now) });
    }
    const wait = Math.max(0, ...looked.map((window) => window.wait));
    if (wait === 0) for (const { subject, tries } of looked) await this.#keep(tx, subject, tries);
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
    return recent(row.attempts, tx.now);
  }

  async #keep(tx: Transaction, subject: string, earlier: readonly number[]): Promise<void> {
    await tx.db
      .updateTable('rateWindows')
      .set({ attempts: JSON.stringify([...earlier, tx.now]), endsAt: tx.now + WINDOW_MS })
      .where('subject', '=', subject)
      .execute();
  }
}

function recent(attempts: string, now: number): number[] {
  return (JSON.parse(attempts) as number[]).filter((at) => at > now - WINDOW_MS);
}

function untilFree(attempts: readonly number[], most: number, now: number): number {
  const blocking = attempts[attempts.length - most];
  return blocking === undefined ? 0 : blocking + WINDOW_MS - now;
}

function tooMany(message: string, wait: number): DomainError {
  return new DomainError('limited', message, { retryAfterSeconds: Math.ceil(wait / 1000) });
}
