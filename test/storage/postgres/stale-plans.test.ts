import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import postgres from 'postgres';
import type { Transaction } from '../../../src/storage/database.ts';
import { PostgresDatabase } from '../../../src/storage/postgres/postgres-database.ts';
import { prepare } from '../../../src/storage/prepared-statement.ts';
import {
  createDatabase,
  DATABASE_PREFIX,
  databaseUrlOf,
  dropDatabase,
  postgresServerUrl,
} from '../../support/databases/postgres-database.ts';

const TABLES = ['plan_a', 'plan_b', 'plan_c', 'plan_d', 'plan_e', 'plan_f'];

type Row = Readonly<Record<string, unknown>>;

/** Each returns the row with this identifier, with all columns that the table has then. */
const reads = TABLES.map((table) =>
  prepare<{ id: number }, Row>((db, { id }) => ({
    compile: () => sql<Row>`select * from ${sql.table(table)} where id = ${id}`.compile(db),
  })),
);

/** Its result has the same columns before and after. */
const readCount = prepare<{ id: number }, Row>((db, { id }) => ({
  compile: () => sql<Row>`select count(*) as count from plan_a where id <= ${id}`.compile(db),
}));

describe('prepared reads while a newer version adds columns', { skip: postgresServerUrl === undefined }, () => {
  const address = postgresServerUrl === undefined ? '' : databaseUrlOf(`${DATABASE_PREFIX}plans_${process.pid}`);
  let admin: postgres.Sql;

  before(async () => {
    await createDatabase(address, { empty: true });
    admin = postgres(address, { max: 1, onnotice: () => undefined });
    for (const table of TABLES) {
      await admin.unsafe(`create table ${table} (id bigint primary key, own_${table} text not null)`);
      await admin.unsafe(`insert into ${table} select id, '${table} ' || id from generate_series(1, 10) as id`);
    }
  });
  after(async () => {
    await admin.end();
    await dropDatabase(address);
  });

  for (const connections of [1, 3]) {
    test(`all get their own rows, connections: ${connections}`, async (t) => {
      const database = new PostgresDatabase(address, { statementMs: 5000, connections });
      t.after(() => database.close());
      const added: string[] = (
        await admin`select column_name from information_schema.columns
        where table_name = 'plan_a' and column_name like 'added%'`
      ).map((row) => row.column_name);
      const expectRow = (index: number, id: number) => ({
        id,
        [`ownPlan${(TABLES[index] as string).slice(-1).toUpperCase()}`]: `${TABLES[index]} ${id}`,
        ...Object.fromEntries(added.map((name) => [name, 7])),
      });
      /** Reads every table twice in this turn of the event loop, with a read between that no column disturbs. */
      const readAll = async (reader: Pick<Transaction, 'run'> = database) => {
        const ids = [1, 2];
        const results = await Promise.all(
          ids.flatMap((id) => reads.flatMap((read) => [reader.run(read, { id }), reader.run(readCount, { id })])),
        );
        const expected = ids.flatMap((id) => reads.flatMap((_, index) => [[expectRow(index, id)], [{ count: id }]]));
        assert.deepEqual(results, expected);
      };
      const readAllInTransaction = () => database.transaction((tx) => readAll(tx), 1);
      const addColumn = async (name: string) => {
        for (const table of TABLES)
          await admin.unsafe(`alter table ${table} add column ${name} bigint not null default 7`);
        added.push(name);
      };
      for (const _ of ['prepare', 'use']) {
        await readAll();
        await readAllInTransaction();
      }
      for (const step of [1, 2, 3]) {
        await addColumn(`added${connections}${step}`);
        // The second wave is sent while the first waits for its repeated reads.
        const first = readAll();
        await new Promise((resolve) => setImmediate(resolve));
        await Promise.all([first, readAll()]);
        await readAll();
        await readAllInTransaction();
      }
      const { timedOutCount, unreachableCount } = database.getUsage();
      assert.deepEqual({ timedOutCount, unreachableCount }, { timedOutCount: 0, unreachableCount: 0 });
    });
  }
});
