import type { Compilable, Expression, Kysely, SqlBool } from 'kysely';
import type { ColumnTypes, IndexDefinition } from './migrations/migration.ts';
import type { Statement } from './prepared-statement.ts';
import type { Tables } from './tables.ts';

/** Returns the time in epoch milliseconds. Every expiry uses the database's clock; tests pass their own. */
export type Clock = () => number;

/** Who made a change, as stored in the event log. */
export interface Actor {
  readonly type: 'api_key' | 'operator' | 'visitor' | 'command_line' | 'system';
  readonly id: number | null;
  /** The interface. */
  readonly via?: 'rest' | 'graphql' | 'visitor' | 'command_line' | 'password_link' | 'session';
  /** The network address. */
  readonly address?: string;
}

/** The changed fields, with their new values unless these are personal or secret. */
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
  /** For infrequent queries: building a query costs more than executing it. */
  readonly db: Kysely<Tables>;
  /** Identifies the database: a process can have several open. */
  readonly database: object;
  /** The database's time at the start of this transaction. */
  readonly now: number;
  /** Runs a prepared statement, for frequent queries. */
  run<Args extends object, Row>(statement: Statement<Args, Row>, args: Args): Promise<Row[]>;
  /**
   * Sends a prepared statement without waiting for its result. It still executes before all later statements; if it
   * fails, the transaction fails. `check` receives the rows, on a database server only after the commit: it can report
   * what must not happen.
   */
  send<Args extends object, Row>(statement: Statement<Args, Row>, args: Args, check?: (rows: Row[]) => void): void;
  /** Adds an event to the log at the end of this transaction, if it commits. */
  emit(event: NewEvent): void;
}

/** A node's usage of the database server. */
export interface ServerUsage {
  /** Connections that are executing a statement or a transaction, of `connectionLimit`. */
  readonly connectionsBusy: number;
  readonly connectionLimit: number;
  /** Statements and transactions that wait for a connection or for the account lock. */
  readonly waiting: number;
  /** Statements that timed out, since the start. */
  readonly timedOutCount: number;
  /** Statements that failed because the server was unreachable, since the start. */
  readonly unreachableCount: number;
  /** Wake-ups received, since the start. */
  readonly wakeUps: number;
  /** Whether wake-ups can be received now. */
  readonly isListening: boolean;
}

/** Given to the one node that does exclusive work. */
export interface ExclusiveWork {
  /** Builds an index while other nodes and requests go on. Can be repeated after an interruption. */
  createIndex(index: IndexDefinition): Promise<void>;
  /** Aborted when another node may take over. */
  readonly lost: AbortSignal;
}

export interface Database {
  readonly columnTypes: ColumnTypes;
  /** Run before the first migration: define functions that the other database has built in. */
  readonly setupStatements: readonly string[];
  /** The longest time that a change waits for earlier ones. */
  readonly maxWaitMs: number;
  /** Read-only; sees committed data. */
  readonly read: Kysely<Tables>;
  /**
   * Runs `work` atomically and returns after the commit is on disk. Pass the account wherever there is one: changes of
   * one account run one after the other, across all nodes. Inside, await nothing but the database, because other
   * writers wait.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>, accountId?: number): Promise<T>;
  /**
   * Limits how long later statements of the transaction wait for the locks of others, because requests queue behind a
   * waiting statement. They fail with `LockNotAvailable`. Does nothing if there is only one writer.
   */
  limitLockWaits(tx: Transaction, milliseconds: number): Promise<void>;
  /**
   * Runs long work on one node at a time. Returns false at once if another node is doing it. The signal also interrupts
   * the building of an index.
   */
  runExclusively(work: (exclusive: ExclusiveWork) => Promise<void>, signal?: AbortSignal): Promise<boolean>;
  /** Runs a prepared statement outside of transactions; sees committed data. */
  run<Args extends object, Row>(statement: Statement<Args, Row>, args: Args): Promise<Row[]>;
  /**
   * Runs a read that no index serves, without blocking other requests, and stops it at its deadline. The query must
   * contain `isWithinDeadline(…)` in the condition on its rows, or it cannot be stopped.
   */
  readOffThread<Row>(query: Compilable<Row>): Promise<Row[]>;
  isWithinDeadline(rowNumber: Expression<number>): Expression<SqlBool>;
  /**
   * Calls the listener after every commit that added to an account's event log. Returns a function that unsubscribes.
   */
  onEvents(listener: (accountId: number) => void): () => void;
  /** Sends a short text to the other nodes, if there are any, after this call. It can be lost. */
  broadcast(text: string): void;
  /** Calls the listener for every text that another node has sent. Returns a function that unsubscribes. */
  onBroadcast(listener: (text: string) => void): () => void;
  /** Runs the database's own integrity check; empty if there are no problems. */
  findIntegrityProblems(): string[];
  /** Only defined for a database server. */
  getUsage?(): ServerUsage;
  /** Fails if the database does not respond. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
