import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { nextId } from '../../src/core/kernel/ids.ts';
import { SqliteConnection } from '../../src/storage/sqlite/connection.ts';
import { databases } from '../support/databases/databases.ts';

const PAUSE_MS = 5;
const MAX_TRIES = 5;

/** Changes of one account share transactions, others do not. */
const SCOPES: readonly (readonly [string, (accountId: number) => number | undefined])[] = [
  ['without an account', () => undefined],
  ['in one account', (accountId) => accountId],
];

for (const { name, open } of databases) {
  for (const [scope, key] of SCOPES) {
    test(`${name}: a rollback does not affect concurrent transactions ${scope}`, async () => {
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
          }, key(accountId)),
        ),
      );
      const ids = outcomes.filter((outcome) => outcome.status === 'fulfilled').map((outcome) => outcome.value);
      assert.equal(new Set(ids).size, 133);
      assert.equal(Math.max(...ids), 133, 'an identifier of a failed transaction is reused');
      const stored = await database.read
        .selectFrom('counters')
        .select('name')
        .where('accountId', '=', accountId)
        .where('name', 'like', 'thing %')
        .execute();
      assert.equal(stored.length, 133);
      await installation.end();
    });

    test(`${name}: the event log is numbered per account, in commit order, without gaps ${scope}`, async () => {
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
          }, key(accountId)),
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
  }

  test(`${name}: a statement after the end of its transaction does not run in the next one`, async () => {
    const installation = await open();
    const { database, accountId } = installation;
    const ended = await database.transaction(async (tx) => {
      await tx.db.selectFrom('accounts').select('id').execute();
      return tx;
    }, accountId);
    await database.transaction(async (tx) => {
      await tx.db.selectFrom('accounts').select('id').execute(); // the transaction has started
      const late = ended.db.updateTable('accounts').set({ name: 'Late' }).where('id', '=', accountId);
      await assert.rejects(async () => late.execute(), /has ended/);
      await assert.rejects(async () => nextId(ended, accountId, 'late'), /has ended/);
    }, accountId);
    const { name: accountName } = await database.read.selectFrom('accounts').select('name').executeTakeFirstOrThrow();
    assert.equal(accountName, 'Test');
    await installation.end();
  });

  test(`${name}: a reader never sees an open transaction`, async () => {
    const installation = await open();
    const { database, accountId } = installation;
    const seen: (string | undefined)[] = [];
    const readName = async () => {
      const row = await database.read
        .selectFrom('accounts')
        .select('name')
        .where('id', '=', accountId)
        .executeTakeFirst();
      seen.push(row?.name);
    };
    await database.transaction(async (tx) => {
      await tx.db.updateTable('accounts').set({ name: 'Changed' }).where('id', '=', accountId).execute();
      await readName();
    });
    await readName();
    assert.deepEqual(seen, ['Test', 'Changed']);
    await installation.end();
  });

  test(`${name}: the read connection cannot write`, async () => {
    const installation = await open();
    await assert.rejects(
      installation.database.read.updateTable('accounts').set({ name: 'x' }).execute(),
      /cannot be used right now|read-only transaction/,
    );
    await installation.end();
  });

  test(`${name}: an invalid SQL parameter is rejected`, async () => {
    const installation = await open();
    const invalidValue = new Date() as unknown as string;
    await assert.rejects(
      installation.database.read.selectFrom('accounts').selectAll().where('name', '=', invalidValue).execute(),
      /not a valid SQL parameter/,
    );
    await installation.end();
  });

  test(`${name}: a slow read stops at its deadline and does not block other reads`, async () => {
    const installation = await open({ SWITCHBOARD_SLOW_READ_TIMEOUT: '2' });
    const { database } = installation;
    // Checks many millions of rows: far more than the deadline allows.
    const endless = sql<{
      n: number;
    }>`with recursive n(i) as (select 1 union all select i + 1 from n where i < 100000000)
      select count(*) as n from n where ${database.isWithinDeadline(sql.ref('i'))}`;
    async function readSlowly(): Promise<{ outcome: string; answeredReads: number }> {
      let hasEnded = false;
      const slow = database.readOffThread({ compile: () => endless.compile(database.read) });
      const outcome = slow
        .then(
          () => 'answered',
          (error: Error) => error.name,
        )
        .finally(() => {
          hasEnded = true;
        });
      let answeredReads = 0;
      while (!hasEnded) {
        await database.read.selectFrom('accounts').selectAll().execute();
        if (!hasEnded) answeredReads += 1;
        await setTimeout(PAUSE_MS); // leaves the processor to the slow read
      }
      return { outcome: await outcome, answeredReads };
    }
    let result = await readSlowly();
    // A server that is short of processor time may not respond at all until the deadline.
    for (let tries = 1; tries < MAX_TRIES && result.outcome === 'DatabaseUnavailable'; tries += 1)
      result = await readSlowly();
    assert.equal(result.outcome, 'ReadTooSlow');
    assert.ok(result.answeredReads > 0, 'reads were answered while the slow one ran');
    await installation.end();
  });
}

test('sqlite: a commit is synced before it is acknowledged, and does not block readers', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-pragma-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const connection = new SqliteConnection(join(folder, 'x.db'), { readOnly: false, clock: Date.now, cacheKiB: 1024 });
  assert.deepEqual(connection.all('pragma synchronous', []), [{ synchronous: 2 }]);
  assert.deepEqual(connection.all('pragma journal_mode', []), [{ journalMode: 'wal' }]);
  connection.close();
});

test('sqlite: column names stay correct when another process adds a column', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-columns-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [first, second] = [1, 2].map(
    () => new SqliteConnection(join(folder, 'x.db'), { readOnly: false, clock: Date.now, cacheKiB: 1024 }),
  ) as [SqliteConnection, SqliteConnection];
  for (const statement of ['create table a (first_id bigint)', 'create table b (second_id bigint)'])
    first.run(statement, []);
  for (const table of ['a', 'b']) first.run(`insert into ${table} values (1)`, []);
  const rows = () => first.run('select a.*, b.* from a, b', []).rows;
  assert.deepEqual(rows(), [{ firstId: 1, secondId: 1 }]);
  second.run('alter table a add column new_id bigint not null default 2', []);
  assert.deepEqual(rows(), [{ firstId: 1, newId: 2, secondId: 1 }]);
  for (const connection of [first, second]) connection.close();
});
