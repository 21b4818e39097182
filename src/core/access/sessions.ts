import type { Database } from '../../storage/database.ts';
import { type Caller, type Commit, forbidden, requireWrite, withOrigin } from '../kernel/caller.ts';
import { unknownId } from '../kernel/errors.ts';
import type { TokenCallers } from './token-callers.ts';
import { endSession, endSessions, type TokenOwner, toTokenHash } from './tokens.ts';

/** More than people have; the oldest ones are not listed. */
const MAX_LISTED = 100;

export interface BrowserSession {
  readonly id: number;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
  /** The user agent that logged in. */
  readonly device: string | null;
  /** The network address that logged in. */
  readonly address: string | null;
}

/**
 * Sessions and refused logins are for the operator and admins: the addresses say where a person is, so managers do not
 * read them.
 */
export function canReadSessions(caller: Caller, { id }: { readonly id: number }): boolean {
  return caller.operatorId === id || caller.accessLevel === 'admin';
}

export function requireCanEndSessions(caller: Caller, operator: { readonly id: number }): void {
  requireWrite(caller);
  if (!canReadSessions(caller, operator)) throw forbidden();
}

/** Sessions of browsers: tokens whose secret is in a cookie that scripts cannot read. */
export class Sessions {
  readonly #database: Database;
  readonly #callers: TokenCallers;

  constructor(database: Database, callers: TokenCallers) {
    this.#database = database;
    this.#callers = callers;
  }

  /** Ends the session of this secret, if there is one: the browser logs out, or logs in again. */
  async endOwn(secret: string, reason: 'logged_out' | 'replaced', address: string): Promise<void> {
    const session = await this.#find(toTokenHash('session', secret));
    if (!session) return; // guesses must not take the write lock
    const { id, accountId, operatorId } = session;
    const actor = { type: 'operator', id: operatorId } as const;
    const context = withOrigin({ accountId, actor }, 'session', address);
    await this.#database.transaction((tx) => endSession(tx, context, { operatorId, reason, id }), accountId);
    this.#callers.evict(secret, 'session');
  }

  /** Ends a session of an operator. Returns the operator. */
  end(commit: Commit<number>, caller: Caller, operatorId: number, id: number): Promise<number> {
    requireCanEndSessions(caller, { id: operatorId });
    return commit(async (tx) => {
      if (!(await endSession(tx, caller, { operatorId, reason: 'ended', id }))) throw unknownId('session', id);
      return operatorId;
    });
  }

  /** Ends all sessions of an operator except the one that the caller uses. Returns the operator. */
  endOthers(commit: Commit<number>, caller: Caller, operatorId: number): Promise<number> {
    requireCanEndSessions(caller, { id: operatorId });
    return commit(async (tx) => {
      const operator = await tx.db
        .selectFrom('operators')
        .select('id')
        .where('accountId', '=', caller.accountId)
        .where('id', '=', operatorId)
        .executeTakeFirst();
      if (!operator) throw unknownId('operator', operatorId);
      const keptId = caller.operatorId === operatorId ? caller.tokenId : undefined;
      await endSessions(tx, caller, { operatorId, reason: 'ended' }, keptId);
      return operatorId;
    });
  }

  /** The sessions of each operator, newest first. */
  async load(accountId: number, operatorIds: readonly number[]): Promise<BrowserSession[][]> {
    const rows = await this.#database.read
      .selectFrom('accessTokens')
      .select(['operatorId', 'id', 'issuedAt', 'lastUsedAt', 'expiresAt', 'device', 'address'])
      .where('accountId', '=', accountId)
      .where('operatorId', 'in', operatorIds)
      .where('isSession', '=', 1)
      .where('expiresAt', '>', (eb) => eb.fn<number>('now_ms', []))
      .orderBy('id', 'desc')
      .execute();
    const byOperator = Map.groupBy(rows, (row) => row.operatorId);
    return operatorIds.map((operatorId) =>
      (byOperator.get(operatorId) ?? []).slice(0, MAX_LISTED).map(({ id, issuedAt, lastUsedAt, ...row }) => ({
        id: id ?? 0, // a session always has one
        createdAt: issuedAt,
        lastUsedAt: lastUsedAt ?? issuedAt,
        expiresAt: row.expiresAt,
        device: row.device,
        address: row.address,
      })),
    );
  }

  async #find(tokenHash: string): Promise<(TokenOwner & { readonly id: number }) | undefined> {
    const row = await this.#database.read
      .selectFrom('accessTokens')
      .select(['accountId', 'operatorId', 'id'])
      .where('tokenHash', '=', tokenHash)
      .where('isSession', '=', 1)
      .executeTakeFirst();
    return row && { ...row, id: row.id ?? 0 };
  }
}
