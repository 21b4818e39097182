import { createHash } from 'node:crypto';
import postgres from 'postgres';

/** The secret of every installation of the tests on PostgreSQL. */
export const SECRET = 'the secret of all installations of the tests';

/** An empty installation, made once in a run, from which every test has a copy. */
export const TEMPLATE = 'switchboard_test_template';

/** All databases that tests make begin with this; what is left of them goes at the end of a run. */
export const PREFIX = 'switchboard_test_';

/** The PostgreSQL of this run of the tests; undefined when a single file is run without one. */
export const postgresServer = process.env.TEST_DATABASE_URL;

/** Whether suites that run on one database run on PostgreSQL. */
export const onPostgres = process.env.TEST_DATABASE === 'postgres';

/** Where the database is that belongs to a folder of a test, which has no file in it then. */
export function addressFor(folder: string): string {
  return addressOf(PREFIX + createHash('sha256').update(folder).digest('hex').slice(0, 16));
}

export function addressOf(name: string): string {
  if (!postgresServer)
    throw new Error('There is no PostgreSQL: run the tests with npm test, also single files: npm test -- <file>.');
  const url = new URL(postgresServer);
  url.pathname = `/${name}`;
  return String(url);
}

/** Makes the database of an address, empty or as a copy of the template, unless it is there. */
export async function makeDatabase(address: string, { empty = false } = {}): Promise<void> {
  const name = nameOf(address);
  await asAdmin(async (sql) => {
    const [there] = await sql`select 1 from pg_database where datname = ${name}`;
    if (!there) await sql.unsafe(`create database ${name} template ${empty ? 'template0' : TEMPLATE} strategy wal_log`);
  });
}

export function dropDatabase(address: string): Promise<void> {
  return asAdmin(async (sql) => {
    await sql.unsafe(`drop database if exists ${nameOf(address)} with (force)`);
  });
}

export async function asAdmin<T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(postgresServer ?? '', { max: 1, onnotice: () => undefined });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

function nameOf(address: string): string {
  return new URL(address).pathname.slice(1);
}
