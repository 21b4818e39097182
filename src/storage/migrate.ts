import { sql } from 'kysely';
import type { Database, Transaction } from './database.ts';
import { UnusableDatabase } from './errors.ts';
import { foundation } from './migrations/0001-foundation.ts';
import { restUsage } from './migrations/0002-rest-usage.ts';
import { engine } from './migrations/0003-engine.ts';
import { additive } from './migrations/0004-additive.ts';
import type { Migration } from './migrations/migration.ts';

export const migrations: readonly Migration[] = [foundation, restUsage, engine, additive];

/** There before all of them; later ones may add to it. */
export const MIGRATIONS_TABLE =
  'create table if not exists migrations (name text primary key, applied_at bigint not null)';

/** Of several nodes that start at once, one migrates and the others wait for it. */
const ALL_NODES = 0;

/**
 * Applies what is missing and answers with the names of what it applied. A new database comes into being all or nothing. Of
 * one that is in use each migration is applied by itself, so that nodes that run meanwhile wait for one of them at most.
 */
export async function migrate(database: Database, all: readonly Migration[] = migrations): Promise<string[]> {
  const done: string[] = [];
  for (;;) {
    const applied = await database.transaction((tx) => migrateSome(tx, database, all), ALL_NODES);
    done.push(...applied);
    if (applied.length === 0) return done;
  }
}

async function migrateSome(tx: Transaction, database: Database, all: readonly Migration[]): Promise<string[]> {
  for (const statement of database.prelude) await sql.raw(statement).execute(tx.db);
  await sql.raw(MIGRATIONS_TABLE).execute(tx.db);
  const applied = new Set((await tx.db.selectFrom('migrations').select('name').execute()).map((row) => row.name));
  refuseUnfinishedCopy(applied);
  await refuseNewer(tx, applied, all);
  const missing = all.filter((migration) => !applied.has(migration.name));
  const now = applied.size === 0 ? missing : missing.slice(0, 1);
  for (const migration of now) {
    for (const statement of migration.statements(database.columnWords)) await sql.raw(statement).execute(tx.db);
    await tx.db.insertInto('migrations').values({ name: migration.name, appliedAt: tx.now }).execute();
  }
  for (const { name } of now.filter((migration) => migration.additive))
    await tx.db.updateTable('migrations').set({ additive: 1 }).where('name', '=', name).execute();
  return now.map((migration) => migration.name);
}

/** Stands among the migrations while a copy fills the database, so that every version of the program refuses it. */
export const COPY_NOT_FINISHED = 'copy-not-finished';

function refuseUnfinishedCopy(applied: ReadonlySet<string>): void {
  if (!applied.has(COPY_NOT_FINISHED)) return;
  throw new UnusableDatabase(
    'The database is the target of a copy that is not finished. Run the same "switchboard copy" again: it goes on where it stopped.',
  );
}

/** In the middle of an upgrade a node of the version before may have to start again: it may, if nothing was taken from it. */
async function refuseNewer(
  { db }: Transaction,
  applied: ReadonlySet<string>,
  known: readonly Migration[],
): Promise<void> {
  const unknown = [...applied].filter((name) => !known.some((migration) => migration.name === name));
  if (unknown.length === 0) return;
  const added = applied.has(additive.name)
    ? await db.selectFrom('migrations').select('name').where('name', 'in', unknown).where('additive', '=', 1).execute()
    : [];
  if (added.length < unknown.length) {
    throw new UnusableDatabase(
      `The database was written by a newer version of Switchboard (it has ${unknown.join(', ')}). ` +
        'Start that version, or restore a backup made by this one.',
    );
  }
}
