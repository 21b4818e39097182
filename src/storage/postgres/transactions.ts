import type { Kysely } from 'kysely';
import type { Clock, NewEvent, Transaction } from '../database.ts';
import { DeadlineExceeded } from '../deadline.ts';
import { DatabaseUnavailable } from '../errors.ts';
import type { CompiledStatements } from '../prepared-statement.ts';
import type { RunningClock } from '../running-clock.ts';
import { findFailure, findFirstFailure, ignoreUnhandledRejection, TransactionEnded } from '../statement-outcomes.ts';
import type { Tables } from '../tables.ts';
import { createQueryBuilder, type Execute, type StatementResult } from './dialect.ts';
import { appendEvents } from './event-log.ts';
import type { WriterPool } from './pools.ts';
import { type Session, StatementNotSent } from './session.ts';

/** The time after the account lock was acquired. */
const SELECT_NOW = 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now';

/** A newer version added a column while this one runs: prepared statements are stale. */
const STALE_PLAN_CODES = ['0A000', '25P02'];
/** The server chose this transaction to resolve a deadlock or conflict. */
const DEADLOCK_CODES = ['40P01', '40001'];
const RETRYABLE_CODES: ReadonlySet<string> = new Set([...STALE_PLAN_CODES, ...DEADLOCK_CODES]);
/** A newer version can add several columns in a row. */
const MAX_ATTEMPTS = 5;
/** One lost connection is retried; two mean that the server is unavailable. */
const MAX_CONNECTION_LOSSES = 1;

export interface TransactionDependencies {
  readonly writers: WriterPool;
  readonly compiled: CompiledStatements;
  readonly clock: Clock | undefined;
  readonly runningClock: RunningClock;
  /** Limits the wait for the account lock. */
  readonly maxWaitMs: number;
  withFailureCount(execute: Execute): Execute;
  /** Waits for the account lock while the server responds to other statements; otherwise calls `abandon`. */
  waitWhileServerResponds(lockWait: Promise<StatementResult>, abandon: () => void): Promise<StatementResult>;
  onCommit(accountIds: ReadonlySet<number>): void;
}

/** Runs each transaction on a separate connection. */
export class Transactions {
  readonly #dependencies: TransactionDependencies;

  constructor(dependencies: TransactionDependencies) {
    this.#dependencies = dependencies;
  }

  async run<T>(work: (tx: Transaction) => Promise<T>, accountId: number | undefined): Promise<T> {
    let losses = 0;
    for (let attempt = 1; ; attempt += 1) {
      const session = await this.#dependencies.writers.acquire();
      try {
        return await this.#attempt(session, work, accountId);
      } catch (error) {
        if (error instanceof LostBeforeCommit) {
          losses += 1;
          if (losses > MAX_CONNECTION_LOSSES) throw error.reason;
        } else if (attempt >= MAX_ATTEMPTS || !RETRYABLE_CODES.has((error as { code?: string }).code ?? '')) {
          throw error;
        }
        session.discard(); // a new connection has no prepared statements
      } finally {
        this.#dependencies.writers.release(session);
      }
    }
  }

  async #attempt<T>(
    session: Session,
    work: (tx: Transaction) => Promise<T>,
    accountId: number | undefined,
  ): Promise<T> {
    const { runningClock } = this.#dependencies;
    const stalledBefore = runningClock.stalledMs;
    const { execute, now } = await this.#begin(session, accountId);
    let hasEnded = false;
    const executeInside: Execute = async (text, parameters) => {
      if (hasEnded) throw new TransactionEnded();
      return execute(text, parameters);
    };
    const events: NewEvent[] = [];
    const sent: Promise<unknown>[] = [];
    let commit: Promise<StatementResult> | undefined;
    try {
      let db: Kysely<Tables> | undefined;
      const tx: Transaction = {
        get db() {
          db ??= createQueryBuilder(executeInside);
          return db;
        },
        database: this,
        now,
        run: (statement, args) => this.#dependencies.compiled.run(executeInside, statement, args),
        send: (statement, args) =>
          sent.push(ignoreUnhandledRejection(this.#dependencies.compiled.run(executeInside, statement, args))),
        emit: (event) => events.push(event),
      };
      const value = await work(tx);
      hasEnded = true;
      // During a stall the server may have ended the transaction; the outcome of a commit would then be unknown.
      if (runningClock.stalledMs > stalledBefore) await execute('select 1', []);
      // Pipelined: a commit after a failed statement rolls back.
      const appends = appendEvents(execute, events, now);
      commit = ignoreUnhandledRejection(execute('commit', []));
      await Promise.all([...sent, ...appends, commit]);
      // If `work` caught the error of a statement, the server rolls back without reporting an error.
      if ((await commit).command !== 'COMMIT') throw new Error('The transaction was rolled back.');
      this.#dependencies.onCommit(new Set(events.map((event) => event.accountId)));
      return value;
    } catch (lastError) {
      hasEnded = true;
      await execute('rollback', []).catch(() => session.discard());
      const error = (await findFirstFailure(sent)) ?? lastError;
      if (!(error instanceof DatabaseUnavailable)) throw error;
      if (commit && !((await findFailure(commit)) instanceof StatementNotSent))
        throw new DatabaseUnavailable('The change could not be stored.', { cause: error, outcomeUnknown: true });
      throw toRetryable(error);
    }
  }

  /** Acquires the account lock across all nodes. Later statements see all earlier changes of the account. */
  async #begin(session: Session, accountId: number | undefined): Promise<{ execute: Execute; now: number }> {
    const lock = accountId === undefined ? '' : `select pg_advisory_xact_lock(${accountId});`;
    const text = `begin; ${lock} ${SELECT_NOW}`;
    const execute = this.#dependencies.withFailureCount(session.startTransaction());
    try {
      const lockWait = execute(text, [], this.#dependencies.maxWaitMs);
      const results = (await this.#dependencies.waitWhileServerResponds(lockWait, () => session.discard())).rows;
      return { execute, now: this.#dependencies.clock?.() ?? (results.at(-1) as { now: number }[])[0]?.now ?? 0 };
    } catch (error) {
      session.discard(); // also ends a running statement
      throw toRetryable(error);
    }
  }
}

/**
 * The connection was lost before a commit was sent: the server restarted since the last use, or ended the transaction
 * during a stall of this node. Nothing was stored, and another connection may work.
 */
class LostBeforeCommit extends Error {
  readonly reason: DatabaseUnavailable;

  constructor(reason: DatabaseUnavailable) {
    super(reason.message, { cause: reason });
    this.name = 'LostBeforeCommit';
    this.reason = reason;
  }
}

/** Retrying helps after a lost connection, but not after a timeout. */
function toRetryable(error: unknown): unknown {
  const isLoss = error instanceof DatabaseUnavailable && !(error.cause instanceof DeadlineExceeded);
  return isLoss ? new LostBeforeCommit(error) : error;
}
