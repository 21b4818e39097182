import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import postgres from 'postgres';
import type { Transaction } from '../../../src/storage/database.ts';
import { PostgresDatabase } from '../../../src/storage/postgres/postgres-database.ts';
import { prepare, type StatementFacts } from '../../../src/storage/prepared-statement.ts';
import { readsFirst } from '../../../src/storage/reads-first.ts';
import {
  createDatabase,
  DATABASE_PREFIX,
  databaseUrlOf,
  dropDatabase,
  postgresServerUrl,
} from '../../support/databases/postgres-database.ts';
import { type RoundTripCounter, startRoundTripCounter } from '../../support/databases/round-trip-counter.ts';

interface Balance {
  readonly id: number;
  readonly value: number;
}

type Key = Pick<Balance, 'id'>;

const balanceFact = { reads: ({ id }: Key) => [`balance ${id}`], writes: ({ id }: Key) => [`balance ${id}`] };
const findBalance = prepare<Key, Balance>(
  (db, { id }) => ({ compile: () => sql<Balance>`select id, value from balances where id = ${id}`.compile(db) }),
  { reads: balanceFact.reads },
);
const prepareSet = (facts: StatementFacts<Balance>) =>
  prepare<Balance>(
    (db, { id, value }) => ({
      compile: () => sql`update balances set value = ${value} where id = ${id}`.compile(db),
    }),
    facts,
  );
const setBalance = prepareSet({ writes: balanceFact.writes });
const setWithoutFacts = prepareSet({});
const setWithWrongFacts = prepareSet({ writes: () => ['another balance'] });
const takeNumber = prepare<object, { number: number }>(
  (db) => ({ compile: () => sql<{ number: number }>`select nextval('numbers') as number`.compile(db) }),
  { reads: () => [], writes: () => [] },
);

const BALANCE_COUNT = 8;

describe('reads of changes that wait', { skip: postgresServerUrl === undefined }, () => {
  const address = postgresServerUrl === undefined ? '' : databaseUrlOf(`${DATABASE_PREFIX}ahead_${process.pid}`);
  let counter: RoundTripCounter;
  let database: PostgresDatabase;
  let uncheckedDatabase: PostgresDatabase;
  const staleReads: string[] = [];
  let admin: postgres.Sql;
  let lastAccount = 0;

  before(async () => {
    await createDatabase(address);
    counter = await startRoundTripCounter(address);
    const options = { statementMs: 5000, connections: 1 };
    database = new PostgresDatabase(address, { ...options, onStaleRead: (facts) => staleReads.push(...facts) });
    uncheckedDatabase = new PostgresDatabase(counter.url, options);
    admin = postgres(address, { max: 1, onnotice: () => undefined });
    await admin`create table balances (id bigint primary key, value bigint not null)`;
    await admin`create sequence numbers`;
    for (let id = 1; id <= BALANCE_COUNT; id += 1) await admin`insert into balances values (${id}, 0)`;
  });
  after(async () => {
    await database.close();
    await uncheckedDatabase.close();
    await counter.close();
    await admin.end();
    await dropDatabase(address);
  });

  /** Reads a balance first, and then writes the next value. */
  const increment = (id: number, statement = setBalance) =>
    readsFirst(async (tx: Transaction) => {
      const [row] = await tx.run(findBalance, { id });
      tx.send(statement, { id, value: (row?.value ?? 0) + 1 });
    });
  /** Runs the changes behind one that ends when all of them wait, so that they share a transaction. */
  const runTogether = async <T>(works: readonly ((tx: Transaction) => Promise<T>)[], on = database) => {
    const account = ++lastAccount;
    const allWait = Promise.withResolvers<void>();
    const first = on.transaction(() => allWait.promise, account);
    const results = works.map((work) => on.transaction(work, account));
    allWait.resolve();
    await first;
    return Promise.allSettled(results);
  };
  const runAndSum = async (works: readonly ((tx: Transaction) => Promise<unknown>)[], on = database) => {
    await admin`update balances set value = 0`;
    const outcomes = await runTogether<unknown>(works, on);
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    const [row] = await admin`select sum(value)::integer as sum from balances`;
    return { failures, sum: row?.sum };
  };

  test('see what changes before them wrote, whichever rows these share', async () => {
    for (let different = 1; different <= BALANCE_COUNT; different += 1) {
      const works = Array.from({ length: 40 }, (_, index) => increment(1 + ((index * 7) % different)));
      assert.deepEqual(await runAndSum(works), { failures: [], sum: 40 }, `${different} different rows`);
    }
  });

  test('see what a write without facts changed', async () => {
    const works = Array.from({ length: 40 }, (_, index) => increment(1 + (index % 2), setWithoutFacts));
    assert.deepEqual(await runAndSum(works), { failures: [], sum: 40 });
    const updateAll = (tx: Transaction) => sql`update balances set value = value + 1 where id = 1`.execute(tx.db);
    const mixed = Array.from({ length: 40 }, (_, index) => (index % 3 === 0 ? updateAll : increment(1)));
    assert.deepEqual(await runAndSum(mixed), { failures: [], sum: 40 });
  });

  test('are sent together if they do not depend on each other', async () => {
    const different = Array.from({ length: BALANCE_COUNT }, (_, index) => increment(1 + index));
    const same = Array.from({ length: BALANCE_COUNT }, () => increment(1));
    const countTrips = async (works: readonly ((tx: Transaction) => Promise<void>)[]) => {
      let least = Number.POSITIVE_INFINITY;
      for (let attempt = 1; attempt <= 8; attempt += 1) {
        counter.startCounting(20 * attempt);
        assert.deepEqual((await runAndSum(works, uncheckedDatabase)).failures, []);
        least = Math.min(least, counter.stopCounting());
      }
      return least;
    };
    // A round trip for the change that the others wait behind, its commit, their begin, their reads, and their commit.
    assert.ok((await countTrips(different)) <= 5);
    assert.ok((await countTrips(same)) >= BALANCE_COUNT);
  });

  test('are reported if a write does not name what it changes', async () => {
    const works = Array.from({ length: 3 }, () => increment(1, setWithWrongFacts));
    assert.deepEqual(staleReads, []);
    await runAndSum(works);
    assert.ok(staleReads.length > 0);
    for (const fact of staleReads) assert.equal(fact, 'balance 1');
  });

  test('take identifiers once each, also if a change is refused after that', async () => {
    const numbers: number[] = [];
    const take = (id: number) =>
      readsFirst(async (tx: Transaction) => {
        const [[taken]] = await Promise.all([tx.run(takeNumber, {}), tx.run(findBalance, { id })]);
        if (id === 3) throw new Error('refused');
        numbers.push(taken?.number ?? 0);
        await sql`update balances set value = value + 1 where id = ${id}`.execute(tx.db);
      });
    const { failures, sum } = await runAndSum([1, 2, 3, 4, 5, 6].map(take));
    assert.deepEqual(
      failures.map(({ message }) => message),
      ['refused'],
    );
    assert.equal(sum, 5);
    const stored = numbers.slice(-5); // of the run that was committed
    assert.equal(new Set(stored).size, 5);
  });

  test('may not use the time before their turn', async () => {
    const hasty = readsFirst(async (tx: Transaction) => tx.now);
    const patient = readsFirst(async (tx: Transaction) => {
      await tx.run(findBalance, { id: 1 });
      return tx.now;
    });
    const [, second, third] = await runTogether([patient, patient, hasty]);
    assert.equal(second?.status, 'fulfilled');
    assert.match(String((third as PromiseRejectedResult).reason), /Wait for a statement/);
  });
});
