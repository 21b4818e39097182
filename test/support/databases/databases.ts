import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Compilable } from 'kysely';
import { type Installation, openInstallation } from '../../../src/app/installation.ts';
import type { Config } from '../../../src/config.ts';
import { readConfig } from '../../../src/config.ts';
import type { Access } from '../../../src/core/access/access.ts';
import { createAccount } from '../../../src/core/administration/account-creation.ts';
import type { Administration } from '../../../src/core/administration/administration.ts';
import type { Engine } from '../../../src/core/engine/engine.ts';
import { systemCaller } from '../../../src/core/kernel/caller.ts';
import type { Reports } from '../../../src/core/reports/reports.ts';
import type { Upkeep } from '../../../src/core/upkeep/upkeep.ts';
import type { Database } from '../../../src/storage/database.ts';
import type { SqliteDatabase } from '../../../src/storage/sqlite/sqlite-database.ts';
import { TEST_OPEN_OPTIONS } from '../processes/open-options.ts';
import { ADMIN, databaseFileIn, testEnvironment } from '../processes/switchboard.ts';
import { runDataFolder } from './data-folder.ts';
import {
  createDatabase,
  DATABASE_PREFIX,
  databaseUrlOf,
  dropDatabase,
  postgresServerUrl,
  TEST_SECRET,
} from './postgres-database.ts';
import { createDatabaseFile } from './sqlite-template.ts';

/** A clock that the test controls. */
export class TestClock {
  now = Date.UTC(2026, 0, 15, 12);
  readonly read = () => this.now;

  advance(milliseconds: number): void {
    this.now += milliseconds;
  }
}

/** An installation for tests; most services are also direct properties. */
export interface TestInstallation extends Installation, Access, Engine, Administration, Reports, Upkeep {
  readonly clock: TestClock;
  readonly config: Config;
  readonly accountId: number;
  readonly caller: ReturnType<typeof systemCaller>;
  end(): Promise<void>;
}

type OpenTestInstallation = (settings?: Record<string, string>) => Promise<TestInstallation>;

/** The supported databases; each storage suite runs on all of them. PostgreSQL is available under `npm test`. */
export const databases: readonly { readonly name: 'sqlite' | 'postgres'; readonly open: OpenTestInstallation }[] = [
  { name: 'sqlite' as const, open: openSqlite },
  ...(postgresServerUrl ? [{ name: 'postgres' as const, open: openPostgres }] : []),
].filter(({ name }) => (process.env.TEST_DATABASE ?? name) === name);

/** For suites that do not test storage: uses the database that `TEST_DATABASE` names, SQLite by default. */
export const openTestInstallation: OpenTestInstallation = (settings) =>
  (databases[0] as (typeof databases)[number]).open(settings);

/** For tests of SQLite's own behaviour. */
export const sqliteOnly = databases.filter(({ name }) => name === 'sqlite');

/** SQLite's query plan. */
export function explainQuery(database: Database, query: Compilable): string[] {
  return (database as SqliteDatabase).explain(query);
}

async function openSqlite(settings: Record<string, string> = {}): Promise<TestInstallation> {
  const folder = mkdtempSync(join(runDataFolder(), 'switchboard-store-'));
  await createDatabaseFile(databaseFileIn(folder));
  return createTestInstallation(readConfig(testEnvironment(folder, settings)), async () =>
    rmSync(folder, { recursive: true, force: true }),
  );
}

let databaseCount = 0;

/** A copy of the template database of the test run. */
async function openPostgres(settings: Record<string, string> = {}): Promise<TestInstallation> {
  databaseCount += 1;
  const url = databaseUrlOf(`${DATABASE_PREFIX}${process.pid}_${databaseCount}`);
  await createDatabase(url);
  const env = testEnvironment(tmpdir(), { DATABASE_URL: url, SWITCHBOARD_SECRET: TEST_SECRET, ...settings });
  return createTestInstallation(readConfig(env), () => dropDatabase(url));
}

/**
 * Opens one installation for all tests of a suite: each call returns a new account in it, with the same clock. For tests
 * that touch their own account only; a database for each takes most of the time of a short test.
 */
export function shareInstallation(open: OpenTestInstallation): OpenTestInstallation {
  let shared: Promise<TestInstallation> | undefined;
  let accountCount = 0;
  after(async () => (await shared)?.end());
  return async () => {
    shared ??= open();
    const installation = await shared;
    accountCount += 1;
    const admin = { email: `admin${accountCount}@example.com`, password: ADMIN.password };
    const account = await createAccount(installation, { name: 'Test', admin });
    if (!account) throw new Error('The account was not created.');
    const { accountId } = account;
    return { ...installation, accountId, caller: systemCaller(accountId), end: async () => undefined };
  };
}

/** An installation that a failed test left open would keep its process from exiting. */
const unclosed = new Set<() => Promise<void>>();
after(async () => {
  for (const end of unclosed) await end();
});

async function createTestInstallation(config: Config, remove: () => Promise<void>): Promise<TestInstallation> {
  const clock = new TestClock();
  const installation = await openInstallation(config, { ...TEST_OPEN_OPTIONS, clock: clock.read });
  const account = await createAccount(installation, { name: 'Test', admin: ADMIN });
  if (!account) throw new Error('The account was not created.');
  const end = async () => {
    unclosed.delete(end);
    await installation.database.close();
    await remove();
  };
  unclosed.add(end);
  return {
    ...installation.access,
    ...installation.engine,
    ...installation.administration,
    ...installation.reports,
    ...installation.upkeep,
    ...installation,
    clock,
    config,
    accountId: account.accountId,
    caller: systemCaller(account.accountId),
    end,
  };
}
