import type { ExpressionBuilder, Kysely } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import type { Tables } from '../../storage/tables.ts';
import { announce, computeChanges } from '../events/announce.ts';
import { ShortLivedCache } from '../kernel/caches.ts';
import { type Caller, fullAccessCaller, requireAdmin, requireAdminRead } from '../kernel/caller.ts';
import { invalidField, unknownId } from '../kernel/errors.ts';
import { nextId } from '../kernel/ids.ts';
import { digest, generateSecret } from './secrets.ts';

export type KeyAccess = 'read' | 'write';

export interface ApiKey {
  readonly accountId: number;
  readonly id: number;
  readonly name: string;
  readonly prefix: string;
  readonly access: KeyAccess;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

export interface NewApiKey {
  readonly name: string;
  readonly access: KeyAccess;
  readonly expiresAt: number | null;
  /** Set only on the first start, from the configuration; otherwise generated. */
  readonly secret?: string;
}

const PREFIX_LENGTH = 8;
export const PUBLIC_COLUMNS = [
  'accountId',
  'id',
  'name',
  'prefix',
  'access',
  'createdAt',
  'expiresAt',
  'lastUsedAt',
  'revokedAt',
] as const;

const findKey = prepare<{ keyHash: string }, Pick<ApiKey, 'accountId' | 'id' | 'access'> & { now: number }>(
  (db, { keyHash }) =>
    db
      .selectFrom('apiKeys')
      .select((eb) => ['accountId', 'id', 'access', eb.fn<number>('now_ms', []).as('now')])
      .where('keyHash', '=', keyHash)
      .where(isValid),
);

function isValid(eb: ExpressionBuilder<Tables, 'apiKeys'>) {
  const isUnexpired = eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', eb.fn<number>('now_ms', []))]);
  return eb.and([eb('revokedAt', 'is', null), isUnexpired]);
}

function toCaller({ accountId, id, access }: Pick<ApiKey, 'accountId' | 'id' | 'access'>): Caller {
  return fullAccessCaller(accountId, { type: 'api_key', id }, access === 'write');
}

/** Returns the key as a caller, as long as it is valid. */
export async function findKeyCaller(db: Kysely<Tables>, accountId: number, id: number): Promise<Caller | undefined> {
  const row = await db
    .selectFrom('apiKeys')
    .select('access')
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where(isValid)
    .executeTakeFirst();
  return row && toCaller({ accountId, id, access: row.access });
}

/** API keys: shown once, stored as a digest. */
export class ApiKeys {
  readonly #database: Database;
  readonly #callers = new ShortLivedCache<Caller>();
  readonly #uses = new Map<string, { accountId: number; id: number; at: number }>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the cached caller of a key without reading the database. */
  peekCaller(secret: string): Caller | undefined {
    return this.#callers.peek(secret);
  }

  findCaller(secret: string): Promise<Caller | undefined> {
    return this.#callers.get(secret, () => this.#readCaller(secret));
  }

  async #readCaller(secret: string): Promise<Caller | undefined> {
    const [row] = await this.#database.run(findKey, { keyHash: digest(secret) });
    if (!row) return undefined;
    const { accountId, id, access, now } = row;
    this.#uses.set(`${accountId} ${id}`, { accountId, id, at: now });
    return toCaller({ accountId, id, access });
  }

  async create(tx: Transaction, caller: Caller, key: NewApiKey): Promise<{ key: ApiKey; secret: string }> {
    requireAdmin(caller);
    if (key.name.trim() === '') throw invalidField('name', 'must not be empty');
    const secret = key.secret ?? `sb_${generateSecret()}`;
    const row = {
      accountId: caller.accountId,
      id: await nextId(tx, caller.accountId, 'api_key'),
      name: key.name,
      prefix: secret.slice(0, PREFIX_LENGTH),
      access: key.access,
      createdAt: tx.now,
      expiresAt: key.expiresAt,
      lastUsedAt: null,
      revokedAt: null,
    };
    await tx.db
      .insertInto('apiKeys')
      .values({ ...row, keyHash: digest(secret) })
      .execute();
    announce(tx, caller, 'api_key.created', row.id, computeChanges({}, row));
    return { key: row, secret };
  }

  async list(caller: Caller): Promise<ApiKey[]> {
    requireAdminRead(caller);
    return this.#database.read
      .selectFrom('apiKeys')
      .select(PUBLIC_COLUMNS)
      .where('accountId', '=', caller.accountId)
      .orderBy('id')
      .execute();
  }

  async revoke(tx: Transaction, caller: Caller, id: number): Promise<ApiKey> {
    requireAdmin(caller);
    const row = await tx.db
      .updateTable('apiKeys')
      .set({ revokedAt: tx.now })
      .where('accountId', '=', caller.accountId)
      .where('id', '=', id)
      .where('revokedAt', 'is', null)
      .returning(PUBLIC_COLUMNS)
      .executeTakeFirst();
    if (!row) throw unknownId('api_key', id);
    announce(tx, caller, 'api_key.deleted', id);
    return row;
  }

  /** Stores when keys were last used. Called periodically, so that reads do not write. */
  async recordUse(): Promise<void> {
    if (this.#uses.size === 0) return;
    // In the same order on every node, to avoid deadlocks.
    const uses = [...this.#uses].sort(([, a], [, b]) => a.accountId - b.accountId || a.id - b.id);
    this.#uses.clear();
    try {
      await this.#database.transaction(async (tx) => {
        for (const [, { accountId, id, at }] of uses) {
          await tx.db
            .updateTable('apiKeys')
            .set({ lastUsedAt: at })
            .where('accountId', '=', accountId)
            .where('id', '=', id)
            .execute();
        }
      });
    } catch (error) {
      for (const [key, use] of uses) if (!this.#uses.has(key)) this.#uses.set(key, use);
      throw error;
    }
  }
}
