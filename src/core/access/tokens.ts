import { sql } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';
import { deleteInBatches } from '../kernel/batched-delete.ts';
import { digest, generateSecret } from './secrets.ts';

export const TOKEN_TTL_SECONDS = 43_200;

export interface TokenOwner {
  readonly accountId: number;
  readonly operatorId: number;
}

/**
 * Bearer tokens: random, stored as a digest. They end by expiry, revocation, a new password or deletion of the
 * operator.
 */
export class Tokens {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async issue(tx: Transaction, owner: TokenOwner): Promise<string> {
    const token = generateSecret();
    await tx.db
      .insertInto('accessTokens')
      .values({ ...owner, tokenHash: digest(token), issuedAt: tx.now, expiresAt: tx.now + TOKEN_TTL_SECONDS * 1000 })
      .execute();
    return token;
  }

  async revoke(token: string): Promise<void> {
    await this.#database.transaction((tx) =>
      tx.db.deleteFrom('accessTokens').where('tokenHash', '=', digest(token)).execute(),
    );
  }

  deleteExpired(): Promise<void> {
    const where = sql`expires_at < now_ms()`;
    return deleteInBatches(this.#database, { table: 'access_tokens', key: ['token_hash'], where });
  }
}

export async function revokeAllTokens(tx: Transaction, { accountId, operatorId }: TokenOwner): Promise<void> {
  await tx.db
    .deleteFrom('accessTokens')
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .execute();
}
