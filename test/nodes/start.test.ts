import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import postgres, { type TransactionSql } from 'postgres';
import {
  createDatabase,
  DATABASE_PREFIX,
  databaseUrlOf,
  dropDatabase,
  postgresServerUrl,
  TEST_SECRET,
} from '../support/databases/postgres-database.ts';
import { startSwitchboardProcess } from '../support/processes/switchboard.ts';
import { waitUntil } from '../support/waiting/wait.ts';

/** Longer than a request may wait for the account lock. */
const MIGRATION_MS = 6500;

test('a node that starts while another one migrates waits for it, even longer than a request would', {
  skip: postgresServerUrl === undefined,
}, async (t) => {
  const databaseUrl = databaseUrlOf(`${DATABASE_PREFIX}start_${process.pid}`);
  await createDatabase(databaseUrl);
  t.after(() => dropDatabase(databaseUrl));
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined });
  t.after(() => sql.end());
  let migrated = false;
  const migration = sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(0)`;
    await waitUntil('the other node waits', async () => (await countLockWaiters(tx)) > 0);
    await wait(MIGRATION_MS);
    migrated = true;
  });
  const node = await startSwitchboardProcess({ env: { DATABASE_URL: databaseUrl, SWITCHBOARD_SECRET: TEST_SECRET } });
  t.after(() => node.stop());
  assert.equal(migrated, true);
  await migration;
});

/** Number of sessions that wait for an advisory lock of this database. */
async function countLockWaiters(sql: TransactionSql): Promise<number> {
  const rows = await sql`select 1 from pg_locks join pg_database on pg_database.oid = database
    where datname = current_database() and locktype = 'advisory' and not granted`;
  return rows.length;
}
