import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { nextId } from '../../src/core/kernel/ids.ts';
import { SqliteConnection } from '../../src/storage/sqlite/connection.ts';
import { databases } from '../support/databases/databases.ts';

for (const { name, open } of databases) {
  test(`${name}: what a transaction threw away is gone, what others wrote beside it stays`, async () => {
    const installation = await open();
    const { database, accountId } = installation;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 200 }, (_, index) =>
        database.transaction(async (tx) => {
          const id = await nextId(tx, accountId, 'thing');
          await tx.db
            .insertInto('counters')
            .values({ accountId, name: `thing ${index}`, value: id })
            .execute();
          if (index % 3 === 0) throw new Error('no');
          return id;
        }),
      ),
    );
    const given = outcomes.filter((outcome) => outcome.status === 'fulfilled').map((outcome) => outcome.value);
    assert.equal(new Set(given).size, 133);
    assert.equal(Math.max(...given), 133, 'an identifier of a transaction that failed is not lost');
    const kept = await database.read
      .selectFrom('counters')
      .select('name')
      .where('accountId', '=', accountId)
      .where('name', 'like', 'thing %')
      .execute();
    assert.equal(kept.length, 133);
    await installation.end();
  });

  test(`${name}: a statement that comes after the end of its transaction is not carried out in the next one`, async () => {
    const installation = await open();
    const { database, accountId } = installation;
    const ended = await database.transaction(async (tx) => {
      await tx.db.selectFrom('accounts').select('id').execute();
      return tx;
    }, accountId);
    await database.transaction(async (tx) => {
      await tx.db.selectFrom('accounts').select('id').execute(); // it has begun
      const late = ended.db.updateTable('accounts').set({ name: 'Late' }).where('id', '=', accountId);
      await assert.rejects(async () => late.execute(), /over/);
      await assert.rejects(async () => nextId(ended, accountId, 'late'), /over/);
    }, accountId);
    const { name: kept } = await database.read.selectFrom('accounts').select('name').executeTakeFirstOrThrow();
    assert.equal(kept, 'Test');
    await installation.end();
  });

  test(`${name}: a reader never sees an open transaction`, async () => {
    const installation = await open();
    const { database, accountId } = installation;
    const seen: (string | undefined)[] = [];
    const look = async () => {
      const row = await database.read
        .selectFrom('accounts')
        .select('name')
        .where('id', '=', accountId)
        .executeTakeFirst();
      seen.push(row?.name);
    };
    await database.transaction(async (tx) => {
      await tx.db.updateTable('accounts').set({ name: 'Changed' }).where('id', '=', accountId).execute();
      await look();
    });
    await look();
    assert.deepEqual(seen, ['Test', 'Changed']);
    await installation.end();
  });

  test(`${name}: the event log counts per account, in the order of the commits, without holes`, async () => {
    const installation = await open();
    const { database, accountId, caller } = installation;
    const before = await positions();
    await Promise.allSettled(
      Array.from({ length: 50 }, (_, index) =>
        database.transaction(async (tx) => {
          for (const type of ['a', 'b']) {
            tx.emit({
              accountId,
              type: `test.${type}`,
              subjectType: 'test',
              subjectId: index,
              actor: caller.actor,
              changes: { fields: [], values: {} },
            });
          }
          if (index % 5 === 0) throw new Error('no');
        }),
      ),
    );
    const after = await positions();
    assert.equal(after.length, before.length + 80);
    assert.deepEqual(
      after,
      Array.from({ length: after.length }, (_, index) => index + 1),
    );
    await installation.end();

    async function positions() {
      const rows = await database.read.selectFrom('events').select('position').orderBy('position').execute();
      return rows.map((row) => row.position);
    }
  });

  test(`${name}: nothing can be written through the reading side`, async () => {
    const installation = await open();
    await assert.rejects(
      installation.database.read.updateTable('accounts').set({ name: 'x' }).execute(),
      /cannot be used right now|read-only transaction/,
    );
    await installation.end();
  });

  test(`${name}: a value that is no SQL parameter is refused loudly`, async () => {
    const installation = await open();
    const wrong = new Date() as unknown as string;
    await assert.rejects(
      installation.database.read.selectFrom('accounts').selectAll().where('name', '=', wrong).execute(),
      /no SQL parameter/,
    );
    await installation.end();
  });

  test(`${name}: a slow read gives up at its deadline, and others do not wait for it`, async () => {
    const installation = await open({ SWITCHBOARD_SLOW_READ_TIMEOUT: '2' });
    const { database } = installation;
    // Many million rows, each looked at: far more than fits into the deadline.
    const endless = sql<{
      n: number;
    }>`with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000000)
      select count(*) as n from n where ${database.withinDeadline(sql.ref('i'))}`;
    let isOver = false;
    const slow = database.readOffThread({ compile: () => endless.compile(database.read) });
    const outcome = slow
      .then(
        () => 'answered',
        (error: Error) => error.name,
      )
      .finally(() => {
        isOver = true;
      });
    let meanwhile = 0;
    while (!isOver) {
      await database.read.selectFrom('accounts').selectAll().execute();
      if (!isOver) meanwhile += 1;
      await setImmediate(); // the embedded database answers without a pause, in which nothing else could end
    }
    assert.equal(await outcome, 'ReadTooSlow');
    assert.ok(meanwhile > 0, 'reads were answered while the slow one ran');
    await installation.end();
  });
}

test('sqlite: a commit is synced before it is acknowledged, and readers are not held up by it', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-pragma-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const connection = new SqliteConnection(join(folder, 'x.db'), { readOnly: false, clock: Date.now, cacheKiB: 1024 });
  assert.deepEqual(connection.all('pragma synchronous', []), [{ synchronous: 2 }]);
  assert.deepEqual(connection.all('pragma journal_mode', []), [{ journalMode: 'wal' }]);
  connection.close();
});

test('sqlite: rows keep their names when another process adds a column', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-columns-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [one, other] = [1, 2].map(
    () => new SqliteConnection(join(folder, 'x.db'), { readOnly: false, clock: Date.now, cacheKiB: 1024 }),
  ) as [SqliteConnection, SqliteConnection];
  for (const statement of ['create table a (first_id bigint)', 'create table b (second_id bigint)'])
    one.run(statement, []);
  for (const table of ['a', 'b']) one.run(`insert into ${table} values (1)`, []);
  const rows = () => one.run('select a.*, b.* from a, b', []).rows;
  assert.deepEqual(rows(), [{ firstId: 1, secondId: 1 }]);
  other.run('alter table a add column new_id bigint not null default 2', []);
  assert.deepEqual(rows(), [{ firstId: 1, newId: 2, secondId: 1 }]);
  for (const connection of [one, other]) connection.close();
});
