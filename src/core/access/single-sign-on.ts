import type { Database } from '../../storage/database.ts';
import { parseId } from '../kernel/ids.ts';
import { startSession } from './login.ts';
import type { LoginLimits } from './login-limits.ts';
import { digest, type InstallationSecrets, randomSecret, sameSecret } from './secrets.ts';
import type { TokenOwner, Tokens } from './tokens.ts';

/** From the link to the page that it leads to; that page takes a token for the code at once. */
const CODE_MS = 60_000;

/** Of a key: `account.operator.mac`. */
const KEY = /^(\d{1,16})\.(\d{1,16})\.[\w-]{43}$/;

/** Whose key it is, and in which version. */
interface KeyOwner extends TokenOwner {
  readonly ssoVersion: number;
}

/** Logs in whoever comes with an operator's single sign-on key, without the key itself ever reaching a page. */
export class SingleSignOn {
  readonly #database: Database;
  readonly #secrets: InstallationSecrets;
  readonly #limits: LoginLimits;
  readonly #tokens: Tokens;

  constructor(parts: { database: Database; secrets: InstallationSecrets; limits: LoginLimits; tokens: Tokens }) {
    this.#database = parts.database;
    this.#secrets = parts.secrets;
    this.#limits = parts.limits;
    this.#tokens = parts.tokens;
  }

  /** A code that is good for one token within a minute; undefined for a key that is worth nothing. */
  async codeFor(key: string, address: string): Promise<string | undefined> {
    await this.#limits.admitFrom(address);
    const owner = await this.#ownerOf(key);
    if (!owner) return undefined;
    const code = randomSecret();
    await this.#database.transaction((tx) =>
      tx.db
        .insertInto('ssoCodes')
        .values({ codeHash: digest(code), ...owner, expiresAt: tx.now + CODE_MS })
        .execute(),
    );
    return code;
  }

  /** The token for a code; undefined for one that was used, is too old, or never was. */
  async exchange(code: string): Promise<string | undefined> {
    const codeHash = digest(code);
    const known = await this.#database.read
      .selectFrom('ssoCodes')
      .select('accountId')
      .where('codeHash', '=', codeHash)
      .executeTakeFirst();
    if (!known) return undefined; // whoever guesses makes nobody wait
    return this.#database.transaction(async (tx) => {
      const owner = await tx.db
        .deleteFrom('ssoCodes')
        .where('codeHash', '=', codeHash)
        .where('expiresAt', '>', tx.now)
        .returning(['accountId', 'operatorId', 'ssoVersion'])
        .executeTakeFirst();
      if (!owner) return undefined;
      // The key may have been replaced, or the operator deleted, since the code was made.
      const operator = await tx.db
        .selectFrom('operators')
        .select('ssoVersion')
        .where('accountId', '=', owner.accountId)
        .where('id', '=', owner.operatorId)
        .executeTakeFirst();
      if (operator?.ssoVersion !== owner.ssoVersion) return undefined;
      return startSession(tx, this.#tokens, { accountId: owner.accountId, operatorId: owner.operatorId });
    }, known.accountId);
  }

  /** Forgets the codes that nobody came with. */
  async clean(): Promise<void> {
    await this.#database.transaction((tx) => tx.db.deleteFrom('ssoCodes').where('expiresAt', '<', tx.now).execute());
  }

  async #ownerOf(key: string): Promise<KeyOwner | undefined> {
    const [, account = '', operator = ''] = key.match(KEY) ?? [];
    const [accountId, operatorId] = [parseId(account) ?? 0, parseId(operator) ?? 0];
    const row = await this.#database.read
      .selectFrom('operators')
      .select('ssoVersion')
      .where('accountId', '=', accountId)
      .where('id', '=', operatorId)
      .executeTakeFirst();
    const ssoVersion = row?.ssoVersion ?? 0; // nobody has this one, and the comparison takes its time all the same
    const isKey = sameSecret(key, this.#secrets.ssoKey(accountId, operatorId, ssoVersion));
    return row && isKey ? { accountId, operatorId, ssoVersion } : undefined;
  }
}
