import type { Compilable, Expression, Kysely, SqlBool } from 'kysely';
import type { ColumnWords } from './migrations/migration.ts';
import type { Statement } from './prepared-statement.ts';
import type { Tables } from './tables.ts';

/** Tells the time in epoch milliseconds. The database's own clock decides over every expiry; tests pass one in. */
export type Clock = () => number;

/** Who made a change, as the event log keeps it. */
export interface Actor {
  readonly type: 'api_key' | 'operator' | 'visitor' | 'command_line' | 'system';
  readonly id: number | null;
  /** Through which interface. */
  readonly via?: 'rest' | 'graphql' | 'visitor' | 'command_line';
  /** From which address. */
  readonly address?: string;
}

/** Which fields changed, and their new values unless these are personal or secret. */
export interface Changes {
  readonly fields: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
}

export interface NewEvent {
  readonly accountId: number;
  readonly type: string;
  readonly subjectType: string;
  readonly subjectId: number;
  readonly actor: Actor;
  readonly changes: Changes;
}

export interface Transaction {
  /** For what is asked seldom: to build a query costs more than to carry it out. */
  readonly db: Kysely<Tables>;
  /** The same for all transactions of one database: a process may have several open. */
  readonly database: object;
  /** The database's time at which this transaction began. */
  readonly now: number;
  /** Runs a statement whose SQL is made once, for those that are repeated thousands of times. */
  run<Args extends object, Row>(statement: Statement<Args, Row>, args: Args): Promise<Row[]>;
  /**
   * The same for one whose answer nobody needs: it is sent, and what comes next does not wait for it. It is carried out before
   * everything that comes after it; if it fails, the transaction does.
   */
  send<Args extends object>(statement: Statement<Args, unknown>, args: Args): void;
  /** Adds to the event log, at the end of this transaction and only if it commits. */
  emit(event: NewEvent): void;
}

/** What a node knows of its own use of a database server. */
export interface ServerUse {
  /** Connections of this node that are carrying out a statement or a transaction now, of `connectionLimit`. */
  readonly connectionsBusy: number;
  readonly connectionLimit: number;
  /** Statements and transactions that wait for a connection or for their turn in the account. */
  readonly waiting: number;
  /** Since the start: statements given up because no answer came in time. */
  readonly givenUp: number;
  /** Since the start: statements that found no server, or lost it. */
  readonly refused: number;
  /** Since the start: wake-ups heard. */
  readonly wakeUps: number;
  /** Whether it would hear one now. */
  readonly isListening: boolean;
}

export interface Database {
  readonly columnWords: ColumnWords;
  /** What must be there before the first migration: functions that the other database has built in. */
  readonly prelude: readonly string[];
  /** Reads what is committed. Nothing can be written through it. */
  readonly read: Kysely<Tables>;
  /**
   * Runs `work`, all or nothing, and answers after the commit is on the disk. Changes of one account are carried out one after
   * the other, whichever node makes them: name the account wherever there is one. Inside, await nothing but the database:
   * everybody who writes is waiting.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, accountId?: number): Promise<T>;
  /** Runs a statement whose SQL is made once, outside of transactions: it reads what is committed. */
  run<Args extends object, Row>(statement: Statement<Args, Row>, args: Args): Promise<Row[]>;
  /**
   * For a read that no index serves: runs apart from the requests of others and gives up at its deadline.
   * The query must contain `withinDeadline(…)` where its rows are looked at, or it cannot be stopped.
   */
  readOffThread<Row>(query: Compilable<Row>): Promise<Row[]>;
  withinDeadline(rowNumber: Expression<number>): Expression<SqlBool>;
  /** Calls back after every commit that added to an account's event log; answers with a way to stop. */
  onEvents(listener: (accountId: number) => void): () => void;
  /** What the database itself finds wrong with what it keeps; empty when all is well. */
  integrityProblems(): string[];
  /** Only where the database is a server. */
  use?(): ServerUse;
  /** A round trip that fails when the database cannot answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
