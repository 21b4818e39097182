import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import postgres from 'postgres';
import { ApiKeys } from '../../../src/core/access/api-keys.ts';
import { fullAccessCaller } from '../../../src/core/kernel/caller.ts';
import { DatabaseUnavailable } from '../../../src/storage/errors.ts';
import { PostgresDatabase } from '../../../src/storage/postgres/postgres-database.ts';
import { IDLE_IN_TRANSACTION_MS } from '../../../src/storage/postgres/session.ts';
import { RunningClock } from '../../../src/storage/running-clock.ts';
import {
  addressOf,
  dropDatabase,
  makeDatabase,
  PREFIX,
  postgresServer,
} from '../../support/databases/postgres-database.ts';
import { startTcpProxy, throughProxy } from '../../support/databases/tcp-proxy.ts';
import { until } from '../../support/waiting/until.ts';

/** With these bytes a client says that its statement is complete. */
const SYNC = Buffer.from('S\0\0\0\x04');

/** Limit of a statement, and what a starved process adds to it. */
const GIVEN_UP_WITHIN_MS = 2000;

/** As a long computation does: nothing else happens in this process meanwhile. */
function block(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

describe('what only a server does', { skip: postgresServer === undefined }, () => {
  const address = postgresServer === undefined ? '' : addressOf(`${PREFIX}server_${process.pid}`);
  let database: PostgresDatabase;
  let admin: postgres.Sql;

  before(async () => {
    await makeDatabase(address);
    database = new PostgresDatabase(address, { statementMs: 5000, connections: 2 });
    admin = postgres(address, { max: 1, onnotice: () => undefined });
    await admin`create table things (id bigint primary key)`;
  });
  after(async () => {
    await database.close();
    await admin.end();
    await dropDatabase(address);
  });

  test('a commit after an error that somebody has caught is no success', async () => {
    const work = database.transaction(async (tx) => {
      await sql`insert into things values (1)`.execute(tx.db);
      await sql`insert into things values (1)`.execute(tx.db).catch(() => undefined);
    }, 1);
    await assert.rejects(work, /rolled back/);
    assert.equal((await admin`select * from things`).length, 0);
  });

  test('a transaction whose connection is lost is carried out in no part, and the next one is', async () => {
    const work = database.transaction(async (tx) => {
      await sql`insert into things values (2)`.execute(tx.db);
      await admin`select pg_terminate_backend(pid) from pg_stat_activity where state = 'idle in transaction' and datname = current_database()`;
      await sql`insert into things values (3)`.execute(tx.db);
    }, 1);
    await assert.rejects(work, DatabaseUnavailable);
    await database.transaction((tx) => sql`insert into things values (4)`.execute(tx.db), 1);
    assert.deepEqual(
      (await admin`select id from things order by id`).map((row) => Number(row.id)),
      [4],
    );
  });

  for (const place of ['between two statements', 'before the commit'] as const)
    test(`a transaction that the server ended while this process was blocked ${place} runs once more`, async () => {
      let attempts = 0;
      const work = database.transaction(async (tx) => {
        attempts += 1;
        await sql`insert into things values (${100 + attempts})`.execute(tx.db);
        if (attempts === 1) block(IDLE_IN_TRANSACTION_MS + 400);
        if (place === 'between two statements') await sql`select 1`.execute(tx.db);
        return attempts;
      }, 1);
      assert.equal(await work, 2);
      const left = await admin`delete from things where id > 100 returning id`;
      assert.deepEqual(
        left.map((row) => Number(row.id)),
        [102],
      );
    });

  test('a commit that was sent and not answered may have happened, and is not tried again', async (t) => {
    const { hostname: host, port } = new URL(address);
    const proxy = await startTcpProxy({ host, port: Number(port || 5432) });
    const behind = new PostgresDatabase(throughProxy(address, proxy));
    t.after(async () => {
      await proxy.close();
      await behind.close();
    });
    let attempts = 0;
    const work = behind.transaction(async (tx) => {
      attempts += 1;
      await sql`insert into things values (200)`.execute(tx.db);
      proxy.silence();
    }, 1);
    await assert.rejects(work, (error) => error instanceof DatabaseUnavailable && error.outcomeUnknown);
    assert.equal(attempts, 1);
  });

  test('when one connection has fallen silent, nobody trusts the others that were open then', async (t) => {
    const { hostname: host, port } = new URL(address);
    const proxy = await startTcpProxy({ host, port: Number(port || 5432) });
    const behind = new PostgresDatabase(throughProxy(address, proxy));
    t.after(async () => {
      await behind.close();
      await proxy.close();
    });
    const rare = [
      () => behind.readOffThread({ compile: () => sql`select 1`.compile(behind.read) }),
      () => behind.transaction((tx) => sql`select 1`.execute(tx.db), 1),
    ];
    await Promise.all(rare.map((work) => work()));
    const woken = Promise.withResolvers<number>();
    behind.onEvents(woken.resolve);
    const isListening = () => until('it listens', () => behind.use().isListening === true);
    await isListening();
    proxy.silence();
    const clock = new RunningClock(); // the time in which this process ran
    const silentAt = clock.now();
    await assert.rejects(behind.ping(), DatabaseUnavailable);
    const waited = clock.now();
    clock.stop();
    assert.ok(waited - silentAt < GIVEN_UP_WITHIN_MS, `given up after ${waited - silentAt} ms`);
    assert.equal(behind.use().isListening, false);
    proxy.restore();
    await Promise.all(rare.map((work) => work()));
    await isListening();
    await admin`select pg_notify('switchboard_events', '7,another')`;
    assert.equal(await woken.promise, 7);
  });

  test('a node that stands still in the middle of a statement does not hold its account for ever', async (t) => {
    const { hostname: host, port } = new URL(address);
    const proxy = await startTcpProxy({ host, port: Number(port || 5432) });
    const still = new PostgresDatabase(throughProxy(address, proxy));
    const other = new PostgresDatabase(address);
    t.after(async () => {
      await Promise.all([still.close(), other.close()]);
      await proxy.close();
    });
    await admin`insert into things values (20)`;
    for (const accountId of [5, undefined]) {
      const held = still.transaction(async (tx) => {
        const change = () => sql`update things set id = id where id = ${20}`.execute(tx.db);
        await change(); // the next time it is prepared already
        proxy.breakOff(SYNC.length);
        await change();
      }, accountId);
      await assert.rejects(held, DatabaseUnavailable);
      const change = () =>
        other.transaction((tx) => sql`update things set id = 20 where id = 20`.execute(tx.db), accountId);
      let done = false;
      for (let tries = 0; tries < 5 && !done; tries += 1) {
        done = await change().then(
          () => true,
          () => false,
        );
      }
      assert.ok(done);
    }
  });

  test('a name in the address comes behind our own', async (t) => {
    const shown = async (url: string) => {
      const called = new PostgresDatabase(url);
      t.after(() => called.close());
      const { rows } = await sql<{ name: string }>`select current_setting('application_name') as name`.execute(
        called.read,
      );
      return rows[0]?.name;
    };
    assert.equal(await shown(address), 'switchboard');
    assert.equal(await shown(`${address}?application_name=node-1`), 'switchboard node-1');
    assert.equal(await shown(`${address}?application_name=node-1&sslmode=disable`), 'switchboard node-1');
    assert.equal(await shown(`${address}?sslmode=disable&application_name=node-1`), 'switchboard node-1');
  });

  test('two who wait for each other are told apart: one of them begins anew', async () => {
    await admin`insert into things values (10), (11)`;
    let met = 0;
    const both = Promise.withResolvers<void>();
    const inOrder = (ids: readonly number[]) =>
      database.transaction(async (tx) => {
        for (const id of ids) {
          await sql`update things set id = id where id = ${id}`.execute(tx.db);
          met += 1;
          if (met === 2) both.resolve();
          await both.promise;
        }
      });
    await Promise.all([inOrder([10, 11]), inOrder([11, 10])]);
  });

  test('texts of every kind do not fill the memory of the server', async () => {
    for (let length = 1; length <= 1500; length += 1)
      await database.read
        .selectFrom('operators')
        .select('id')
        .limit(length)
        .where('id', 'in', [length])
        .where(sql<boolean>`${sql.lit(length)} > 0`)
        .execute();
    const { rows } = await sql<{ count: number }>`select count(*) as count from pg_prepared_statements`.execute(
      database.read,
    );
    assert.ok((rows[0]?.count ?? 0) < 500, `${rows[0]?.count} are kept`);
  });

  test('keys that two nodes have seen in another order are written down by both', async () => {
    const other = new PostgresDatabase(address, { connections: 2 });
    const nodes = [new ApiKeys(database), new ApiKeys(other)] as const;
    const caller = fullAccessCaller(1, { type: 'system', id: null });
    const secrets: string[] = [];
    for (let number = 0; number < 30; number += 1) {
      const made = await database.transaction(
        (tx) => nodes[0].create(tx, caller, { name: `Key ${number}`, access: 'read', expiresAt: null }),
        1,
      );
      secrets.push(made.secret);
    }
    for (const secret of secrets) await nodes[0].check(secret);
    for (const secret of secrets.toReversed()) await nodes[1].check(secret);
    await Promise.all(nodes.map((node) => node.recordUse()));
    const unused = await admin`select 1 from api_keys where last_used_at is null`;
    assert.equal(unused.length, 0);
    await other.close();
  });
});
