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

let admin: postgres.Sql | undefined;

/** Shared by the process, and closed when it is idle. */
function adminConnection(): postgres.Sql {
  admin ??= postgres(postgresServerUrl ?? '', { max: 1, idle_timeout: 1, onnotice: () => undefined });
  return admin;
}

/** Creates a database unless it exists, empty or as a copy of the template. */
export async function createDatabase(url: string, { empty = false } = {}): Promise<void> {
  const name = databaseNameOf(url);
  const sql = adminConnection();
  const [existing] = await sql`select 1 from pg_database where datname = ${name}`;
  // Copying files takes half of the processor time of writing them to the log.
  if (!existing)
    await sql.unsafe(`create database ${name} template ${empty ? 'template0' : TEMPLATE_DATABASE} strategy file_copy`);
}

export async function dropDatabase(url: string): Promise<void> {
  await adminConnection().unsafe(`drop database if exists ${databaseNameOf(url)} with (force)`);
}

function databaseNameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}
