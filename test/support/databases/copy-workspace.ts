import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import postgres from 'postgres';
import { type CommandResult, runCommand, testEnvironment } from '../processes/switchboard.ts';
import { waitUntil } from '../waiting/wait.ts';
import {
  createDatabase,
  DATABASE_PREFIX,
  databaseUrlOf,
  dropDatabase,
  postgresServerUrl,
  TEST_SECRET,
} from './postgres-database.ts';

/** A folder with databases that a test copies between; `end` removes all of them. */
export class CopyWorkspace {
  /** Created by the first command that needs it, so a skipped suite leaves nothing behind. */
  readonly folder = join(tmpdir(), `switchboard-copy-${randomUUID()}`);
  readonly #databases: string[] = [];

  sqliteFile(name: string): string {
    return join(this.folder, name, 'switchboard.db');
  }

  sqliteUrl(name: string): string {
    return `sqlite:${this.sqliteFile(name)}`;
  }

  createEmptyPostgres(): Promise<string> {
    return this.#createPostgres({ empty: true });
  }

  /** Has all tables and no rows. */
  createMigratedPostgres(): Promise<string> {
    return this.#createPostgres({ empty: false });
  }

  async #createPostgres(options: { readonly empty: boolean }): Promise<string> {
    const url = databaseUrlOf(`${DATABASE_PREFIX}copy_${process.pid}_${Date.now()}_${this.#databases.length}`);
    await createDatabase(url, options);
    this.#databases.push(url);
    return url;
  }

  /** Runs a command on a database; an empty secret means none. */
  run(url: string, args: readonly string[], { secret = TEST_SECRET, input = '' } = {}): Promise<CommandResult> {
    return runCommand(args, testEnvironment(this.folder, { DATABASE_URL: url, SWITCHBOARD_SECRET: secret }), input);
  }

  /** Copies once no earlier connection to either database is left. */
  async copy(from: string, to: string, ...options: string[]): Promise<CommandResult> {
    for (const url of [from, to]) await waitUntilUnused(url);
    return this.run('', ['copy', '--from', from, '--to', to, ...options], { secret: '' });
  }

  async assertCopies(from: string, to: string, ...options: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.copy(from, to, ...options);
    assert.equal(code, 0, stdout + stderr);
    assert.equal(stderr, '');
    return stdout;
  }

  /** The copy must exit with 1 and a readable reason, without a stack trace. */
  async assertRefuses(reason: RegExp, from: string, to: string, ...options: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.copy(from, to, ...options);
    assert.equal(code, 1, stdout + stderr);
    assert.match(stderr, reason);
    assert.doesNotMatch(stderr, /^\s+at /m);
    return stdout;
  }

  async end(): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true });
    for (const url of this.#databases) await dropDatabase(url);
  }
}

/** A server ends a session shortly after its client has disconnected. */
export async function waitUntilUnused(url: string): Promise<void> {
  if (!url.startsWith('postgres') || postgresServerUrl === undefined) return;
  const name = new URL(url).pathname.slice(1);
  await withPostgres(postgresServerUrl, (sql) =>
    waitUntil(`no client is connected to ${name}`, async () => {
      const sessions =
        await sql`select from pg_stat_activity where datname = ${name} and backend_type = 'client backend'`;
      return sessions.length === 0;
    }),
  );
}

export async function withPostgres<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

export function execInFile(file: string, statements: string): void {
  const database = new DatabaseSync(file, { timeout: 5000 });
  database.exec(statements);
  database.close();
}

/** Every row of every table, as sorted texts. */
export type Dump = Record<string, string[]>;

/** Reads the database without production code. */
export function dumpFile(file: string): Dump {
  const database = new DatabaseSync(file, { readOnly: true });
  const tables = database.prepare(`select name from sqlite_schema where type = 'table' and name not like 'sqlite%'`);
  const dump = tables.all().map(({ name }) => {
    return [String(name), toSortedTexts(database.prepare(`select * from ${name}`).all())] as const;
  });
  database.close();
  return withoutTablesOfTheDatabase(dump);
}

export async function dumpPostgres(url: string): Promise<Dump> {
  const dump: [string, string[]][] = [];
  await withPostgres(url, async (sql) => {
    for (const { name } of await sql`select tablename as name from pg_tables where schemaname = 'public'`) {
      dump.push([name, toSortedTexts(await sql.unsafe(`select * from ${name}`))]);
    }
  });
  return withoutTablesOfTheDatabase(dump);
}

/** The times of migrations, and what nodes tell each other, belong to the database and not to the installation. */
const TABLES_OF_THE_DATABASE = ['migrations', 'signals'];

function withoutTablesOfTheDatabase(dump: readonly (readonly [string, string[]])[]): Dump {
  const rest = dump.filter(([name]) => !TABLES_OF_THE_DATABASE.includes(name));
  return Object.fromEntries(rest.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function toSortedTexts(rows: readonly object[]): string[] {
  return rows.map((row) => JSON.stringify(Object.entries(row).map(toTextCell).sort())).sort();
}

/** The drivers represent large numbers differently. */
function toTextCell([name, value]: [string, unknown]): [string, string | null] {
  return [name, value === null ? null : String(value)];
}
