import type postgres from 'postgres';

const CHANNEL = 'switchboard_events';
/** Commits within this time wake the other nodes once. */
const COALESCED_MS = 5;

/**
 * Tells the other nodes that an account's event log has grown. Only a wake-up: whoever follows the log reads it, and looks every
 * second anyway, so a lost one delays and loses nothing. Sent after the commit, because notifications inside of transactions
 * make commits wait for each other.
 */
export class Notifications {
  readonly #sql: postgres.Sql;
  readonly #listeners = new Set<(accountId: number) => void>();
  readonly #pending = new Set<number>();
  #timer: NodeJS.Timeout | undefined;
  #listening: Promise<{ unlisten(): Promise<void> } | undefined> | undefined;

  constructor(sql: postgres.Sql) {
    this.#sql = sql;
  }

  on(listener: (accountId: number) => void): () => void {
    this.#listeners.add(listener);
    this.#listening ??= this.#sql
      .listen(CHANNEL, (text) => {
        for (const id of text.split(',')) this.#wake(Number(id));
      })
      .catch(() => undefined); // it is tried again by itself after a lost connection; the poll goes on meanwhile
    return () => this.#listeners.delete(listener);
  }

  send(accountIds: ReadonlySet<number>): void {
    for (const id of accountIds) {
      this.#wake(id);
      this.#pending.add(id);
    }
    if (this.#pending.size === 0) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const text = [...this.#pending].join();
      this.#pending.clear();
      this.#sql.notify(CHANNEL, text).catch(() => undefined);
    }, COALESCED_MS);
  }

  async end(): Promise<void> {
    clearTimeout(this.#timer);
    await (await this.#listening)?.unlisten().catch(() => undefined);
  }

  #wake(accountId: number): void {
    for (const listener of this.#listeners) listener(accountId);
  }
}
