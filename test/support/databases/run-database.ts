import postgres from 'postgres';
import { migrate } from '../../../src/storage/migrate.ts';
import { PostgresDatabase } from '../../../src/storage/postgres/postgres-database.ts';
import { WAIT_TIMEOUT_MS } from '../waiting/wait.ts';
import { DATABASE_PREFIX, TEMPLATE_DATABASE } from './postgres-database.ts';
import { startPostgres } from './postgres-server.ts';

/** The PostgreSQL server of a test run, with its template database. */
export interface RunDatabase {
  readonly url: string;
  /** Of the server; undefined if it was there before the run. */
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

/** The databases live for a second, and every copy of the template flushes them. */
const SETTINGS = ['autovacuum=off', 'checkpoint_timeout=1h', 'log_checkpoints=off'];

/** Starts a server, or prepares an existing one. */
export async function openRunDatabase(existingUrl: string | undefined): Promise<RunDatabase> {
  const server = existingUrl ? undefined : await startPostgres({ settings: SETTINGS });
  const url = existingUrl || (server?.url ?? '');
  await createTemplateDatabase(url);
  return { url, pid: server?.pid, stop: () => (server ? server.stop() : dropTestDatabases(url)) };
}

async function createTemplateDatabase(server: string): Promise<void> {
  const admin = postgres(server, { max: 1, onnotice: () => undefined });
  await admin.unsafe(`drop database if exists ${TEMPLATE_DATABASE} with (force)`);
  await admin.unsafe(`create database ${TEMPLATE_DATABASE}`);
  await admin.end();
  const url = new URL(server);
  url.pathname = `/${TEMPLATE_DATABASE}`;
  const database = new PostgresDatabase(String(url), { statementMs: WAIT_TIMEOUT_MS });
  await migrate(database);
  await database.close();
}

/** Drops the databases of the run, so that an existing server is left as it was. */
async function dropTestDatabases(url: string): Promise<void> {
  const admin = postgres(url, { max: 1, onnotice: () => undefined });
  for (const { datname } of await admin`select datname from pg_database where starts_with(datname, ${DATABASE_PREFIX})`)
    await admin.unsafe(`drop database ${datname} with (force)`);
  await admin.end();
}
