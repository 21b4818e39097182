import { sql } from 'kysely';
import type { Database, Transaction } from './database.ts';
import { UnusableDatabase } from './errors.ts';
import { foundation } from './migrations/0001-foundation.ts';
import { restUsage } from './migrations/0002-rest-usage.ts';
import { engine } from './migrations/0003-engine.ts';
import { additive } from './migrations/0004-additive.ts';
import { accessTokens } from './migrations/0005-access-tokens.ts';
import { closeReasons } from './migrations/0006-close-reasons.ts';
import { visitorSessions } from './migrations/0007-visitor-sessions.ts';
import { readMarkers } from './migrations/0008-read-markers.ts';
import { websiteSettings } from './migrations/0009-website-settings.ts';
import type { Migration } from './migrations/migration.ts';

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
];

/** Created before the first migration; migrations can add columns. */
export const CREATE_MIGRATIONS_TABLE =
  'create table if not exists migrations (name text primary key, applied_at bigint not null)';

/** If several nodes start together, one migrates and the others wait. */
const MIGRATION_LOCK_ID = 0;

/**
 * Applies the missing migrations and returns their names. A new database is created in one transaction. On an existing
 * one, each migration has its own transaction, so that running nodes wait for at most one of them.
 */
export async function migrate(database: Database, available: readonly Migration[] = migrations): Promise<string[]> {
  const appliedNames: string[] = [];
  for (;;) {
    const newlyApplied = await database.transaction((tx) => applyNext(tx, database, available), MIGRATION_LOCK_ID);
    appliedNames.push(...newlyApplied);
    if (newlyApplied.length === 0) return appliedNames;
  }
}

async function applyNext(tx: Transaction, database: Database, all: readonly Migration[]): Promise<string[]> {
  for (const statement of database.setupStatements) await sql.raw(statement).execute(tx.db);
  await sql.raw(CREATE_MIGRATIONS_TABLE).execute(tx.db);
  const applied = new Set((await tx.db.selectFrom('migrations').select('name').execute()).map((row) => row.name));
  rejectUnfinishedCopy(applied);
  await rejectNewerSchema(tx, applied, all);
  const missing = all.filter((migration) => !applied.has(migration.name));
  const next = applied.size === 0 ? missing : missing.slice(0, 1);
  for (const migration of next) {
    for (const statement of migration.statements(database.columnTypes)) await sql.raw(statement).execute(tx.db);
    await tx.db.insertInto('migrations').values({ name: migration.name, appliedAt: tx.now }).execute();
  }
  for (const { name } of next.filter((migration) => migration.additive))
    await tx.db.updateTable('migrations').set({ additive: 1 }).where('name', '=', name).execute();
  return next.map((migration) => migration.name);
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
