import type { Database, Transaction } from '../../storage/database.ts';
import { noteFirstLogin } from '../live/live-store.ts';
import type { LoginLimits } from './login-limits.ts';
import { findLogin } from './logins.ts';
import type { Passwords } from './passwords.ts';
import type { TokenOwner, Tokens } from './tokens.ts';

export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly address: string;
}

/** Exchanges an e-mail and a password for a token. */
export class Login {
  readonly #database: Database;
  readonly #limits: LoginLimits;
  readonly #passwords: Passwords;
  readonly #tokens: Tokens;

  constructor(parts: { database: Database; limits: LoginLimits; passwords: Passwords; tokens: Tokens }) {
    this.#database = parts.database;
    this.#limits = parts.limits;
    this.#passwords = parts.passwords;
    this.#tokens = parts.tokens;
  }

  /** A token, or undefined where the e-mail and the password do not belong together, whatever the reason. */
  async logIn({ email, password, address }: Credentials): Promise<string | undefined> {
    await this.#limits.admit(email, address);
    const login = await findLogin(this.#database.read, email);
    const matches = await this.#passwords.verify(password, login?.passwordHash ?? null);
    if (!login || !matches) return undefined;

    return this.#database.transaction(async (tx) => {
      // The password may have been changed, or the operator deleted, while it was being checked.
      const still = await findLogin(tx.db, email);
      if (still?.passwordHash !== login.passwordHash) return undefined;
      return startSession(tx, this.#tokens, { accountId: login.accountId, operatorId: login.operatorId });
    }, login.accountId);
  }
}

/** A token for somebody who has proved who they are; the first one is remembered. */
export async function startSession(tx: Transaction, tokens: Tokens, owner: TokenOwner): Promise<string> {
  await noteFirstLogin(tx, owner, owner);
  return tokens.issue(tx, owner);
}
