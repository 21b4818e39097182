import type { Database } from '../../storage/database.ts';
import type { TokenCallers } from './token-callers.ts';
import { deleteSession, toTokenHash } from './tokens.ts';

/** Sessions of browsers: tokens whose secret is in a cookie that scripts cannot read. */
export class Sessions {
  readonly #database: Database;
  readonly #callers: TokenCallers;

  constructor(database: Database, callers: TokenCallers) {
    this.#database = database;
    this.#callers = callers;
  }

  /** Ends the session of this secret, if there is one. */
  async end(secret: string): Promise<void> {
    const tokenHash = toTokenHash('session', secret);
    const accountId = await this.#findAccount(tokenHash);
    if (accountId === undefined) return; // guesses must not take the write lock
    await this.#database.transaction((tx) => deleteSession(tx, tokenHash), accountId);
    this.#callers.evict(secret, 'session');
  }

  async #findAccount(tokenHash: string): Promise<number | undefined> {
    const row = await this.#database.read
      .selectFrom('accessTokens')
      .select('accountId')
      .where('tokenHash', '=', tokenHash)
      .where('isSession', '=', 1)
      .executeTakeFirst();
    return row?.accountId;
  }
}
