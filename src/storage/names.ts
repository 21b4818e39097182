import { CamelCasePlugin, type CompiledQuery } from 'kysely';

/** Columns are `like_this` in the database and `likeThis` in the code. */
const names = new CamelCasePlugin();

/** What a query gave, when it was not run by Kysely itself. */
export async function named<Row>({ queryId }: CompiledQuery, rows: readonly unknown[]): Promise<Row[]> {
  if (rows.length === 0) return [];
  return (await names.transformResult({ queryId, result: { rows: rows as Record<string, unknown>[] } })).rows as Row[];
}
