import type { Kysely } from 'kysely';
import type { Transaction } from '../database.ts';
import type { CompiledStatements } from '../prepared-statement.ts';
import { ignoreUnhandledRejection, TransactionEnded } from '../statement-outcomes.ts';
import type { Tables } from '../tables.ts';
import { createQueryBuilder, type Execute } from './dialect.ts';
import type { EmittedEvent } from './event-log.ts';

/** What one caller changes in a transaction. It is settled after the commit. */
export interface Change {
  work(tx: Transaction): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Returns the next change for a transaction; undefined when there are no more. */
export type TakeChange = () => Change | undefined;

export function takeOnly(change: Change): TakeChange {
  const changes = [change];
  return () => changes.pop();
}

/** The changes of one transaction. All attempts run the same ones; each can take more. */
export class TakenChanges {
  readonly all: Change[] = [];
  readonly #take: TakeChange;
  #nextIndex = 0;

  /** Takes the first change at once, so that there is one to reject if no transaction begins. */
  constructor(take: TakeChange) {
    this.#take = take;
    this.#takeAnother();
  }

  startAgain(): void {
    this.#nextIndex = 0;
  }

  next(): Change | undefined {
    if (this.#nextIndex === this.all.length) this.#takeAnother();
    const change = this.all[this.#nextIndex];
    if (change) this.#nextIndex += 1;
    return change;
  }

  #takeAnother(): void {
    const change = this.#take();
    if (change) this.all.push(change);
  }
}

const READS = /^\s*(?:select|with)\b(?!.*\b(?:insert|update|delete)\b)/is;

/** The statements and events of one change. */
export class ChangeScope {
  readonly tx: Transaction;
  readonly events: EmittedEvent[] = [];
  /** Statements whose results the change does not wait for. */
  readonly sent: Promise<unknown>[] = [];
  /** Checks of their rows. One that fails reports a fault after the commit: nothing can be undone. */
  readonly checks: Promise<unknown>[] = [];
  /** A statement wrote or failed: if the change fails, its transaction must not be committed as it is. */
  mustBeUndone = false;
  #hasEnded = false;

  constructor(execute: Execute, { compiled, database, readNow }: ChangeContext) {
    let firstNow: number | undefined;
    const getNow = () => {
      firstNow ??= readNow();
      if (firstNow === undefined) throw new Error('Wait for a statement before you use the time of the transaction.');
      return firstNow;
    };
    const executeInside: Execute = async (text, parameters) => {
      if (this.#hasEnded) throw new TransactionEnded();
      if (!READS.test(text)) this.mustBeUndone = true;
      try {
        return await execute(text, parameters);
      } catch (error) {
        this.mustBeUndone = true;
        throw error;
      }
    };
    let db: Kysely<Tables> | undefined;
    this.tx = {
      get db() {
        db ??= createQueryBuilder(executeInside);
        return db;
      },
      database,
      get now() {
        return getNow();
      },
      run: (statement, args) => compiled.run(executeInside, statement, args),
      send: (statement, args, check) => {
        const rows = compiled.run(executeInside, statement, args);
        this.sent.push(ignoreUnhandledRejection(rows));
        if (check) this.checks.push(ignoreUnhandledRejection(rows.then(check)));
      },
      emit: (event) => this.events.push({ ...event, at: getNow() }),
    };
  }

  /** Rejects all later statements: they would run in another change. */
  end(): void {
    this.#hasEnded = true;
  }
}

export interface ChangeContext {
  readonly compiled: CompiledStatements;
  readonly database: object;
  /** The database's time; undefined before the transaction has begun. */
  readNow(): number | undefined;
}
