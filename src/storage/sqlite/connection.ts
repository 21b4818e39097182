import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../database.ts';
import { DatabaseUnavailable } from '../errors.ts';
import { checked } from '../parameters.ts';

interface Prepared {
  readonly statement: StatementSync;
  readonly returnsRows: boolean;
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
    const { statement } = this.#prepare(sql);
    return inOurWords(() => statement.all(...checked(parameters)));
  }

  /** Rows where the statement returns some, else the number of rows it changed. */
  run(sql: string, parameters: readonly unknown[]): { rows: unknown[]; changes: bigint } {
    const { statement, returnsRows } = this.#prepare(sql);
    return inOurWords(() => {
      if (returnsRows) return { rows: statement.all(...checked(parameters)), changes: 0n };
      return { rows: [], changes: BigInt(statement.run(...checked(parameters)).changes) };
    });
  }

  close(): void {
    this.#prepared.clear();
    this.handle.close();
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known) return known;
    const statement = inOurWords(() => this.handle.prepare(sql));
    const prepared = { statement, returnsRows: statement.columns().length > 0 };
    this.#prepared.set(sql, prepared);
    return prepared;
  }
}

const PASSING = new Set([5, 6, 7, 8, 10, 13, 14]); // busy, locked, no memory, read-only, disk error, full, cannot open

function inOurWords<T>(work: () => T): T {
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
