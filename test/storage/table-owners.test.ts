import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DERIVED_TABLES, listInstallationTables } from '../../src/storage/copy/installation-tables.ts';

const SOURCE = join(import.meta.dirname, '../../src');

/** The only file that writes each table; all others call its functions. */
const OWNERS: Readonly<Record<string, string>> = {
  access_tokens: 'core/access/tokens.ts',
  accounts: 'core/access/accounts.ts',
  api_keys: 'core/access/api-keys.ts',
  attachment_chunks: 'core/engine/records/attachment-store.ts',
  attachment_usage: 'core/engine/records/attachment-store.ts',
  attachments: 'core/engine/records/attachment-store.ts',
  canned_replies: 'core/administration/canned-replies/canned-reply-store.ts',
  conversation_tags: 'core/engine/records/conversation-tags.ts',
  conversations: 'core/engine/records/conversation-store.ts',
  counters: 'core/kernel/ids.ts',
  events: 'core/events/event-log.ts',
  failed_logins: 'core/access/failed-logins.ts',
  groups: 'core/directory/tree-store.ts',
  handlings: 'core/engine/records/handlings.ts',
  idempotency_keys: 'core/access/idempotency.ts',
  live_history: 'core/live/live-history.ts',
  logins: 'core/access/logins.ts',
  messages: 'core/engine/records/message-store.ts',
  messages_left: 'core/engine/records/message-left-store.ts',
  migration_work: 'storage/migration-work.ts',
  migrations: 'storage/migrate.ts',
  notes: 'core/engine/records/note-store.ts',
  offer_pauses: 'core/engine/records/pauses.ts',
  operator_leases: 'core/live/leases.ts',
  operator_live: 'core/live/live-store.ts',
  operator_preferences: 'core/administration/preferences.ts',
  operator_profiles: 'core/administration/profile.ts',
  operator_skills: 'core/operators/operator-store.ts',
  operator_websites: 'core/operators/operator-store.ts',
  operators: 'core/operators/operator-store.ts',
  password_links: 'core/access/password-links.ts',
  rate_windows: 'core/access/rate-limits.ts',
  read_markers: 'core/engine/records/read-marker-store.ts',
  recovery_codes: 'core/access/two-factor/recovery-codes.ts',
  refusals: 'core/engine/records/refusals.ts',
  rest_usage: 'core/reports/rest-usage.ts',
  routing_decisions: 'core/engine/routing/decisions.ts',
  routing_lists: 'core/engine/routing/routing-lists.ts',
  satisfactions: 'core/engine/records/satisfaction-store.ts',
  skills: 'core/directory/tree-store.ts',
  sso_codes: 'core/access/sso-codes.ts',
  tag_websites: 'core/directory/tag-store.ts',
  tags: 'core/directory/tag-store.ts',
  two_factors: 'core/access/two-factor/two-factor-store.ts',
  visitor_context: 'core/engine/records/visitor-context-store.ts',
  visitor_presence: 'core/engine/records/visitor-presence-store.ts',
  visitor_tokens: 'core/visitors/visitor-sessions.ts',
  visitor_websites: 'core/engine/records/visitor-store.ts',
  visitors: 'core/engine/records/visitor-store.ts',
  webhook_deliveries: 'core/webhooks/delivery-store.ts',
  webhooks: 'core/webhooks/webhook-store.ts',
  websites: 'core/directory/website-store.ts',
};

/** Every commit numbers its events and adds them to the log, differently on each database. */
const EXCEPTIONS: Readonly<Record<string, readonly string[]>> = {
  'storage/postgres/event-log.ts': ['accounts', 'events'],
  'storage/sqlite/event-log.ts': ['accounts', 'events'],
};

/** Files with statements that receive a table name as a parameter, and these names. */
const PARAMETER_NAMES: Readonly<Record<string, readonly string[]>> = {
  'core/directory/tree-store.ts': ['groups', 'skills'],
  'core/kernel/batched-delete.ts': [], // its callers write the table
  'storage/fill-batch.ts': [], // a part of the migrations
};

/** Migrations and the copy of an installation write every table. */
const files = globSync('**/*.ts', { cwd: SOURCE }).filter((file) => !/^storage\/(migrations|copy)\//.test(file));
const tables = [...listInstallationTables().map(({ name }) => name), 'migrations'];
const writable = [...tables, ...DERIVED_TABLES];

/** Every statement that writes a table, with the name unless it is a parameter. */
const STATEMENTS = [
  /\b(?:insertInto|updateTable|deleteFrom|mergeInto|replaceInto)\b(?:'\])?\(\s*(?:'(\w+)(?: as \w+)?'\s*\))?/g,
  /\b(?:insert(?:\s+or\s+\w+)?\s+into|replace\s+into|merge\s+into|delete\s+from|truncate(?:\s+table)?)\s+(?:only\s+)?(?:"?\w+"?\.)?(?:"?(\w+)"?|\$\{)/gi,
  /\bupdate(?:\s+or\s+\w+)?\s+(?:only\s+)?(?:"?\w+"?\.)?(?:"?(\w+)"?|\$\{[^}]*\})(?:\s+(?:as\s+)?\w+)?\s+set\b/gi,
];
const BATCHED_DELETE = /\btable(?:: '(\w+)'|\s*[:,}])/g;

interface Writes {
  readonly tables: ReadonlySet<string>;
  readonly hasParameterNames: boolean;
}

function findWrites(source: string): Writes {
  const patterns = source.includes('deleteInBatches(') ? [...STATEMENTS, BATCHED_DELETE] : STATEMENTS;
  const names = patterns.flatMap((pattern) => Array.from(source.matchAll(pattern), ([, name]) => name));
  const inSql = names.map((name) => name?.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
  return {
    tables: new Set(inSql.filter((name) => name !== undefined).filter((name) => writable.includes(name))),
    hasParameterNames: names.includes(undefined),
  };
}

const written = new Map(files.map((file) => [file, findWrites(readFileSync(join(SOURCE, file), 'utf8'))]));

for (const table of tables) {
  test(`${table} is written only by its owner`, () => {
    const writers = files.filter(
      (file) =>
        !EXCEPTIONS[file]?.includes(table) &&
        (written.get(file)?.tables.has(table) || PARAMETER_NAMES[file]?.includes(table)),
    );
    assert.deepEqual(writers, [OWNERS[table]]);
  });
}

test('derived tables are written by triggers alone', () => {
  for (const table of DERIVED_TABLES)
    assert.deepEqual(
      files.filter((file) => written.get(file)?.tables.has(table)),
      [],
    );
});

test('every statement names its table, or its file is listed with its parameter names', () => {
  const filesWithParameters = files.filter((file) => written.get(file)?.hasParameterNames);
  assert.deepEqual(filesWithParameters.sort(), Object.keys(PARAMETER_NAMES));
});

test('every listed owner and exception writes its tables', () => {
  for (const table of Object.keys(OWNERS)) assert.ok(tables.includes(table), `${table} is not a table`);
  for (const [file, names] of Object.entries(EXCEPTIONS)) {
    for (const name of names) assert.ok(written.get(file)?.tables.has(name), `${file} does not write ${name}`);
  }
});

const CASES: readonly [source: string, table: string | undefined][] = [
  [`db.insertInto('restUsage').values(row)`, 'rest_usage'],
  [`tx.db\n  .updateTable('operatorLive as live')\n  .set(columns)`, 'operator_live'],
  [`db.deleteFrom('tags').where('id', '=', id)`, 'tags'],
  [`db.insertInto(table).values(row)`, undefined],
  [`db.updateTable(kind as 'skills')`, undefined],
  [`db.deleteFrom('groups' as 'skills')`, undefined],
  ['insert into live_history (account_id)', 'live_history'],
  ['update operator_live as live set version = 1', 'operator_live'],
  ['update or ignore only main."operator_live" set version = 1', 'operator_live'],
  ['insert or replace into "tags" values (1)', 'tags'],
  ['truncate events', 'events'],
  [`db['updateTable']('tags').set(row)`, 'tags'],
  [`const { updateTable } = db; updateTable('tags').set(row)`, 'tags'],
  ['delete from\n  events where at < 1', 'events'],
  [`delete from \${sql.table(name)} where true`, undefined],
  [`update \${name} set version = 1`, undefined],
  [`deleteInBatches(database, { table: 'rate_windows', key, where })`, 'rate_windows'],
  ['deleteInBatches(database, { table, key, where })', undefined],
];

for (const [source, table] of CASES) {
  test(`finds the written table in ${JSON.stringify(source)}`, () => {
    const found = findWrites(source);
    assert.deepEqual([...found.tables], table === undefined ? [] : [table]);
    assert.equal(found.hasParameterNames, table === undefined);
  });
}

test('finds no write in reads or comments', () => {
  const source =
    "/** Selects what has expired, and deletes from the rest. */ db.selectFrom('tags'); on conflict do update set x = 1";
  assert.deepEqual(findWrites(source), { tables: new Set(), hasParameterNames: false });
});
