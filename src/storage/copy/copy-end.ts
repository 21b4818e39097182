import { setImmediate } from 'node:timers/promises';
import type { TableShape } from './installation-tables.ts';

export type Value = string | number | null;
/** The values of a row, in the order of the table's columns. */
export type Row = readonly Value[];

export interface Statement {
  /** Parameters are $1, $2 … on every database. */
  readonly text: string;
  readonly parameters?: readonly Value[];
}

/** One end of a copy as a reader sees it. */
export interface CopyEnd {
  query(statement: Statement): Promise<Row[]>;
  /** Names of all tables that are there, whoever made them. */
  tableNames(): Promise<ReadonlySet<string>>;
  close(): Promise<void>;
}

/** The end that is read: what it shows does not change while it is open, and nothing can be written through it. */
export type CopySource = CopyEnd;

export interface CopyTarget extends CopyEnd {
  /** Carries out all or nothing: puts rows into a table, then runs the statements. */
  change(statements: readonly Statement[], put?: { table: TableShape; rows: readonly Row[] }): Promise<void>;
  /** What empties a table at once. */
  readonly emptyWords: 'delete from' | 'truncate table';
  /** After all rows are there: statistics for the first queries, and the next change is on the disk when it is answered, with all before it. */
  settle(tables: readonly TableShape[]): Promise<void>;
}

export async function countRows(end: CopyEnd, table: TableShape): Promise<number> {
  const [row] = await end.query({ text: `select count(*) from ${table.name}` });
  return Number(row?.[0]);
}

const MAX_ROWS = 5000;
const FIRST_ROWS = 250;
/** Long texts make a piece shorter: it is held in memory, twice over. */
const WANTED_CHARACTERS = 4_000_000;

/** Rows of a table in the order of its key, piece by piece; the next one is read while the reader works on the last. */
export async function* rowsOf(end: CopyEnd, table: TableShape, after?: Row): AsyncGenerator<readonly Row[]> {
  let limit = FIRST_ROWS;
  let coming = readRows(end, table, after, limit);
  for (;;) {
    const rows = await coming;
    const last = rows.at(-1);
    if (last === undefined) return;
    const perRow = charactersIn(rows) / rows.length;
    limit = Math.max(1, Math.min(MAX_ROWS, limit * 4, Math.floor(WANTED_CHARACTERS / perRow)));
    coming = readRows(end, table, keyOf(table, last), limit);
    coming.catch(() => undefined); // it is told when it is waited for, if anybody still does
    yield rows;
    await setImmediate(); // a database file answers at once: nothing else, not even Ctrl+C, would get a turn
  }
}

export function keyOf(table: TableShape, row: Row): Row {
  return table.key.map((column) => row[table.columns.indexOf(column)] as Value);
}

function readRows(end: CopyEnd, table: TableShape, after: Row | undefined, limit: number): Promise<Row[]> {
  const key = table.key.join(', ');
  const places = table.key.map((_, index) => `$${index + 1}`).join(', ');
  const where = after ? `where (${key}) > (${places})` : '';
  return end.query({
    text: `select ${table.columns.join(', ')} from ${table.name} ${where} order by ${key} limit ${limit}`,
    parameters: after ?? [],
  });
}

function charactersIn(rows: readonly Row[]): number {
  let sum = 0;
  for (const row of rows) for (const value of row) sum += typeof value === 'string' ? value.length : 8;
  return sum;
}
