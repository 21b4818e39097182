import postgres from 'postgres';
import { migrate } from '../../../src/storage/migrate.ts';
import { PostgresDatabase } from '../../../src/storage/postgres/postgres-database.ts';
import { PATIENCE_MS } from '../waiting/until.ts';
import { PREFIX, TEMPLATE } from './postgres-database.ts';
import { startPostgres } from './postgres-server.ts';

/** The PostgreSQL of a whole run of the tests, with a database ready to be copied. */
export interface RunDatabase {
  readonly url: string;
  end(): Promise<void>;
}

/** Starts one, or prepares the one that is given. */
export async function openRunDatabase(given: string | undefined): Promise<RunDatabase> {
  const server = given ? undefined : await startPostgres();
  const url = given || (server?.url ?? '');
  await makeTemplate(url);
  return { url, end: () => (server ? server.stop() : dropLeftovers(url)) };
}

async function makeTemplate(server: string): Promise<void> {
  const admin = postgres(server, { max: 1, onnotice: () => undefined });
  await admin.unsafe(`drop database if exists ${TEMPLATE} with (force)`);
  await admin.unsafe(`create database ${TEMPLATE}`);
  await admin.end();
  const url = new URL(server);
  url.pathname = `/${TEMPLATE}`;
  const database = new PostgresDatabase(String(url), { statementMs: PATIENCE_MS });
  await migrate(database);
  await database.close();
}

/** A server that was there before the run is left as it was. */
async function dropLeftovers(url: string): Promise<void> {
  const admin = postgres(url, { max: 1, onnotice: () => undefined });
  for (const { datname } of await admin`select datname from pg_database where starts_with(datname, ${PREFIX})`)
    await admin.unsafe(`drop database ${datname} with (force)`);
  await admin.end();
}
