import type { Database, Transaction } from '../../storage/database.ts';
import { deleteOldMessagesLeft } from '../engine/records/message-left-store.ts';
import { deleteErasedContexts } from '../engine/records/visitor-context-store.ts';
import { deleteOldDecisions } from '../engine/routing/decisions.ts';
import { deleteOldEvents } from '../events/event-log.ts';
import { systemContext } from '../kernel/caller.ts';
import { deleteOldHistory } from '../live/live-history.ts';
import { deleteIdleVisitors } from '../visitors/idle-visitors.ts';
import { findLowestPosition } from '../webhooks/webhook-store.ts';

const DAY_MS = 24 * 3600 * 1000;
const MESSAGES_LEFT_BATCH = 200;

export interface RetentionDays {
  /** For the event log. */
  readonly events: number;
  /** For the live history, routing decisions, and messages left that are done. */
  readonly history: number;
  /** For visitors without a conversation. */
  readonly idleVisitors: number;
}

/** Deletes rows that are older than the retention, in small batches. */
export class Retention {
  readonly #database: Database;
  readonly #days: RetentionDays;

  constructor(database: Database, days: RetentionDays) {
    this.#database = database;
    this.#days = days;
  }

  /** Runs until no expired row is left, or until aborted. */
  async deleteExpired(signal?: AbortSignal): Promise<void> {
    const accounts = await this.#database.read.selectFrom('accounts').select('id').orderBy('id').execute();
    for (const { id } of accounts) {
      // Events that a webhook still has to deliver stay.
      const options = {
        retentionMs: this.#days.events * DAY_MS,
        findDeliveredPosition: (tx: Transaction) => findLowestPosition(tx, id),
      };
      await deleteOldEvents(this.#database, id, options, signal);
    }
    for (const { id } of accounts) await this.#deleteMessagesLeft(id, signal);
    await deleteOldHistory(this.#database, this.#days.history * DAY_MS, signal);
    await deleteOldDecisions(this.#database, this.#days.history * DAY_MS, signal);
    await deleteErasedContexts(this.#database, signal);
    await deleteIdleVisitors(this.#database, this.#days.idleVisitors * DAY_MS, signal);
  }

  /** In transactions of the account, because deletions are announced. */
  async #deleteMessagesLeft(accountId: number, signal?: AbortSignal): Promise<void> {
    let deleted = MESSAGES_LEFT_BATCH;
    while (deleted === MESSAGES_LEFT_BATCH && !signal?.aborted) {
      deleted = await this.#database.transaction((tx) => {
        const doneBefore = tx.now - this.#days.history * DAY_MS;
        return deleteOldMessagesLeft(tx, systemContext(accountId), { doneBefore, limit: MESSAGES_LEFT_BATCH });
      }, accountId);
    }
  }
}
