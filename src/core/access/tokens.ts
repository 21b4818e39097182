import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Database, Transaction } from '../../storage/database.ts';
import { deleteInBatches } from '../kernel/batched-delete.ts';
import { digest, randomSecret } from './secrets.ts';

export const TOKEN_SECONDS = 43_200;

/**
 * A checked credential may be remembered this long from the moment at which it was asked for. An end is noticed everywhere within
 * a second: by this time, and by that in which open connections look again.
 */
export const REMEMBERED_MS = 500;

export interface TokenOwner {
  readonly accountId: number;
  readonly operatorId: number;
}

/** Bearer tokens: random, kept as a digest, ended by time, by revocation, by a new password or by a delete. */
export class Tokens {
  readonly #database: Database;
  readonly #remembered = new LRUCache<string, TokenOwner>({ max: 10_000, ttl: REMEMBERED_MS });
  readonly #find;

  constructor(database: Database) {
    this.#database = database;
    this.#find = database.hot<{ account_id: number; operator_id: number }, [string]>((db, argument) =>
      db
        .selectFrom('accessTokens')
        .select(['accountId', 'operatorId'])
        .where('tokenHash', '=', argument<string>(0))
        .where('expiresAt', '>', (eb) => eb.fn<number>('now_ms', [])),
    );
  }

  async issue(tx: Transaction, owner: TokenOwner): Promise<string> {
    const token = randomSecret();
    await tx.db
      .insertInto('accessTokens')
      .values({ ...owner, tokenHash: digest(token), issuedAt: tx.now, expiresAt: tx.now + TOKEN_SECONDS * 1000 })
      .execute();
    return token;
  }

  async check(token: string): Promise<TokenOwner | undefined> {
    const known = this.#remembered.get(token);
    if (known) return known;
    const start = performance.now();
    const row = await this.#find.first(digest(token));
    const owner = row && { accountId: row.account_id, operatorId: row.operator_id };
    if (owner) this.#remembered.set(token, owner, { start });
    return owner;
  }

  async revoke(token: string): Promise<void> {
    await this.#database.transaction((tx) =>
      tx.db.deleteFrom('accessTokens').where('tokenHash', '=', digest(token)).execute(),
    );
    this.#remembered.delete(token);
  }

  clean(): Promise<void> {
    const where = sql`expires_at < now_ms()`;
    return deleteInBatches(this.#database, { table: 'access_tokens', key: ['token_hash'], where });
  }
}

export async function endTokensOf(tx: Transaction, { accountId, operatorId }: TokenOwner): Promise<void> {
  await tx.db
    .deleteFrom('accessTokens')
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .execute();
}
