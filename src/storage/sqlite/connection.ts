import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../database.ts';
import { DatabaseUnavailable } from '../errors.ts';
import { names } from '../names.ts';
import { checked } from '../parameters.ts';

interface Prepared {
  readonly statement: StatementSync;
  /** In the code; none where the statement returns no rows. */
  readonly columns: readonly string[];
}

export interface ConnectionOptions {
  readonly readOnly: boolean;
  readonly clock: Clock;
  /** What SQL sees as `within_deadline()`; only a slow read asks. */
  readonly withinDeadline?: () => boolean;
  readonly cacheKiB: number;
}

/** One handle on the file, with its statements prepared once and its parameters checked. */
export class SqliteConnection {
  readonly handle: DatabaseSync;
  /** By their text, which differs with every combination of filters. */
  readonly #prepared = new LRUCache<string, Prepared>({ max: 500 });

  constructor(file: string, options: ConnectionOptions) {
    this.handle = new DatabaseSync(file, { readOnly: options.readOnly, timeout: 5000 });
    this.handle.exec(
      options.readOnly
        ? `pragma cache_size = -${options.cacheKiB}`
        : `pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -${options.cacheKiB};
           pragma wal_autocheckpoint = 4000`,
    );
    // One time for the whole of a statement: SQLite asks once, and not again at every row.
    this.handle.function('now_ms', { deterministic: true }, options.clock);
    const withinDeadline = options.withinDeadline ?? (() => true);
    this.handle.function('within_deadline', () => (withinDeadline() ? 1 : 0));
  }

  all(sql: string, parameters: readonly unknown[]): unknown[] {
    const prepared = this.#prepare(sql);
    return translateErrors(() => rowsOf(prepared, parameters));
  }

  /** Rows where the statement returns some, else the number of rows it changed. */
  run(sql: string, parameters: readonly unknown[]): { rows: unknown[]; changes: bigint } {
    const prepared = this.#prepare(sql);
    return translateErrors(() => {
      if (prepared.columns.length > 0) return { rows: rowsOf(prepared, parameters), changes: 0n };
      return { rows: [], changes: BigInt(prepared.statement.run(...checked(parameters)).changes) };
    });
  }

  close(): void {
    this.#prepared.clear();
    this.handle.close();
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known) return known;
    const statement = translateErrors(() => this.handle.prepare(sql));
    statement.setReturnArrays(true);
    const prepared = { statement, columns: columnsOf(statement) };
    this.#prepared.set(sql, prepared);
    return prepared;
  }
}

/** Lists of values, made into rows here: that is quicker than to let the driver do it, and names cost nothing. */
function rowsOf(prepared: Prepared, parameters: readonly unknown[]): unknown[] {
  const found = prepared.statement.all(...checked(parameters)) as unknown as unknown[][];
  const [first] = found;
  if (!first) return [];
  // Another process may have added a column since.
  const columns = first.length === prepared.columns.length ? prepared.columns : columnsOf(prepared.statement);
  return found.map((values) => {
    const row: Record<string, unknown> = {};
    for (let place = 0; place < columns.length; place += 1) row[columns[place] as string] = values[place];
    return row;
  });
}

function columnsOf(statement: StatementSync): string[] {
  return statement.columns().map(({ name }) => names.camelCase(name));
}

const PASSING = new Set([5, 6, 7, 8, 10, 13, 14]); // busy, locked, no memory, read-only, disk error, full, cannot open

function translateErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = (error as { errcode?: number }).errcode;
    if (code !== undefined && PASSING.has(code & 0xff)) {
      throw new DatabaseUnavailable('The database cannot be used right now.', { cause: error });
    }
    throw error;
  }
}
