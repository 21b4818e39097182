import type { Kysely } from 'kysely';
import type { Clock, NewEvent, Transaction } from '../database.ts';
import { DeadlineExceeded } from '../deadline.ts';
import { DatabaseUnavailable } from '../errors.ts';
import type { CompiledStatements } from '../prepared-statement.ts';
import type { RunningClock } from '../running-clock.ts';
import { failureOf, firstFailure, settled, TransactionIsOver } from '../sent.ts';
import type { Tables } from '../tables.ts';
import { type Answer, type Execute, queriesOn } from './dialect.ts';
import { appendEvents } from './event-log.ts';
import type { Writers } from './pools.ts';
import { NotSent, type Session } from './session.ts';

/** The time at which the account's turn has come, however long it was waited for. */
const TURN_TIME = 'select (extract(epoch from clock_timestamp()) * 1000)::bigint as now';

/** A column was added by a newer version while this one runs: what a connection has prepared is good for nothing. */
const PLAN_IS_OLD = ['0A000', '25P02'];
/** The server has chosen this one among those that waited for each other. */
const DEADLOCK = ['40P01', '40001'];
const BEGIN_ANEW: ReadonlySet<string> = new Set([...PLAN_IS_OLD, ...DEADLOCK]);
/** A newer version may add several columns, one after the other. */
const MAX_ATTEMPTS = 5;
/** A lost connection says little of the next one; two of them say that the server is away. */
const MAX_LOSSES = 1;

export interface TransactionParts {
  readonly writers: Writers;
  readonly compiled: CompiledStatements;
  readonly clock: Clock | undefined;
  readonly running: RunningClock;
  /** For the turn of an account. */
  readonly longestWaitMs: number;
  counted(execute: Execute): Execute;
  /** Waits for the turn of an account, as long as the server answers others; gives it up when it does not. */
  whileOthersAnswer(turn: Promise<Answer>, giveUp: () => void): Promise<Answer>;
  onCommit(accountIds: ReadonlySet<number>): void;
}

/** Carries out transactions, each on a connection of its own. */
export class Transactions {
  readonly #parts: TransactionParts;

  constructor(parts: TransactionParts) {
    this.#parts = parts;
  }

  async perform<T>(work: (tx: Transaction) => Promise<T>, accountId: number | undefined): Promise<T> {
    let losses = 0;
    for (let attempt = 1; ; attempt += 1) {
      const session = await this.#parts.writers.take();
      try {
        return await this.#attempt(session, work, accountId);
      } catch (error) {
        if (error instanceof LostBeforeCommit) {
          losses += 1;
          if (losses > MAX_LOSSES) throw error.reason;
        } else if (attempt >= MAX_ATTEMPTS || !BEGIN_ANEW.has((error as { code?: string }).code ?? '')) {
          throw error;
        }
        session.discard(); // the next one has nothing prepared
      } finally {
        this.#parts.writers.giveBack(session);
      }
    }
  }

  async #attempt<T>(
    session: Session,
    work: (tx: Transaction) => Promise<T>,
    accountId: number | undefined,
  ): Promise<T> {
    const { running } = this.#parts;
    const stalledBefore = running.stalledMs;
    const { execute, now } = await this.#begin(session, accountId);
    let isOver = false;
    const inside: Execute = async (text, parameters) => {
      if (isOver) throw new TransactionIsOver();
      return execute(text, parameters);
    };
    const events: NewEvent[] = [];
    const sent: Promise<unknown>[] = [];
    let commit: Promise<Answer> | undefined;
    try {
      let db: Kysely<Tables> | undefined;
      const tx: Transaction = {
        get db() {
          db ??= queriesOn(inside);
          return db;
        },
        database: this,
        now,
        run: (statement, args) => this.#parts.compiled.run(inside, statement, args),
        send: (statement, args) => sent.push(settled(this.#parts.compiled.run(inside, statement, args))),
        emit: (event) => events.push(event),
      };
      const value = await work(tx);
      isOver = true;
      // While this node stood still the server may have ended the transaction: a commit would get no answer, and be unknown.
      if (running.stalledMs > stalledBefore) await execute('select 1', []);
      // Sent together: a commit after something failed rolls back.
      const appended = appendEvents(execute, events, now);
      commit = settled(execute('commit', []));
      await Promise.all([...sent, ...appended, commit]);
      // Somebody inside caught the error of a statement: the server has thrown everything away, without an error.
      if ((await commit).command !== 'COMMIT') throw new Error('The transaction was rolled back.');
      this.#parts.onCommit(new Set(events.map((event) => event.accountId)));
      return value;
    } catch (last) {
      isOver = true;
      await execute('rollback', []).catch(() => session.discard());
      const error = (await firstFailure(sent)) ?? last;
      if (!(error instanceof DatabaseUnavailable)) throw error;
      if (commit && !((await failureOf(commit)) instanceof NotSent))
        throw new DatabaseUnavailable('The change could not be stored.', { cause: error, outcomeUnknown: true });
      throw lostOr(error);
    }
  }

  /** Where the changes of an account wait for each other on all nodes: what follows sees all that was done before. */
  async #begin(session: Session, accountId: number | undefined): Promise<{ execute: Execute; now: number }> {
    const lock = accountId === undefined ? '' : `select pg_advisory_xact_lock(${accountId});`;
    const text = `begin; ${lock} ${TURN_TIME}`;
    const execute = this.#parts.counted(session.untilLost());
    try {
      const turn = execute(text, [], this.#parts.longestWaitMs);
      const answers = (await this.#parts.whileOthersAnswer(turn, () => session.discard())).rows;
      return { execute, now: this.#parts.clock?.() ?? (answers.at(-1) as { now: number }[])[0]?.now ?? 0 };
    } catch (error) {
      session.discard(); // whatever it is in the middle of ends with it
      throw lostOr(error);
    }
  }
}

/**
 * The connection was lost before a commit was sent: the server was restarted since it was used last, or has ended what this
 * node left open while it stood still. Nothing was stored, and another connection may work.
 */
class LostBeforeCommit extends Error {
  readonly reason: DatabaseUnavailable;

  constructor(reason: DatabaseUnavailable) {
    super(reason.message, { cause: reason });
    this.name = 'LostBeforeCommit';
    this.reason = reason;
  }
}

/** Tells a loss from silence: only after a loss it is worth to begin anew. */
function lostOr(error: unknown): unknown {
  const wasLost = error instanceof DatabaseUnavailable && !(error.cause instanceof DeadlineExceeded);
  return wasLost ? new LostBeforeCommit(error) : error;
}
