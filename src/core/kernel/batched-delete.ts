import { setTimeout } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';

/** So many rows go in one transaction; then others who write have their turn. */
const BATCH_ROWS = 1000;
const PAUSE_MS = 10;

/** The rows of a table for which a condition holds. */
export interface Rows {
  readonly table: string;
  /** The columns that name one row. */
  readonly key: readonly string[];
  readonly where: RawBuilder<unknown>;
}

/**
 * Deletes rows of which there may be very many, until none are left or the signal aborts. A function says before each batch
 * which ones are next.
 */
export async function deleteInBatches(
  database: Database,
  rows: Rows | ((tx: Transaction, limit: number) => Promise<Rows | undefined>),
  signal?: AbortSignal,
): Promise<void> {
  while (!signal?.aborted) {
    const deleted = await database.transaction(async (tx) => {
      const next = typeof rows === 'function' ? await rows(tx, BATCH_ROWS) : rows;
      return next ? deleteSome(tx, next) : 0;
    });
    if (deleted < BATCH_ROWS) return;
    await setTimeout(PAUSE_MS);
  }
}

/** The condition is asked twice, so that a row that changed after it was found stays. */
async function deleteSome({ db }: Transaction, { table, key, where }: Rows): Promise<number> {
  const names = sql.join(key.map((name) => sql.ref(name)));
  const { numAffectedRows } = await sql`delete from ${sql.table(table)} where (${names}) in
    (select ${names} from ${sql.table(table)} where ${where} limit ${BATCH_ROWS}) and (${where})`.execute(db);
  return Number(numAffectedRows ?? 0);
}
