import { setImmediate } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../storage/database.ts';

const AT_ONCE = 1000;

/** Forgets the rows of a table that are over, some at a time: there may be very many, and others want their turn. */
export async function forget(
  database: Database,
  {
    table,
    key,
    isOver,
  }: { readonly table: string; readonly key: readonly string[]; readonly isOver: RawBuilder<unknown> },
): Promise<void> {
  const names = sql.join(key.map((name) => sql.ref(name)));
  for (let forgotten = AT_ONCE; forgotten === AT_ONCE; await setImmediate()) {
    forgotten = await database.transaction(async (tx) => {
      const { rows } = await sql`delete from ${sql.table(table)} where (${names}) in
        (select ${names} from ${sql.table(table)} where ${isOver} limit ${sql.lit(AT_ONCE)})
        returning 1 as gone`.execute(tx.db);
      return rows.length;
    });
  }
}
