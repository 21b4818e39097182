import { setTimeout } from 'node:timers/promises';
import type { Database } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import type { EventLog, LoggedEvent } from '../events/event-log.ts';
import type { VisitorCaller } from '../kernel/caller.ts';
import type { VisitorSessions } from './visitor-sessions.ts';

const RETRY_DELAY_MS = 1000;

const findErased = prepare<{ accountId: number; visitorId: number }, { id: number }>((db, { accountId, visitorId }) =>
  db
    .selectFrom('visitors')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', '=', visitorId)
    .where('erasedAt', 'is not', null),
);

/** The watched visitors of an account. */
interface AccountWatch {
  readonly callbacks: Map<number, Set<() => void>>;
  /** Resolves when the log is followed. */
  readonly started: PromiseWithResolvers<void>;
  readonly stop: AbortController;
}

/**
 * Reports erased visitors, whichever node erased them. An account's event log is followed once for all its visitors:
 * checking every token often would be expensive, because there are many.
 */
export class ErasureWatch {
  readonly #database: Database;
  readonly #log: EventLog;
  readonly #sessions: VisitorSessions;
  readonly #accounts = new Map<number, AccountWatch>();

  constructor(database: Database, log: EventLog, sessions: VisitorSessions) {
    this.#database = database;
    this.#log = log;
    this.#sessions = sessions;
  }

  /** Calls back when the visitor was erased and their tokens are no longer accepted here, until the signal aborts. */
  async watch({ accountId, visitorId }: VisitorCaller, onErased: () => void, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const account = this.#accounts.get(accountId) ?? this.#watchAccount(accountId);
    const callbacks = account.callbacks.get(visitorId) ?? new Set();
    const report = () => {
      this.#sessions.evict({ accountId, id: visitorId });
      onErased();
    };
    account.callbacks.set(visitorId, callbacks.add(report));
    signal.addEventListener('abort', () => {
      callbacks.delete(report);
      if (callbacks.size === 0) account.callbacks.delete(visitorId);
      if (account.callbacks.size > 0) return;
      account.stop.abort();
      this.#accounts.delete(accountId);
    });
    await account.started.promise;
    // May have been erased after the token was checked and before the log was followed.
    if (await this.#isErased(accountId, visitorId)) report();
  }

  #watchAccount(accountId: number): AccountWatch {
    const account = { callbacks: new Map(), started: Promise.withResolvers<void>(), stop: new AbortController() };
    this.#accounts.set(accountId, account);
    this.#followErasures(accountId, account);
    return account;
  }

  /** While the database is away, erasures are missed; the periodic check of tokens finds them. */
  async #followErasures(accountId: number, { callbacks, started, stop: { signal } }: AccountWatch): Promise<void> {
    while (!signal.aborted) {
      try {
        const position = await this.#log.readPosition(accountId);
        started.resolve();
        for await (const events of this.#log.follow(accountId, position, signal)) {
          for (const { subjectId } of events.filter(isErasure))
            for (const report of callbacks.get(subjectId) ?? []) report();
        }
      } catch {
        started.resolve();
        await setTimeout(RETRY_DELAY_MS, undefined, { ref: false });
      }
    }
  }

  async #isErased(accountId: number, visitorId: number): Promise<boolean> {
    const rows = await this.#database.run(findErased, { accountId, visitorId }).catch(() => []);
    return rows.length > 0;
  }
}

function isErasure({ type, changes }: LoggedEvent): boolean {
  return type === 'visitor.updated' && changes.fields.includes('erasedAt');
}
