import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { CREATE_MIGRATIONS_TABLE, migrations } from '../../src/storage/migrate.ts';
import { readText } from './deploy-files.ts';

/** Tables that do not belong to one account, or are searched before the account is known. */
const WITHOUT_ACCOUNT_FIRST: Readonly<Record<string, string>> = {
  accounts: 'the account itself: its identifier is the key',
  logins: 'an e-mail is unique across all accounts and identifies the account',
  access_tokens: 'a token identifies the account',
  visitor_tokens: 'a token identifies the account',
  sso_codes: 'a code identifies the account',
  password_links: 'a link identifies the account',
  failed_logins: 'the e-mail address may be unknown',
  rate_windows: 'counts attempts per user and address, across accounts',
  migration_work: 'belongs to the whole installation',
  migrations: 'belongs to the whole installation',
};

/** Unique columns besides the primary key. A distributed table can enforce them only together with the account. */
const UNIQUE_WITHOUT_ACCOUNT: Readonly<Record<string, string>> = {
  api_keys: 'the hash of a key identifies the account',
};

const database = new DatabaseSync(':memory:');
database.exec(CREATE_MIGRATIONS_TABLE);
for (const { statements } of migrations) {
  for (const statement of statements({ orderedText: 'text', bytes: 'blob' })) database.exec(statement);
}
const tables = database
  .prepare(`select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name`)
  .all()
  .map(({ name }) => String(name));

test('every table can be distributed by account: its primary key starts with account_id', () => {
  const others = tables.filter((table) => primaryKeyOf(table)[0] !== 'account_id');
  assert.deepEqual(others, Object.keys(WITHOUT_ACCOUNT_FIRST).sort());
  assert.ok(tables.length > 30);
});

test('other unique columns are unique within an account', () => {
  const others = tables
    .filter((table) => !(table in WITHOUT_ACCOUNT_FIRST))
    .filter((table) => uniqueColumnsOf(table).some((columns) => !columns.includes('account_id')));
  assert.deepEqual(others, Object.keys(UNIQUE_WITHOUT_ACCOUNT));
});

test('the documentation names every table that is not distributed', () => {
  const page = readText('docs/high-availability.md');
  for (const table of [...Object.keys(WITHOUT_ACCOUNT_FIRST), ...Object.keys(UNIQUE_WITHOUT_ACCOUNT)]) {
    assert.ok(page.includes(`\`${table}\``), table);
  }
});

function primaryKeyOf(table: string): string[] {
  return database
    .prepare('select name from pragma_table_info(?) where pk > 0 order by pk')
    .all(table)
    .map(({ name }) => String(name));
}

function uniqueColumnsOf(table: string): string[][] {
  const indexes = database.prepare(`select name from pragma_index_list(?) where "unique" = 1`).all(table);
  return indexes.map(({ name }) =>
    database
      .prepare('select name from pragma_index_info(?)')
      .all(String(name))
      .map((column) => String(column.name)),
  );
}
