import { LRUCache } from 'lru-cache';
import type { Database, Transaction } from '../../storage/database.ts';
import { recordFirstLogin } from '../live/live-store.ts';
import type { HashTurn } from './hash-queue.ts';
import type { LoginLimits } from './login-limits.ts';
import { findLogin, foldEmail } from './logins.ts';
import { toNetwork } from './networks.ts';
import type { Passwords } from './passwords.ts';
import type { TokenOrigin, TokenOwner, Tokens } from './tokens.ts';

export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly address: string;
  /** The user agent. */
  readonly device?: string | undefined;
}

const MAX_KNOWN_NETWORKS = 10_000;

/** Exchanges an e-mail and a password for a token. */
export class Login {
  readonly #database: Database;
  readonly #limits: LoginLimits;
  readonly #passwords: Passwords;
  readonly #tokens: Tokens;
  /**
   * Networks from which a login succeeded on this node. Their logins come first, so that a flood from many addresses
   * does not lock out the offices. Only the network decides, which says nothing about which e-mails exist.
   */
  readonly #knownNetworks = new LRUCache<string, true>({ max: MAX_KNOWN_NETWORKS });

  constructor(dependencies: { database: Database; limits: LoginLimits; passwords: Passwords; tokens: Tokens }) {
    this.#database = dependencies.database;
    this.#limits = dependencies.limits;
    this.#passwords = dependencies.passwords;
    this.#tokens = dependencies.tokens;
  }

  /** Returns a token; undefined if the e-mail or the password is wrong. */
  async logIn({ email, password, address, device }: Credentials): Promise<string | undefined> {
    await this.#limits.admit(email, address);
    const login = await findLogin(this.#database.read, email);
    const network = toNetwork(address);
    const matches = await this.#passwords.verify(password, login?.passwordHash ?? null, this.#toTurn(network, email));
    if (!login || !matches) return undefined;
    this.#knownNetworks.set(network, true);

    return this.#database.transaction(async (tx) => {
      // The password may have changed, or the operator may have been deleted, during the check.
      const current = await findLogin(tx.db, email);
      if (current?.passwordHash !== login.passwordHash) return undefined;
      const owner = { accountId: login.accountId, operatorId: login.operatorId };
      return startSession(tx, this.#tokens, owner, { kind: 'password', device });
    }, login.accountId);
  }

  #toTurn(network: string, email: string): HashTurn {
    const priority = this.#knownNetworks.get(network) ? 'known' : 'other';
    return { priority, source: [`network ${network}`, foldEmail(email)] };
  }
}

/** Issues a token to an authenticated operator and records the first login. */
export async function startSession(
  tx: Transaction,
  tokens: Tokens,
  owner: TokenOwner,
  origin: TokenOrigin,
): Promise<string> {
  await recordFirstLogin(tx, owner, owner);
  return tokens.issue(tx, owner, origin);
}
