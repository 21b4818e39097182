import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import postgres from 'postgres';
import type { PostgresServer } from '../../test/support/databases/postgres-server.ts';

/** Databases on the PostgreSQL of a run: filled once, and a copy for whoever changes it. */

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

/** Brings what is in a file into a new database of this name, as an installation moves. */
export async function bringIn({ url }: PostgresServer, name: string, file: string): Promise<void> {
  await ask(url, `create database ${name}`);
  const target = addressOf(url, name);
  await promisify(execFile)(process.execPath, [MAIN, 'copy', '--from', `sqlite:${file}`, '--to', target], {
    env: { PATH: process.env.PATH ?? '' },
  });
  // Now, so that it is not done by PostgreSQL itself in the middle of what is measured.
  await ask(target, 'vacuum analyze');
  await ask(url, 'checkpoint');
}

/** Everybody begins with the same. The old one goes: idle databases are looked after as well. */
export async function freshCopy({ url }: PostgresServer, filled: string): Promise<string> {
  const name = `${filled}_copy`;
  await ask(url, `drop database if exists ${name} with (force)`);
  await ask(url, `create database ${name} template ${filled}`);
  await ask(url, 'checkpoint');
  return addressOf(url, name);
}

function addressOf(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return String(url);
}

async function ask(url: string, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    await sql.unsafe(statement);
  } finally {
    await sql.end();
  }
}
