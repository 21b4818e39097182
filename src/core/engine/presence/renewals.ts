import type { Database } from '../../../storage/database.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import type { Lease } from '../../live/leases.ts';
import { prolongAll } from './presence.ts';

/** Desks are pinged in turns, and those of one turn answer within this time. */
const JOINED_MS = 20;
/** One transaction renews so many at most; everybody who changes something in the account is waiting meanwhile. */
const MAX_JOINED = 100;

interface Waiting {
  readonly context: ActorContext;
  readonly lease: Lease;
  resolve(holds: boolean): void;
  reject(error: unknown): void;
}

/** Renewals of leases, the most frequent change of all: one transaction for those that an account has in the same moment. */
export class Renewals {
  readonly #database: Database;
  readonly #waiting = new Map<number, Waiting[]>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** False when the session has ended. */
  renew(context: ActorContext, lease: Lease): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(context.accountId) ?? this.#begin(context.accountId);
      waiting.push({ context, lease, resolve, reject });
      if (waiting.length === MAX_JOINED) this.#waiting.delete(context.accountId); // the next ones go together again
    });
  }

  #begin(accountId: number): Waiting[] {
    const waiting: Waiting[] = [];
    this.#waiting.set(accountId, waiting);
    setTimeout(() => {
      if (this.#waiting.get(accountId) === waiting) this.#waiting.delete(accountId);
      this.#carryOut(accountId, waiting);
    }, JOINED_MS);
    return waiting;
  }

  async #carryOut(accountId: number, waiting: readonly Waiting[]): Promise<void> {
    try {
      const held = await this.#database.transaction((tx) => prolongAll(tx, waiting), accountId);
      for (const [index, { resolve }] of waiting.entries()) resolve(held[index] as boolean);
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}
