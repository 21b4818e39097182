import { setImmediate } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import type { Clock, NewEvent, Transaction } from '../database.ts';
import { DatabaseUnavailable } from '../errors.ts';
import type { CompiledStatements } from '../prepared-statement.ts';
import type { RunningClock } from '../running-clock.ts';
import { ignoreUnhandledRejection, TransactionEnded } from '../statement-outcomes.ts';
import type { Tables } from '../tables.ts';
import type { SqliteConnection } from './connection.ts';
import { createQueryBuilder } from './dialect.ts';
import { appendEvents } from './event-log.ts';

interface Job {
  work(tx: Transaction): Promise<unknown>;
  resolve(value: unknown): void;
  reject(error: unknown): void;
  readonly queuedAt: number;
}

export interface WriterDependencies {
  readonly compiled: CompiledStatements;
  readonly clock: Clock;
  readonly runningClock: RunningClock;
  readonly maxWaitMs: number;
}

const MAX_BATCH_MS = 10;
const MAX_BATCH_JOBS = 64;

/**
 * Runs all changes one after the other. Changes that arrive while one is running share its disk sync: each is a
 * savepoint of the same transaction and is resolved after the shared commit.
 */
export class SqliteWriter {
  readonly #connection: SqliteConnection;
  readonly #dependencies: WriterDependencies;
  readonly #queue: Job[] = [];
  readonly #listeners = new Set<(accountId: number) => void>();
  #queueRun: Promise<void> | undefined;
  #isClosed = false;

  constructor(connection: SqliteConnection, dependencies: WriterDependencies) {
    this.#connection = connection;
    this.#dependencies = dependencies;
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    if (this.#isClosed) return Promise.reject(new DatabaseUnavailable('The database is closed.'));
    return new Promise<T>((resolve, reject) => {
      const queuedAt = this.#dependencies.runningClock.now();
      this.#queue.push({ work, resolve: resolve as (value: unknown) => void, reject, queuedAt });
      this.#queueRun ??= this.#runQueue();
    });
  }

  onEvents(listener: (accountId: number) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#queueRun;
    this.#connection.all('pragma wal_checkpoint(truncate)', []); // so that the file can be copied without its write-ahead log
    this.#connection.close();
  }

  async #runQueue(): Promise<void> {
    await setImmediate(); // requests that are being read now join the first batch
    while (this.#queue.length > 0) {
      const batch: Job[] = [];
      const replies: (() => void)[] = [];
      const changedAccounts = new Set<number>();
      let isCommitting = false;
      try {
        this.#connection.run('begin immediate', []);
        const end = performance.now() + MAX_BATCH_MS;
        do {
          const job = this.#queue.shift() as Job;
          batch.push(job);
          replies.push(await this.#runJob(job, changedAccounts));
        } while (this.#queue.length > 0 && batch.length < MAX_BATCH_JOBS && performance.now() < end);
        isCommitting = true;
        this.#connection.run('commit', []);
      } catch (cause) {
        this.#rollback();
        const error = new DatabaseUnavailable('The change could not be stored.', {
          cause,
          outcomeUnknown: isCommitting,
        });
        // If even `begin` failed, reject the first job, so that the queue makes progress.
        for (const job of batch.length > 0 ? batch : this.#queue.splice(0, 1)) job.reject(error);
        continue;
      }
      for (const reply of replies) reply();
      for (const accountId of changedAccounts) for (const listener of this.#listeners) listener(accountId);
    }
    this.#queueRun = undefined; // in the same tick as the last check of the queue, so that no job is left waiting
  }

  async #runJob(job: Job, changedAccounts: Set<number>): Promise<() => void> {
    const { compiled, clock, runningClock, maxWaitMs } = this.#dependencies;
    if (runningClock.now() - job.queuedAt > maxWaitMs) {
      return () => job.reject(new DatabaseUnavailable('Too many changes are waiting.'));
    }
    this.#connection.run('savepoint job', []);
    let hasEnded = false;
    const execute = (sql: string, parameters: readonly unknown[]) => {
      if (hasEnded) throw new TransactionEnded();
      return this.#connection.run(sql, parameters);
    };
    try {
      const events: NewEvent[] = [];
      const sent: Promise<unknown>[] = [];
      let db: Kysely<Tables> | undefined;
      const tx: Transaction = {
        get db() {
          db ??= createQueryBuilder({ run: execute });
          return db;
        },
        database: this,
        now: clock(),
        run: (statement, args) => compiled.run(execute, statement, args),
        send: (statement, args, check) => {
          const rows = tx.run(statement, args);
          sent.push(ignoreUnhandledRejection(check ? rows.then(check) : rows));
        },
        emit: (event) => events.push(event),
      };
      const value = await job.work(tx);
      await Promise.all(sent);
      await appendEvents(tx, events);
      hasEnded = true;
      this.#connection.run('release job', []);
      for (const event of events) changedAccounts.add(event.accountId);
      return () => job.resolve(value);
    } catch (error) {
      hasEnded = true;
      this.#connection.run('rollback to job', []);
      this.#connection.run('release job', []);
      return () => job.reject(error);
    }
  }

  #rollback(): void {
    // After some errors SQLite has already rolled back.
    if (this.#connection.handle.isTransaction) this.#connection.run('rollback', []);
  }
}
