import { sql } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';
import { deleteInBatches } from '../kernel/batched-delete.ts';
import type { Commit } from '../kernel/caller.ts';
import { DomainError } from '../kernel/errors.ts';
import { digest, type InstallationSecrets } from './secrets.ts';

/** A write that its caller may send again: the same key must mean the same request. */
export interface KeyedRequest {
  readonly accountId: number;
  /** Keys of different credentials never meet. */
  readonly credential: string;
  readonly key: string;
  /** All that makes the request what it is; only a fingerprint of it is kept. */
  readonly request: readonly string[];
}

/** An answer as it is kept, without secrets. */
export interface KeptAnswer {
  readonly status: number;
  readonly location: string | null;
  readonly body: string;
}

/** Thrown out of a commit when the write was done before. */
export class AlreadyDone extends Error {
  readonly answer: KeptAnswer;

  constructor(answer: KeptAnswer) {
    super('This request was answered before.');
    this.answer = answer;
  }
}

const KEPT_MS = 24 * 3600 * 1000;
const MAX_WAIT_MS = 2000;

/** The answers of writes, kept for a day in the transaction of the write itself: there is no write without its answer. */
export class IdempotencyKeys {
  readonly #database: Database;
  readonly #secrets: InstallationSecrets;
  readonly #running = new Map<string, Promise<void>>();

  constructor(database: Database, secrets: InstallationSecrets) {
    this.#database = database;
    this.#secrets = secrets;
  }

  /** Runs `work` unless another with the same key is running: then waits shortly for that one. */
  async alone<T>(request: KeyedRequest, work: () => Promise<T>): Promise<T> {
    const name = `${request.accountId} ${request.credential} ${request.key}`;
    const earlier = this.#running.get(name);
    if (earlier && !(await endsWithin(earlier, MAX_WAIT_MS))) {
      throw new DomainError('in_progress', 'A request with this Idempotency-Key is still running.', {
        retryAfterSeconds: 1,
      });
    }
    const running = work();
    const ended = running.then(noop, noop);
    this.#running.set(name, ended);
    try {
      return await running;
    } finally {
      if (this.#running.get(name) === ended) this.#running.delete(name);
    }
  }

  /** The kept answer, if there is one; throws when the key was used for another request. */
  async earlierAnswer(request: KeyedRequest, db = this.#database.read): Promise<KeptAnswer | undefined> {
    const row = await db
      .selectFrom('idempotencyKeys')
      .selectAll()
      .where('accountId', '=', request.accountId)
      .where('credential', '=', request.credential)
      .where('keyHash', '=', digest(request.key))
      .where('createdAt', '>=', (eb) => eb(eb.fn<number>('now_ms', []), '-', KEPT_MS))
      .executeTakeFirst();
    if (!row) return undefined;
    if (row.requestHash !== this.#secrets.requestFingerprint(request.request)) {
      throw new DomainError('other_request', 'This Idempotency-Key was used for another request.');
    }
    return { status: row.status, location: row.location, body: row.body };
  }

  /** A commit that keeps the answer with the write, and refuses to write twice. */
  commit<T>(request: KeyedRequest, answer: (result: T) => KeptAnswer): Commit<T> {
    return (work) =>
      this.#database.transaction(async (tx) => {
        const earlier = await this.earlierAnswer(request, tx.db);
        if (earlier) throw new AlreadyDone(earlier);
        const result = await work(tx);
        await this.#keep(tx, request, answer(result));
        return result;
      }, request.accountId);
  }

  /** Keeps an answer that changed nothing, such as a refusal of the input. */
  async keep(request: KeyedRequest, answer: KeptAnswer): Promise<void> {
    await this.#database.transaction((tx) => this.#keep(tx, request, answer), request.accountId);
  }

  clean(): Promise<void> {
    return deleteInBatches(this.#database, {
      table: 'idempotency_keys',
      key: ['account_id', 'credential', 'key_hash'],
      where: sql`created_at < now_ms() - ${sql.lit(KEPT_MS)}`,
    });
  }

  async #keep(tx: Transaction, request: KeyedRequest, answer: KeptAnswer): Promise<void> {
    const row = {
      accountId: request.accountId,
      credential: request.credential,
      keyHash: digest(request.key),
      requestHash: this.#secrets.requestFingerprint(request.request),
      ...answer,
      createdAt: tx.now,
    };
    await tx.db
      .insertInto('idempotencyKeys')
      .values(row)
      // One that is past its day and was not cleaned yet gives way.
      .onConflict((conflict) =>
        conflict
          .columns(['accountId', 'credential', 'keyHash'])
          .doUpdateSet(row)
          .where('idempotencyKeys.createdAt', '<', tx.now - KEPT_MS),
      )
      .execute();
  }
}

async function endsWithin(promise: Promise<void>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

function noop(): void {}
