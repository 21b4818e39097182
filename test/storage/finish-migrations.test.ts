import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Database } from '../../src/storage/database.ts';
import { type FinishOptions, finishMigrations } from '../../src/storage/finish-migrations.ts';
import { migrate, migrations } from '../../src/storage/migrate.ts';
import { describeWork, listUnfinishedWork, readWorkState } from '../../src/storage/migration-work.ts';
import type { Migration } from '../../src/storage/migrations/migration.ts';
import { PostgresDatabase } from '../../src/storage/postgres/postgres-database.ts';
import { SqliteDatabase } from '../../src/storage/sqlite/sqlite-database.ts';
import { databases } from '../support/databases/databases.ts';
import {
  createDatabase,
  DATABASE_PREFIX,
  databaseUrlOf,
  dropDatabase,
} from '../support/databases/postgres-database.ts';
import { WAIT_TIMEOUT_MS } from '../support/waiting/wait.ts';

const DAY_MS = 24 * 3_600_000;

const FIRST: Migration = {
  name: '9998-items',
  additive: true,
  statements: () => [
    'create table items (account_id bigint not null, id bigint not null, name text not null, primary key (account_id, id))',
  ],
};
const SECOND: Migration = {
  name: '9999-lengths',
  additive: true,
  statements: () => ['alter table items add column length bigint'],
  indexes: [{ name: 'items_name', on: 'items (account_id, name)' }],
  fills: [
    {
      name: 'item-lengths',
      table: 'items',
      key: ['account_id', 'id'],
      set: 'length = length(name)',
      where: 'length is null',
    },
  ],
};
const ITEMS = [...migrations, FIRST];
const available = [...ITEMS, SECOND];
const finish = (database: Database, options: FinishOptions = {}) =>
  finishMigrations(database, { available, ...options });

async function createItems(database: Database, count: number): Promise<void> {
  await migrate(database, ITEMS);
  await database.transaction(async (tx) => {
    await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)})
      insert into items (account_id, id, name) select 1 + i / 2000, i, 'item' from n`.execute(tx.db);
  });
}

async function run(database: Database, text: string): Promise<void> {
  await database.transaction(async (tx) => {
    await sql.raw(text).execute(tx.db);
  });
}

async function listUnfilled(database: Database): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`select id from items where length is null order by id`.execute(
    database.read,
  );
  return rows.map(({ id }) => id);
}

for (const { name, open } of databases) {
  test(`${name}: a migration is served at once; a fill that was stopped continues where it was`, async () => {
    const { database, clock, end } = await open();
    await createItems(database, 5000);
    assert.deepEqual(await migrate(database, available), ['9999-lengths']);
    assert.equal((await listUnfilled(database)).length, 5000);
    assert.deepEqual((await listUnfinishedWork(database.read)).map(describeWork), [
      'index items_name: not built yet',
      'fill item-lengths: not started yet',
    ]);

    const kill = new AbortController();
    let batches = 0;
    const onProgress: FinishOptions['onProgress'] = (step) => {
      batches += Number(step === 'filled');
      if (batches === 2) kill.abort();
    };
    await finish(database, { signal: kill.signal, onProgress });
    const unfilled = await listUnfilled(database);
    assert.ok(unfilled.length > 0 && unfilled.length < 5000);
    assert.deepEqual((await listUnfinishedWork(database.read)).map(describeWork), [
      `fill item-lengths: first pass, ${(5000 - unfilled.length).toLocaleString('en')} rows changed`,
    ]);

    await run(database, 'update items set length = null where id = 7');
    await finish(database);
    assert.deepEqual(await listUnfilled(database), [7], 'it did not start again from the first row');
    assert.equal(await readWorkState(database.read), 'waiting');

    clock.advance(DAY_MS - 1);
    await finish(database);
    assert.deepEqual(await listUnfilled(database), [7]);
    clock.advance(1);
    assert.equal(await readWorkState(database.read), 'due');
    await finish(database);
    assert.deepEqual(await listUnfilled(database), [], 'the second pass fills what the previous version wrote');
    assert.equal(await readWorkState(database.read), 'done');
    await end();
  });

  test(`${name}: a batch that is repeated changes nothing`, async () => {
    const { database, end } = await open();
    await createItems(database, 1500);
    await migrate(database, available);
    await finish(database);
    await run(database, `update items set length = 99 where id = 3`);
    await run(database, `update migration_work set pass = 1, after_key = null, not_before = 0 where kind = 'fill'`);
    await finish(database);
    const { rows } = await sql<{ length: number }>`select length from items where id in (3, 4) order by id`.execute(
      database.read,
    );
    assert.deepEqual(
      rows.map(({ length }) => length),
      [99, 4],
    );
    assert.equal((await listUnfinishedWork(database.read))[0]?.changedRows, 1500);
    await end();
  });

  test(`${name}: an empty table and a table of one row are filled`, async () => {
    for (const count of [0, 1]) {
      const { database, end } = await open();
      await createItems(database, 1);
      if (count === 0) await run(database, 'delete from items');
      await migrate(database, available);
      await finish(database);
      assert.deepEqual(await listUnfilled(database), []);
      assert.equal((await listUnfinishedWork(database.read))[0]?.pass, 2);
      await end();
    }
  });

  test(`${name}: the work of a newer version is left to it`, async () => {
    const { database, end } = await open();
    await createItems(database, 3);
    await migrate(database, available);
    await finishMigrations(database, { available: ITEMS });
    assert.equal((await listUnfinishedWork(database.read)).length, 2);
    await end();
  });

  test(`${name}: notices of earlier versions get their codes, and nothing else changes`, async () => {
    const { database, end } = await open();
    const messages = [
      ['notice', 'The operator is back.', null],
      ['notice', 'A sentence that no version wrote.', null],
      ['visitor', 'The operator is back.', null],
      ['notice', 'The operator is back.', 'some_code'],
      ['notice', 'The operator did not come back. You are next in line for another operator.', null],
    ] as const;
    await database.transaction(async (tx) => {
      for (const [index, [author, text, code]] of messages.entries())
        await sql`insert into messages (account_id, conversation_id, sequence, author_type, text, at, notice_code)
          values (1, 1, ${index + 1}, ${author}, ${text}, 0, ${code})`.execute(tx.db);
    });
    await run(database, `delete from migrations where name like '%-notice-codes'`);
    assert.equal((await migrate(database)).length, 1);
    await finishMigrations(database);
    const rows = await database.read.selectFrom('messages').selectAll().orderBy('sequence').execute();
    assert.deepEqual(
      rows.map(({ noticeCode }) => noticeCode),
      ['operator_back', null, null, 'some_code', 'operator_left'],
    );
    assert.deepEqual(
      rows.map(({ text }) => text),
      messages.map(([, text]) => text),
    );
    await end();
  });

  test(`${name}: a new database has everything at once`, async () => {
    const { database, remove } = await openEmpty(name);
    await migrate(database, available);
    assert.equal(await readWorkState(database.read), 'done');
    await assert.rejects(run(database, 'create index items_name on items (name)'), /already exists/);
    await database.close();
    await remove();
  });
}

async function openEmpty(kind: 'sqlite' | 'postgres'): Promise<{ database: Database; remove(): Promise<void> }> {
  if (kind === 'postgres') {
    const url = databaseUrlOf(`${DATABASE_PREFIX}empty_${process.pid}`);
    await createDatabase(url, { empty: true });
    return {
      database: new PostgresDatabase(url, { statementMs: WAIT_TIMEOUT_MS }),
      remove: () => dropDatabase(url),
    };
  }
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-empty-'));
  return {
    database: new SqliteDatabase(join(folder, 'switchboard.db')),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
