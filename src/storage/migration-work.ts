import { type Kysely, type Selectable, sql } from 'kysely';
import type { Transaction } from './database.ts';
import type { Migration } from './migrations/migration.ts';
import type { Tables } from './tables.ts';

export type WorkRow = Selectable<Tables['migrationWork']>;

/** Records what a migration leaves to the background; call it in the transaction of its statements. */
export async function addWork({ db }: Transaction, { name, indexes = [], fills = [] }: Migration): Promise<void> {
  const items = [
    ...indexes.map((index) => ({ name: index.name, kind: 'index' as const })),
    ...fills.map((fill) => ({ name: fill.name, kind: 'fill' as const })),
  ];
  if (items.length === 0) return;
  const start = { migration: name, pass: 1, changedRows: 0, notBefore: 0 };
  await db
    .insertInto('migrationWork')
    .values(items.map((item) => ({ ...item, ...start })))
    .execute();
}

/** The oldest migrations first; indexes before fills, because a fill may need one. */
export function listUnfinishedWork(db: Kysely<Tables>): Promise<WorkRow[]> {
  return db
    .selectFrom('migrationWork')
    .selectAll()
    .where('finishedAt', 'is', null)
    .orderBy('migration')
    .orderBy('kind', 'desc')
    .orderBy('name')
    .execute();
}

/** Whether anything is left, and whether something of it can be done now. */
export async function readWorkState(db: Kysely<Tables>): Promise<'done' | 'waiting' | 'due'> {
  const rows = await db
    .selectFrom('migrationWork')
    .select(sql<number>`not_before <= now_ms()`.as('isDue'))
    .where('finishedAt', 'is', null)
    .execute();
  if (rows.length === 0) return 'done';
  return rows.some(({ isDue }) => isDue === 1) ? 'due' : 'waiting';
}

export function findWork({ db }: Transaction, name: string): Promise<WorkRow | undefined> {
  return db.selectFrom('migrationWork').selectAll().where('name', '=', name).executeTakeFirst();
}

export async function saveWork(
  { db }: Transaction,
  name: string,
  progress: Partial<Pick<WorkRow, 'pass' | 'afterKey' | 'changedRows' | 'notBefore' | 'finishedAt'>>,
): Promise<void> {
  await db.updateTable('migrationWork').set(progress).where('name', '=', name).execute();
}

/** One line for people: what is left, and since when or until when. */
export function describeWork({ kind, name, pass, changedRows, notBefore, afterKey }: WorkRow): string {
  if (kind === 'index') return `index ${name}: not built yet`;
  const rows = `${changedRows.toLocaleString('en')} rows changed`;
  if (pass === 1) return `fill ${name}: ${afterKey === null ? 'not started yet' : `first pass, ${rows}`}`;
  return `fill ${name}: ${rows}, second pass after ${new Date(notBefore).toISOString()}`;
}
