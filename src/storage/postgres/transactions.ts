import { LRUCache } from 'lru-cache';
import type { Clock } from '../database.ts';
import { DeadlineExceeded } from '../deadline.ts';
import { DatabaseUnavailable } from '../errors.ts';
import type { CompiledStatements, Fact } from '../prepared-statement.ts';
import { startsWithReads } from '../reads-first.ts';
import type { RunningClock } from '../running-clock.ts';
import { findFailure, findFirstFailure, ignoreUnhandledRejection } from '../statement-outcomes.ts';
import { type Change, ChangeScope, type TakeChange, TakenChanges, takeOnly } from './changes.ts';
import type { Execute, StatementResult } from './dialect.ts';
import { appendEvents, type EmittedEvent } from './event-log.ts';
import type { WriterPool } from './pools.ts';
import { type Session, StatementNotSent } from './session.ts';
import { WrittenFacts } from './written-facts.ts';

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

/** How many changes have begun, with the one whose turn it is. */
const MAX_STARTED = 8;
const UNDOING_MS = 10_000;
const SAVEPOINT = 'savepoint change';
const NEXT_SAVEPOINT = `release ${SAVEPOINT}; ${SAVEPOINT}`;
const UNDO = `rollback to ${SAVEPOINT}`;

/** A change failed after it had written, and others share its transaction: all run again, with savepoints. */
class SavepointsNeeded extends Error {}

export interface TransactionDependencies {
  readonly writers: WriterPool;
  readonly compiled: CompiledStatements;
  readonly clock: Clock | undefined;
  readonly onStaleRead: ((facts: readonly Fact[]) => void) | undefined;
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
  /** Accounts in which a change was undone lately: refusals come in series, so savepoints are used from the start. */
  readonly #undoing = new LRUCache<number, true>({ max: 1000, ttl: UNDOING_MS });

  constructor(dependencies: TransactionDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Runs changes in one transaction, one after the other, and settles them after the commit. An error undoes only its
   * own change. Rejects if the transaction failed, after it has rejected all its changes.
   */
  async run(take: TakeChange, accountId: number | undefined): Promise<void> {
    const changes = new TakenChanges(take);
    if (changes.all.length === 0) return;
    try {
      const settlements = await this.#runWithRetries(changes, accountId);
      for (const settle of settlements) settle();
    } catch (error) {
      // A statement that nothing waited for has failed: alone, only its own change fails.
      const isOwnFailure = changes.all.length === 1 || error instanceof DatabaseUnavailable;
      if (!isOwnFailure) return this.#runSeparately(changes.all, accountId);
      for (const change of changes.all) change.reject(error);
      throw error;
    }
  }

  async #runSeparately(changes: readonly Change[], accountId: number | undefined): Promise<void> {
    const outcomes = [];
    for (const change of changes) outcomes.push(await findFailure(this.run(takeOnly(change), accountId)));
    const unavailable = outcomes.find((error) => error instanceof DatabaseUnavailable);
    if (unavailable) throw unavailable;
  }

  async #runWithRetries(changes: TakenChanges, accountId: number | undefined): Promise<Settlement[]> {
    let losses = 0;
    let usesSavepoints = accountId !== undefined && this.#undoing.has(accountId);
    for (let attempt = 1; ; attempt += 1) {
      changes.startAgain();
      const session = await this.#dependencies.writers.acquire();
      try {
        return await this.#attempt(session, changes, { accountId, usesSavepoints, isFirstAttempt: attempt === 1 });
      } catch (error) {
        if (error instanceof LostBeforeCommit) {
          losses += 1;
          if (losses > MAX_CONNECTION_LOSSES) throw error.reason;
        } else if (error instanceof SavepointsNeeded) {
          usesSavepoints = true;
          if (accountId !== undefined) this.#undoing.set(accountId, true);
          continue;
        } else if (attempt >= MAX_ATTEMPTS || !isRetryable(error)) {
          throw error;
        }
        session.discard(); // a new connection has no prepared statements
      } finally {
        this.#dependencies.writers.release(session);
      }
    }
  }

  async #attempt(
    session: Session,
    changes: TakenChanges,
    { accountId, usesSavepoints, isFirstAttempt }: AttemptOptions,
  ): Promise<Settlement[]> {
    const { runningClock, clock, compiled, onStaleRead } = this.#dependencies;
    const stalledBefore = runningClock.stalledMs;
    const { execute, begun } = this.#begin(session, accountId);
    const group: Group = { execute, usesSavepoints, sent: [], events: [], settlements: [] };
    const readsAhead = isFirstAttempt && !usesSavepoints;
    /** The first of them has its turn. */
    const started: StartedChange[] = [];
    let readNow: (() => number) | undefined = clock;
    const written = new WrittenFacts();
    const context = { compiled, database: this, written, onStaleRead, readNow: () => readNow?.() };
    const startNext = () => {
      const change = changes.next();
      const isFirst = started.length === 0 && group.settlements.length === 0;
      const scope = new ChangeScope(execute, context);
      if (change) started.push(startChange(change, scope, { mayRead: isFirst || readsAhead }));
      return change !== undefined;
    };
    const startOthers = () => {
      while (started.length < (readsAhead ? MAX_STARTED : 1) && startNext());
    };
    begun.then(
      (beginning) => {
        readNow ??= () => beginning.now + Math.floor(performance.now() - beginning.at);
        startOthers(); // not earlier: the wait for the lock can be long
      },
      () => undefined,
    );
    let commit: Promise<StatementResult> | undefined;
    try {
      for (startNext(); started[0]; startOthers()) {
        if (!started[0].value) await begun;
        await this.#runChange(started[0], group);
        await begun;
        started.shift();
      }
      const { sent, events, settlements } = group;
      // During a stall the server may have ended the transaction; the outcome of a commit would then be unknown.
      if (runningClock.stalledMs > stalledBefore) await execute('select 1', []);
      // Pipelined: a commit after a failed statement rolls back.
      const appends = appendEvents(execute, events);
      commit = ignoreUnhandledRejection(execute('commit', []));
      await Promise.all([...sent, ...appends, commit]);
      // If `work` caught the error of a statement, the server rolls back without reporting an error.
      if ((await commit).command !== 'COMMIT') throw new Error('The transaction was rolled back.');
      this.#dependencies.onCommit(new Set(events.map((event) => event.accountId)));
      return settlements;
    } catch (lastError) {
      for (const { scope } of started) scope.end();
      const beginFailure = await findFailure(begun);
      if (beginFailure) throw toRetryable(beginFailure);
      await execute('rollback', []).catch(() => session.discard());
      const error = (await findFirstFailure(group.sent)) ?? lastError;
      if (!(error instanceof DatabaseUnavailable)) throw error;
      if (commit && !((await findFailure(commit)) instanceof StatementNotSent))
        throw new DatabaseUnavailable('The change could not be stored.', { cause: error, outcomeUnknown: true });
      throw toRetryable(error);
    }
  }

  /** Runs a change of a transaction. An error of one after the first fails only this change. */
  async #runChange(
    { change, scope, value: startedValue }: StartedChange,
    { execute, usesSavepoints, sent, events, settlements }: Group,
  ): Promise<void> {
    const isFirst = settlements.length === 0;
    if (usesSavepoints && !isFirst) {
      const savepoint = settlements.length === 1 ? SAVEPOINT : NEXT_SAVEPOINT;
      sent.push(ignoreUnhandledRejection(execute(savepoint, [])));
    }
    scope.takeTurn();
    try {
      const value = await (startedValue ?? change.work(scope.tx));
      scope.end();
      sent.push(...scope.sent);
      events.push(...scope.events);
      settlements.push(() => Promise.all(scope.checks).then(() => change.resolve(value), change.reject));
    } catch (lastError) {
      scope.end();
      const error = (await findFirstFailure(scope.sent)) ?? lastError;
      if (isFirst || isRetryable(error)) throw error;
      // Going back fails if a statement of an earlier change has failed.
      if (usesSavepoints) await execute(UNDO, []);
      else if (scope.mustBeUndone) throw error instanceof DatabaseUnavailable ? error : new SavepointsNeeded();
      settlements.push(() => change.reject(error));
    }
  }

  /** Acquires the account lock across all nodes. Later statements see all earlier changes of the account. */
  #begin(session: Session, accountId: number | undefined): { execute: Execute; begun: Promise<Beginning> } {
    const { withFailureCount, waitWhileServerResponds, maxWaitMs } = this.#dependencies;
    const lock = accountId === undefined ? '' : `select pg_advisory_xact_lock(${accountId});`;
    const execute = withFailureCount(session.startTransaction());
    let hasBegun = false;
    const begin = async () => {
      try {
        const lockWait = execute(`begin; ${lock} ${SELECT_NOW}`, [], maxWaitMs);
        const { rows } = await waitWhileServerResponds(lockWait, () => session.discard());
        hasBegun = true;
        return { now: (rows.at(-1) as { now: number }[])[0]?.now ?? 0, at: performance.now() };
      } catch (error) {
        session.discard(); // also ends a running statement
        throw error;
      }
    };
    return {
      begun: ignoreUnhandledRejection(begin()),
      // Statements that are sent with `begin` wait for the lock too.
      execute: (text, parameters) => execute(text, parameters, hasBegun ? undefined : maxWaitMs),
    };
  }
}

/** The database's time after the account lock was acquired, and this process's when it was received. */
interface Beginning {
  readonly now: number;
  readonly at: number;
}

interface AttemptOptions {
  readonly accountId: number | undefined;
  readonly usesSavepoints: boolean;
  readonly isFirstAttempt: boolean;
}

/** A change of which the first statements may have been sent. */
interface StartedChange {
  readonly change: Change;
  readonly scope: ChangeScope;
  /** Undefined if its work begins at its turn. */
  readonly value: Promise<unknown> | undefined;
}

function startChange(change: Change, scope: ChangeScope, { mayRead }: { mayRead: boolean }): StartedChange {
  const beginsNow = mayRead && startsWithReads(change.work);
  return { change, scope, value: beginsNow ? ignoreUnhandledRejection(change.work(scope.tx)) : undefined };
}

/** A transaction that changes share. */
interface Group {
  readonly execute: Execute;
  /** Each change after the first is a savepoint, which an error goes back to. Most groups have no error to undo. */
  readonly usesSavepoints: boolean;
  /** Statements whose results nothing waits for before the commit. */
  readonly sent: Promise<unknown>[];
  readonly events: EmittedEvent[];
  /** One for each change that ended. Called after the commit. */
  readonly settlements: Settlement[];
}

type Settlement = () => unknown;

function isRetryable(error: unknown): boolean {
  return RETRYABLE_CODES.has((error as { code?: string }).code ?? '');
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
