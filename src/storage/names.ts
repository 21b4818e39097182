import { CamelCasePlugin, createQueryId } from 'kysely';

/** Columns are `like_this` in the database and `likeThis` in the code. */
const names = new CamelCasePlugin();
const queryId = createQueryId(); // the plugin wants one, and does nothing with it

/** What a query gave that was not run by Kysely itself. */
export async function named<Row>(rows: readonly unknown[]): Promise<Row[]> {
  if (rows.length === 0) return [];
  return (await names.transformResult({ queryId, result: { rows: rows as Record<string, unknown>[] } })).rows as Row[];
}
