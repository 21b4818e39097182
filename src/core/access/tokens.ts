import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';
import type { Tables } from '../../storage/tables.ts';
import { announce } from '../events/announce.ts';
import { deleteInBatches } from '../kernel/batched-delete.ts';
import { type ActorContext, withOrigin } from '../kernel/caller.ts';
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

/** The last step of the login. */
export type LoginMethod = 'password' | 'totp' | 'recovery_code' | 'sso';

/** What the token is for, and how, with which user agent and from where the operator logged in. */
export type TokenOrigin = {
  /** Defaults to a bearer token. */
  readonly use?: TokenKind;
  readonly device?: string | undefined;
  readonly address?: string | undefined;
  /** What the operator proved last, for the event log. Defaults to the kind. */
  readonly method?: LoginMethod;
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
    { use = 'token', device, address, method, ...origin }: TokenOrigin,
  ): Promise<string> {
    const token = generateSecret();
    const id = await nextId(tx, owner.accountId, 'access_token');
    await tx.db
      .insertInto('accessTokens')
      .values({
        ...owner,
        ...origin,
        id,
        tokenHash: toTokenHash(use, token),
        isSession: Number(use === 'session'),
        issuedAt: tx.now,
        expiresAt: tx.now + TOKEN_TTL_SECONDS * 1000,
        device: device?.slice(0, MAX_DEVICE_LENGTH) ?? null,
        address: use === 'session' ? (address ?? null) : null,
      })
      .execute();
    if (use === 'session') announceSession(tx, owner, { id, method: method ?? origin.kind, address });
    return token;
  }

  /** Revokes a bearer token. */
  async revoke(token: string): Promise<void> {
    const tokenHash = toTokenHash('token', token);
    const found = await this.#database.read
      .selectFrom('accessTokens')
      .select('id')
      .where('tokenHash', '=', tokenHash)
      .executeTakeFirst();
    if (!found) return; // anyone can guess: that must not occupy the writer
    await this.#database.transaction((tx) =>
      tx.db
        .deleteFrom('accessTokens')
        .where('tokenHash', '=', tokenHash)
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

function announceSession(
  tx: Transaction,
  { accountId, operatorId }: TokenOwner,
  { id, method, address = '' }: { id: number; method: LoginMethod; address?: string | undefined },
): void {
  const context = withOrigin({ accountId, actor: { type: 'operator', id: operatorId } as const }, 'session', address);
  announce(tx, context, 'session.created', id, { fields: [], values: { operatorId, method } });
}

/** Why sessions end before their time; announced. */
export type SessionEndReason =
  | 'logged_out'
  | 'replaced'
  | 'ended'
  | 'password_changed'
  | 'demoted'
  | 'deleted'
  | 'sso_key_rotated'
  | 'two_factor_enabled'
  | 'two_factor_reset';

/** Which tokens and sessions of an operator end, and why. */
interface Revocation {
  readonly operatorId: number;
  readonly reason: SessionEndReason;
}

type Condition = (eb: ExpressionBuilder<Tables, 'accessTokens'>) => Expression<SqlBool>;

/** Announces the sessions among them, not the tokens. Returns how many have ended. */
async function revoke(
  tx: Transaction,
  context: ActorContext,
  { operatorId, reason }: Revocation,
  condition?: Condition,
): Promise<number> {
  const all = tx.db
    .deleteFrom('accessTokens')
    .where('accountId', '=', context.accountId)
    .where('operatorId', '=', operatorId);
  const rows = await (condition ? all.where(condition) : all).returning(['id', 'isSession']).execute();
  for (const { id, isSession } of rows) {
    if (isSession === 1 && id !== null)
      announce(tx, context, 'session.ended', id, { fields: [], values: { operatorId, reason } });
  }
  return rows.length;
}

export function revokeAllTokens(tx: Transaction, context: ActorContext, revocation: Revocation): Promise<number> {
  return revoke(tx, context, revocation);
}

/** Ends one session; returns false if it has already ended. */
export async function endSession(
  tx: Transaction,
  context: ActorContext,
  { id, ...revocation }: Revocation & { readonly id: number },
): Promise<boolean> {
  return (await revoke(tx, context, revocation, (eb) => eb('isSession', '=', 1).and('id', '=', id))) > 0;
}

/** Ends all sessions except one, and no bearer tokens. */
export function endSessions(
  tx: Transaction,
  context: ActorContext,
  revocation: Revocation,
  keptId: number | undefined,
): Promise<number> {
  return revoke(tx, context, revocation, (eb) => eb('isSession', '=', 1).and('id', '!=', keptId ?? NO_TOKEN_ID));
}

/** Revokes what was made by password, except one token. Also tokens of an unknown kind, from an earlier version. */
export async function revokePasswordTokens(
  tx: Transaction,
  context: ActorContext,
  revocation: Revocation,
  keptId: number | undefined,
): Promise<void> {
  await revoke(tx, context, revocation, (eb) =>
    eb.and([
      eb.or([eb('kind', 'is', null), eb('kind', '=', 'password')]),
      eb.or([eb('id', 'is', null), eb('id', '!=', keptId ?? NO_TOKEN_ID)]),
    ]),
  );
}

/** Also revokes tokens of an unknown kind: the previous version may have issued them for the key. */
export async function revokeSsoTokens(tx: Transaction, context: ActorContext, operatorId: number): Promise<void> {
  const revocation = { operatorId, reason: 'sso_key_rotated' } as const;
  await revoke(tx, context, revocation, (eb) => eb.or([eb('kind', 'is', null), eb('kind', '=', 'sso')]));
}
