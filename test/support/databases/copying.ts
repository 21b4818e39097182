import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import postgres from 'postgres';
import { environment, type Outcome, runCommand } from '../processes/switchboard.ts';
import { until } from '../waiting/until.ts';
import { addressOf, dropDatabase, makeDatabase, PREFIX, postgresServer, SECRET } from './postgres-database.ts';

/** A folder with databases between which a test copies; all of them go at the end. */
export class CopyingPlace {
  /** Made by the first command that needs it: a suite that is skipped leaves nothing behind. */
  readonly folder = join(tmpdir(), `switchboard-copy-${randomUUID()}`);
  readonly #made: string[] = [];

  file(name: string): string {
    return join(this.folder, name, 'switchboard.db');
  }

  sqlite(name: string): string {
    return `sqlite:${this.file(name)}`;
  }

  emptyPostgres(): Promise<string> {
    return this.#makePostgres({ empty: true });
  }

  /** One with all tables and no rows. */
  migratedPostgres(): Promise<string> {
    return this.#makePostgres({ empty: false });
  }

  async #makePostgres(options: { readonly empty: boolean }): Promise<string> {
    const address = addressOf(`${PREFIX}copy_${process.pid}_${Date.now()}_${this.#made.length}`);
    await makeDatabase(address, options);
    this.#made.push(address);
    return address;
  }

  /** Runs a command of the program on a database, with its own secret or without any. */
  run(url: string, args: readonly string[], { secret = SECRET, input = '' } = {}): Promise<Outcome> {
    return runCommand(args, environment(this.folder, { DATABASE_URL: url, SWITCHBOARD_SECRET: secret }), input);
  }

  /** Copies as soon as all that tests have done on both ends is over. */
  async copy(from: string, to: string, ...options: string[]): Promise<Outcome> {
    for (const address of [from, to]) await untilUnused(address);
    return this.run('', ['copy', '--from', from, '--to', to, ...options], { secret: '' });
  }

  async succeed(from: string, to: string, ...options: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.copy(from, to, ...options);
    assert.equal(code, 0, stdout + stderr);
    assert.equal(stderr, '');
    return stdout;
  }

  /** Must end with 1 and a reason in words, without a trace of the program's insides. */
  async refuse(reason: RegExp, from: string, to: string, ...options: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.copy(from, to, ...options);
    assert.equal(code, 1, stdout + stderr);
    assert.match(stderr, reason);
    assert.doesNotMatch(stderr, /^\s+at /m);
    return stdout;
  }

  async end(): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true });
    for (const address of this.#made) await dropDatabase(address);
  }
}

/** A server ends a session a moment after its client has gone. */
export async function untilUnused(address: string): Promise<void> {
  if (!address.startsWith('postgres') || postgresServer === undefined) return;
  const name = new URL(address).pathname.slice(1);
  await inPostgres(postgresServer, (sql) =>
    until(`nobody is connected to ${name}`, async () => {
      const sessions =
        await sql`select from pg_stat_activity where datname = ${name} and backend_type = 'client backend'`;
      return sessions.length === 0;
    }),
  );
}

export async function inPostgres<T>(address: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(address, { max: 1, onnotice: () => undefined });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

export function inFile(file: string, statements: string): void {
  const database = new DatabaseSync(file, { timeout: 5000 });
  database.exec(statements);
  database.close();
}

/** Every row of every table as sorted texts. */
export type Dump = Record<string, string[]>;

/** Read without any code of the copy. */
export function dumpFile(file: string): Dump {
  const database = new DatabaseSync(file, { readOnly: true });
  const tables = database.prepare(`select name from sqlite_schema where type = 'table' and name not like 'sqlite%'`);
  const dump = tables.all().map(({ name }) => {
    return [String(name), asTexts(database.prepare(`select * from ${name}`).all())] as const;
  });
  database.close();
  return withoutMigrations(dump);
}

export async function dumpPostgres(address: string): Promise<Dump> {
  const dump: [string, string[]][] = [];
  await inPostgres(address, async (sql) => {
    for (const { name } of await sql`select tablename as name from pg_tables where schemaname = 'public'`) {
      dump.push([name, asTexts(await sql.unsafe(`select * from ${name}`))]);
    }
  });
  return withoutMigrations(dump);
}

/** When they were applied is told of the database, and not of the installation. */
function withoutMigrations(dump: readonly (readonly [string, string[]])[]): Dump {
  return Object.fromEntries(dump.filter(([name]) => name !== 'migrations').sort(([a], [b]) => (a < b ? -1 : 1)));
}

function asTexts(rows: readonly object[]): string[] {
  return rows.map((row) => JSON.stringify(Object.entries(row).map(cell).sort())).sort();
}

/** The drivers differ in how they show a large number. */
function cell([name, value]: [string, unknown]): [string, string | null] {
  return [name, value === null ? null : String(value)];
}
