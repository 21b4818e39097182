import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import postgres from 'postgres';
import { ApiKeys } from '../../../src/core/access/api-keys.ts';
import { fullAccessCaller } from '../../../src/core/kernel/caller.ts';
import type { Transaction } from '../../../src/storage/database.ts';
import { DatabaseUnavailable } from '../../../src/storage/errors.ts';
import { PostgresDatabase } from '../../../src/storage/postgres/postgres-database.ts';
import { IDLE_IN_TRANSACTION_MS } from '../../../src/storage/postgres/session.ts';
import { prepare } from '../../../src/storage/prepared-statement.ts';
import { RunningClock } from '../../../src/storage/running-clock.ts';
import {
  createDatabase,
  DATABASE_PREFIX,
  databaseUrlOf,
  dropDatabase,
  postgresServerUrl,
} from '../../support/databases/postgres-database.ts';
import { proxiedUrl, startTcpProxy } from '../../support/databases/tcp-proxy.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

/** The Sync message, which ends a statement. */
const SYNC = Buffer.from('S\0\0\0\x04');

/** The statement timeout plus a margin for a slow machine. */
const MAX_TIMEOUT_MS = 2000;

const insertThing = prepare<{ id: number }>((db, { id }) => ({
  compile: () => sql`insert into things values (${id})`.compile(db),
}));

/** Blocks the event loop, like a long computation. */
function block(milliseconds: number): void {
  for (const end = performance.now() + milliseconds; performance.now() < end; );
}

describe('PostgreSQL only', { skip: postgresServerUrl === undefined }, () => {
  const address = postgresServerUrl === undefined ? '' : databaseUrlOf(`${DATABASE_PREFIX}server_${process.pid}`);
  let database: PostgresDatabase;
  let admin: postgres.Sql;

  before(async () => {
    await createDatabase(address);
    database = new PostgresDatabase(address, { statementMs: 5000, connections: 2 });
    admin = postgres(address, { max: 1, onnotice: () => undefined });
    await admin`create table things (id bigint primary key)`;
  });
  after(async () => {
    await database.close();
    await admin.end();
    await dropDatabase(address);
  });

  test('a commit after a caught error fails', async () => {
    const work = database.transaction(async (tx) => {
      await sql`insert into things values (1)`.execute(tx.db);
      await sql`insert into things values (1)`.execute(tx.db).catch(() => undefined);
    }, 1);
    await assert.rejects(work, /rolled back/);
    assert.equal((await admin`select * from things`).length, 0);
  });

  describe('changes of one account that wait', () => {
    let lastAccount = 700;
    const insert = (id: number) => (tx: Transaction) =>
      sql<{ xid: string }>`with row as (insert into things values (${id}) returning id)
        select pg_current_xact_id()::text as xid from row`
        .execute(tx.db)
        .then(({ rows }) => rows[0]?.xid);
    /** Runs the changes behind one that ends when all of them wait. */
    const runWaiting = async <T>(
      works: readonly ((tx: Transaction) => Promise<T>)[],
      first: (tx: Transaction) => Promise<unknown> = async () => undefined,
      account = ++lastAccount,
    ) => {
      const allWait = Promise.withResolvers<void>();
      const firstDone = database.transaction(async (tx) => {
        await first(tx);
        await allWait.promise;
      }, account);
      const results = works.map((work) => database.transaction(work, account));
      allWait.resolve();
      return Promise.allSettled([firstDone, ...results]);
    };
    /** Inserts that note each of their runs. */
    const createRunCounter = () => {
      const runs: number[] = [];
      const count = (id: number) => (tx: Transaction) => {
        runs.push(id);
        return insert(id)(tx);
      };
      return { runs, count };
    };
    const findStored = async (from: number) =>
      (await admin`select id from things where id between ${from} and ${from + 99} order by id`).map(({ id }) =>
        Number(id),
      );

    after(() => admin`delete from things`);

    test('share a transaction', async () => {
      const outcomes = await runWaiting(Array.from({ length: 20 }, (_, index) => insert(300 + index)));
      const transactions = new Set(
        outcomes.slice(1).map((outcome) => (outcome as PromiseFulfilledResult<string>).value),
      );
      assert.ok(transactions.size <= 10, `${transactions.size} transactions`); // each takes at least two
      assert.equal((await findStored(300)).length, 20);
    });

    test('fail alone', async () => {
      const refuse = async (tx: Transaction) => {
        await insert(450)(tx);
        throw new Error('refused');
      };
      const duplicate = async (tx: Transaction) => {
        await insert(451)(tx);
        await insert(400)(tx);
      };
      const [, ...outcomes] = await runWaiting<unknown>([insert(400), refuse, insert(401), duplicate, insert(402)]);
      assert.deepEqual(
        outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.name : 'stored')),
        ['stored', 'Error', 'stored', 'UniqueViolation', 'stored'],
      );
      assert.deepEqual(await findStored(400), [400, 401, 402]);
    });

    test('run once when another of their account was undone lately', async () => {
      const { runs, count } = createRunCounter();
      const refuse = async (tx: Transaction) => {
        await insert(980)(tx);
        throw new Error('refused');
      };
      const account = ++lastAccount;
      await runWaiting<unknown>([count(950), refuse, count(951)], undefined, account);
      assert.deepEqual(runs, [950, 950, 951], 'the first group runs again, with savepoints');
      await runWaiting<unknown>([count(952), refuse, count(953)], undefined, account);
      assert.deepEqual(runs.slice(3), [952, 953]);
      assert.deepEqual(await findStored(950), [950, 951, 952, 953]);
    });

    test('run once when one of them fails before it has written', async () => {
      const { runs, count } = createRunCounter();
      const refuse = async (tx: Transaction) => {
        await sql`with recent as (select id from things) select count(*) from recent`.execute(tx.db);
        throw new Error('refused');
      };
      const [, ...outcomes] = await runWaiting<unknown>([count(460), refuse, count(461)]);
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
      assert.deepEqual(runs, [460, 461]);
      assert.deepEqual(await findStored(460), [460, 461]);
    });

    test('fail alone when a statement fails that they did not wait for', async () => {
      const sendDuplicate = async (tx: Transaction) => tx.send(insertThing, { id: 500 });
      const [, ...outcomes] = await runWaiting<unknown>([insert(500), sendDuplicate, insert(501)]);
      assert.deepEqual(
        outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.name : 'stored')),
        ['stored', 'UniqueViolation', 'stored'],
      );
      assert.deepEqual(await findStored(500), [500, 501]);
    });

    test('fail alone when they catch the error of a statement', async () => {
      const swallow = (tx: Transaction) => insert(600)(tx).catch(() => undefined);
      const [, ...outcomes] = await runWaiting<unknown>([insert(600), swallow, insert(601)]);
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ['fulfilled', 'rejected', 'fulfilled'],
      );
      assert.deepEqual(await findStored(600), [600, 601]);
    });

    test('are not run again when what one of them sent turns out wrong after the commit', async () => {
      let runs = 0;
      const sendChecked = async (tx: Transaction) => {
        runs += 1;
        tx.send(insertThing, { id: 550 }, () => {
          throw new Error('wrong');
        });
      };
      const [, ...outcomes] = await runWaiting<unknown>([insert(551), sendChecked, insert(552)]);
      assert.deepEqual(
        outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.message : 'stored')),
        ['stored', 'wrong', 'stored'],
      );
      assert.equal(runs, 1);
      assert.deepEqual(await findStored(500), [500, 501, 550, 551, 552]);
    });

    test('are stored once when the connection is lost in between', async () => {
      let losses = 0;
      const loseConnection = async (tx: Transaction) => {
        losses += 1;
        if (losses > 1) return;
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx.db);
        await admin`select pg_terminate_backend(${rows[0]?.pid ?? 0})`;
        await sql`select 1`.execute(tx.db);
      };
      const outcomes = await runWaiting<unknown>([insert(700), loseConnection, insert(701)]);
      assert.deepEqual(new Set(outcomes.map(({ status }) => status)), new Set(['fulfilled']));
      assert.deepEqual(await findStored(700), [700, 701]);
    });

    test('a change after a failed first one is stored', async () => {
      const [first, second] = await runWaiting([insert(800)], async (tx) => {
        await insert(801)(tx);
        throw new Error('refused');
      });
      assert.deepEqual([first?.status, second?.status], ['rejected', 'fulfilled']);
      assert.deepEqual(await findStored(800), [800]);
    });
  });

  test('a transaction whose connection is lost is rolled back, and the next one succeeds', async () => {
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
    test(`a transaction that the server ended while this process was blocked ${place} is retried`, async () => {
      let attempts = 0;
      const work = database.transaction(async (tx) => {
        attempts += 1;
        await sql`insert into things values (${100 + attempts})`.execute(tx.db);
        if (attempts === 1) block(IDLE_IN_TRANSACTION_MS + 400);
        if (place === 'between two statements') await sql`select 1`.execute(tx.db);
        return attempts;
      }, 1);
      assert.equal(await work, 2);
      const deletedRows = await admin`delete from things where id > 100 returning id`;
      assert.deepEqual(
        deletedRows.map((row) => Number(row.id)),
        [102],
      );
    });

  test('a commit without a response has an unknown outcome and is not retried', async (t) => {
    const { hostname: host, port } = new URL(address);
    const proxy = await startTcpProxy({ host, port: Number(port || 5432) });
    const proxied = new PostgresDatabase(proxiedUrl(address, proxy));
    t.after(async () => {
      await proxy.close();
      await proxied.close();
    });
    let attempts = 0;
    const work = proxied.transaction(async (tx) => {
      attempts += 1;
      await sql`insert into things values (200)`.execute(tx.db);
      proxy.silenceFrom('commit');
    }, 1);
    await assert.rejects(work, (error) => error instanceof DatabaseUnavailable && error.outcomeUnknown);
    assert.equal(attempts, 1);
  });

  test('after a timeout on one connection, the other idle ones are discarded', async (t) => {
    const { hostname: host, port } = new URL(address);
    const proxy = await startTcpProxy({ host, port: Number(port || 5432) });
    const proxied = new PostgresDatabase(proxiedUrl(address, proxy));
    t.after(async () => {
      await proxied.close();
      await proxy.close();
    });
    const idlePoolWork = [
      () => proxied.readOffThread({ compile: () => sql`select 1`.compile(proxied.read) }),
      () => proxied.transaction((tx) => sql`select 1`.execute(tx.db), 1),
    ];
    await Promise.all(idlePoolWork.map((work) => work()));
    const woken = Promise.withResolvers<number>();
    proxied.onEvents(woken.resolve);
    const waitForListening = () => waitUntil('listening', () => proxied.getUsage().isListening === true);
    await waitForListening();
    proxy.silence();
    const clock = new RunningClock(); // excludes stalls of this process
    const silentAt = clock.now();
    await assert.rejects(proxied.ping(), DatabaseUnavailable);
    const waited = clock.now();
    clock.stop();
    assert.ok(waited - silentAt < MAX_TIMEOUT_MS, `timed out after ${waited - silentAt} ms`);
    assert.equal(proxied.getUsage().isListening, false);
    proxy.restore();
    await Promise.all(idlePoolWork.map((work) => work()));
    await waitForListening();
    await admin`select pg_notify('switchboard_events', '7,another')`;
    assert.equal(await woken.promise, 7);
  });

  test('a node that stalls while sending a statement does not block its account forever', async (t) => {
    const { hostname: host, port } = new URL(address);
    const proxy = await startTcpProxy({ host, port: Number(port || 5432) });
    const stalled = new PostgresDatabase(proxiedUrl(address, proxy));
    const other = new PostgresDatabase(address);
    t.after(async () => {
      await Promise.all([stalled.close(), other.close()]);
      await proxy.close();
    });
    await admin`insert into things values (20)`;
    for (const accountId of [5, undefined]) {
      const blocked = stalled.transaction(async (tx) => {
        const change = () => sql`update things set id = id where id = ${20}`.execute(tx.db);
        await change(); // prepared for the next call
        proxy.cutMidRequest(SYNC.length);
        await change();
      }, accountId);
      await assert.rejects(blocked, DatabaseUnavailable);
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

  test('an application name in the URL is appended to ours', async (t) => {
    const readApplicationName = async (url: string) => {
      const namedDatabase = new PostgresDatabase(url);
      t.after(() => namedDatabase.close());
      const { rows } = await sql<{ name: string }>`select current_setting('application_name') as name`.execute(
        namedDatabase.read,
      );
      return rows[0]?.name;
    };
    assert.equal(await readApplicationName(address), 'switchboard');
    assert.equal(await readApplicationName(`${address}?application_name=node-1`), 'switchboard node-1');
    assert.equal(await readApplicationName(`${address}?application_name=node-1&sslmode=disable`), 'switchboard node-1');
    assert.equal(await readApplicationName(`${address}?sslmode=disable&application_name=node-1`), 'switchboard node-1');
  });

  test('a deadlock is resolved by a retry', async () => {
    await admin`insert into things values (10), (11)`;
    let lockedCount = 0;
    const bothLocked = Promise.withResolvers<void>();
    const lockInOrder = (ids: readonly number[]) =>
      database.transaction(async (tx) => {
        for (const id of ids) {
          await sql`update things set id = id where id = ${id}`.execute(tx.db);
          lockedCount += 1;
          if (lockedCount === 2) bothLocked.resolve();
          await bothLocked.promise;
        }
      });
    await Promise.all([lockInOrder([10, 11]), lockInOrder([11, 10])]);
  });

  test('the number of prepared statements on the server is bounded', async () => {
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
    assert.ok((rows[0]?.count ?? 0) < 500, `${rows[0]?.count} prepared statements`);
  });

  test('two nodes that used keys in different order can both record the use', async () => {
    const other = new PostgresDatabase(address, { connections: 2 });
    const nodes = [new ApiKeys(database), new ApiKeys(other)] as const;
    const caller = fullAccessCaller(1, { type: 'system', id: null });
    const secrets: string[] = [];
    for (let number = 0; number < 30; number += 1) {
      const created = await database.transaction(
        (tx) => nodes[0].create(tx, caller, { name: `Key ${number}`, access: 'read', expiresAt: null }),
        1,
      );
      secrets.push(created.secret);
    }
    for (const secret of secrets) await nodes[0].findCaller(secret);
    for (const secret of secrets.toReversed()) await nodes[1].findCaller(secret);
    await Promise.all(nodes.map((node) => node.recordUse()));
    const unused = await admin`select 1 from api_keys where last_used_at is null`;
    assert.equal(unused.length, 0);
    await other.close();
  });
});
