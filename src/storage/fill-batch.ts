import { type RawBuilder, sql } from 'kysely';
import type { Database, Transaction } from './database.ts';
import { findWork, saveWork, type WorkRow } from './migration-work.ts';
import type { Fill } from './migrations/migration.ts';

/** Nodes of the previous version must be gone by then: what they wrote is filled by the second pass. */
const SECOND_PASS_DELAY_MS = 24 * 3_600_000;
/** A request that wants a row of the batch waits at most this long, plus the time of the update. */
const LOCK_WAIT_MS = 100;

type Key = readonly number[];

/** Part of a table in the order of its key. */
interface Range {
  readonly from: Key;
  readonly isFromIncluded: boolean;
  readonly upTo: Key;
  readonly isLast: boolean;
}

/** Fills the next rows in one transaction with the progress. Returns the progress; undefined if it is not time for it. */
export function fillBatch(database: Database, fill: Fill, size: number): Promise<WorkRow | undefined> {
  return database.transaction(async (tx) => {
    const work = await findWork(tx, fill.name);
    if (!work || work.finishedAt !== null || work.notBefore > tx.now) return undefined;
    await database.limitLockWaits(tx, LOCK_WAIT_MS);
    const after = work.afterKey === null ? undefined : (JSON.parse(work.afterKey) as Key);
    const range = await findRange(tx, fill, after, size);
    const changedRows = work.changedRows + (range ? await updateRange(tx, fill, range) : 0);
    const progress = { ...getProgress(work, range, tx.now), changedRows };
    await saveWork(tx, fill.name, progress);
    return { ...work, ...progress };
  });
}

function getProgress({ pass, notBefore }: WorkRow, range: Range | undefined, now: number) {
  if (range && !range.isLast) return { pass, afterKey: JSON.stringify(range.upTo), notBefore, finishedAt: null };
  if (pass === 1) return { pass: 2, afterKey: null, notBefore: now + SECOND_PASS_DELAY_MS, finishedAt: null };
  return { pass, afterKey: null, notBefore, finishedAt: now };
}

/** The next `size` rows, from the index of the primary key; undefined if there are none. */
async function findRange(
  tx: Transaction,
  fill: Fill,
  after: Key | undefined,
  size: number,
): Promise<Range | undefined> {
  const where = after ? compareKeys(fill.key, '>', after) : sql`true`;
  const from = after ?? (await findKey(tx, fill, sql`order by ${refs(fill.key)}`));
  if (!from) return undefined;
  const next = await findKey(tx, fill, sql`where ${where} order by ${refs(fill.key)}`, size - 1);
  const last = next ?? (await findKey(tx, fill, sql`order by ${refs(fill.key, 'desc')}`));
  return last && { from, isFromIncluded: !after, upTo: last, isLast: !next };
}

async function findKey(
  { db }: Transaction,
  { table, key }: Fill,
  rest: RawBuilder<unknown>,
  offset = 0,
): Promise<Key | undefined> {
  const columns = key.map((column, index) => sql`${sql.ref(column)} as ${sql.ref(`key${index}`)}`);
  const { rows } = await sql<Record<string, number>>`select ${sql.join(columns)} from ${sql.table(table)} ${rest}
    limit 1 offset ${sql.lit(offset)}`.execute(db);
  const [row] = rows;
  return row && key.map((_, index) => row[`key${index}`] as number);
}

async function updateRange({ db }: Transaction, fill: Fill, range: Range): Promise<number> {
  return Number((await buildUpdate(fill, range).execute(db)).numAffectedRows ?? 0);
}

/** For a test of its plan. */
export function buildUpdate(fill: Fill, range: Omit<Range, 'isLast'>): RawBuilder<unknown> {
  return sql`update ${sql.table(fill.table)} set ${sql.raw(fill.set)}
    where ${sql.join(buildRangeConditions(fill.key, range), sql` and `)} and (${sql.raw(fill.where)})`;
}

/**
 * Conditions for which PostgreSQL expects few rows, and so uses the index of the primary key. It estimates a comparison
 * of whole keys by its first column alone, which is the same in all rows of an account: columns that are the same in
 * the whole range are compared on their own, and the first that differs also is. Values are part of the text, because
 * it plans without them after a few batches.
 */
function buildRangeConditions(
  key: readonly string[],
  { from, isFromIncluded, upTo }: Omit<Range, 'isLast'>,
): RawBuilder<unknown>[] {
  const differing = key.findIndex((_, index) => from[index] !== upTo[index]);
  const same = differing === -1 ? key.length : differing;
  const equalities = key.slice(0, same).map((column, index) => sql`${sql.ref(column)} = ${sql.lit(from[index])}`);
  if (same === key.length) return isFromIncluded ? equalities : [sql`false`];
  const [column = ''] = key.slice(same);
  return [
    ...equalities,
    sql`${sql.ref(column)} >= ${sql.lit(from[same])} and ${sql.ref(column)} <= ${sql.lit(upTo[same])}`,
    compareKeys(key.slice(same), isFromIncluded ? '>=' : '>', from.slice(same)),
    compareKeys(key.slice(same), '<=', upTo.slice(same)),
  ];
}

function refs(key: readonly string[], direction: 'asc' | 'desc' = 'asc'): RawBuilder<unknown> {
  return sql.join(key.map((column) => (direction === 'asc' ? sql.ref(column) : sql`${sql.ref(column)} desc`)));
}

function compareKeys(key: readonly string[], operator: '>' | '>=' | '<=', values: Key): RawBuilder<unknown> {
  return sql`(${refs(key)}) ${sql.raw(operator)} (${sql.join(values.map((value) => sql.lit(value)))})`;
}
