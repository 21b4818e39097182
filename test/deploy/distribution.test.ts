import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { MIGRATIONS_TABLE, migrations } from '../../src/storage/migrate.ts';
import { readText } from './deploy-files.ts';

/** What is not of one account, or is looked for before the account is known. */
const WITHOUT_ACCOUNT_FIRST: Readonly<Record<string, string>> = {
  accounts: 'the account itself: its identifier is the key',
  logins: 'an e-mail is unique on the whole platform, and names the account',
  access_tokens: 'a token names the account',
  visitor_tokens: 'a token names the account',
  sso_codes: 'a code names the account',
  rate_windows: 'counts tries of users and addresses, whatever account they mean',
  migrations: 'of the whole installation',
};

/** Unique besides the primary key; a distributed table can keep that only together with the account. */
const UNIQUE_WITHOUT_ACCOUNT: Readonly<Record<string, string>> = {
  api_keys: 'the hash of a key names the account',
};

const database = new DatabaseSync(':memory:');
database.exec(MIGRATIONS_TABLE);
for (const { statements } of migrations) {
  for (const statement of statements({ orderedText: 'text' })) database.exec(statement);
}
const tables = database
  .prepare(`select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name`)
  .all()
  .map(({ name }) => String(name));

test('every table can be distributed by account: its primary key begins with it', () => {
  const others = tables.filter((table) => keyOf(table)[0] !== 'account_id');
  assert.deepEqual(others, Object.keys(WITHOUT_ACCOUNT_FIRST).sort());
  assert.ok(tables.length > 30);
});

test('what else is unique is so within an account', () => {
  const others = tables
    .filter((table) => !(table in WITHOUT_ACCOUNT_FIRST))
    .filter((table) => uniquesOf(table).some((columns) => !columns.includes('account_id')));
  assert.deepEqual(others, Object.keys(UNIQUE_WITHOUT_ACCOUNT));
});

test('the documentation names every table that is not distributed', () => {
  const page = readText('docs/high-availability.md');
  for (const table of [...Object.keys(WITHOUT_ACCOUNT_FIRST), ...Object.keys(UNIQUE_WITHOUT_ACCOUNT)]) {
    assert.ok(page.includes(`\`${table}\``), table);
  }
});

function keyOf(table: string): string[] {
  return database
    .prepare('select name from pragma_table_info(?) where pk > 0 order by pk')
    .all(table)
    .map(({ name }) => String(name));
}

function uniquesOf(table: string): string[][] {
  const indexes = database.prepare(`select name from pragma_index_list(?) where "unique" = 1`).all(table);
  return indexes.map(({ name }) =>
    database
      .prepare('select name from pragma_index_info(?)')
      .all(String(name))
      .map((column) => String(column.name)),
  );
}
