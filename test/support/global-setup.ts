import postgres from 'postgres';
import { migrate } from '../../src/storage/migrate.ts';
import { PostgresDatabase } from '../../src/storage/postgres.ts';
import { PREFIX, TEMPLATE } from './postgres-database.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

let server: PostgresServer | undefined;

/** A PostgreSQL for the whole run, with a database ready to be copied; or the one that `TEST_DATABASE_URL` names. */
export async function globalSetup(): Promise<void> {
  if (!process.env.TEST_DATABASE_URL) {
    server = await startPostgres();
    process.env.TEST_DATABASE_URL = server.url;
  }
  const url = new URL(process.env.TEST_DATABASE_URL ?? '');
  const admin = postgres(String(url), { max: 1, onnotice: () => undefined });
  await admin.unsafe(`drop database if exists ${TEMPLATE} with (force)`);
  await admin.unsafe(`create database ${TEMPLATE}`);
  await admin.end();
  url.pathname = `/${TEMPLATE}`;
  const database = new PostgresDatabase(String(url), { statementMs: 10_000 });
  await migrate(database);
  await database.close();
}

export async function globalTeardown(): Promise<void> {
  if (!server) await dropLeftovers(process.env.TEST_DATABASE_URL ?? '');
  await server?.stop();
}

/** A server that was there before the run is left as it was. */
async function dropLeftovers(url: string): Promise<void> {
  const admin = postgres(url, { max: 1, onnotice: () => undefined });
  for (const { datname } of await admin`select datname from pg_database where starts_with(datname, ${PREFIX})`)
    await admin.unsafe(`drop database ${datname} with (force)`);
  await admin.end();
}
