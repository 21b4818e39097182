import type { Database, Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import { announce, changesBetween } from '../events/announce.ts';
import { ShortLivedCache } from '../kernel/caches.ts';
import { type Caller, fullAccessCaller, requireAdmin } from '../kernel/caller.ts';
import { invalidField, unknownId } from '../kernel/errors.ts';
import { nextId } from '../kernel/ids.ts';
import { digest, randomSecret } from './secrets.ts';

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
  /** Given on a first start only; otherwise one is made. */
  readonly secret?: string;
}

const SHOWN_CHARACTERS = 8;
export const SHOWN_COLUMNS = [
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
      .where('revokedAt', 'is', null)
      .where((eb) => eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', eb.fn<number>('now_ms', []))])),
);

/** API keys of the legacy interface: shown once, kept as a digest. */
export class ApiKeys {
  readonly #database: Database;
  readonly #remembered = new ShortLivedCache<Caller>();
  readonly #used = new Map<string, { accountId: number; id: number; at: number }>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** On whose behalf a request with this key acts, if at once known. */
  remembered(secret: string): Caller | undefined {
    return this.#remembered.peek(secret);
  }

  check(secret: string): Promise<Caller | undefined> {
    return this.#remembered.get(secret, () => this.#read(secret));
  }

  async #read(secret: string): Promise<Caller | undefined> {
    const [row] = await this.#database.run(findKey, { keyHash: digest(secret) });
    if (!row) return undefined;
    const { accountId, id, access, now } = row;
    this.#used.set(`${accountId} ${id}`, { accountId, id, at: now });
    return fullAccessCaller(accountId, { type: 'api_key', id }, access === 'write');
  }

  async create(tx: Transaction, caller: Caller, key: NewApiKey): Promise<{ key: ApiKey; secret: string }> {
    requireAdmin(caller);
    if (key.name.trim() === '') throw invalidField('name', 'must not be empty');
    const secret = key.secret ?? `sb_${randomSecret()}`;
    const row = {
      accountId: caller.accountId,
      id: await nextId(tx, caller.accountId, 'api_key'),
      name: key.name,
      prefix: secret.slice(0, SHOWN_CHARACTERS),
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
    announce(tx, caller, 'api_key.created', row.id, changesBetween({}, row));
    return { key: row, secret };
  }

  async list(caller: Caller): Promise<ApiKey[]> {
    requireAdmin(caller);
    return this.#database.read
      .selectFrom('apiKeys')
      .select(SHOWN_COLUMNS)
      .where('accountId', '=', caller.accountId)
      .orderBy('id')
      .execute();
  }

  async revoke(tx: Transaction, caller: Caller, id: number): Promise<ApiKey> {
    requireAdmin(caller);
    const revoked = await tx.db
      .updateTable('apiKeys')
      .set({ revokedAt: tx.now })
      .where('accountId', '=', caller.accountId)
      .where('id', '=', id)
      .where('revokedAt', 'is', null)
      .returning(SHOWN_COLUMNS)
      .executeTakeFirst();
    if (!revoked) throw unknownId('api_key', id);
    announce(tx, caller, 'api_key.deleted', id);
    return revoked;
  }

  /** Writes down when keys were last used; called now and then, so that a read stays a read. */
  async recordUse(): Promise<void> {
    if (this.#used.size === 0) return;
    // In the same order on every node, so that none waits for a row of another.
    const used = [...this.#used].sort(([, a], [, b]) => a.accountId - b.accountId || a.id - b.id);
    this.#used.clear();
    try {
      await this.#database.transaction(async (tx) => {
        for (const [, { accountId, id, at }] of used) {
          await tx.db
            .updateTable('apiKeys')
            .set({ lastUsedAt: at })
            .where('accountId', '=', accountId)
            .where('id', '=', id)
            .execute();
        }
      });
    } catch (error) {
      for (const [name, use] of used) if (!this.#used.has(name)) this.#used.set(name, use);
      throw error;
    }
  }
}
