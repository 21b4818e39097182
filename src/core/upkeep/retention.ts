import { setTimeout } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';

const DAY_MS = 24 * 3600 * 1000;
/** So many rows go in one transaction; then others who write have their turn. */
const AT_ONCE = 1000;
const BREAK_MS = 10;

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
    for (const { id } of accounts) await this.#repeat((tx) => this.#trimEvents(tx, id), signal);
    await this.#repeat((tx) => this.#trimHistory(tx), signal);
    await this.#repeat((tx) => this.#trimDecisions(tx), signal);
  }

  async #repeat(some: (tx: Transaction) => Promise<number>, signal: AbortSignal | undefined): Promise<void> {
    while (!signal?.aborted) {
      if ((await this.#database.transaction(some)) < AT_ONCE) return;
      await setTimeout(BREAK_MS);
    }
  }

  /**
   * The log loses its beginning and nothing else: positions have no holes. What a webhook still has to send stays, and so
   * does the newest event, which shows how far the log has come.
   */
  async #trimEvents(tx: Transaction, accountId: number): Promise<number> {
    const oldest = await tx.db
      .selectFrom('events')
      .select(['position', 'at'])
      .where('accountId', '=', accountId)
      .where('position', '<', (eb) => eb.selectFrom('accounts').select('eventPosition').where('id', '=', accountId))
      .orderBy('position')
      .limit(AT_ONCE)
      .execute();
    if (oldest.length === 0) return 0;
    const { sent } = await tx.db
      .selectFrom('webhooks')
      .select((eb) => eb.fn.min('position').as('sent'))
      .where('accountId', '=', accountId)
      .where('state', '=', 'active')
      .executeTakeFirstOrThrow();
    const cut = tx.now - this.#days.events * DAY_MS;
    const kept = oldest.findIndex(({ position, at }) => at >= cut || (sent !== null && position > sent));
    const last = oldest.at(kept < 0 ? -1 : kept - 1);
    if (kept === 0 || !last) return 0;
    await tx.db
      .deleteFrom('events')
      .where('accountId', '=', accountId)
      .where('position', '<=', last.position)
      .execute();
    return kept < 0 ? oldest.length : kept;
  }

  /** Of every operator the last row before the cut stays: it says what was true at the cut. */
  #trimHistory(tx: Transaction): Promise<number> {
    const cut = tx.now - this.#days.history * DAY_MS;
    return deleted(
      tx,
      sql`delete from live_history where (account_id, operator_id, version) in (
        select h.account_id, h.operator_id, h.version from live_history h where h.at < ${cut} and (
          exists (select 1 from live_history n where n.account_id = h.account_id and n.operator_id = h.operator_id
            and n.at < ${cut} and n.at >= h.at and (n.at > h.at or n.version > h.version))
          or not exists (select 1 from operators o where o.account_id = h.account_id and o.id = h.operator_id))
        limit ${AT_ONCE})`,
    );
  }

  #trimDecisions(tx: Transaction): Promise<number> {
    const cut = tx.now - this.#days.history * DAY_MS;
    return deleted(
      tx,
      sql`delete from routing_decisions where (account_id, id) in (
        select account_id, id from routing_decisions where at < ${cut} limit ${AT_ONCE})`,
    );
  }
}

async function deleted({ db }: Transaction, statement: RawBuilder<unknown>): Promise<number> {
  return Number((await statement.execute(db)).numAffectedRows ?? 0);
}
