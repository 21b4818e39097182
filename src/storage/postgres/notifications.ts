import { randomUUID } from 'node:crypto';
import { BROADCAST_CHANNEL, Broadcasts } from './broadcasts.ts';
import type { Execute } from './dialect.ts';
import { Session, type SessionOptions } from './session.ts';

const CHANNEL = 'switchboard_events';
/** Commits within this time wake the other nodes once. */
const COALESCE_INTERVAL_MS = 5;
const RELISTEN_DELAY_MS = 250;

/**
 * Notifies the other nodes that an account's event log has grown. This is only a wake-up: followers read the log and
 * poll it every second anyway, so a lost notification delays events but loses none. Sent after the commit, because
 * notifications inside transactions serialize commits.
 */
export class Notifications {
  /** Notifications from other nodes, since the start. */
  receivedCount = 0;
  isListening = false;
  readonly broadcasts: Broadcasts;
  /** Identifies this node's own notifications. */
  readonly #node = randomUUID();
  readonly #openSession: () => Session;
  readonly #notify: (text: string) => Promise<unknown>;
  readonly #listeners = new Set<(accountId: number) => void>();
  readonly #pending = new Set<number>();
  #listener: Session | undefined;
  #sendTimer: NodeJS.Timeout | undefined;
  #retryTimer: NodeJS.Timeout | undefined;

  constructor(url: string, options: SessionOptions, execute: Execute) {
    this.broadcasts = new Broadcasts({
      write: async (sql, parameters) => this.#listener?.execute(sql, parameters),
      read: execute,
    });
    this.#notify = (text) => execute(`select pg_notify('${CHANNEL}', $1)`, [text]);
    this.#openSession = () => {
      const session: Session = new Session(url, {
        ...options,
        onNotify: (text, channel) =>
          channel === BROADCAST_CHANNEL ? this.broadcasts.receive(text) : this.#receive(text),
        onLost: () => this.#handleLoss(session),
      });
      return session;
    };
  }

  onEvents(listener: (accountId: number) => void): () => void {
    this.#listeners.add(listener);
    if (!this.#listener && !this.#retryTimer) this.#listen();
    return () => this.#listeners.delete(listener);
  }

  send(accountIds: ReadonlySet<number>): void {
    for (const id of accountIds) {
      this.#wake(id);
      this.#pending.add(id);
    }
    if (this.#pending.size === 0) return;
    this.#sendTimer ??= setTimeout(() => {
      this.#sendTimer = undefined;
      const text = [...this.#pending, this.#node].join();
      this.#pending.clear();
      this.#notify(text).catch(() => undefined);
    }, COALESCE_INTERVAL_MS);
  }

  discardUnresponsive(milliseconds: number): void {
    this.#listener?.discardIfUnresponsiveFor(milliseconds);
  }

  async end(): Promise<void> {
    this.broadcasts.end();
    clearTimeout(this.#sendTimer);
    clearTimeout(this.#retryTimer);
    const listener = this.#listener;
    this.#listener = undefined;
    await listener?.end(1);
  }

  #listen(): void {
    this.#retryTimer = undefined;
    const session = this.#openSession();
    this.#listener = session;
    session.execute(`listen ${CHANNEL}; listen ${BROADCAST_CHANNEL}`, []).then(
      () => {
        this.isListening = true;
      },
      () => session.discard(),
    );
  }

  /** Reconnects until it succeeds. In the meantime followers rely on polling. */
  #handleLoss(session: Session): void {
    if (session !== this.#listener) return;
    this.isListening = false;
    this.#listener = undefined;
    session.discard();
    this.#retryTimer ??= setTimeout(() => this.#listen(), RELISTEN_DELAY_MS);
  }

  #receive(text: string): void {
    const ids = text.split(',');
    if (ids.pop() === this.#node) return; // the commit itself already woke this node
    this.receivedCount += 1;
    for (const id of ids) this.#wake(Number(id));
  }

  #wake(accountId: number): void {
    for (const listener of this.#listeners) listener(accountId);
  }
}
