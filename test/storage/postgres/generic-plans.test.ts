import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import postgres from 'postgres';
import { OperatorSlices } from '../../../src/core/operators/operator-slices.ts';
import { PostgresDatabase } from '../../../src/storage/postgres/postgres-database.ts';
import {
  createDatabase,
  DATABASE_PREFIX,
  databaseUrlOf,
  dropDatabase,
  postgresServerUrl,
} from '../../support/databases/postgres-database.ts';

const OPERATORS = 1000;
/** The server compares its plans in the first five runs. */
const RUNS = 20;

test('a page of operators is planned once, not for each run', { skip: postgresServerUrl === undefined }, async (t) => {
  const address = databaseUrlOf(`${DATABASE_PREFIX}generic_plans_${process.pid}`);
  await createDatabase(address);
  const admin = postgres(address, { max: 1, onnotice: () => undefined });
  const database = new PostgresDatabase(address, { statementMs: 5000, connections: 1 });
  t.after(async () => {
    await Promise.all([database.close(), admin.end()]);
    await dropDatabase(address);
  });
  await insertOperators(admin);
  const slices = new OperatorSlices(database);
  for (const limit of [20, 21, 100]) {
    for (let run = 0; run < RUNS; run += 1) {
      const { rows, hasNext } = await slices.sliceAccount(1, {}, { limit, backwards: false });
      assert.deepEqual([rows.length, rows[0]?.id, hasNext], [limit, OPERATORS, true]);
    }
  }
  const { rows } = await sql<{ customPlans: number }>`select statement, custom_plans from pg_prepared_statements
    where statement like '%"operators"%limit%'`.execute(database.read);
  assert.ok(rows.length > 0);
  for (const row of rows) assert.ok(row.customPlans <= 5, JSON.stringify(row));
});

/** The value of every column is the identifier. */
async function insertOperators(admin: postgres.Sql): Promise<void> {
  const columns = await admin<{ name: string; type: string }[]>`select column_name as name, data_type as type
    from information_schema.columns where table_name = 'operators' and column_name <> 'account_id' and is_nullable = 'NO'`;
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const values = columns.map(({ type }) => (type === 'text' ? 'id::text' : 'id')).join(', ');
  await admin.unsafe(`insert into operators (account_id, ${names})
    select 1, ${values} from generate_series(1, ${OPERATORS}) as id`);
  await admin.unsafe('analyze operators');
}
