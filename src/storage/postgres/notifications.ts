import { randomUUID } from 'node:crypto';
import { Session, type SessionOptions } from './session.ts';

const CHANNEL = 'switchboard_events';
/** Commits within this time wake the other nodes once. */
const COALESCED_MS = 5;
const LISTEN_AGAIN_MS = 250;

/**
 * Tells the other nodes that an account's event log has grown. Only a wake-up: whoever follows the log reads it, and looks every
 * second anyway, so a lost one delays and loses nothing. Sent after the commit, because notifications inside of transactions
 * make commits wait for each other.
 */
export class Notifications {
  /** Since the start: how often another node's commit was heard of. */
  heard = 0;
  isListening = false;
  /** By which it knows its own. */
  readonly #node = randomUUID();
  readonly #session: () => Session;
  readonly #notify: (text: string) => Promise<unknown>;
  readonly #listeners = new Set<(accountId: number) => void>();
  readonly #pending = new Set<number>();
  #listener: Session | undefined;
  #sending: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;

  constructor(
    url: string,
    options: SessionOptions,
    execute: (sql: string, args: readonly unknown[]) => Promise<unknown>,
  ) {
    this.#notify = (text) => execute(`select pg_notify('${CHANNEL}', $1)`, [text]);
    this.#session = () => {
      const session: Session = new Session(url, {
        ...options,
        onNotify: (text) => this.#hear(text),
        onLost: () => this.#lost(session),
      });
      return session;
    };
  }

  on(listener: (accountId: number) => void): () => void {
    this.#listeners.add(listener);
    if (!this.#listener && !this.#retry) this.#listen();
    return () => this.#listeners.delete(listener);
  }

  send(accountIds: ReadonlySet<number>): void {
    for (const id of accountIds) {
      this.#wake(id);
      this.#pending.add(id);
    }
    if (this.#pending.size === 0) return;
    this.#sending ??= setTimeout(() => {
      this.#sending = undefined;
      const text = [...this.#pending, this.#node].join();
      this.#pending.clear();
      this.#notify(text).catch(() => undefined);
    }, COALESCED_MS);
  }

  discardUnheard(milliseconds: number): void {
    this.#listener?.discardIfUnheardFor(milliseconds);
  }

  async end(): Promise<void> {
    clearTimeout(this.#sending);
    clearTimeout(this.#retry);
    const listener = this.#listener;
    this.#listener = undefined;
    await listener?.end(1);
  }

  #listen(): void {
    this.#retry = undefined;
    const session = this.#session();
    this.#listener = session;
    session.execute(`listen ${CHANNEL}`, []).then(
      () => {
        this.isListening = true;
      },
      () => session.discard(),
    );
  }

  /** Tried again and again; meanwhile everybody looks into the log by themself. */
  #lost(session: Session): void {
    if (session !== this.#listener) return;
    this.isListening = false;
    this.#listener = undefined;
    session.discard();
    this.#retry ??= setTimeout(() => this.#listen(), LISTEN_AGAIN_MS);
  }

  #hear(text: string): void {
    const ids = text.split(',');
    if (ids.pop() === this.#node) return; // it was woken by the commit itself
    this.heard += 1;
    for (const id of ids) this.#wake(Number(id));
  }

  #wake(accountId: number): void {
    for (const listener of this.#listeners) listener(accountId);
  }
}
