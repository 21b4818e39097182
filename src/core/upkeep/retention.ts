import type { Database, Transaction } from '../../storage/database.ts';
import { deleteOldDecisions } from '../engine/routing/decisions.ts';
import { deleteOldEvents } from '../events/event-log.ts';
import { deleteOldHistory } from '../live/live-history.ts';
import { lowestPlace } from '../webhooks/webhook-store.ts';

const DAY_MS = 24 * 3600 * 1000;

export interface KeptDays {
  /** Of the event log. */
  readonly events: number;
  /** Of live states and routing decisions. */
  readonly history: number;
}

/** Forgets what is older than it must be kept, a little at a time. */
export class Retention {
  readonly #database: Database;
  readonly #days: KeptDays;

  constructor(database: Database, days: KeptDays) {
    this.#database = database;
    this.#days = days;
  }

  /** Works until nothing old is left, or until the signal says stop. */
  async clean(signal?: AbortSignal): Promise<void> {
    const accounts = await this.#database.read.selectFrom('accounts').select('id').orderBy('id').execute();
    for (const { id } of accounts) {
      // What a webhook still has to send stays.
      const kept = { keptMs: this.#days.events * DAY_MS, sentUpTo: (tx: Transaction) => lowestPlace(tx, id) };
      await deleteOldEvents(this.#database, id, kept, signal);
    }
    await deleteOldHistory(this.#database, this.#days.history * DAY_MS, signal);
    await deleteOldDecisions(this.#database, this.#days.history * DAY_MS, signal);
  }
}
