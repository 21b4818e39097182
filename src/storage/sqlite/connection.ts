import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { columnNames } from '../column-names.ts';
import type { Clock } from '../database.ts';
import { DatabaseUnavailable } from '../errors.ts';
import { checkParameters } from '../parameters.ts';

interface PreparedSql {
  readonly statement: StatementSync;
  /** In camelCase; empty if the statement returns no rows. */
  readonly columns: readonly string[];
}

export interface ConnectionOptions {
  readonly readOnly: boolean;
  readonly clock: Clock;
  /** Implements `within_deadline()` for slow reads. */
  readonly isWithinDeadline?: () => boolean;
  readonly cacheKiB: number;
}

/** A handle on the file that caches prepared statements and checks parameters. */
export class SqliteConnection {
  readonly handle: DatabaseSync;
  /** By SQL text, which differs with every combination of filters. */
  readonly #prepared = new LRUCache<string, PreparedSql>({ max: 500 });

  constructor(file: string, options: ConnectionOptions) {
    this.handle = new DatabaseSync(file, { readOnly: options.readOnly, timeout: 5000 });
    this.handle.exec(
      options.readOnly
        ? `pragma cache_size = -${options.cacheKiB}`
        : `pragma journal_mode = wal; pragma synchronous = full; pragma cache_size = -${options.cacheKiB};
           pragma wal_autocheckpoint = 4000`,
    );
    // Deterministic: SQLite calls it once per statement, not for every row.
    this.handle.function('now_ms', { deterministic: true }, options.clock);
    const isWithinDeadline = options.isWithinDeadline ?? (() => true);
    this.handle.function('within_deadline', () => (isWithinDeadline() ? 1 : 0));
  }

  all(sql: string, parameters: readonly unknown[]): unknown[] {
    const prepared = this.#prepare(sql);
    return translateErrors(() => readRows(prepared, parameters));
  }

  /** Returns rows, or the number of changed rows if the statement returns none. */
  run(sql: string, parameters: readonly unknown[]): { rows: unknown[]; changes: bigint } {
    const prepared = this.#prepare(sql);
    return translateErrors(() => {
      if (prepared.columns.length > 0) return { rows: readRows(prepared, parameters), changes: 0n };
      return { rows: [], changes: BigInt(prepared.statement.run(...checkParameters(parameters)).changes) };
    });
  }

  close(): void {
    this.#prepared.clear();
    this.handle.close();
  }

  #prepare(sql: string): PreparedSql {
    const cached = this.#prepared.get(sql);
    if (cached) return cached;
    const statement = translateErrors(() => this.handle.prepare(sql));
    statement.setReturnArrays(true);
    const prepared = { statement, columns: readColumnNames(statement) };
    this.#prepared.set(sql, prepared);
    return prepared;
  }
}

/** Builds rows from value lists, which is faster than in the driver and converts column names only once. */
function readRows(prepared: PreparedSql, parameters: readonly unknown[]): unknown[] {
  const valueLists = prepared.statement.all(...checkParameters(parameters)) as unknown as unknown[][];
  const [first] = valueLists;
  if (!first) return [];
  // Another process may have added a column.
  const columns = first.length === prepared.columns.length ? prepared.columns : readColumnNames(prepared.statement);
  return valueLists.map((values) => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < columns.length; index += 1) row[columns[index] as string] = values[index];
    return row;
  });
}

function readColumnNames(statement: StatementSync): string[] {
  return statement.columns().map(({ name }) => columnNames.camelCase(name));
}

/** Busy, locked, no memory, read-only, disk error, full, cannot open. */
const TRANSIENT_CODES = new Set([5, 6, 7, 8, 10, 13, 14]);

function translateErrors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = (error as { errcode?: number }).errcode;
    if (code !== undefined && TRANSIENT_CODES.has(code & 0xff)) {
      throw new DatabaseUnavailable('The database cannot be used right now.', { cause: error });
    }
    throw error;
  }
}
