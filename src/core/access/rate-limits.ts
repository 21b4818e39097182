import { sql } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';
import { KeyedQueue } from '../../storage/keyed-queue.ts';
import { NO_FACTS, prepare } from '../../storage/prepared-statement.ts';
import { deleteInBatches } from '../kernel/batched-delete.ts';
import { DomainError } from '../kernel/errors.ts';

const MINUTE_MS = 60_000;

/** A limit on attempts in a sliding window. */
export interface RateWindow {
  /** The action, and the user or address. */
  readonly subject: string;
  /** 0 means no limit. */
  readonly limit: number;
  /** Defaults to a minute. A subject always has the same. */
  readonly windowMs?: number;
}

const lockAttempts = prepare<{ subject: string; endsAt: number }, { attempts: string }>(
  (db, { subject, endsAt }) =>
    db
      .insertInto('rateWindows')
      .values({ subject, attempts: '[]', endsAt })
      .onConflict((conflict) =>
        conflict.column('subject').doUpdateSet((eb) => ({ attempts: eb.ref('rateWindows.attempts') })),
      )
      .returning('attempts'),
  { writes: NO_FACTS },
);
const setAttempts = prepare<{ subject: string; attempts: string; endsAt: number }>(
  (db, { subject, ...columns }) => db.updateTable('rateWindows').set(columns).where('subject', '=', subject),
  { writes: NO_FACTS },
);

/** Exact sliding windows in the database, shared by all nodes. A rejected attempt does not count. */
export class RateLimits {
  readonly #database: Database;
  /** The database decides. This only prevents concurrent attempts of one subject from occupying all connections. */
  readonly #queue: KeyedQueue<string>;

  constructor(database: Database) {
    this.#database = database;
    this.#queue = new KeyedQueue({ maxWaitMs: database.maxWaitMs });
  }

  /**
   * Counts an attempt in each window, or throws with the seconds to wait. The attempt counts even if the action fails.
   */
  async admit(windows: readonly RateWindow[], message: string): Promise<void> {
    const activeWindows = windows.filter(({ limit }) => limit > 0);
    if (activeWindows.length === 0) return;
    const wait = await this.#runInTurn(activeWindows, () => this.#countUnlessFull(activeWindows));
    if (wait > 0) throw rateLimitError(message, wait);
  }

  #runInTurn<T>([first, ...rest]: readonly RateWindow[], work: () => Promise<T>): Promise<T> {
    return first ? this.#queue.run(first.subject, () => this.#runInTurn(rest, work)) : work();
  }

  /** Attempts are only added, so a plain read can reject one for certain, without a lock or a commit. */
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
      const { limit = 0, windowMs } = windows.find((window) => window.subject === subject) ?? {};
      return computeWaitMs(parseRecentAttempts(attempts, now, windowMs), limit, now, windowMs);
    });
    return Math.max(...waits, 0) || this.#database.transaction((tx) => this.#count(tx, windows));
  }

  /** Counts an attempt in the transaction of the action, so that it counts only if the action is committed. */
  async admitInTransaction(tx: Transaction, windows: readonly RateWindow[], message: string): Promise<void> {
    const wait = await this.#count(tx, windows);
    if (wait > 0) throw rateLimitError(message, wait);
  }

  /** Deletes expired windows. */
  deleteExpired(): Promise<void> {
    const where = sql`ends_at < now_ms()`;
    return deleteInBatches(this.#database, { table: 'rate_windows', key: ['subject'], where });
  }

  /** Locks windows in the given order, to avoid deadlocks between nodes. */
  async #count(tx: Transaction, windows: readonly RateWindow[]): Promise<number> {
    const states: { window: RateWindow; attempts: number[]; wait: number }[] = [];
    for (const window of windows) {
      if (window.limit === 0) continue;
      const attempts = await this.#lockAttempts(tx, window);
      states.push({ window, attempts, wait: computeWaitMs(attempts, window.limit, tx.now, window.windowMs) });
    }
    const wait = Math.max(0, ...states.map((state) => state.wait));
    if (wait === 0) for (const { window, attempts } of states) this.#addAttempt(tx, window, attempts);
    return wait;
  }

  /** Returns the attempts in the window. The upsert locks the row until the commit, on every database. */
  async #lockAttempts(tx: Transaction, { subject, windowMs }: RateWindow): Promise<number[]> {
    const [row] = await tx.run(lockAttempts, { subject, endsAt: tx.now });
    return parseRecentAttempts(row?.attempts ?? '[]', tx.now, windowMs);
  }

  #addAttempt(tx: Transaction, { subject, windowMs = MINUTE_MS }: RateWindow, attempts: readonly number[]): void {
    tx.send(setAttempts, {
      subject,
      attempts: JSON.stringify([...attempts, tx.now]),
      endsAt: tx.now + windowMs,
    });
  }
}

function parseRecentAttempts(attempts: string, now: number, windowMs = MINUTE_MS): number[] {
  return (JSON.parse(attempts) as number[]).filter((at) => at > now - windowMs);
}

function computeWaitMs(attempts: readonly number[], limit: number, now: number, windowMs = MINUTE_MS): number {
  const blocking = attempts[attempts.length - limit];
  return blocking === undefined ? 0 : blocking + windowMs - now;
}

function rateLimitError(message: string, wait: number): DomainError {
  return new DomainError('limited', message, { retryAfterSeconds: Math.ceil(wait / 1000) });
}
