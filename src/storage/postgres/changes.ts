import { isDeepStrictEqual } from 'node:util';
import type { Kysely } from 'kysely';
import type { Transaction } from '../database.ts';
import type { CompiledStatements, Fact, Statement } from '../prepared-statement.ts';
import { ignoreUnhandledRejection, TransactionEnded } from '../statement-outcomes.ts';
import type { Tables } from '../tables.ts';
import { createQueryBuilder, type Execute } from './dialect.ts';
import type { EmittedEvent } from './event-log.ts';
import type { WrittenFacts } from './written-facts.ts';

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

/**
 * The statements and events of one change. It can start ahead of its turn, while earlier changes run: then it sends
 * those first reads that say what they depend on. Their rows are delivered at its turn, and read again if they no
 * longer hold; all other statements wait for the turn.
 */
export class ChangeScope {
  readonly tx: Transaction;
  readonly events: EmittedEvent[] = [];
  /** Statements whose results the change does not wait for. */
  readonly sent: Promise<unknown>[] = [];
  /** Checks of their rows. One that fails reports a fault after the commit: nothing can be undone. */
  readonly checks: Promise<unknown>[] = [];
  /** A statement wrote or failed: if the change fails, its transaction must not be committed as it is. */
  mustBeUndone = false;
  readonly #execute: Execute;
  readonly #context: ChangeContext;
  readonly #turn = Promise.withResolvers<void>();
  #isAhead = true;
  #hasEnded = false;

  constructor(execute: Execute, context: ChangeContext) {
    this.#execute = execute;
    this.#context = context;
    const { database } = context;
    let firstNow: number | undefined;
    const getNow = () => {
      if (!this.#isAhead) firstNow ??= context.readNow();
      if (firstNow === undefined) throw new Error('Wait for a statement before you use the time of the transaction.');
      return firstNow;
    };
    const executeUnknown: Execute = async (text, parameters) => {
      if (this.#isAhead) await this.#turn.promise;
      return await this.#executeInside(text, parameters, undefined);
    };
    let db: Kysely<Tables> | undefined;
    this.tx = {
      get db() {
        db ??= createQueryBuilder(executeUnknown);
        return db;
      },
      database,
      get now() {
        return getNow();
      },
      run: (statement, args) => this.#run(statement, args),
      send: (statement, args, check) => {
        const rows = this.#run(statement, args);
        this.sent.push(ignoreUnhandledRejection(rows));
        if (check) this.checks.push(ignoreUnhandledRejection(rows.then(check)));
      },
      emit: (event) => this.events.push({ ...event, at: getNow() }),
    };
  }

  /** Earlier changes have ended. */
  takeTurn(): void {
    this.#isAhead = false;
    this.#turn.resolve();
  }

  /** Rejects all later statements: they would run in another change. */
  end(): void {
    this.#hasEnded = true;
    this.takeTurn();
  }

  #run<Args extends object, Row>(statement: Statement<Args, Row>, args: Args): Promise<Row[]> {
    if (!this.#isAhead) return this.#runNow(statement, args);
    return statement.reads ? this.#runAhead(statement, args, statement.reads(args)) : this.#runAtTurn(statement, args);
  }

  async #runAtTurn<Args extends object, Row>(statement: Statement<Args, Row>, args: Args): Promise<Row[]> {
    await this.#turn.promise;
    return await this.#runNow(statement, args);
  }

  async #runAhead<Args extends object, Row>(
    statement: Statement<Args, Row>,
    args: Args,
    facts: readonly Fact[],
  ): Promise<Row[]> {
    const { written, onStaleRead } = this.#context;
    const { position } = written;
    const rows = ignoreUnhandledRejection(this.#runNow(statement, args));
    await this.#turn.promise;
    if (statement.writes) return await rows; // never repeated
    if (!written.holdSince(position, facts)) return await this.#runNow(statement, args);
    if (onStaleRead && facts.length > 0 && position < written.position) {
      if (!isDeepStrictEqual(await rows, await this.#runNow(statement, args))) onStaleRead(facts);
    }
    return await rows;
  }

  #runNow<Args extends object, Row>(statement: Statement<Args, Row>, args: Args): Promise<Row[]> {
    const facts = statement.writes?.(args);
    return this.#context.compiled.run(
      (text, parameters) => this.#executeInside(text, parameters, facts),
      statement,
      args,
    );
  }

  async #executeInside(text: string, parameters: readonly unknown[], facts: readonly Fact[] | undefined) {
    if (this.#hasEnded) throw new TransactionEnded();
    if (!READS.test(text)) {
      this.mustBeUndone = true;
      this.#context.written.add(facts);
    }
    try {
      return await this.#execute(text, parameters);
    } catch (error) {
      this.mustBeUndone = true;
      throw error;
    }
  }
}

export interface ChangeContext {
  readonly compiled: CompiledStatements;
  readonly database: object;
  readonly written: WrittenFacts;
  readonly onStaleRead: ((facts: readonly Fact[]) => void) | undefined;
  /** The database's time; undefined before the transaction has begun. */
  readNow(): number | undefined;
}
