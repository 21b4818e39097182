import { type Compilable, type Expression, type Kysely, type SqlBool, sql } from 'kysely';
import type { Clock, Database, ServerUse, Transaction } from '../database.ts';
import { DeadlineExceeded, inTime } from '../deadline.ts';
import { DatabaseUnavailable, ReadTooSlow } from '../errors.ts';
import { CompiledStatements, type Statement } from '../prepared-statement.ts';
import { RunningClock } from '../running-clock.ts';
import type { Tables } from '../tables.ts';
import { MAX_WAIT_MS, Turns } from '../turns.ts';
import { type Answer, type Execute, queriesOn } from './dialect.ts';
import { Notifications } from './notifications.ts';
import { Readers, Writers } from './pools.ts';
import { APPLICATION, IDLE_IN_TRANSACTION_MS, Session } from './session.ts';
import { Transactions } from './transactions.ts';

export interface PostgresOptions {
  /** Another clock than the database's own, for tests. */
  readonly clock?: Clock;
  readonly slowReadMs?: number;
  readonly statementMs?: number;
  /** How many transactions run at once, and how many connections are read through. */
  readonly connections?: number;
}

/** Reads that take long have connections of their own: nobody waits behind them. */
const SLOW_READERS = 2;
/** What the server stops by itself, when the node that asked has given it up already. */
const GIVEN_UP_MS = 500;

const NOW_MS = `create or replace function now_ms() returns bigint language sql stable as
  'select (extract(epoch from statement_timestamp()) * 1000)::bigint'`;

/**
 * A node that stands still in the middle of sending a statement would hold its locks for ever: the server waits for the rest,
 * and takes that neither for an idle transaction nor for a lost connection. Whoever waits for it ends it.
 */
const END_FORGOTTEN = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and application_name like '${APPLICATION}%' and xact_start is not null
  and wait_event = 'ClientRead' and state_change < clock_timestamp() - ${IDLE_IN_TRANSACTION_MS} * interval '1 millisecond'`;

/** Not this statement alone is slow. */
class ServerIsSilent extends DatabaseUnavailable {}

/** The database of one node or of many. What only one of them may do is decided by it, and never by a node. */
export class PostgresDatabase implements Database {
  readonly columnWords = { orderedText: 'text collate "C"' };
  readonly prelude = [NOW_MS];
  readonly read: Kysely<Tables>;
  readonly #compiled: CompiledStatements;
  readonly #execute: Execute;
  readonly #connections: number;
  readonly #statementMs: number;
  readonly #readers: Readers;
  readonly #slowReaders: Readers;
  readonly #writers: Writers;
  readonly #notifications: Notifications;
  readonly #turns: Turns<number>;
  readonly #running = new RunningClock();
  readonly #transactions: Transactions;
  #givenUp = 0;
  #refused = 0;
  #ending = false;
  #closed = false;

  constructor(url: string, options: PostgresOptions = {}) {
    const { clock, statementMs = 800, slowReadMs = 2000, connections = 10 } = options;
    this.#connections = connections;
    this.#statementMs = statementMs;
    const rewrite = clock && ((text: string) => text.replaceAll(/(?<!function )now_ms\(\)/g, `${clock()}::bigint`));
    // Where one connection has fallen silent, those that nobody has asked anything for as long are not trusted either.
    const onSilent = () => {
      const all = [this.#readers, this.#slowReaders, this.#writers, this.#notifications];
      for (const each of all) each.discardUnheard(statementMs);
    };
    const session = (patienceMs: number, settings: Record<string, boolean | number>) => () =>
      new Session(url, {
        patienceMs,
        clock: this.#running,
        ...(patienceMs === statementMs && { onSilent }),
        settings: { statement_timeout: patienceMs + GIVEN_UP_MS, ...settings },
        ...(rewrite && { rewrite }),
      });
    const longestWaitMs = Math.max(statementMs, MAX_WAIT_MS);
    const turnsEnd = { statement_timeout: longestWaitMs + GIVEN_UP_MS };
    const readOnly = { default_transaction_read_only: true };
    this.#readers = new Readers(session(statementMs, readOnly), connections, statementMs, this.#running);
    this.#slowReaders = new Readers(session(slowReadMs, readOnly), SLOW_READERS, slowReadMs, this.#running);
    this.#writers = new Writers(session(statementMs, turnsEnd), connections, longestWaitMs, this.#running);
    this.#turns = new Turns({ now: () => this.#running.now(), longestWaitMs });
    this.#execute = this.#counted(this.#readers.execute);
    this.read = queriesOn(this.#execute);
    this.#compiled = new CompiledStatements(this.read);
    this.#notifications = new Notifications(
      url,
      { patienceMs: statementMs, clock: this.#running },
      this.#readers.execute,
    );
    this.#transactions = new Transactions({
      writers: this.#writers,
      compiled: this.#compiled,
      clock,
      longestWaitMs,
      running: this.#running,
      counted: (execute) => this.#counted(execute),
      whileOthersAnswer: (turn, giveUp) => this.#whileOthersAnswer(turn, giveUp, () => this.#endForgotten()),
      onCommit: (accountIds) => this.#notifications.send(accountIds),
    });
  }

  /** The changes of an account wait here for those of this node, and in the database for those of the others. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, accountId?: number): Promise<T> {
    if (this.#closed) return Promise.reject(new DatabaseUnavailable('The database is closed.'));
    if (accountId === undefined) return this.#transactions.perform(work, undefined);
    return this.#turns.take(accountId, () => this.#transactions.perform(work, accountId));
  }

  /** To wait for others of the account, or for a read that takes long, is no fault of the server, as long as it answers at all. */
  async #whileOthersAnswer(
    long: Promise<Answer>,
    giveUp: () => void,
    meanwhile: () => void = () => undefined,
  ): Promise<Answer> {
    for (;;) {
      try {
        return await inTime(long, this.#statementMs / 2, this.#running);
      } catch (error) {
        if (!(error instanceof DeadlineExceeded)) throw error;
      }
      try {
        await inTime(this.ping(), this.#statementMs / 2, this.#running);
        meanwhile();
      } catch (error) {
        giveUp();
        const cause = error instanceof DatabaseUnavailable ? error.cause : error;
        throw new ServerIsSilent('The database does not answer.', { cause });
      }
    }
  }

  async #endForgotten(): Promise<void> {
    if (this.#closed || this.#ending) return;
    this.#ending = true;
    await this.#readers.execute(END_FORGOTTEN, []).catch(() => undefined); // the next one tries again
    this.#ending = false;
  }

  run<Args extends object, Row>(statement: Statement<Args, Row>, args: Args): Promise<Row[]> {
    return this.#compiled.run(this.#execute, statement, args);
  }

  /** The server itself runs a long read apart from the others; only its length is watched. */
  async readOffThread<Row>(query: Compilable<Row>): Promise<Row[]> {
    const { sql: text, parameters } = query.compile();
    try {
      const long = this.#slowReaders.execute(text, parameters);
      const { rows } = await this.#whileOthersAnswer(long, () => this.#slowReaders.discardAll());
      return rows as Row[];
    } catch (error) {
      if (
        error instanceof DatabaseUnavailable &&
        error.cause instanceof DeadlineExceeded &&
        !(error instanceof ServerIsSilent)
      )
        throw new ReadTooSlow();
      throw error;
    }
  }

  withinDeadline(): Expression<SqlBool> {
    return sql<SqlBool>`true`;
  }

  onEvents(listener: (accountId: number) => void): () => void {
    return this.#notifications.on(listener);
  }

  /** The server checks its own files. */
  integrityProblems(): string[] {
    return [];
  }

  use(): ServerUse {
    return {
      connectionsBusy: this.#readers.busy + this.#slowReaders.busy + this.#writers.busy,
      connectionLimit: 2 * this.#connections + SLOW_READERS,
      waiting: this.#readers.waiting + this.#slowReaders.waiting + this.#writers.waiting + this.#turns.waiting,
      givenUp: this.#givenUp,
      refused: this.#refused,
      wakeUps: this.#notifications.heard,
      isListening: this.#notifications.isListening,
    };
  }

  async ping(): Promise<void> {
    if (this.#closed) throw new DatabaseUnavailable('The database is closed.');
    const { rows } = await this.#readers.execute('select pg_is_in_recovery() as is_standby', []);
    if ((rows[0] as { isStandby: number }).isStandby === 1) throw new DatabaseUnavailable('The database is a standby.');
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#notifications.end();
    await Promise.all([this.#readers, this.#slowReaders, this.#writers].map((each) => each.end(5)));
    this.#running.stop();
  }

  #counted(execute: Execute): Execute {
    return async (text, parameters, milliseconds) => {
      try {
        return await execute(text, parameters, milliseconds);
      } catch (error) {
        if (error instanceof DatabaseUnavailable) this.#count(error);
        throw error;
      }
    };
  }

  #count({ cause }: DatabaseUnavailable): void {
    if (cause instanceof DeadlineExceeded) {
      this.#givenUp += 1;
      this.#writers.failWaiting(cause);
      this.#endForgotten();
    } else {
      this.#refused += 1;
    }
  }
}
