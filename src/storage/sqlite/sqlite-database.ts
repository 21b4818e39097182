import { backup } from 'node:sqlite';
import { CamelCasePlugin, type Compilable, type Expression, Kysely, type SqlBool, sql } from 'kysely';
import type { Clock, Database, HotQuery, Transaction } from '../database.ts';
import { DatabaseUnavailable } from '../errors.ts';
import { named } from '../names.ts';
import { filledIn, placeholder } from '../prepared-statement.ts';
import { RunningClock } from '../running-clock.ts';
import type { Tables } from '../tables.ts';
import { LONGEST_WAIT_MS } from '../turns.ts';
import { SqliteConnection } from './connection.ts';
import { sqliteDialect } from './dialect.ts';
import { SlowReads } from './slow-reads.ts';
import { SqliteWriter } from './writer.ts';

export interface SqliteOptions {
  readonly clock?: Clock;
  /** How long a read that no index serves may take. */
  readonly slowReadMs?: number;
  /** How long a change may wait for those before it. */
  readonly longestWaitMs?: number;
  readonly cacheKiB?: number;
}

/** The embedded database: one handle that writes, one that reads, and workers for the reads that may take long. */
export class SqliteDatabase implements Database {
  readonly columnWords = { orderedText: 'text' };
  readonly prelude = [];
  readonly read: Kysely<Tables>;
  readonly #clock: Clock;
  readonly #reader: SqliteConnection;
  readonly #writer: SqliteWriter;
  readonly #slowReads: SlowReads;
  readonly #slowReadMs: number;
  readonly #running = new RunningClock();
  #closed = false;

  constructor(file: string, options: SqliteOptions = {}) {
    const clock = options.clock ?? Date.now;
    this.#clock = clock;
    const cacheKiB = options.cacheKiB ?? 16 * 1024;
    const { longestWaitMs = LONGEST_WAIT_MS } = options;
    const writing = new SqliteConnection(file, { readOnly: false, clock, cacheKiB });
    this.#writer = new SqliteWriter(writing, clock, longestWaitMs, this.#running);
    this.#reader = new SqliteConnection(file, { readOnly: true, clock, cacheKiB });
    this.read = new Kysely<Tables>({ dialect: sqliteDialect(this.#reader), plugins: [new CamelCasePlugin()] });
    this.#slowReadMs = options.slowReadMs ?? 2000;
    this.#slowReads = new SlowReads(file, this.#running);
  }

  /** All accounts share the one writer, so there is nothing to do about the account. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, _accountId?: number): Promise<T> {
    return this.#writer.transaction(work);
  }

  hot<Row, Args extends readonly unknown[]>(
    build: (db: Kysely<Tables>, argument: <T>(position: number) => Expression<T>) => Compilable<Row>,
  ): HotQuery<Row, Args> {
    const query = build(this.read, placeholder).compile();
    const all = async (...args: Args) => this.#reader.all(query.sql, filledIn(query, args)) as Row[];
    return { all, first: async (...args) => (await all(...args))[0] };
  }

  async slowly<Row>(query: Compilable<Row>): Promise<Row[]> {
    const { sql, parameters } = query.compile();
    return named(await this.#slowReads.run({ sql, parameters, now: this.#clock() }, this.#slowReadMs));
  }

  withinDeadline(rowNumber: Expression<number>): Expression<SqlBool> {
    return sql<SqlBool>`(${rowNumber} % 256 <> 0 or within_deadline())`;
  }

  onEvents(listener: (accountId: number) => void): () => void {
    return this.#writer.onEvents(listener);
  }

  async ping(): Promise<void> {
    if (this.#closed) throw new DatabaseUnavailable('The database is closed.');
    this.#reader.all('select 1', []);
  }

  async backupTo(file: string): Promise<void> {
    await backup(this.#reader.handle, file);
  }

  /** What SQLite itself finds wrong with the file; empty when all is well. */
  integrityProblems(): string[] {
    const rows = this.#reader.all('pragma integrity_check', []) as { integrity_check: string }[];
    return rows.map((row) => row.integrity_check).filter((text) => text !== 'ok');
  }

  /** How SQLite would run a query: one line per step. */
  explain(query: Compilable<unknown>): string[] {
    const { sql, parameters } = query.compile();
    return (this.#reader.all(`explain query plan ${sql}`, parameters) as { detail: string }[]).map((row) => row.detail);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#running.stop();
    await this.#slowReads.close();
    this.#reader.close();
    await this.#writer.close(); // last, as it empties the write-ahead log into the file
  }
}
