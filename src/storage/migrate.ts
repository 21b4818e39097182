import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database, Transaction } from './database.ts';
import { LockNotAvailable, UnusableDatabase } from './errors.ts';
import { addWork } from './migration-work.ts';
import { foundation } from './migrations/0001-foundation.ts';
import { restUsage } from './migrations/0002-rest-usage.ts';
import { engine } from './migrations/0003-engine.ts';
import { additive } from './migrations/0004-additive.ts';
import { accessTokens } from './migrations/0005-access-tokens.ts';
import { closeReasons } from './migrations/0006-close-reasons.ts';
import { visitorSessions } from './migrations/0007-visitor-sessions.ts';
import { readMarkers } from './migrations/0008-read-markers.ts';
import { websiteSettings } from './migrations/0009-website-settings.ts';
import { migrationWork } from './migrations/0010-migration-work.ts';
import { visitorContext } from './migrations/0011-visitor-context.ts';
import { visitorPresence } from './migrations/0012-visitor-presence.ts';
import { noticeCodes } from './migrations/0013-notice-codes.ts';
import { idleMinutes } from './migrations/0014-idle-minutes.ts';
import { attachments } from './migrations/0015-attachments.ts';
import { idleVisitors } from './migrations/0016-idle-visitors.ts';
import { messagesLeft } from './migrations/0017-messages-left.ts';
import { signals } from './migrations/0018-signals.ts';
import { sessions } from './migrations/0019-sessions.ts';
import { twoFactor } from './migrations/0020-two-factor.ts';
import { passwordLinks } from './migrations/0021-password-links.ts';
import { notes } from './migrations/0022-notes.ts';
import { deskSettings } from './migrations/0023-desk-settings.ts';
import { cannedReplies } from './migrations/0024-canned-replies.ts';
import { pauseReason } from './migrations/0025-pause-reason.ts';
import { waitingNeeds } from './migrations/0026-waiting-needs.ts';
import { routingLists } from './migrations/0027-routing-lists.ts';
import type { IndexDefinition, Migration } from './migrations/migration.ts';

export const migrations: readonly Migration[] = [
  foundation,
  restUsage,
  engine,
  additive,
  accessTokens,
  closeReasons,
  visitorSessions,
  readMarkers,
  websiteSettings,
  migrationWork,
  visitorContext,
  visitorPresence,
  noticeCodes,
  idleMinutes,
  attachments,
  idleVisitors,
  messagesLeft,
  signals,
  sessions,
  twoFactor,
  passwordLinks,
  notes,
  deskSettings,
  cannedReplies,
  pauseReason,
  waitingNeeds,
  routingLists,
];

/** Created before the first migration; migrations can add columns. */
export const CREATE_MIGRATIONS_TABLE =
  'create table if not exists migrations (name text primary key, applied_at bigint not null)';

/** If several nodes start together, one migrates and the others wait. */
const MIGRATION_LOCK_ID = 0;

/** Requests queue behind a statement that waits for a lock, so all statements of a migration together wait this long. */
const LOCK_WAIT_MS = 250;
const MIN_LOCK_WAIT_MS = 20;
/** Requests run between two attempts. */
const RETRY_DELAY_MS = 500;
/** A backup by `pg_dump` holds its locks until it ends. */
const MAX_LOCKED_MS = 3_600_000;

/**
 * Applies the statements of the missing migrations and returns their names; `finishMigrations` does the rest while the
 * service runs. A new database is created in one transaction, with everything. On an existing one, each migration has
 * its own transaction, so that running nodes wait for at most one of them.
 */
export async function migrate(database: Database, available: readonly Migration[] = migrations): Promise<string[]> {
  const appliedNames: string[] = [];
  for (;;) {
    const newlyApplied = await retryWhileLocked(() =>
      database.transaction((tx) => applyNext(tx, database, available), MIGRATION_LOCK_ID),
    );
    appliedNames.push(...newlyApplied);
    if (newlyApplied.length === 0) return appliedNames;
  }
}

async function retryWhileLocked<T>(work: () => Promise<T>): Promise<T> {
  const end = performance.now() + MAX_LOCKED_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof LockNotAvailable) || performance.now() > end) throw error;
    }
    await setTimeout(RETRY_DELAY_MS);
  }
}

async function applyNext(tx: Transaction, database: Database, all: readonly Migration[]): Promise<string[]> {
  for (const statement of database.setupStatements) await sql.raw(statement).execute(tx.db);
  await sql.raw(CREATE_MIGRATIONS_TABLE).execute(tx.db);
  const applied = new Set((await tx.db.selectFrom('migrations').select('name').execute()).map((row) => row.name));
  rejectUnfinishedCopy(applied);
  await rejectNewerSchema(tx, applied, all);
  const missing = all.filter((migration) => !applied.has(migration.name));
  const isNew = applied.size === 0;
  const next = isNew ? missing : missing.slice(0, 1);
  for (const migration of next) {
    await runStatements(tx, database, migration.statements(database.columnTypes));
    if (isNew) await runStatements(tx, database, (migration.indexes ?? []).map(toCreateIndex));
    else await addWork(tx, migration);
    await tx.db.insertInto('migrations').values({ name: migration.name, appliedAt: tx.now }).execute();
  }
  for (const { name } of next.filter((migration) => migration.additive))
    await tx.db.updateTable('migrations').set({ additive: 1 }).where('name', '=', name).execute();
  return next.map((migration) => migration.name);
}

async function runStatements(tx: Transaction, database: Database, statements: readonly string[]): Promise<void> {
  const end = performance.now() + LOCK_WAIT_MS;
  for (const statement of statements) {
    await database.limitLockWaits(tx, Math.max(MIN_LOCK_WAIT_MS, end - performance.now()));
    await sql.raw(statement).execute(tx.db);
  }
}

function toCreateIndex({ name, on }: IndexDefinition): string {
  return `create index ${name} on ${on}`;
}

/** Stored as a migration while a copy fills the database, so that every version refuses to start on it. */
export const COPY_NOT_FINISHED = 'copy-not-finished';

function rejectUnfinishedCopy(applied: ReadonlySet<string>): void {
  if (!applied.has(COPY_NOT_FINISHED)) return;
  throw new UnusableDatabase(
    'The database is the target of a copy that is not finished. Run the same copy command again to resume it.',
  );
}

/** During an upgrade, a node of the previous version can restart only if all newer migrations are additive. */
async function rejectNewerSchema(
  { db }: Transaction,
  applied: ReadonlySet<string>,
  known: readonly Migration[],
): Promise<void> {
  const unknown = [...applied].filter((name) => !known.some((migration) => migration.name === name));
  if (unknown.length === 0) return;
  const additiveRows = applied.has(additive.name)
    ? await db.selectFrom('migrations').select('name').where('name', 'in', unknown).where('additive', '=', 1).execute()
    : [];
  if (additiveRows.length < unknown.length) {
    throw new UnusableDatabase(
      `The database was written by a newer version of Switchboard (it has ${unknown.join(', ')}). ` +
        'Start that version, or restore a backup made by this one.',
    );
  }
}
