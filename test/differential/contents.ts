import { sql } from 'kysely';
import { checkInvariants } from '../../src/core/upkeep/invariants.ts';
import type { TestInstallation } from '../support/databases/databases.ts';

export type Rows = readonly Readonly<Record<string, unknown>>[];

/** Columns with random values: rows are sorted by the other columns. */
const RANDOM_COLUMNS = new Set(['tokenHash', 'codeHash', 'passwordHash', 'keyHash', 'prefix', 'requestHash', 'secret']);

/** The tables of both databases, except `migrations`, which contains the times of their runs. */
export async function listTables({ database }: TestInstallation): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from sqlite_schema where type = 'table'`.execute(
    database.read,
  );
  return rows.map(({ name }) => name).filter((name) => name !== 'migrations' && !name.startsWith('sqlite_'));
}

/** Returns all rows by table. */
export async function readAllTables(
  { database }: TestInstallation,
  tables: readonly string[],
): Promise<Record<string, Rows>> {
  const contents: Record<string, Rows> = {};
  for (const table of tables) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(database.read);
    contents[table] = rows.map(sortFields).sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  }
  return contents;
}

export async function readEventsAfter({ database, accountId }: TestInstallation, position: number): Promise<Rows> {
  return database.read
    .selectFrom('events')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('position', '>', position)
    .orderBy('position')
    .execute()
    .then((rows) => rows.map(sortFields));
}

export async function listBrokenInvariants({ database }: TestInstallation): Promise<string[]> {
  const reports = await checkInvariants(database);
  return reports.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`));
}

function sortFields(row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function sortKey(row: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(Object.entries(row).filter(([name]) => !RANDOM_COLUMNS.has(name)));
}
