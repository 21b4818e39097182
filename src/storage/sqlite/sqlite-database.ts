import { backup } from 'node:sqlite';
import { type Compilable, type Expression, type Kysely, type SqlBool, sql } from 'kysely';
import type { Clock, Database, ExclusiveWork, Transaction } from '../database.ts';
import { DatabaseUnavailable } from '../errors.ts';
import { MAX_WAIT_MS } from '../keyed-queue.ts';
import { CompiledStatements, type Statement } from '../prepared-statement.ts';
import { RunningClock } from '../running-clock.ts';
import type { Tables } from '../tables.ts';
import { SqliteConnection } from './connection.ts';
import { createQueryBuilder } from './dialect.ts';
import { SlowReads } from './slow-reads.ts';
import { SqliteWriter } from './writer.ts';

export interface SqliteOptions {
  readonly clock?: Clock;
  /** Time limit for reads that no index serves. */
  readonly slowReadMs?: number;
  /** Longest wait for earlier changes. */
  readonly maxWaitMs?: number;
  readonly cacheKiB?: number;
}

/** The embedded database: one connection for writes, one for reads, and workers for long reads. */
export class SqliteDatabase implements Database {
  readonly columnTypes = { orderedText: 'text', bytes: 'blob' };
  readonly setupStatements = [];
  readonly maxWaitMs: number;
  readonly read: Kysely<Tables>;
  readonly #clock: Clock;
  readonly #compiled: CompiledStatements;
  readonly #reader: SqliteConnection;
  readonly #writer: SqliteWriter;
  readonly #slowReads: SlowReads;
  readonly #slowReadMs: number;
  readonly #runningClock = new RunningClock();
  #isClosed = false;

  constructor(file: string, options: SqliteOptions = {}) {
    const clock = options.clock ?? Date.now;
    this.#clock = clock;
    const cacheKiB = options.cacheKiB ?? 16 * 1024;
    const { maxWaitMs = MAX_WAIT_MS } = options;
    this.maxWaitMs = maxWaitMs;
    const writeConnection = new SqliteConnection(file, { readOnly: false, clock, cacheKiB });
    this.#reader = new SqliteConnection(file, { readOnly: true, clock, cacheKiB });
    this.read = createQueryBuilder(this.#reader);
    this.#compiled = new CompiledStatements(this.read);
    const runningClock = this.#runningClock;
    this.#writer = new SqliteWriter(writeConnection, { compiled: this.#compiled, clock, runningClock, maxWaitMs });
    this.#slowReadMs = options.slowReadMs ?? 2000;
    this.#slowReads = new SlowReads(file, this.#runningClock);
  }

  /** Ignores the account, because all accounts share one writer. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, _accountId?: number): Promise<T> {
    return this.#writer.transaction(work);
  }

  /** There is one writer, so no statement waits for another's locks. */
  async limitLockWaits(): Promise<void> {}

  /** Only one service can use the file. An index is built in one transaction, and all others wait for it. */
  async runExclusively(work: (exclusive: ExclusiveWork) => Promise<void>): Promise<boolean> {
    await work({
      createIndex: ({ name, on }) =>
        this.transaction(async (tx) => {
          await sql.raw(`create index if not exists ${name} on ${on}`).execute(tx.db);
        }),
      lost: new AbortController().signal,
    });
    return true;
  }

  run<Args extends object, Row>(statement: Statement<Args, Row>, args: Args): Promise<Row[]> {
    return this.#compiled.run((text, parameters) => this.#reader.run(text, parameters), statement, args);
  }

  async readOffThread<Row>(query: Compilable<Row>): Promise<Row[]> {
    const { sql, parameters } = query.compile();
    return (await this.#slowReads.run({ sql, parameters, now: this.#clock() }, this.#slowReadMs)) as Row[];
  }

  isWithinDeadline(rowNumber: Expression<number>): Expression<SqlBool> {
    return sql<SqlBool>`(${rowNumber} % 256 <> 0 or within_deadline())`;
  }

  onEvents(listener: (accountId: number) => void): () => void {
    return this.#writer.onEvents(listener);
  }

  /** There is only one node. */
  broadcast(): void {}

  onBroadcast(): () => void {
    return () => undefined;
  }

  async ping(): Promise<void> {
    if (this.#isClosed) throw new DatabaseUnavailable('The database is closed.');
    this.#reader.all('select 1', []);
  }

  async backupTo(file: string): Promise<void> {
    await backup(this.#reader.handle, file);
  }

  /** Runs SQLite's integrity check; empty if there are no problems. */
  findIntegrityProblems(): string[] {
    const rows = this.#reader.all('pragma integrity_check', []) as { integrityCheck: string }[];
    return rows.map((row) => row.integrityCheck).filter((text) => text !== 'ok');
  }

  /** Returns the query plan, one line per step. */
  explain(query: Compilable<unknown>): string[] {
    const { sql, parameters } = query.compile();
    return (this.#reader.all(`explain query plan ${sql}`, parameters) as { detail: string }[]).map((row) => row.detail);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#runningClock.stop();
    await this.#slowReads.close();
    this.#reader.close();
    await this.#writer.close(); // last, because it checkpoints the write-ahead log
  }
}
