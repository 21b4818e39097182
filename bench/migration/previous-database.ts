import { join } from 'node:path';
import { sql } from 'kysely';
import { readBatches } from '../../src/storage/copy/copy-endpoint.ts';
import { listInstallationTables } from '../../src/storage/copy/installation-tables.ts';
import { PostgresEndpoint } from '../../src/storage/copy/postgres-endpoint.ts';
import { SqliteEndpoint } from '../../src/storage/copy/sqlite-endpoint.ts';
import type { Database } from '../../src/storage/database.ts';
import { migrate, migrations } from '../../src/storage/migrate.ts';
import { PostgresDatabase } from '../../src/storage/postgres/postgres-database.ts';
import { SqliteDatabase } from '../../src/storage/sqlite/sqlite-database.ts';
import { LAST_PREVIOUS_MIGRATION } from '../../test/support/nodes/previous-version.ts';
import { idlePopulation, VISITOR_COUNT, WEBSITE_ID } from '../engine/population.ts';
import { DATABASE_FILE, prepareFilledFolder } from '../fill.ts';
import { showProgress } from '../progress.ts';

/** A database as the previous version left it: its tables, and many conversations that were closed. */

const OPERATOR_COUNT = 101;
export const MESSAGES_PER_CONVERSATION = 20;
/** One message in ten is a notice that the migration has to change. */
const MESSAGES_PER_NOTICE = 10;
const MESSAGES_PER_TRANSACTION = 100_000;
const LONG_MS = 3_600_000;

const PREVIOUS = migrations.slice(0, migrations.findIndex(({ name }) => name === LAST_PREVIOUS_MIGRATION) + 1);

export async function createPreviousDatabase(address: string, messages: number, cache: string): Promise<void> {
  const isFile = address.startsWith('sqlite:');
  const file = address.slice('sqlite:'.length);
  const database = isFile ? new SqliteDatabase(file) : new PostgresDatabase(address, { statementMs: LONG_MS });
  try {
    await migrate(database, PREVIOUS);
    const target = isFile
      ? new SqliteEndpoint(file, { readOnly: false })
      : await PostgresEndpoint.open(address, { readOnly: false });
    await copyStaff(target, cache).finally(() => target.close());
    await insertConversations(database, messages);
  } finally {
    await database.close();
  }
}

/** Operators, websites and visitors are created by this version; the previous one lacks only columns. */
async function copyStaff(target: SqliteEndpoint | PostgresEndpoint, cache: string): Promise<void> {
  const folder = await prepareFilledFolder(cache, OPERATOR_COUNT, idlePopulation);
  const source = new SqliteEndpoint(join(folder, DATABASE_FILE), { readOnly: true });
  try {
    for (const table of listInstallationTables(PREVIOUS))
      for await (const rows of readBatches(source, table)) await target.write([], { table, rows });
  } finally {
    await source.close();
  }
}

async function insertConversations(database: Database, messages: number): Promise<void> {
  const conversations = Math.ceil(messages / MESSAGES_PER_CONVERSATION);
  for (let first = 0; first < messages; first += MESSAGES_PER_TRANSACTION) {
    const count = Math.min(MESSAGES_PER_TRANSACTION, messages - first);
    showProgress(`creating messages of the previous version: ${(first + count).toLocaleString('en')}`);
    await insertSeries(database, first, count, INSERT_MESSAGES);
  }
  await insertSeries(database, 1, conversations, INSERT_CONVERSATIONS);
  await database.transaction(async ({ db }) => {
    await sql`update conversations set message_count = ${messages - (conversations - 1) * MESSAGES_PER_CONVERSATION}
      where account_id = 1 and id = ${conversations}`.execute(db);
    await sql`delete from counters where account_id = 1 and name = 'conversation'`.execute(db);
    await sql`insert into counters (account_id, name, value) values (1, 'conversation', ${conversations})`.execute(db);
  });
}

const INSERT_MESSAGES = `insert into messages
  (account_id, conversation_id, sequence, client_id, author_type, author_id, text, at)
  select 1, 1 + i / ${MESSAGES_PER_CONVERSATION}, 1 + i % ${MESSAGES_PER_CONVERSATION}, null,
    case when i % ${MESSAGES_PER_NOTICE} = 0 then 'notice' else 'visitor' end,
    case when i % ${MESSAGES_PER_NOTICE} = 0 then null else 1 + (i / ${MESSAGES_PER_CONVERSATION}) % ${VISITOR_COUNT} end,
    case when i % ${MESSAGES_PER_NOTICE} = 0 then 'The operator is back.' else 'A message of the usual length, number ' || i end,
    1700000000000 + i from series`;
const INSERT_CONVERSATIONS = `insert into conversations
  (account_id, id, visitor_id, channel, website_id, language, state, created_at, closed_at, closed_by, closed_by_id,
    queue_order, message_count)
  select 1, i, 1 + (i - 1) % ${VISITOR_COUNT}, 'chat', ${WEBSITE_ID}, 'en', 'closed', 1700000000000 + i, 1700000000000 + i,
    'visitor', 1 + (i - 1) % ${VISITOR_COUNT}, 1700000000000 + i, ${MESSAGES_PER_CONVERSATION} from series`;

async function insertSeries(database: Database, first: number, count: number, insert: string): Promise<void> {
  const series = `with recursive series(i) as
    (select ${first} union all select i + 1 from series where i < ${first + count - 1})`;
  await database.transaction(async ({ db }) => {
    await sql.raw(insert.replace('select', `${series} select`)).execute(db);
  });
}
