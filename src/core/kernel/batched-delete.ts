import { setTimeout } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';

/** Rows deleted per transaction. Other writers get a turn between batches. */
const BATCH_ROWS = 1000;
const PAUSE_MS = 10;

/** The rows of a table that match a condition. */
export interface RowSelection {
  readonly table: string;
  /** Columns that identify a row. */
  readonly key: readonly string[];
  readonly where: RawBuilder<unknown>;
}

/**
 * Deletes rows in batches until none are left or the signal aborts. A function selects the rows for each batch.
 */
export async function deleteInBatches(
  database: Database,
  rows: RowSelection | ((tx: Transaction, limit: number) => Promise<RowSelection | undefined>),
  signal?: AbortSignal,
): Promise<void> {
  while (!signal?.aborted) {
    const deleted = await database.transaction(async (tx) => {
      const next = typeof rows === 'function' ? await rows(tx, BATCH_ROWS) : rows;
      return next ? deleteBatch(tx, next) : 0;
    });
    if (deleted < BATCH_ROWS) return;
    await setTimeout(PAUSE_MS);
  }
}

/** Checks the condition twice, so that a row that changes after it was selected is not deleted. */
async function deleteBatch({ db }: Transaction, { table, key, where }: RowSelection): Promise<number> {
  const columns = sql.join(key.map((column) => sql.ref(column)));
  const { numAffectedRows } = await sql`delete from ${sql.table(table)} where (${columns}) in
    (select ${columns} from ${sql.table(table)} where ${where} limit ${BATCH_ROWS}) and (${where})`.execute(db);
  return Number(numAffectedRows ?? 0);
}
