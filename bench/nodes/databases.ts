import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import postgres from 'postgres';
import type { PostgresServer } from '../../test/support/databases/postgres-server.ts';

/** PostgreSQL databases of a run: filled once, and copied for each setup that changes them. */

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** All nodes of an installation need the same secret. */
export const SECRET = { SWITCHBOARD_SECRET: 'the secret of the measured installations' };

/** Copies an embedded database into a new PostgreSQL database with the `copy` command. */
export async function copyIntoPostgres({ url }: PostgresServer, name: string, file: string): Promise<void> {
  await runStatement(url, `create database ${name}`);
  const target = databaseUrl(url, name);
  await promisify(execFile)(process.execPath, [MAIN, 'copy', '--from', `sqlite:${file}`, '--to', target], {
    env: { PATH: process.env.PATH ?? '' },
  });
  await analyze(target); // so that PostgreSQL does not start this during a measurement
  await runStatement(url, 'checkpoint');
}

/** Renews the statistics that statements are planned by. */
export function analyze(url: string): Promise<void> {
  return runStatement(url, 'vacuum analyze');
}

/** Every setup starts with the same data. Drops the previous copy, because PostgreSQL maintains idle databases too. */
export async function recreateCopy({ url }: PostgresServer, filled: string): Promise<string> {
  const name = `${filled}_copy`;
  await runStatement(url, `drop database if exists ${name} with (force)`);
  await runStatement(url, `create database ${name} template ${filled}`);
  await runStatement(url, 'checkpoint');
  return databaseUrl(url, name);
}

/** Returns its URL. */
export async function createEmptyDatabase({ url }: PostgresServer, name: string): Promise<string> {
  await runStatement(url, `create database ${name}`);
  return databaseUrl(url, name);
}

export function databaseUrl(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return String(url);
}

async function runStatement(url: string, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.end();
  }
}
