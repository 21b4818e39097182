import type { Database } from '../../storage/database.ts';
import { parseId } from '../kernel/ids.ts';
import { type Credentials, grant, type LoginResult, startSession } from './login.ts';
import type { LoginLimits } from './login-limits.ts';
import { generateSecret, type InstallationSecrets, isSameSecret } from './secrets.ts';
import { type CodeOwner, deleteExpiredCodes, findCodeAccount, insertCode, takeCode } from './sso-codes.ts';
import type { Tokens } from './tokens.ts';

/** `account.operator.mac` */
const KEY_FORMAT = /^(\d{1,16})\.(\d{1,16})\.[\w-]{43}$/;

/** Logs in with an operator's single sign-on key, without exposing the key to a page. */
export class SingleSignOn {
  readonly #database: Database;
  readonly #secrets: InstallationSecrets;
  readonly #limits: LoginLimits;
  readonly #tokens: Tokens;

  constructor(dependencies: { database: Database; secrets: InstallationSecrets; limits: LoginLimits; tokens: Tokens }) {
    this.#database = dependencies.database;
    this.#secrets = dependencies.secrets;
    this.#limits = dependencies.limits;
    this.#tokens = dependencies.tokens;
  }

  /** Returns a code that can be exchanged once within a minute; undefined for an invalid key. */
  async issueCode(key: string, address: string): Promise<string | undefined> {
    await this.#limits.admitAddress(address);
    const owner = await this.#findKeyOwner(key);
    if (!owner) return undefined;
    const code = generateSecret();
    await this.#database.transaction((tx) => insertCode(tx, code, owner));
    return code;
  }

  /** Refuses a code that is unknown, expired, revoked or already used. */
  async exchange(code: string, client: Pick<Credentials, 'address' | 'device' | 'use'>): Promise<LoginResult> {
    const account = await findCodeAccount(this.#database, code);
    if (account === undefined) return { kind: 'refused' }; // guesses must not take the write lock
    return this.#database.transaction(async (tx) => {
      const owner = await takeCode(tx, code);
      if (!owner) return { kind: 'refused' };
      // The key may have been replaced, or the operator deleted, since the code was issued.
      const operator = await tx.db
        .selectFrom('operators')
        .select('ssoVersion')
        .where('accountId', '=', owner.accountId)
        .where('id', '=', owner.operatorId)
        .executeTakeFirst();
      if (operator?.ssoVersion !== owner.ssoVersion) return { kind: 'refused' };
      const { ssoVersion, ...tokenOwner } = owner;
      return grant(await startSession(tx, this.#tokens, tokenOwner, { kind: 'sso', ssoVersion, ...client }));
    }, account);
  }

  /** Deletes expired codes. */
  deleteExpired(): Promise<void> {
    return deleteExpiredCodes(this.#database);
  }

  async #findKeyOwner(key: string): Promise<CodeOwner | undefined> {
    const [, account = '', operator = ''] = key.match(KEY_FORMAT) ?? [];
    const [accountId, operatorId] = [parseId(account) ?? 0, parseId(operator) ?? 0];
    const row = await this.#database.read
      .selectFrom('operators')
      .select('ssoVersion')
      .where('accountId', '=', accountId)
      .where('id', '=', operatorId)
      .executeTakeFirst();
    const ssoVersion = row?.ssoVersion ?? 0; // no operator has version 0; the comparison takes the same time
    const isValid = isSameSecret(key, this.#secrets.deriveSsoKey(accountId, operatorId, ssoVersion));
    return row && isValid ? { accountId, operatorId, ssoVersion } : undefined;
  }
}
