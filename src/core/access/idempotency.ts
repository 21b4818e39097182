import { sql } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';
import { deleteInBatches } from '../kernel/batched-delete.ts';
import type { Commit } from '../kernel/caller.ts';
import { DomainError } from '../kernel/errors.ts';
import { digest, type InstallationSecrets } from './secrets.ts';

/** A write that its caller can retry: the same key must mean the same request. */
export interface KeyedRequest {
  readonly accountId: number;
  /** Separates the keys of different credentials. */
  readonly credential: string;
  readonly key: string;
  /** Everything that identifies the request; only its fingerprint is stored. */
  readonly request: readonly string[];
}

/** Contains no secrets. */
export interface StoredResponse {
  readonly status: number;
  readonly location: string | null;
  readonly body: string;
}

/** Thrown by a commit if the write was already made. */
export class AlreadyProcessed extends Error {
  readonly response: StoredResponse;

  constructor(response: StoredResponse) {
    super('This request was already answered.');
    this.response = response;
  }
}

const KEY_TTL_MS = 24 * 3600 * 1000;
const MAX_WAIT_MS = 2000;

/** Stores the responses of writes for a day, in the transaction of the write, so that no write lacks its response. */
export class IdempotencyKeys {
  readonly #database: Database;
  readonly #secrets: InstallationSecrets;
  readonly #running = new Map<string, Promise<void>>();

  constructor(database: Database, secrets: InstallationSecrets) {
    this.#database = database;
    this.#secrets = secrets;
  }

  /** Runs `work`, after waiting briefly for a running request with the same key. */
  async runExclusively<T>(request: KeyedRequest, work: () => Promise<T>): Promise<T> {
    const requestKey = `${request.accountId} ${request.credential} ${request.key}`;
    const earlierRun = this.#running.get(requestKey);
    if (earlierRun && !(await settlesWithin(earlierRun, MAX_WAIT_MS))) {
      throw new DomainError('in_progress', 'A request with this Idempotency-Key is still running.', {
        retryAfterSeconds: 1,
      });
    }
    const result = work();
    const settled = result.then(noop, noop);
    this.#running.set(requestKey, settled);
    try {
      return await result;
    } finally {
      if (this.#running.get(requestKey) === settled) this.#running.delete(requestKey);
    }
  }

  /** Throws if the key was used for another request. */
  async findResponse(request: KeyedRequest, db = this.#database.read): Promise<StoredResponse | undefined> {
    const row = await db
      .selectFrom('idempotencyKeys')
      .selectAll()
      .where('accountId', '=', request.accountId)
      .where('credential', '=', request.credential)
      .where('keyHash', '=', digest(request.key))
      .where('createdAt', '>=', (eb) => eb(eb.fn<number>('now_ms', []), '-', KEY_TTL_MS))
      .executeTakeFirst();
    if (!row) return undefined;
    if (row.requestHash !== this.#secrets.computeRequestFingerprint(request.request)) {
      throw new DomainError('other_request', 'This Idempotency-Key was used for another request.');
    }
    return { status: row.status, location: row.location, body: row.body };
  }

  /** Commits a write together with its response; throws `AlreadyProcessed` if it was made before. */
  commit<T>(request: KeyedRequest, toResponse: (result: T) => StoredResponse): Commit<T> {
    return (work) =>
      this.#database.transaction(async (tx) => {
        const earlierResponse = await this.findResponse(request, tx.db);
        if (earlierResponse) throw new AlreadyProcessed(earlierResponse);
        const result = await work(tx);
        await this.#insertResponse(tx, request, toResponse(result));
        return result;
      }, request.accountId);
  }

  /** Stores a response without a change, such as invalid input. */
  async storeResponse(request: KeyedRequest, response: StoredResponse): Promise<void> {
    await this.#database.transaction((tx) => this.#insertResponse(tx, request, response), request.accountId);
  }

  deleteExpired(): Promise<void> {
    return deleteInBatches(this.#database, {
      table: 'idempotency_keys',
      key: ['account_id', 'credential', 'key_hash'],
      where: sql`created_at < now_ms() - ${sql.lit(KEY_TTL_MS)}`,
    });
  }

  async #insertResponse(tx: Transaction, request: KeyedRequest, response: StoredResponse): Promise<void> {
    const row = {
      accountId: request.accountId,
      credential: request.credential,
      keyHash: digest(request.key),
      requestHash: this.#secrets.computeRequestFingerprint(request.request),
      ...response,
      createdAt: tx.now,
    };
    await tx.db
      .insertInto('idempotencyKeys')
      .values(row)
      // Replaces an expired key that was not deleted yet.
      .onConflict((conflict) =>
        conflict
          .columns(['accountId', 'credential', 'keyHash'])
          .doUpdateSet(row)
          .where('idempotencyKeys.createdAt', '<', tx.now - KEY_TTL_MS),
      )
      .execute();
  }
}

async function settlesWithin(promise: Promise<void>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  try {
    return await Promise.race([promise.then(() => true), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function noop(): void {}
