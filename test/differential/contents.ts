import { sql } from 'kysely';
import { findBrokenInvariants } from '../../src/core/upkeep/invariants.ts';
import type { OpenInstallation } from '../support/databases/databases.ts';

export type Rows = readonly Readonly<Record<string, unknown>>[];

/** Keys made by chance: rows are put in order by the rest of them. */
const NOT_ORDERED_BY = new Set(['tokenHash', 'codeHash', 'passwordHash', 'keyHash', 'prefix', 'requestHash', 'secret']);

/** Names of the embedded database's tables; both have the same. When migrations ran is no matter. */
export async function tableNames({ database }: OpenInstallation): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from sqlite_schema where type = 'table'`.execute(
    database.read,
  );
  return rows.map(({ name }) => name).filter((name) => name !== 'migrations' && !name.startsWith('sqlite_'));
}

/** All that an installation keeps, by table. */
export async function everything(
  { database }: OpenInstallation,
  tables: readonly string[],
): Promise<Record<string, Rows>> {
  const contents: Record<string, Rows> = {};
  for (const table of tables) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(database.read);
    contents[table] = rows.map(byFieldName).sort((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));
  }
  return contents;
}

/** What was announced after a position. */
export async function eventsAfter({ database, accountId }: OpenInstallation, position: number): Promise<Rows> {
  return database.read
    .selectFrom('events')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('position', '>', position)
    .orderBy('position')
    .execute()
    .then((rows) => rows.map(byFieldName));
}

export async function brokenInvariants({ database }: OpenInstallation): Promise<string[]> {
  const reports = await findBrokenInvariants(database);
  return reports.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`));
}

function byFieldName(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function orderOf(row: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(Object.entries(row).filter(([name]) => !NOT_ORDERED_BY.has(name)));
}
