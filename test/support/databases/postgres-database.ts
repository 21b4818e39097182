import { createHash } from 'node:crypto';
import postgres from 'postgres';

/** The secret of every test installation on PostgreSQL. */
export const TEST_SECRET = 'the secret of all installations of the tests';

/** An empty installation, created once per run and copied by every test. */
export const TEMPLATE_DATABASE = 'switchboard_test_template';

/** The names of all test databases start with this; leftovers are dropped at the end of a run. */
export const DATABASE_PREFIX = 'switchboard_test_';

/** The PostgreSQL server of this test run; undefined if a file is run without `npm test`. */
export const postgresServerUrl = process.env.TEST_DATABASE_URL;

/** Whether suites that run on a single database use PostgreSQL. */
export const isOnPostgres = process.env.TEST_DATABASE === 'postgres';

/** The database that replaces the SQLite file in a test's folder. */
export function databaseUrlForFolder(folder: string): string {
  return databaseUrlOf(DATABASE_PREFIX + createHash('sha256').update(folder).digest('hex').slice(0, 16));
}

export function databaseUrlOf(name: string): string {
  if (!postgresServerUrl)
    throw new Error('There is no PostgreSQL. Run the tests with npm test; for a single file: npm test -- <file>.');
  const url = new URL(postgresServerUrl);
  url.pathname = `/${name}`;
  return String(url);
}

/** Creates a database unless it exists, empty or as a copy of the template. */
export async function createDatabase(url: string, { empty = false } = {}): Promise<void> {
  const name = databaseNameOf(url);
  await withAdminConnection(async (sql) => {
    const [existing] = await sql`select 1 from pg_database where datname = ${name}`;
    if (!existing)
      await sql.unsafe(`create database ${name} template ${empty ? 'template0' : TEMPLATE_DATABASE} strategy wal_log`);
  });
}

export function dropDatabase(url: string): Promise<void> {
  return withAdminConnection(async (sql) => {
    await sql.unsafe(`drop database if exists ${databaseNameOf(url)} with (force)`);
  });
}

export async function withAdminConnection<T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(postgresServerUrl ?? '', { max: 1, onnotice: () => undefined });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

function databaseNameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}
