import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { TransactionSql } from 'postgres';
import { SECRET } from '../support/databases/postgres-database.ts';
import { startNodes } from '../support/nodes/nodes.ts';
import { startSwitchboardProcess } from '../support/processes/switchboard.ts';
import { until } from '../support/waiting/until.ts';

const server = process.env.TEST_DATABASE_URL;

/** Longer than a request may wait for its turn. */
const MIGRATION_MS = 6500;

test('a node that starts while another one migrates waits for it, longer than a request would', {
  skip: server === undefined,
}, async (t) => {
  const { database, sql, end } = await startNodes(server ?? '', { count: 1 });
  t.after(end);
  let migrated = false;
  const migration = sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(0)`;
    await until('the other node waits', async () => (await waiting(tx)) > 0);
    await wait(MIGRATION_MS);
    migrated = true;
  });
  const late = await startSwitchboardProcess({ env: { DATABASE_URL: database, SWITCHBOARD_SECRET: SECRET } });
  t.after(() => late.stop());
  assert.equal(migrated, true);
  await migration;
});

/** How many wait for a lock of this database. */
async function waiting(sql: TransactionSql): Promise<number> {
  const rows = await sql`select 1 from pg_locks join pg_database on pg_database.oid = database
    where datname = current_database() and locktype = 'advisory' and not granted`;
  return rows.length;
}
