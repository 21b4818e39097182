import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import postgres from 'postgres';
import type { Database } from '../../../src/storage/database.ts';
import { buildUpdate } from '../../../src/storage/fill-batch.ts';
import { finishMigrations } from '../../../src/storage/finish-migrations.ts';
import { migrate, migrations } from '../../../src/storage/migrate.ts';
import { listUnfinishedWork } from '../../../src/storage/migration-work.ts';
import type { Fill, Migration } from '../../../src/storage/migrations/migration.ts';
import { databases } from '../../support/databases/databases.ts';
import { waitUntil, withTimeout } from '../../support/waiting/wait.ts';

const FILL: Fill = {
  name: 'item-lengths',
  table: 'items',
  key: ['account_id', 'parent_id', 'id'],
  set: 'length = length(name)',
  where: 'length is null',
};
const LATER: Migration = {
  name: '9999-items',
  additive: true,
  statements: () => ['alter table items add column length bigint'],
  indexes: [{ name: 'items_name', on: 'items (account_id, name)' }],
  fills: [FILL],
};
const available = [...migrations, LATER];

const CREATE_ITEMS = `create table items (account_id bigint not null, parent_id bigint not null, id bigint not null,
  name text not null, primary key (account_id, parent_id, id))`;
/** Two large accounts and many small ones. */
const INSERT_ITEMS = `insert into items select case when i <= 30000 then 1 + i % 2 else i end, i / 10, i, repeat('x', 100)
  from generate_series(1, 40000) as i`;

for (const { open } of databases.filter(({ name }) => name === 'postgres')) {
  const openWithItems = async (rows = 'insert into items values (1, 1, 1, $$a$$), (1, 1, 2, $$a$$)') => {
    const installation = await open();
    const { database, config } = installation;
    const server = postgres(config.DATABASE_URL, { max: 3, onnotice: () => undefined });
    await server.unsafe(CREATE_ITEMS);
    await server.unsafe(rows);
    return {
      database,
      server,
      end: async () => {
        await server.end({ timeout: 1 });
        await installation.end();
      },
    };
  };

  test('postgres: requests do not queue behind a migration that waits for a lock', async () => {
    const { database, server, end } = await openWithItems();
    const longRead = await server.reserve();
    await longRead.unsafe('begin; select * from items');
    const migrated = migrate(database, available);
    await waitUntil('the migration waits for the table', async () => {
      const rows = await server`select 1 from pg_locks where relation = 'items'::regclass and not granted`;
      return rows.length > 0;
    });
    await withTimeout('a read of the table', sql`select count(*) from items`.execute(database.read));
    await longRead.unsafe('commit');
    longRead.release();
    assert.deepEqual(await migrated, ['9999-items']);
    await end();
  });

  test('postgres: a fill never waits long for a row that a request has locked', async () => {
    const { database, server, end } = await openWithItems();
    const onlyFill = [...migrations, { ...LATER, indexes: [] }]; // building an index waits for the request
    await migrate(database, onlyFill);
    const request = await server.reserve();
    await request.unsafe('begin; update items set name = $$abc$$ where id = 2');
    const finished = finishMigrations(database, { available: onlyFill });
    await waitUntil('the fill waits for the row', async () => (await countWaiting(server)) > 0);
    await waitUntil('the fill has given up', async () => (await countWaiting(server)) === 0);
    await request.unsafe('commit');
    request.release();
    await finished;
    assert.deepEqual(
      (await server`select length from items order by id`).map((row) => Number(row.length)),
      [1, 3],
    );
    await end();
  });

  test('postgres: an index whose building was interrupted is dropped and built again', async () => {
    const { database, server, end } = await openWithItems();
    await migrate(database, available);
    await assert.rejects(server.unsafe('create unique index concurrently items_name on items (name)'));
    assert.equal(await readIndexState(server), 'invalid');
    await finishMigrations(database, { available });
    assert.equal(await readIndexState(server), 'valid');
    await end();
  });

  test('postgres: stopping a node stops its index, and the next start builds it', async () => {
    const { database, server, end } = await openWithItems();
    await migrate(database, available);
    const oldTransaction = await server.reserve();
    await oldTransaction.unsafe('begin; insert into items values (1, 1, 3, $$a$$)'); // an index waits for it
    const stop = new AbortController();
    const stopped = finishMigrations(database, { available, signal: stop.signal });
    await waitUntil('the index is being built', async () => {
      const rows = await server`select 1 from pg_stat_progress_create_index`;
      return rows.length > 0;
    });
    stop.abort();
    await assert.rejects(withTimeout('the node stops', stopped));
    await oldTransaction.unsafe('commit');
    oldTransaction.release();
    await waitUntil('the lock is free', async () => {
      await finishMigrations(database, { available });
      return (await listUnfinishedWork(database.read)).every(({ kind }) => kind !== 'index');
    });
    assert.equal(await readIndexState(server), 'valid');
    await end();
  });

  test('postgres: one node at a time finishes the migrations', async () => {
    const { database, end } = await openWithItems();
    await migrate(database, available);
    const isFirst = await database.runExclusively(async () => {
      await finishMigrations(database, { available });
      assert.equal((await listUnfinishedWork(database.read)).length, 2);
    });
    assert.ok(isFirst);
    await finishMigrations(database, { available });
    assert.equal((await listUnfinishedWork(database.read)).length, 1);
    await end();
  });

  test('postgres: every batch reads only its own rows', async () => {
    const { database, server, end } = await openWithItems(INSERT_ITEMS);
    await migrate(database, available);
    await server.unsafe('analyze items');
    const ranges = [
      { from: [1, 0, 2], isFromIncluded: true, upTo: [1, 200, 2000] },
      { from: [1, 1500, 15_000], isFromIncluded: false, upTo: [1, 1700, 17_000] },
      { from: [2, 2900, 29_001], isFromIncluded: false, upTo: [30_900, 3090, 30_900] },
      { from: [39_000, 3900, 39_000], isFromIncluded: false, upTo: [40_000, 4000, 40_000] },
    ];
    for (const range of ranges) {
      const plan = await explain(database, range);
      assert.match(plan, /Index Scan|Bitmap Index Scan/, plan);
      assert.doesNotMatch(plan, /Seq Scan/, plan);
    }
    await end();
  });
}

async function explain(database: Database, range: Parameters<typeof buildUpdate>[1]): Promise<string> {
  const { rows } = await database.transaction((tx) =>
    sql<Record<string, string>>`explain ${buildUpdate(FILL, range)}`.execute(tx.db),
  );
  return rows.map((row) => Object.values(row)[0]).join('\n');
}

/** The transactions that wait for a row of another. */
async function countWaiting(server: postgres.Sql): Promise<number> {
  return (
    await server`select 1 from pg_locks where not granted and locktype = 'transactionid'
    and pid in (select pid from pg_stat_activity where datname = current_database())`
  ).length;
}

async function readIndexState(server: postgres.Sql): Promise<'valid' | 'invalid' | undefined> {
  const [row] = await server`select indisvalid from pg_index where indexrelid = to_regclass('items_name')`;
  return row && (row.indisvalid ? 'valid' : 'invalid');
}
