import { type Compilable, type Expression, type Kysely, type SqlBool, sql } from 'kysely';
import type { Clock, Database, ExclusiveWork, ServerUsage, Transaction } from '../database.ts';
import { DeadlineExceeded, withDeadline } from '../deadline.ts';
import { DatabaseUnavailable, ReadTooSlow } from '../errors.ts';
import { MAX_WAIT_MS } from '../keyed-queue.ts';
import { CompiledStatements, type Fact, type Statement } from '../prepared-statement.ts';
import { RunningClock } from '../running-clock.ts';
import { ignoreUnhandledRejection } from '../statement-outcomes.ts';
import type { Tables } from '../tables.ts';
import { AccountQueues } from './account-queues.ts';
import { type Change, takeOnly } from './changes.ts';
import { createQueryBuilder, type Execute, type StatementResult } from './dialect.ts';
import { runExclusively } from './exclusive-work.ts';
import { Notifications } from './notifications.ts';
import { ReaderPool, WriterPool } from './pools.ts';
import { APPLICATION_NAME, IDLE_IN_TRANSACTION_MS, Session } from './session.ts';
import { Transactions } from './transactions.ts';

export interface PostgresOptions {
  /** Replaces the database's clock in tests. */
  readonly clock?: Clock;
  readonly slowReadMs?: number;
  readonly statementMs?: number;
  /** Maximum number of concurrent transactions, and number of connections for reads. */
  readonly connections?: number;
  /** If it is given, reads that were sent ahead are repeated; called for one that did not hold. */
  readonly onStaleRead?: ((facts: readonly Fact[]) => void) | undefined;
}

/** Long reads have separate connections, so that other reads do not wait for them. */
const SLOW_READER_CONNECTIONS = 2;
/** The server cancels a statement this long after the node has given up on it. */
const SERVER_TIMEOUT_MARGIN_MS = 500;

const CREATE_NOW_MS_FUNCTION = `create or replace function now_ms() returns bigint language sql stable as
  'select (extract(epoch from statement_timestamp()) * 1000)::bigint'`;

/**
 * A node that stalls while it sends a statement would hold its locks forever: the server waits for the rest, and treats
 * this neither as an idle transaction nor as a lost connection. A node that waits for such a lock ends the session.
 */
const TERMINATE_STALLED_SESSIONS = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name like '${APPLICATION_NAME}%' and xact_start is not null
  and wait_event = 'ClientRead' and state_change < clock_timestamp() - ${IDLE_IN_TRANSACTION_MS} * interval '1 millisecond'`;

/** The server does not respond at all, as opposed to one slow statement. */
class ServerNotResponding extends DatabaseUnavailable {}

/** The database of one or more nodes. The database coordinates exclusive work, never a node. */
export class PostgresDatabase implements Database {
  readonly columnTypes = {
    orderedText: 'text collate "C"',
    bytes: 'bytea',
    createUnloggedTable: 'create unlogged table',
    hasTriggerFunctions: true as const,
  };
  readonly setupStatements = [CREATE_NOW_MS_FUNCTION];
  readonly maxWaitMs: number;
  readonly read: Kysely<Tables>;
  readonly #compiled: CompiledStatements;
  readonly #execute: Execute;
  readonly #connections: number;
  readonly #statementMs: number;
  readonly #readers: ReaderPool;
  readonly #slowReaders: ReaderPool;
  readonly #writers: WriterPool;
  readonly #notifications: Notifications;
  readonly #accountQueues: AccountQueues;
  readonly #runningClock = new RunningClock();
  readonly #transactions: Transactions;
  readonly #url: string;
  #timedOutCount = 0;
  #unreachableCount = 0;
  #isTerminatingSessions = false;
  #isClosed = false;

  constructor(url: string, options: PostgresOptions = {}) {
    const { clock, statementMs = 800, slowReadMs = 2000, connections = 10, onStaleRead } = options;
    this.#url = url;
    this.#connections = connections;
    this.#statementMs = statementMs;
    const rewrite = clock && ((text: string) => text.replaceAll(/(?<!function )now_ms\(\)/g, `${clock()}::bigint`));
    // After a timeout on one connection, connections without a recent response are not trusted either.
    const onTimeout = () => {
      const pools = [this.#readers, this.#slowReaders, this.#writers, this.#notifications];
      for (const pool of pools) pool.discardUnresponsive(statementMs);
    };
    const createSessionOpener = (timeoutMs: number, settings: Record<string, boolean | number>) => () =>
      new Session(url, {
        timeoutMs,
        clock: this.#runningClock,
        ...(timeoutMs === statementMs && { onTimeout }),
        settings: { statement_timeout: timeoutMs + SERVER_TIMEOUT_MARGIN_MS, ...settings },
        ...(rewrite && { rewrite }),
      });
    const maxWaitMs = Math.max(statementMs, MAX_WAIT_MS);
    this.maxWaitMs = maxWaitMs;
    const writerSettings = { statement_timeout: maxWaitMs + SERVER_TIMEOUT_MARGIN_MS };
    const readerSettings = { default_transaction_read_only: true };
    this.#readers = new ReaderPool(
      createSessionOpener(statementMs, readerSettings),
      connections,
      statementMs,
      this.#runningClock,
    );
    this.#slowReaders = new ReaderPool(
      createSessionOpener(slowReadMs, readerSettings),
      SLOW_READER_CONNECTIONS,
      slowReadMs,
      this.#runningClock,
    );
    this.#writers = new WriterPool(
      createSessionOpener(statementMs, writerSettings),
      connections,
      maxWaitMs,
      this.#runningClock,
    );
    this.#execute = this.#withFailureCount(this.#readers.executeTogether);
    this.read = createQueryBuilder(this.#execute);
    this.#compiled = new CompiledStatements(this.read);
    this.#notifications = new Notifications(
      url,
      { timeoutMs: statementMs, clock: this.#runningClock },
      this.#readers.execute,
    );
    this.#transactions = new Transactions({
      writers: this.#writers,
      compiled: this.#compiled,
      clock,
      onStaleRead,
      maxWaitMs,
      runningClock: this.#runningClock,
      withFailureCount: (execute) => this.#withFailureCount(execute),
      waitWhileServerResponds: (lockWait, abandon) =>
        this.#waitWhileServerResponds(lockWait, abandon, () => this.#terminateStalledSessions()),
      onCommit: (accountIds) => this.#notifications.send(accountIds),
    });
    this.#accountQueues = new AccountQueues({
      run: (take, accountId) => this.#transactions.run(take, accountId),
      now: () => this.#runningClock.now(),
      maxWaitMs,
    });
  }

  /** Serializes the changes of an account: within this node by a queue, across nodes by a lock in the database. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, accountId?: number): Promise<T> {
    if (this.#isClosed) return Promise.reject(new DatabaseUnavailable('The database is closed.'));
    return new Promise<T>((resolve, reject) => {
      const change: Change = { work, resolve: resolve as (value: unknown) => void, reject };
      if (accountId !== undefined) this.#accountQueues.add(accountId, change);
      else ignoreUnhandledRejection(this.#transactions.run(takeOnly(change), undefined)); // rejects the change too
    });
  }

  /** Waits for the account lock or a long read, as long as the server responds to pings. */
  async #waitWhileServerResponds(
    statement: Promise<StatementResult>,
    abandon: () => void,
    onResponse: () => void = () => undefined,
  ): Promise<StatementResult> {
    for (;;) {
      try {
        return await withDeadline(statement, this.#statementMs / 2, this.#runningClock);
      } catch (error) {
        if (!(error instanceof DeadlineExceeded)) throw error;
      }
      try {
        await withDeadline(this.ping(), this.#statementMs / 2, this.#runningClock);
        onResponse();
      } catch (error) {
        abandon();
        const cause = error instanceof DatabaseUnavailable ? error.cause : error;
        throw new ServerNotResponding('The database does not respond.', { cause });
      }
    }
  }

  async #terminateStalledSessions(): Promise<void> {
    if (this.#isClosed || this.#isTerminatingSessions) return;
    this.#isTerminatingSessions = true;
    await this.#readers.execute(TERMINATE_STALLED_SESSIONS, []).catch(() => undefined); // retried by the next waiter
    this.#isTerminatingSessions = false;
  }

  async limitLockWaits({ db }: Transaction, milliseconds: number): Promise<void> {
    await sql.raw(`set local lock_timeout = ${Math.max(1, Math.ceil(milliseconds))}`).execute(db);
  }

  runExclusively(work: (exclusive: ExclusiveWork) => Promise<void>, signal?: AbortSignal): Promise<boolean> {
    return runExclusively({ url: this.#url, clock: this.#runningClock, signal }, work);
  }

  run<Args extends object, Row>(statement: Statement<Args, Row>, args: Args): Promise<Row[]> {
    return this.#compiled.run(this.#execute, statement, args);
  }

  /** The server runs reads in parallel; only the duration is limited here. */
  async readOffThread<Row>(query: Compilable<Row>): Promise<Row[]> {
    const { sql: text, parameters } = query.compile();
    try {
      const read = this.#slowReaders.execute(text, parameters);
      const { rows } = await this.#waitWhileServerResponds(read, () => this.#slowReaders.discardAll());
      return rows as Row[];
    } catch (error) {
      if (
        error instanceof DatabaseUnavailable &&
        error.cause instanceof DeadlineExceeded &&
        !(error instanceof ServerNotResponding)
      )
        throw new ReadTooSlow();
      throw error;
    }
  }

  isWithinDeadline(): Expression<SqlBool> {
    return sql<SqlBool>`true`;
  }

  onEvents(listener: (accountId: number) => void): () => void {
    return this.#notifications.onEvents(listener);
  }

  broadcast(text: string): void {
    this.#notifications.broadcasts.send(text);
  }

  onBroadcast(listener: (text: string) => void): () => void {
    return this.#notifications.broadcasts.onReceive(listener);
  }

  /** The server checks its files itself. */
  findIntegrityProblems(): string[] {
    return [];
  }

  getUsage(): ServerUsage {
    return {
      connectionsBusy: this.#readers.busy + this.#slowReaders.busy + this.#writers.busy,
      connectionLimit: 2 * this.#connections + SLOW_READER_CONNECTIONS,
      waiting: this.#readers.waiting + this.#slowReaders.waiting + this.#writers.waiting + this.#accountQueues.waiting,
      timedOutCount: this.#timedOutCount,
      unreachableCount: this.#unreachableCount,
      wakeUps: this.#notifications.receivedCount,
      isListening: this.#notifications.isListening,
    };
  }

  async ping(): Promise<void> {
    if (this.#isClosed) throw new DatabaseUnavailable('The database is closed.');
    const { rows } = await this.#readers.execute('select pg_is_in_recovery() as is_standby', []);
    if ((rows[0] as { isStandby: number }).isStandby === 1) throw new DatabaseUnavailable('The database is a standby.');
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#notifications.end();
    await Promise.all([this.#readers, this.#slowReaders, this.#writers].map((pool) => pool.end(5)));
    this.#runningClock.stop();
  }

  #withFailureCount(execute: Execute): Execute {
    return async (text, parameters, milliseconds) => {
      try {
        return await execute(text, parameters, milliseconds);
      } catch (error) {
        if (error instanceof DatabaseUnavailable) this.#countFailure(error);
        throw error;
      }
    };
  }

  #countFailure({ cause }: DatabaseUnavailable): void {
    if (cause instanceof DeadlineExceeded) {
      this.#timedOutCount += 1;
      this.#writers.rejectWaiting(cause);
      this.#terminateStalledSessions();
    } else {
      this.#unreachableCount += 1;
    }
  }
}
