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

/** Somebody who has read everything up to a position and waits for more. */
interface Reader {
  readonly position: number;
  wake(): void;
}

const BATCH = 500;
const POLL_MS = 1000;

/** The changes of an account, in order. A reader keeps its own place, so one that is slow costs nothing but its place. */
export class EventLog {
  readonly #database: Database;
  readonly #moment;
  readonly #waiting = new Map<number, Set<Reader>>();
  #commits = 0;
  #poll: NodeJS.Timeout | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.#moment = database.hot<{ position: number; now: number }, [number]>((db, argument) =>
      db
        .selectFrom('accounts')
        .select((eb) => ['eventPosition as position', eb.fn<number>('now_ms', []).as('now')])
        .where('id', '=', argument<number>(0)),
    );
    database.onEvents((accountId) => {
      this.#commits += 1;
      for (const reader of [...(this.#waiting.get(accountId) ?? [])]) reader.wake();
    });
  }

  /** Where the log is now, and the database's time. */
  async moment(accountId: number): Promise<{ position: number; now: number }> {
    return (await this.#moment.first(accountId)) ?? { position: 0, now: 0 };
  }

  async position(accountId: number): Promise<number> {
    return (await this.moment(accountId)).position;
  }

  /** Everything after a position, in batches, as it comes; until the signal says stop. */
  async *follow(accountId: number, after: number, signal: AbortSignal): AsyncGenerator<readonly LoggedEvent[]> {
    for (let position = after; !signal.aborted; ) {
      const heard = this.#commits;
      const events = await this.#read(accountId, position);
      if (events.length > 0) {
        position = events.at(-1)?.position ?? position;
        yield events;
      } else if (heard === this.#commits && !signal.aborted) {
        // A commit or an end between the look and here is not waited for: it has come already.
        await this.#nextChange(accountId, position, signal);
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

  /** Resolves at the next commit of the account, when the poll finds that the account has moved on, or at the end. */
  #nextChange(accountId: number, position: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const reader: Reader = {
        position,
        wake: () => {
          this.#forget(accountId, reader);
          signal.removeEventListener('abort', reader.wake);
          resolve();
        },
      };
      const readers = this.#waiting.get(accountId) ?? new Set();
      this.#waiting.set(accountId, readers.add(reader));
      this.#poll ??= setInterval(() => this.#look().catch(() => undefined), POLL_MS).unref(); // the next look may work
      signal.addEventListener('abort', reader.wake);
    });
  }

  #forget(accountId: number, reader: Reader): void {
    const readers = this.#waiting.get(accountId);
    readers?.delete(reader);
    if (readers?.size === 0) this.#waiting.delete(accountId);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#poll);
    this.#poll = undefined;
  }

  /** One look for all who wait: a lost wake-up, or a commit of another process, delays a reader and loses nothing. */
  async #look(): Promise<void> {
    for (const [accountId, readers] of [...this.#waiting]) {
      const now = await this.position(accountId);
      for (const reader of [...readers]) if (reader.position < now) reader.wake();
    }
  }
}
