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
import { ADMIN, environment, FOR_TESTS } from '../processes/switchboard.ts';
import { addressOf, dropDatabase, makeDatabase, PREFIX, postgresServer, SECRET } from './postgres-database.ts';

/** A clock that a test moves. */
export class TestClock {
  now = Date.UTC(2026, 0, 15, 12);
  readonly read = () => this.now;

  advance(milliseconds: number): void {
    this.now += milliseconds;
  }
}

/** An installation of a test, in which most services are found by their names alone. */
export interface OpenInstallation extends Installation, Access, Engine, Administration, Reports, Upkeep {
  readonly clock: TestClock;
  readonly config: Config;
  readonly accountId: number;
  readonly caller: ReturnType<typeof systemCaller>;
  end(): Promise<void>;
}

type Open = (settings?: Record<string, string>) => Promise<OpenInstallation>;

/** Every database that the stores run on; each suite runs on all of them. A PostgreSQL is there when the whole suite is run. */
export const databases: readonly { readonly name: 'sqlite' | 'postgres'; readonly open: Open }[] = [
  { name: 'sqlite' as const, open: openSqlite },
  ...(postgresServer ? [{ name: 'postgres' as const, open: openPostgres }] : []),
].filter(({ name }) => (process.env.TEST_DATABASE ?? name) === name);

/** For suites about something else than the store: on the database that `TEST_DATABASE` names, the embedded one if it names none. */
export const openDatabase: Open = (settings) => (databases[0] as (typeof databases)[number]).open(settings);

/** Where a test looks at how the embedded database does something. */
export const embedded = databases.filter(({ name }) => name === 'sqlite');

/** How the embedded database would carry out a query. */
export function explain(database: Database, query: Compilable): string[] {
  return (database as SqliteDatabase).explain(query);
}

async function openSqlite(settings: Record<string, string> = {}): Promise<OpenInstallation> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-store-'));
  return opened(readConfig(environment(folder, settings)), async () =>
    rmSync(folder, { recursive: true, force: true }),
  );
}

let made = 0;

/** A copy of the empty installation that the run of the tests has made. */
async function openPostgres(settings: Record<string, string> = {}): Promise<OpenInstallation> {
  made += 1;
  const address = addressOf(`${PREFIX}${process.pid}_${made}`);
  await makeDatabase(address);
  const env = environment(tmpdir(), { DATABASE_URL: address, SWITCHBOARD_SECRET: SECRET, ...settings });
  return opened(readConfig(env), () => dropDatabase(address));
}

/** What a failed test has left open would keep its process from ending. */
const left = new Set<() => Promise<void>>();
after(async () => {
  for (const end of left) await end();
});

async function opened(config: Config, remove: () => Promise<void>): Promise<OpenInstallation> {
  const clock = new TestClock();
  const installation = await openInstallation(config, { ...FOR_TESTS, clock: clock.read });
  const account = await createAccount(installation, { name: 'Test', admin: ADMIN });
  if (!account) throw new Error('The account was not made.');
  const end = async () => {
    left.delete(end);
    await installation.database.close();
    await remove();
  };
  left.add(end);
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
