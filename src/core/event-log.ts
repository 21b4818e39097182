import type { Changes, Database } from '../storage/database.ts';

/** A change as the log keeps it. */
export interface LoggedEvent {
  readonly position: number;
  readonly type: string;
  readonly subjectType: string;
  readonly subjectId: number;
  readonly at: number;
  readonly changes: Changes;
}

const BATCH = 500;
const POLL_MS = 1000;

/** The changes of an account, in order. A reader keeps its own place, so one that is slow costs nothing but its place. */
export class EventLog {
  readonly #database: Database;
  readonly #waiting = new Map<number, Set<() => void>>();

  constructor(database: Database) {
    this.#database = database;
    database.onEvents((accountId) => {
      const waiting = this.#waiting.get(accountId);
      this.#waiting.delete(accountId);
      for (const wake of waiting ?? []) wake();
    });
  }

  /** Where the log is now. */
  async position(accountId: number): Promise<number> {
    const row = await this.#database.read
      .selectFrom('accounts')
      .select('eventPosition')
      .where('id', '=', accountId)
      .executeTakeFirst();
    return row?.eventPosition ?? 0;
  }

  /** Everything after a position, in batches, as it comes; until the signal says stop. */
  async *follow(accountId: number, after: number, signal: AbortSignal): AsyncGenerator<readonly LoggedEvent[]> {
    for (let position = after; !signal.aborted; ) {
      const woken = this.#nextChange(accountId, signal); // before the look, so that nothing falls between
      const events = await this.#read(accountId, position);
      if (events.length > 0) {
        position = events.at(-1)?.position ?? position;
        yield events;
      } else {
        await woken;
      }
    }
  }

  async #read(accountId: number, after: number): Promise<LoggedEvent[]> {
    const rows = await this.#database.read
      .selectFrom('events')
      .select(['position', 'type', 'subjectType', 'subjectId', 'at', 'changes'])
      .where('accountId', '=', accountId)
      .where('position', '>', after)
      .orderBy('position')
      .limit(BATCH)
      .execute();
    return rows.map((row) => ({ ...row, changes: JSON.parse(row.changes) as Changes }));
  }

  /** Resolves at the next commit of the account, at the end, or after a while: a lost wake-up delays, it does not lose. */
  #nextChange(accountId: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(accountId) ?? new Set();
      this.#waiting.set(accountId, waiting);
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, POLL_MS);
      timer.unref();
      signal.addEventListener('abort', wake);
      waiting.add(wake);
    });
  }
}
