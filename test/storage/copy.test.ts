import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import postgres from 'postgres';
import { rowsOf } from '../../src/storage/copy/copy-end.ts';
import { copyTable } from '../../src/storage/copy/copy-table.ts';
import { installationTables } from '../../src/storage/copy/installation-tables.ts';
import { PostgresEnd } from '../../src/storage/copy/postgres-end.ts';
import { RowSum } from '../../src/storage/copy/row-sum.ts';
import { SqliteEnd } from '../../src/storage/copy/sqlite-end.ts';
import { compareTable } from '../../src/storage/copy/verify.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { SqliteDatabase } from '../../src/storage/sqlite/sqlite-database.ts';
import {
  addressOf,
  dropDatabase,
  makeDatabase,
  PREFIX,
  postgresServer,
} from '../support/databases/postgres-database.ts';

const address = postgresServer ? addressOf(`${PREFIX}copy_${process.pid}`) : '';
const tables = installationTables();
const tags = tables.find(({ name }) => name === 'tags') ?? assert.fail();
const PROGRESS = 'create table if not exists copy_progress (what text primary key, value text not null)';

let folder: string;
let file: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-copy-'));
  file = join(folder, 'switchboard.db');
  const database = new SqliteDatabase(file);
  await migrate(database);
  await database.close();
  if (address) await makeDatabase(address);
});
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  if (address) await dropDatabase(address);
});

test('all tables and columns of a database file are copied', () => {
  const database = new DatabaseSync(file, { readOnly: true });
  const columns = database
    .prepare(
      `select t.name || '.' || c.name as path from sqlite_schema t, pragma_table_info(t.name) c
        where t.type = 'table' and t.name not in ('migrations') and t.name not like 'sqlite%'`,
    )
    .all();
  database.close();
  assert.ok(columns.length > 200);
  assert.deepEqual(pathsOf(), columns.map(({ path }) => String(path)).sort());
});

test('a checksum does not depend on the order of rows, and on everything else', () => {
  const value = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.constant(null));
  const rows = fc.uniqueArray(fc.tuple(value, value), { minLength: 2, selector: (row) => JSON.stringify(row) });
  const sumOf = (list: readonly (readonly (string | number | null)[])[]) => {
    const sum = new RowSum();
    sum.add(list);
    return sum.checksum;
  };
  fc.assert(
    fc.property(rows, (list) => {
      const [first = [null, null], ...others] = list;
      assert.equal(sumOf(list), sumOf([...others, first]));
      assert.notEqual(sumOf(list), sumOf(others));
      assert.notEqual(sumOf(list), sumOf([[`${first[0]}`, first[1] === null ? '' : null], ...others]));
    }),
  );
  assert.notEqual(sumOf([[1]]), sumOf([['1']]), 'a number is no text');
});

describe('between a file and PostgreSQL', { skip: postgresServer === undefined }, () => {
  test('all tables and columns of PostgreSQL are copied, and it counts nothing by itself', async () => {
    await inPostgres(async (sql) => {
      const columns = await sql`
        select table_name || '.' || column_name as path from information_schema.columns
        where table_schema = 'public' and table_name not in ('migrations', 'copy_progress')`;
      assert.deepEqual(pathsOf(), columns.map(({ path }) => String(path)).sort());
      assert.deepEqual([...(await sql`select sequencename from pg_sequences`)], []);
    });
  });

  test('any text and number arrives as it was, both ways', async () => {
    const texts = fc.sample(
      fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll('\0', '').toWellFormed()),
      { numRuns: 2000, seed: 7 },
    );
    const nasty = ['', 'null', 'NULL', '\\N', '\\', '"', '{}', '{"a":[1,"\\""]}', "'", 'a\nb\tc\r', '😀é', '$1', '?'];
    const source = new DatabaseSync(file);
    const insert = source.prepare('insert into tags values (?, ?, ?, ?, ?, ?)');
    source.exec('begin');
    for (const [index, text] of [...nasty, ...texts].entries()) {
      insert.run(index % 3, index, text, `${index} ${text}`, text, index - 1000 + 2 ** 52);
    }
    source.exec('commit');
    source.close();

    const back = join(folder, 'back.db');
    const database = new SqliteDatabase(back);
    await migrate(database);
    await database.close();
    for (const [from, to] of [
      [new SqliteEnd(file, { readOnly: true }), await PostgresEnd.open(address, { readOnly: false })],
      [await PostgresEnd.open(address, { readOnly: true }), new SqliteEnd(back, { readOnly: false })],
    ] as const) {
      await to.change([{ text: PROGRESS }]);
      await copyTable({ source: from, target: to }, tags, undefined, () => undefined);
      const { same, target } = await compareTable({ source: from, target: to }, tags, () => undefined);
      assert.deepEqual([same, target.count], [true, nasty.length + texts.length]);
      await from.close();
      await to.close();
    }
    assert.deepEqual(rowsIn(back), rowsIn(file));
  });

  test('one changed value is found, and one row less', async () => {
    const look = async () => {
      const source = new SqliteEnd(file, { readOnly: true });
      const target = await PostgresEnd.open(address, { readOnly: true });
      const { same } = await compareTable({ source, target }, tags, () => undefined);
      await source.close();
      await target.close();
      return same;
    };
    await inPostgres(async (sql) => {
      assert.equal(await look(), true);
      await sql`update tags set created_at = created_at + 1 where id = 77`;
      assert.equal(await look(), false);
      await sql`update tags set created_at = created_at - 1 where id = 77`;
      assert.equal(await look(), true);
      await sql`delete from tags where id = 78`;
      assert.equal(await look(), false);
    });
  });

  test('a source shows what it held when it was opened, and is not written to', async () => {
    const fromServer = await PostgresEnd.open(address, { readOnly: true });
    const fromFile = new SqliteEnd(file, { readOnly: true });
    const held = async () => {
      const counts = [];
      for (const end of [fromServer, fromFile]) {
        let count = 0;
        for await (const rows of rowsOf(end, tags)) count += rows.length;
        counts.push(count);
      }
      return counts;
    };
    const before = await held();
    await inPostgres((sql) => sql`insert into tags values (9, 1, 'late', 'late', '[]', 0)`);
    const writer = new DatabaseSync(file);
    writer.exec(`insert into tags values (9, 1, 'late', 'late', '[]', 0)`);
    writer.close();
    assert.deepEqual(await held(), before);
    await assert.rejects(fromServer.query({ text: 'delete from tags' }), /read-only/);
    await assert.rejects(fromFile.query({ text: 'delete from tags' }), /readonly/);
    await fromServer.close();
    await fromFile.close();
  });

  test('an end whose connection is lost answers nothing any more, instead of something newer', async () => {
    const end = await PostgresEnd.open(address, { readOnly: true });
    const [row] = await end.query({ text: 'select pg_backend_pid()' });
    await inPostgres((sql) => sql`select pg_terminate_backend(${Number(row?.[0])})`);
    await assert.rejects(async () => {
      for (;;) await end.query({ text: 'select 1' });
    });
    await assert.rejects(end.query({ text: 'select 1' }), /The connection to PostgreSQL was lost/);
    await end.close();
  });
});

function pathsOf(): string[] {
  return tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column}`)).sort();
}

function rowsIn(path: string): unknown[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare('select * from tags order by account_id, id').all();
  database.close();
  return rows;
}

async function inPostgres(work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(address, { max: 1, onnotice: () => undefined });
  await work(sql);
  await sql.end();
}
