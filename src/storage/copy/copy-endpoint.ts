import { setImmediate } from 'node:timers/promises';
import type { TableShape } from './installation-tables.ts';

export type Value = string | number | null | Uint8Array;
/** The values of a row, in the order of the table's columns. */
export type Row = readonly Value[];

export interface SqlStatement {
  /** Parameters are $1, $2 … on every database. */
  readonly text: string;
  readonly parameters?: readonly Value[];
}

/** The source or the target of a copy, for reading. */
export interface CopyEndpoint {
  query(statement: SqlStatement): Promise<Row[]>;
  /** Lists all existing tables, including tables of other programs. */
  listTableNames(): Promise<ReadonlySet<string>>;
  close(): Promise<void>;
}

/** Read-only, with a stable snapshot while it is open. */
export type CopySource = CopyEndpoint;

export interface CopyTarget extends CopyEndpoint {
  /** Inserts a batch of rows and runs the statements, in one transaction. */
  write(statements: readonly SqlStatement[], batch?: { table: TableShape; rows: readonly Row[] }): Promise<void>;
  readonly emptyTableSql: 'delete from' | 'truncate table';
  /**
   * Call after all rows are copied. Updates the planner statistics, and makes the next change durable together with all
   * changes before it.
   */
  finalize(tables: readonly TableShape[]): Promise<void>;
}

export async function countRows(endpoint: CopyEndpoint, table: TableShape): Promise<number> {
  const [row] = await endpoint.query({ text: `select count(*) from ${table.name}` });
  return Number(row?.[0]);
}

const MAX_BATCH_ROWS = 5000;
const FIRST_BATCH_ROWS = 250;
/** Batches of long texts have fewer rows, because two batches are held in memory. */
const TARGET_BATCH_CHARACTERS = 4_000_000;
/** Rows with bytes have up to 256 KiB, also after many short ones. */
const MAX_BATCH_ROWS_WITH_BYTES = 16;

/** Yields the rows of a table in key order. Reads the next batch while the caller processes the current one. */
export async function* readBatches(
  endpoint: CopyEndpoint,
  table: TableShape,
  after?: Row,
): AsyncGenerator<readonly Row[]> {
  const maxRows = table.types.includes('bytea') ? MAX_BATCH_ROWS_WITH_BYTES : MAX_BATCH_ROWS;
  let limit = Math.min(FIRST_BATCH_ROWS, maxRows);
  let nextBatch = readBatch(endpoint, table, after, limit);
  for (;;) {
    const rows = await nextBatch;
    const last = rows.at(-1);
    if (last === undefined) return;
    const charactersPerRow = countCharacters(rows) / rows.length;
    limit = Math.max(1, Math.min(maxRows, limit * 4, Math.floor(TARGET_BATCH_CHARACTERS / charactersPerRow)));
    nextBatch = readBatch(endpoint, table, getKey(table, last), limit);
    nextBatch.catch(() => undefined); // reported when it is awaited
    yield rows;
    await setImmediate(); // SQLite reads synchronously: let other work run, such as handling Ctrl+C
  }
}

export function getKey(table: TableShape, row: Row): Row {
  return table.key.map((column) => row[table.columns.indexOf(column)] as Value);
}

function readBatch(endpoint: CopyEndpoint, table: TableShape, after: Row | undefined, limit: number): Promise<Row[]> {
  const key = table.key.join(', ');
  const placeholders = table.key.map((_, index) => `$${index + 1}`).join(', ');
  const where = after ? `where (${key}) > (${placeholders})` : '';
  return endpoint.query({
    text: `select ${table.columns.join(', ')} from ${table.name} ${where} order by ${key} limit ${limit}`,
    parameters: after ?? [],
  });
}

function countCharacters(rows: readonly Row[]): number {
  let sum = 0;
  for (const row of rows) for (const value of row) sum += countValueCharacters(value);
  return sum;
}

/** Bytes are written as hexadecimal digits. */
function countValueCharacters(value: Value): number {
  if (value instanceof Uint8Array) return value.length * 2;
  return typeof value === 'string' ? value.length : 8;
}
