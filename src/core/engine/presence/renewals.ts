import type { Database } from '../../../storage/database.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import type { Lease } from '../../live/leases.ts';
import { renewLeases } from './presence.ts';

/** Desks are pinged in batches, and the desks of one batch answer within this time. */
const BATCH_WINDOW_MS = 20;
/** Bounds the transaction: other changes in the account wait for it. */
const MAX_BATCH_SIZE = 100;

interface PendingRenewal {
  readonly context: ActorContext;
  readonly lease: Lease;
  resolve(isRenewed: boolean): void;
  reject(error: unknown): void;
}

/** Renews the leases of an account in batches, one transaction each: renewals are the most frequent change. */
export class LeaseRenewals {
  readonly #database: Database;
  readonly #pending = new Map<number, PendingRenewal[]>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns false if the lease has already ended. */
  renew(context: ActorContext, lease: Lease): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const batch = this.#pending.get(context.accountId) ?? this.#openBatch(context.accountId);
      batch.push({ context, lease, resolve, reject });
      if (batch.length === MAX_BATCH_SIZE) this.#pending.delete(context.accountId); // the next one opens a new batch
    });
  }

  #openBatch(accountId: number): PendingRenewal[] {
    const batch: PendingRenewal[] = [];
    this.#pending.set(accountId, batch);
    setTimeout(() => {
      if (this.#pending.get(accountId) === batch) this.#pending.delete(accountId);
      this.#renewBatch(accountId, batch);
    }, BATCH_WINDOW_MS);
    return batch;
  }

  async #renewBatch(accountId: number, batch: readonly PendingRenewal[]): Promise<void> {
    try {
      const results = await this.#database.transaction((tx) => renewLeases(tx, batch), accountId);
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as boolean);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }
}
