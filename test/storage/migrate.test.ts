import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { listInstallationTables } from '../../src/storage/copy/installation-tables.ts';
import { migrate, migrations } from '../../src/storage/migrate.ts';
import { secretOf } from '../support/clients/oauth.ts';
import { databases } from '../support/databases/databases.ts';
import { EngineFixture } from '../support/fixtures/engine-fixture.ts';
import { ADMIN } from '../support/processes/switchboard.ts';

for (const { name, open } of databases) {
  test(`${name}: a node can start on a database with newer additive migrations only`, async () => {
    const { database, end } = await open();
    const recordLaterMigration = (additive: number) =>
      database.transaction(async (tx) => {
        await sql`delete from migrations where name = '9999-later'`.execute(tx.db);
        await sql`insert into migrations (name, applied_at, additive) values ('9999-later', 0, ${additive})`.execute(
          tx.db,
        );
      });
    await recordLaterMigration(1);
    assert.deepEqual(await migrate(database), []);
    await recordLaterMigration(0);
    await assert.rejects(migrate(database), /written by a newer version of Switchboard \(it has 9999-later\)/);
    await end();
  });

  test(`${name}: on an existing database each migration is applied separately, and once`, async () => {
    const { database, end } = await open();
    const later = ['a', 'b', 'c'].map((letter) => ({
      name: `9999-${letter}`,
      additive: true,
      statements: () => [`create table later_${letter} (id bigint primary key)`],
    }));
    const broken = { name: '9999-d', statements: () => ['create table'] };
    await assert.rejects(migrate(database, [...migrations, ...later, broken]));
    const applied = await database.read
      .selectFrom('migrations')
      .select('name')
      .where('name', 'like', '9999-%')
      .execute();
    assert.deepEqual(applied.map((row) => row.name).sort(), ['9999-a', '9999-b', '9999-c']);
    assert.deepEqual(await migrate(database, [...migrations, ...later]), []);
    await end();
  });

  test(`${name}: tokens of the previous version are accepted after the migration, without a kind`, async () => {
    const { database, login, tokenCallers, end } = await open();
    const token = secretOf(await login.logIn({ ...ADMIN, address: '127.0.0.1' })) ?? assert.fail('no token');
    await database.transaction(async (tx) => {
      for (const statement of UNDO_ACCESS_TOKENS) await sql.raw(statement).execute(tx.db);
    });
    assert.deepEqual(await migrate(database), ['0005-access-tokens']);
    assert.ok(await tokenCallers.findCaller(token));
    const [row] = await database.read.selectFrom('accessTokens').select(['id', 'kind', 'device']).execute();
    assert.deepEqual({ ...row }, { id: null, kind: null, device: null });
    await end();
  });
}

for (const { name, open } of databases) {
  test(`${name}: operators of the previous version get onto lists, and its changes keep these right`, async () => {
    const fixture = await EngineFixture.create(open);
    const { database } = fixture.installation;
    const run = (text: string) =>
      database.transaction(async (tx) => {
        await sql.raw(text).execute(tx.db);
      });
    for (const statement of UNDO_ROUTING_LISTS[name]) await run(statement);
    const [first, second] = [await fixture.createOperator({ chatMaxNumber: 2 }), await fixture.createOperator()];
    assert.deepEqual(await migrate(database), ['0027-routing-lists']);

    const listOperators = async () => {
      const rows = await database.read.selectFrom('listedOperators').selectAll().orderBy('share').execute();
      return rows.filter(({ channel }) => channel === 'chat').map(({ operatorId, share }) => [operatorId, share]);
    };
    assert.deepEqual(await listOperators(), [], 'no list is kept yet');
    await run(`insert into routing_lists (account_id, need) values (${fixture.accountId}, 'language en')`);
    assert.deepEqual(
      await listOperators(),
      [first, second].map((id) => [id, 0]),
    );
    await run(`update operator_live set chat_slots = chat_slots + 1 where operator_id = ${first}`);
    assert.deepEqual(await listOperators(), [
      [second, 0],
      [first, 500_000],
    ]);
    await run(`update operator_live set language_list = '["fr"]' where operator_id = ${second}`);
    assert.deepEqual(await listOperators(), [[first, 500_000]]);
    await fixture.installation.end();
  });
}

test('migrations that are applied while other nodes serve are quick on large tables', () => {
  const released = migrations.findIndex(({ name }) => name === '0005-access-tokens');
  for (const { name, additive, statements, fills = [] } of migrations.slice(released + 1)) {
    assert.ok(additive, name);
    const texts = statements({ orderedText: 'text', bytes: 'blob' });
    const newTables = texts.flatMap((text) => /^create table (\w+)/.exec(text)?.[1] ?? []);
    for (const text of texts) {
      const table = /^create (?:unique )?index \w+ on (\w+)/.exec(text)?.[1];
      const isQuick =
        /^create (?:table|trigger) \w+/.test(text) ||
        (table !== undefined && newTables.includes(table)) || // other indexes belong into `indexes`
        /^alter table \w+ add column (?!.*\b(?:unique|references|check)\b)/.test(text);
      assert.ok(isQuick, `${name}: ${text}`);
      assert.ok(!/add column .*not null(?!.*default)/.test(text), `${name}: ${text}`);
    }
    for (const { table, key } of fills) {
      const shape = listInstallationTables().find((candidate) => candidate.name === table);
      assert.deepEqual(shape?.key, key, `${name}: the key of ${table}`);
      const types = key.map((column) => shape?.types[shape.columns.indexOf(column)]);
      assert.ok(
        types.every((type) => type === 'bigint' || type === 'integer'),
        `${name}: the databases sort texts differently`,
      );
    }
  }
  const names = migrations.flatMap(({ indexes = [], fills = [] }) => [...indexes, ...fills].map((item) => item.name));
  assert.equal(new Set(names).size, names.length, 'the progress is stored by name');
});

const DROP_LISTS = [
  'drop table listed_operators',
  'drop table routing_lists',
  "delete from migrations where name = '0027-routing-lists'",
];
const UNDO_ROUTING_LISTS = {
  sqlite: [
    ...['order', 'change', 'insert', 'delete'].map((what) => `drop trigger listed_operators_${what}`),
    ...DROP_LISTS,
  ],
  postgres: [
    ...['keep_listed_operators', 'keep_routing_list'].map((name) => `drop function ${name} cascade`),
    ...DROP_LISTS,
  ],
};

/** Back to the schema of the previous version. */
const UNDO_ACCESS_TOKENS = [
  'drop index sso_codes_operator',
  ...['id', 'kind', 'sso_version', 'last_used_at', 'device'].map(
    (column) => `alter table access_tokens drop column ${column}`,
  ),
  "delete from migrations where name = '0005-access-tokens'",
];
