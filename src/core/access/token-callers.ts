import DataLoader from 'dataloader';
import type { Database } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import { ShortLivedCache } from '../kernel/caches.ts';
import type { Caller } from '../kernel/caller.ts';
import { toOperatorCaller } from './operator-callers.ts';
import { type TokenKind, type Tokens, toTokenHash } from './tokens.ts';
import { isTwoFactorRequired } from './two-factor/two-factor-store.ts';

interface TokenRow {
  readonly tokenHash: string;
  readonly accountId: number;
  readonly operatorId: number;
  readonly roles: string;
  readonly groupId: number | null;
  readonly id: number | null;
  readonly kind: string | null;
  readonly twoFactorRequired: string;
  readonly twoFactorEnabledAt: number | null;
  readonly isSession: number;
  readonly expiresAt: number;
  readonly lastUsedAt: number | null;
  readonly now: number;
}

const findTokens = prepare<{ tokenHashes: readonly string[] }, TokenRow>((db, { tokenHashes }) =>
  selectValidTokens(db).where('t.tokenHash', 'in', tokenHashes),
);

/** Finds the callers of bearer tokens and sessions, with a short-lived cache. */
export class TokenCallers {
  readonly #database: Database;
  readonly #tokens: Tokens;
  readonly #callers = new ShortLivedCache<Caller>();
  /** Checks many open connections with one statement. */
  readonly #loader;

  constructor(database: Database, tokens: Tokens) {
    this.#database = database;
    this.#tokens = tokens;
    this.#loader = new DataLoader((hashes: readonly string[]) => this.#loadRows(hashes), { cache: false });
  }

  async findCaller(secret: string, kind: TokenKind = 'token'): Promise<Caller | undefined> {
    const caller = await this.#callers.get(toCacheKey(kind, secret), async () => {
      const row = await this.#loader.load(toTokenHash(kind, secret));
      if (!row || (row.isSession === 1) !== (kind === 'session')) return undefined;
      this.#tokens.noteUse(row);
      return this.#toCaller(row);
    });
    if (caller?.mustSetUpTwoFactor) this.evict(secret, kind); // set up on another node, it ends there at once
    return caller;
  }

  /** Returns the cached caller of a token without reading the database. */
  peekCaller(secret: string, kind: TokenKind): Caller | undefined {
    return this.#callers.peek(toCacheKey(kind, secret));
  }

  /** Removes a token from the cache of this node; other nodes notice when their cache expires. */
  evict(secret: string, kind: TokenKind = 'token'): void {
    this.#callers.delete(toCacheKey(kind, secret));
  }

  async #loadRows(tokenHashes: readonly string[]): Promise<(TokenRow | undefined)[]> {
    const rows = await this.#database.run(findTokens, { tokenHashes });
    const byHash = new Map(rows.map((row) => [row.tokenHash, row]));
    return tokenHashes.map((hash) => byHash.get(hash));
  }

  async #toCaller(row: TokenRow): Promise<Caller> {
    const caller = await toOperatorCaller(this.#database.read, row);
    return {
      ...caller,
      mustSetUpTwoFactor: mustSetUpTwoFactor(row),
      ...(row.id !== null && { tokenId: row.id }),
      ...(row.isSession === 1 && { sessionExpiresAt: row.expiresAt }),
    };
  }
}

/** Only in memory: hashing the secret of every request would take longer than the lookup. */
function toCacheKey(kind: TokenKind, secret: string): string {
  return `${kind} ${secret}`;
}

/** A single sign-on counts as two factors: the system that the operator logged in to decides. */
function mustSetUpTwoFactor(
  row: Pick<TokenRow, 'kind' | 'roles' | 'twoFactorRequired' | 'twoFactorEnabledAt'>,
): boolean {
  const isMissing = row.kind !== 'sso' && row.twoFactorEnabledAt === null;
  return isMissing && isTwoFactorRequired(row.twoFactorRequired, row.roles);
}

function selectValidTokens(db: Database['read']) {
  return db
    .selectFrom('accessTokens as t')
    .innerJoin('operators as o', (join) =>
      join.onRef('o.accountId', '=', 't.accountId').onRef('o.id', '=', 't.operatorId'),
    )
    .innerJoin('accounts as a', 'a.id', 't.accountId')
    .leftJoin('twoFactors as f', (join) =>
      join.onRef('f.accountId', '=', 't.accountId').onRef('f.operatorId', '=', 't.operatorId'),
    )
    .select(['t.tokenHash', 't.accountId', 't.operatorId', 't.id', 't.kind', 't.isSession', 't.expiresAt'])
    .select(['t.lastUsedAt', 'o.roles', 'o.groupId'])
    .select(['a.twoFactorRequired', 'f.enabledAt as twoFactorEnabledAt'])
    .select((eb) => eb.fn<number>('now_ms', []).as('now'))
    .where('t.expiresAt', '>', (eb) => eb.fn<number>('now_ms', []))
    .where((eb) => eb.or([eb('t.ssoVersion', 'is', null), eb('t.ssoVersion', '=', eb.ref('o.ssoVersion'))]));
}
