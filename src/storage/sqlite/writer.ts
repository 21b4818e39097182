import { setImmediate } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Clock, NewEvent, Transaction } from '../database.ts';
import { DatabaseUnavailable } from '../errors.ts';
import type { CompiledStatements } from '../prepared-statement.ts';
import type { RunningClock } from '../running-clock.ts';
import { settled, TransactionIsOver } from '../sent.ts';
import type { Tables } from '../tables.ts';
import type { SqliteConnection } from './connection.ts';
import { queriesOn } from './dialect.ts';
import { appendEvents } from './event-log.ts';

interface Job {
  work(tx: Transaction): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  readonly queuedAt: number;
}

export interface WriterParts {
  readonly compiled: CompiledStatements;
  readonly clock: Clock;
  readonly running: RunningClock;
  readonly longestWaitMs: number;
}

const BATCH_MS = 10;
const BATCH_JOBS = 64;

/**
 * All changes, one after the other. Those that wait while one is running share its sync of the disk: each is a
 * savepoint of the same transaction and is answered after the common commit.
 */
export class SqliteWriter {
  readonly #connection: SqliteConnection;
  readonly #parts: WriterParts;
  readonly #jobs: Job[] = [];
  readonly #listeners = new Set<(accountId: number) => void>();
  #draining: Promise<void> | undefined;
  #closed = false;

  constructor(connection: SqliteConnection, parts: WriterParts) {
    this.#connection = connection;
    this.#parts = parts;
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new DatabaseUnavailable('The database is closed.'));
    return new Promise<T>((resolve, reject) => {
      const queuedAt = this.#parts.running.now();
      this.#jobs.push({ work, resolve: resolve as (value: unknown) => void, reject, queuedAt });
      this.#draining ??= this.#drain();
    });
  }

  onEvents(listener: (accountId: number) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#draining;
    this.#connection.all('pragma wal_checkpoint(truncate)', []); // the file is complete by itself, and can be copied
    this.#connection.close();
  }

  async #drain(): Promise<void> {
    await setImmediate(); // those whose requests are being read at this moment join the first batch
    while (this.#jobs.length > 0) {
      const taken: Job[] = [];
      const answers: (() => void)[] = [];
      const announced = new Set<number>();
      let committing = false;
      try {
        this.#connection.run('begin immediate', []);
        const end = performance.now() + BATCH_MS;
        do {
          const job = this.#jobs.shift() as Job;
          taken.push(job);
          answers.push(await this.#perform(job, announced));
        } while (this.#jobs.length > 0 && taken.length < BATCH_JOBS && performance.now() < end);
        committing = true;
        this.#connection.run('commit', []);
      } catch (cause) {
        this.#rollback();
        const error = new DatabaseUnavailable('The change could not be stored.', { cause, outcomeUnknown: committing });
        // Where not even the beginning worked, the first in line is told, so that the line always moves.
        for (const job of taken.length > 0 ? taken : this.#jobs.splice(0, 1)) job.reject(error);
        continue;
      }
      for (const answer of answers) answer();
      for (const accountId of announced) for (const listener of this.#listeners) listener(accountId);
    }
    this.#draining = undefined; // in the same step as the last look at the queue, so that nobody is left waiting
  }

  async #perform(job: Job, announced: Set<number>): Promise<() => void> {
    const { compiled, clock, running, longestWaitMs } = this.#parts;
    if (running.now() - job.queuedAt > longestWaitMs) {
      return () => job.reject(new DatabaseUnavailable('Too many changes are waiting.'));
    }
    this.#connection.run('savepoint job', []);
    let isOver = false;
    const execute = (sql: string, parameters: readonly unknown[]) => {
      if (isOver) throw new TransactionIsOver();
      return this.#connection.run(sql, parameters);
    };
    try {
      const events: NewEvent[] = [];
      const sent: Promise<unknown>[] = [];
      let db: Kysely<Tables> | undefined;
      const tx: Transaction = {
        get db() {
          db ??= queriesOn({ run: execute });
          return db;
        },
        database: this,
        now: clock(),
        run: (statement, args) => compiled.run(execute, statement, args),
        send: (statement, args) => sent.push(settled(tx.run(statement, args))),
        emit: (event) => events.push(event),
      };
      const value = await job.work(tx);
      await Promise.all(sent);
      await appendEvents(tx, events);
      isOver = true;
      this.#connection.run('release job', []);
      for (const event of events) announced.add(event.accountId);
      return () => job.resolve(value);
    } catch (error) {
      isOver = true;
      this.#connection.run('rollback to job', []);
      this.#connection.run('release job', []);
      return () => job.reject(error);
    }
  }

  #rollback(): void {
    // After some errors SQLite has rolled back by itself.
    if (this.#connection.handle.isTransaction) this.#connection.run('rollback', []);
  }
}
