import { sql } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';
import { deleteInBatches } from '../kernel/batched-delete.ts';
import { nextId } from '../kernel/ids.ts';
import { digest, generateSecret } from './secrets.ts';

export const TOKEN_TTL_SECONDS = 43_200;
/** How old the recorded last use of a token gets before it is recorded again. */
const USE_INTERVAL_MS = 60_000;
/** Small, so that other writers do not wait long. */
const USE_BATCH_SIZE = 100;
export const MAX_DEVICE_LENGTH = 255;
/** No token has it. */
const NO_TOKEN_ID = 0;

export interface TokenOwner {
  readonly accountId: number;
  readonly operatorId: number;
}

/** A bearer token, which a client sends itself, or the session of a browser, which sends it as a cookie. */
export type TokenKind = 'token' | 'session';

/** What the token is for, and how, with which user agent and from where the operator logged in. */
export type TokenOrigin = {
  /** Defaults to a bearer token. */
  readonly use?: TokenKind;
  readonly device?: string | undefined;
  readonly address?: string | undefined;
} & ({ readonly kind: 'password' } | { readonly kind: 'sso'; readonly ssoVersion: number });

/**
 * Returns the stored form of a token. The two kinds have different ones, so that no node, not even of an earlier version,
 * accepts the value of a cookie as a bearer token or the other way round.
 */
export function toTokenHash(kind: TokenKind, secret: string): string {
  return digest(kind === 'session' ? `session ${secret}` : secret);
}

/**
 * Bearer tokens and sessions of browsers: random, stored as a digest. They end by expiry, revocation, a new password or
 * deletion of the operator; those from a single sign-on also end when its key is rotated.
 */
export class Tokens {
  readonly #database: Database;
  /** Hashes of the tokens that were used since their last use was recorded. */
  readonly #used = new Set<string>();

  constructor(database: Database) {
    this.#database = database;
  }

  async issue(
    tx: Transaction,
    owner: TokenOwner,
    { use = 'token', device, address, ...origin }: TokenOrigin,
  ): Promise<string> {
    const token = generateSecret();
    await tx.db
      .insertInto('accessTokens')
      .values({
        ...owner,
        ...origin,
        id: await nextId(tx, owner.accountId, 'access_token'),
        tokenHash: toTokenHash(use, token),
        isSession: Number(use === 'session'),
        issuedAt: tx.now,
        expiresAt: tx.now + TOKEN_TTL_SECONDS * 1000,
        device: device?.slice(0, MAX_DEVICE_LENGTH) ?? null,
        address: use === 'session' ? (address ?? null) : null,
      })
      .execute();
    return token;
  }

  /** Revokes a bearer token. */
  async revoke(token: string): Promise<void> {
    await this.#database.transaction((tx) =>
      tx.db
        .deleteFrom('accessTokens')
        .where('tokenHash', '=', toTokenHash('token', token))
        .where('isSession', '=', 0) // a text of its form could have the hash of a session
        .execute(),
    );
  }

  /** Remembers that a token is used, if the recorded last use is old. */
  noteUse(token: { readonly tokenHash: string; readonly lastUsedAt: number | null; readonly now: number }): void {
    if (token.now - (token.lastUsedAt ?? 0) >= USE_INTERVAL_MS) this.#used.add(token.tokenHash);
  }

  /** Stores that tokens were used. Called periodically, so that reads do not write. */
  async recordUse(): Promise<void> {
    // In the same order on every node, to avoid deadlocks.
    const hashes = [...this.#used].sort();
    for (let start = 0; start < hashes.length; start += USE_BATCH_SIZE) {
      const batch = hashes.slice(start, start + USE_BATCH_SIZE);
      await this.#database.transaction((tx) =>
        tx.db.updateTable('accessTokens').set({ lastUsedAt: tx.now }).where('tokenHash', 'in', batch).execute(),
      );
      for (const hash of batch) this.#used.delete(hash);
    }
  }

  deleteExpired(): Promise<void> {
    const where = sql`expires_at < now_ms()`;
    return deleteInBatches(this.#database, { table: 'access_tokens', key: ['token_hash'], where });
  }
}

/** Ends a session; returns false if it has already ended. */
export async function deleteSession(tx: Transaction, tokenHash: string): Promise<boolean> {
  const row = await tx.db
    .deleteFrom('accessTokens')
    .where('tokenHash', '=', tokenHash)
    .where('isSession', '=', 1)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function revokeAllTokens(tx: Transaction, { accountId, operatorId }: TokenOwner): Promise<void> {
  await tx.db
    .deleteFrom('accessTokens')
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .execute();
}

/** Revokes what was made by password, except one token. Also tokens of an unknown kind, from an earlier version. */
export async function revokePasswordTokens(
  tx: Transaction,
  { accountId, operatorId }: TokenOwner,
  keptId: number | undefined,
): Promise<void> {
  await tx.db
    .deleteFrom('accessTokens')
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .where((eb) => eb.or([eb('kind', 'is', null), eb('kind', '=', 'password')]))
    .where((eb) => eb.or([eb('id', 'is', null), eb('id', '!=', keptId ?? NO_TOKEN_ID)]))
    .execute();
}

/** Also revokes tokens of an unknown kind: the previous version may have issued them for the key. */
export async function revokeSsoTokens(tx: Transaction, { accountId, operatorId }: TokenOwner): Promise<void> {
  await tx.db
    .deleteFrom('accessTokens')
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .where((eb) => eb.or([eb('kind', 'is', null), eb('kind', '=', 'sso')]))
    .execute();
}
