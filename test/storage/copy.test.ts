import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import postgres from 'postgres';
import { type CopySource, type CopyTarget, readBatches } from '../../src/storage/copy/copy-endpoint.ts';
import { discardCopy } from '../../src/storage/copy/copy-progress.ts';
import { copyTable } from '../../src/storage/copy/copy-table.ts';
import { listInstallationTables } from '../../src/storage/copy/installation-tables.ts';
import { PostgresEndpoint } from '../../src/storage/copy/postgres-endpoint.ts';
import { RowChecksum } from '../../src/storage/copy/row-checksum.ts';
import { SqliteEndpoint } from '../../src/storage/copy/sqlite-endpoint.ts';
import { compareTable } from '../../src/storage/copy/verify.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { SqliteDatabase } from '../../src/storage/sqlite/sqlite-database.ts';
import {
  createDatabase,
  DATABASE_PREFIX,
  databaseUrlOf,
  dropDatabase,
  postgresServerUrl,
} from '../support/databases/postgres-database.ts';

const address = postgresServerUrl ? databaseUrlOf(`${DATABASE_PREFIX}copy_${process.pid}`) : '';
const tables = listInstallationTables();
const tags = tables.find(({ name }) => name === 'tags') ?? assert.fail();
const CREATE_PROGRESS_TABLE = 'create table if not exists copy_progress (what text primary key, value text not null)';

let folder: string;
let file: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-copy-'));
  file = join(folder, 'switchboard.db');
  const database = new SqliteDatabase(file);
  await migrate(database);
  await database.close();
  if (address) await createDatabase(address);
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
        where t.type = 'table' and t.name not in ('migrations', 'listed_operators') and t.name not like 'sqlite%'`,
    )
    .all();
  database.close();
  assert.ok(columns.length > 200);
  assert.deepEqual(listColumnPaths(), columns.map(({ path }) => String(path)).sort());
});

test('a checksum depends on everything except the order of rows', () => {
  const value = fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.constant(null));
  const rows = fc.uniqueArray(fc.tuple(value, value), { minLength: 2, selector: (row) => JSON.stringify(row) });
  const checksumOf = (list: readonly (readonly (string | number | null)[])[]) => {
    const sum = new RowChecksum();
    sum.add(list);
    return sum.checksum;
  };
  fc.assert(
    fc.property(rows, (list) => {
      const [first = [null, null], ...others] = list;
      assert.equal(checksumOf(list), checksumOf([...others, first]));
      assert.notEqual(checksumOf(list), checksumOf(others));
      assert.notEqual(checksumOf(list), checksumOf([[`${first[0]}`, first[1] === null ? '' : null], ...others]));
    }),
  );
  assert.notEqual(checksumOf([[1]]), checksumOf([['1']]), 'a number differs from text');
});

describe('between a file and PostgreSQL', { skip: postgresServerUrl === undefined }, () => {
  test('all tables and columns of PostgreSQL are copied, and it has no sequences', async () => {
    await withPostgres(async (sql) => {
      const columns = await sql`
        select table_name || '.' || column_name as path from information_schema.columns
        where table_schema = 'public' and table_name not in ('migrations', 'copy_progress', 'signals', 'listed_operators')`;
      assert.deepEqual(listColumnPaths(), columns.map(({ path }) => String(path)).sort());
      assert.deepEqual([...(await sql`select sequencename from pg_sequences`)], []);
    });
  });

  test('any text and number is copied unchanged, in both directions', async () => {
    const texts = fc.sample(
      fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replaceAll('\0', '').toWellFormed()),
      { numRuns: 2000, seed: 7 },
    );
    const specialTexts = [
      '',
      'null',
      'NULL',
      '\\N',
      '\\',
      '"',
      '{}',
      '{"a":[1,"\\""]}',
      "'",
      'a\nb\tc\r',
      '😀é',
      '$1',
      '?',
    ];
    const source = new DatabaseSync(file);
    const insert = source.prepare('insert into tags values (?, ?, ?, ?, ?, ?)');
    source.exec('begin');
    for (const [index, text] of [...specialTexts, ...texts].entries()) {
      insert.run(index % 3, index, text, `${index} ${text}`, text, index - 1000 + 2 ** 52);
    }
    source.exec('commit');
    source.close();

    const copiedBack = join(folder, 'back.db');
    const database = new SqliteDatabase(copiedBack);
    await migrate(database);
    await database.close();
    for (const [from, to] of [
      [new SqliteEndpoint(file, { readOnly: true }), await PostgresEndpoint.open(address, { readOnly: false })],
      [await PostgresEndpoint.open(address, { readOnly: true }), new SqliteEndpoint(copiedBack, { readOnly: false })],
    ] as const) {
      await to.write([{ text: CREATE_PROGRESS_TABLE }]);
      await copyTable({ source: from, target: to }, tags, undefined, () => undefined);
      const { isSame, target } = await compareTable({ source: from, target: to }, tags, () => undefined);
      assert.deepEqual([isSame, target.count], [true, specialTexts.length + texts.length]);
      await from.close();
      await to.close();
    }
    assert.deepEqual(readTags(copiedBack), readTags(file));
  });

  test('rows with bytes are read in small batches, also after many short ones', async () => {
    const table = tables.find(({ name }) => name === 'attachment_chunks') ?? assert.fail();
    const source = new DatabaseSync(file);
    const insert = source.prepare("insert into attachment_chunks values (2, 1, ?, x'00')");
    for (let number = 0; number < 100; number += 1) insert.run(number);
    source.close();
    const endpoint = new SqliteEndpoint(file, { readOnly: true });
    const sizes: number[] = [];
    for await (const rows of readBatches(endpoint, table)) sizes.push(rows.length);
    await endpoint.close();
    assert.equal(Math.max(...sizes), 16);
    assert.ok(sizes.reduce((sum, size) => sum + size) >= 100);
    const cleaned = new DatabaseSync(file);
    cleaned.exec('delete from attachment_chunks where account_id = 2');
    cleaned.close();
  });

  test('the bytes of files are copied unchanged, in both directions', async () => {
    const names = ['attachments', 'attachment_chunks', 'attachment_usage'];
    const fileTables = tables.filter(({ name }) => names.includes(name));
    assert.equal(fileTables.length, names.length);
    const every = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    const chunks = [every, Buffer.alloc(0), Buffer.from('\\\\x00'), Buffer.alloc(256 * 1024, every)];
    const source = new DatabaseSync(file);
    source.exec(`insert into attachments (account_id, id, conversation_id, author_type, author_id, state, name, kind, size,
      reserved, chunks, width, height, sequence, place, created_at)
      values (1, 1, 1, 'visitor', 1, 'attached', 'ü.png', 'image/png', 262657, 262657, 4, 4, null, 1, 0, 5)`);
    source.exec('insert into attachment_usage values (1, 262657)');
    const insert = source.prepare('insert into attachment_chunks values (1, 1, ?, ?)');
    for (const [number, bytes] of chunks.entries()) insert.run(number, bytes);
    source.close();

    const copiedBack = join(folder, 'files.db');
    const database = new SqliteDatabase(copiedBack);
    await migrate(database);
    await database.close();
    const copyFiles = async (from: CopySource, to: CopyTarget) => {
      await to.write([{ text: CREATE_PROGRESS_TABLE }]);
      for (const table of fileTables) {
        await copyTable({ source: from, target: to }, table, undefined, () => undefined);
        assert.ok((await compareTable({ source: from, target: to }, table, () => undefined)).isSame, table.name);
      }
      await from.close();
      await to.close();
    };
    await copyFiles(
      new SqliteEndpoint(file, { readOnly: true }),
      await PostgresEndpoint.open(address, { readOnly: false }),
    );
    await withPostgres(async (sql) => {
      const rows = await sql`select bytes from attachment_chunks order by number`;
      assert.deepEqual(
        rows.map(({ bytes }) => Buffer.from(bytes)),
        chunks,
      );
    });
    await copyFiles(
      await PostgresEndpoint.open(address, { readOnly: true }),
      new SqliteEndpoint(copiedBack, { readOnly: false }),
    );
    for (const table of fileTables) assert.deepEqual(readRows(copiedBack, table), readRows(file, table));
    await withPostgres(async (sql) => {
      await sql`update attachment_chunks set bytes = set_byte(bytes, 200, 7) where number = 3`;
      const [from, to] = [
        new SqliteEndpoint(file, { readOnly: true }),
        await PostgresEndpoint.open(address, { readOnly: true }),
      ];
      const table = fileTables.find(({ name }) => name === 'attachment_chunks') ?? assert.fail();
      assert.equal((await compareTable({ source: from, target: to }, table, () => undefined)).isSame, false);
      await from.close();
      await to.close();
    });
  });

  test('the lists of routing are filled by the target, in both directions, and emptied with a discarded copy', async () => {
    const copied = tables.filter(({ name }) => name === 'operator_live' || name === 'routing_lists');
    const [first, second] = [join(folder, 'lists.db'), join(folder, 'lists-back.db')];
    for (const path of [first, second]) {
      const database = new SqliteDatabase(path);
      await migrate(database);
      await database.close();
    }
    const source = new DatabaseSync(first);
    source.exec(`insert into operator_live (account_id, operator_id, version, lease_until, routable_until, named_only, chat_enabled,
      call_enabled, video_enabled, chat_available, call_available, video_available, chat_slots, call_slots, video_slots,
      chat_max_number, chat_and_call, chat_to_video, chat_priority, call_priority, video_priority, assigned_at, skill_list)
      values (1, 7, 1, 9, 9, 1, 1, 1, 0, 1, 1, 0, 1, 0, 0, 3, 1, 0, 10, 0, 0, 5, '[3,33]')`);
    source.exec("insert into routing_lists values (1, 'skill 3')");
    source.close();
    const readLists = async (endpoint: CopySource) =>
      (
        await endpoint.query({
          text: 'select operator_id, channel, need, priority, share, assigned_at from listed_operators order by channel',
        })
      ).map((row) => row.join(' '));
    const expected = ['7 call skill 3 0 0 5', '7 chat skill 3 10 333333 5'];
    for (const openEndpoints of [
      async () =>
        [
          new SqliteEndpoint(first, { readOnly: true }),
          await PostgresEndpoint.open(address, { readOnly: false }),
        ] as const,
      async () =>
        [
          await PostgresEndpoint.open(address, { readOnly: true }),
          new SqliteEndpoint(second, { readOnly: false }),
        ] as const,
    ]) {
      const [from, to] = await openEndpoints();
      await to.write([{ text: CREATE_PROGRESS_TABLE }]);
      for (const table of copied) await copyTable({ source: from, target: to }, table, undefined, () => undefined);
      assert.deepEqual([await readLists(from), await readLists(to)], [expected, expected]);
      await from.close();
      await to.close();
    }
    for (const target of [
      new SqliteEndpoint(second, { readOnly: false }),
      await PostgresEndpoint.open(address, { readOnly: false }),
    ]) {
      await discardCopy(target, copied);
      assert.deepEqual(await readLists(target), []);
      await target.close();
    }
  });

  test('a changed value and a missing row are found', async () => {
    const isTableSame = async () => {
      const source = new SqliteEndpoint(file, { readOnly: true });
      const target = await PostgresEndpoint.open(address, { readOnly: true });
      const { isSame } = await compareTable({ source, target }, tags, () => undefined);
      await source.close();
      await target.close();
      return isSame;
    };
    await withPostgres(async (sql) => {
      assert.equal(await isTableSame(), true);
      await sql`update tags set created_at = created_at + 1 where id = 77`;
      assert.equal(await isTableSame(), false);
      await sql`update tags set created_at = created_at - 1 where id = 77`;
      assert.equal(await isTableSame(), true);
      await sql`delete from tags where id = 78`;
      assert.equal(await isTableSame(), false);
    });
  });

  test('a source is a read-only snapshot', async () => {
    const fromServer = await PostgresEndpoint.open(address, { readOnly: true });
    const fromFile = new SqliteEndpoint(file, { readOnly: true });
    const countRows = async () => {
      const counts = [];
      for (const end of [fromServer, fromFile]) {
        let count = 0;
        for await (const rows of readBatches(end, tags)) count += rows.length;
        counts.push(count);
      }
      return counts;
    };
    const before = await countRows();
    await withPostgres((sql) => sql`insert into tags values (9, 1, 'late', 'late', '[]', 0)`);
    const writer = new DatabaseSync(file);
    writer.exec(`insert into tags values (9, 1, 'late', 'late', '[]', 0)`);
    writer.close();
    assert.deepEqual(await countRows(), before);
    await assert.rejects(fromServer.query({ text: 'delete from tags' }), /read-only/);
    await assert.rejects(fromFile.query({ text: 'delete from tags' }), /readonly/);
    await fromServer.close();
    await fromFile.close();
  });

  test('an endpoint fails after it lost its connection, instead of reading newer data', async () => {
    const end = await PostgresEndpoint.open(address, { readOnly: true });
    const [row] = await end.query({ text: 'select pg_backend_pid()' });
    await withPostgres((sql) => sql`select pg_terminate_backend(${Number(row?.[0])})`);
    await assert.rejects(async () => {
      for (;;) await end.query({ text: 'select 1' });
    });
    await assert.rejects(end.query({ text: 'select 1' }), /The connection to PostgreSQL was lost/);
    await end.close();
  });
});

function listColumnPaths(): string[] {
  return tables.flatMap(({ name, columns }) => columns.map((column) => `${name}.${column}`)).sort();
}

function readTags(path: string): unknown[] {
  return readRows(path, tags);
}

function readRows(path: string, { name, key }: (typeof tables)[number]): unknown[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare(`select * from ${name} order by ${key.join()}`).all();
  database.close();
  return rows;
}

async function withPostgres(work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(address, { max: 1, onnotice: () => undefined });
  await work(sql);
  await sql.end();
}
