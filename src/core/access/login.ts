import { LRUCache } from 'lru-cache';
import type { Database, Transaction } from '../../storage/database.ts';
import { recordFirstLogin } from '../live/live-store.ts';
import type { FailedLogins } from './failed-logins.ts';
import type { HashTurn } from './hash-queue.ts';
import type { LoginLimits } from './login-limits.ts';
import { findLogin, foldEmail } from './logins.ts';
import { toNetwork } from './networks.ts';
import type { Passwords } from './passwords.ts';
import type { TokenKind, TokenOrigin, TokenOwner, Tokens } from './tokens.ts';

export interface Credentials {
  readonly email: string;
  readonly password: string;
  readonly address: string;
  /** The user agent. */
  readonly device?: string | undefined;
  /** What the login gives. Defaults to a bearer token. */
  readonly use?: TokenKind;
}

export type LoginResult = { readonly kind: 'granted'; readonly secret: string } | { readonly kind: 'refused' };

const MAX_KNOWN_NETWORKS = 10_000;

/** Exchanges an e-mail and a password for a token or a session. */
export class Login {
  readonly #database: Database;
  readonly #limits: LoginLimits;
  readonly #passwords: Passwords;
  readonly #tokens: Tokens;
  readonly #failedLogins: FailedLogins;
  /**
   * Networks from which a login succeeded on this node. Their logins come first, so that a flood from many addresses
   * does not lock out the offices. Only the network decides, which says nothing about which e-mails exist.
   */
  readonly #knownNetworks = new LRUCache<string, true>({ max: MAX_KNOWN_NETWORKS });

  constructor(dependencies: {
    database: Database;
    limits: LoginLimits;
    passwords: Passwords;
    tokens: Tokens;
    failedLogins: FailedLogins;
  }) {
    this.#database = dependencies.database;
    this.#limits = dependencies.limits;
    this.#passwords = dependencies.passwords;
    this.#tokens = dependencies.tokens;
    this.#failedLogins = dependencies.failedLogins;
  }

  /** Refuses an e-mail or password that is wrong. */
  async logIn({ email, password, address, device, use = 'token' }: Credentials): Promise<LoginResult> {
    await this.#limits.admit(email, address);
    const login = await findLogin(this.#database.read, email);
    const network = toNetwork(address);
    const matches = await this.#passwords.verify(password, login?.passwordHash ?? null, this.#toTurn(network, email));
    if (!login || !matches) {
      await this.#failedLogins.record({ email, address, device, reason: 'wrong_password' });
      return REFUSED;
    }
    this.#knownNetworks.set(network, true);

    return this.#database.transaction(async (tx) => {
      // The password may have changed, or the operator may have been deleted, during the check.
      const current = await findLogin(tx.db, email);
      if (current?.passwordHash !== login.passwordHash) return REFUSED;
      const owner = { accountId: login.accountId, operatorId: login.operatorId };
      return grant(await startSession(tx, this.#tokens, owner, { kind: 'password', use, device, address }));
    }, login.accountId);
  }

  #toTurn(network: string, email: string): HashTurn {
    const priority = this.#knownNetworks.get(network) ? 'known' : 'other';
    return { priority, source: [`network ${network}`, foldEmail(email)] };
  }
}

const REFUSED: LoginResult = { kind: 'refused' };

export function grant(secret: string): LoginResult {
  return { kind: 'granted', secret };
}

/** Issues a token or a session to an authenticated operator and records the first login. */
export async function startSession(
  tx: Transaction,
  tokens: Tokens,
  owner: TokenOwner,
  origin: TokenOrigin,
): Promise<string> {
  await recordFirstLogin(tx, owner, owner);
  return tokens.issue(tx, owner, origin);
}
