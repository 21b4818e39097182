import { LRUCache } from 'lru-cache';
import type { Database, Transaction } from '../../storage/database.ts';
import { upToEntries } from '../kernel/caches.ts';
import { recordFirstLogin } from '../live/live-store.ts';
import type { FailedLoginReason, FailedLogins } from './failed-logins.ts';
import type { HashTurn } from './hash-queue.ts';
import type { LoginLimits } from './login-limits.ts';
import { findLogin, foldEmail, type StoredLogin } from './logins.ts';
import { toNetwork } from './networks.ts';
import type { Passwords } from './passwords.ts';
import type { LoginMethod, TokenKind, TokenOrigin, TokenOwner, Tokens } from './tokens.ts';
import type { SecondFactors } from './two-factor/second-factors.ts';
import { findTwoFactor, loadTwoFactorStates } from './two-factor/two-factor-store.ts';

export interface Credentials {
  readonly email: string;
  readonly password: string;
  /** A code of the authenticator app or a recovery code; ignored if the operator has no second factor. */
  readonly code?: string | undefined;
  readonly address: string;
  /** The user agent. */
  readonly device?: string | undefined;
  /** What the login gives. Defaults to a bearer token. */
  readonly use?: TokenKind;
}

export type LoginResult =
  | { readonly kind: 'granted'; readonly secret: string }
  /** The e-mail or the password is wrong: nothing says which. */
  | { readonly kind: 'refused' }
  /**
   * Only after the right password. `set_up_required`: the account requires a second factor and the operator has none, so
   * that a token would be of no use.
   */
  | { readonly kind: 'code_required' | 'wrong_code' | 'set_up_required' };

const MAX_KNOWN_NETWORKS = 10_000;

/** Exchanges an e-mail and a password for a token or a session. */
export class Login {
  readonly #database: Database;
  readonly #limits: LoginLimits;
  readonly #passwords: Passwords;
  readonly #tokens: Tokens;
  readonly #failedLogins: FailedLogins;
  readonly #secondFactors: SecondFactors;
  /**
   * Networks from which a login succeeded on this node. Their logins come first, so that a flood from many addresses
   * does not lock out the offices. Only the network decides, which says nothing about which e-mails exist.
   */
  readonly #knownNetworks = new LRUCache<string, true>(upToEntries(MAX_KNOWN_NETWORKS));

  constructor(dependencies: {
    database: Database;
    limits: LoginLimits;
    passwords: Passwords;
    tokens: Tokens;
    failedLogins: FailedLogins;
    secondFactors: SecondFactors;
  }) {
    this.#database = dependencies.database;
    this.#limits = dependencies.limits;
    this.#passwords = dependencies.passwords;
    this.#tokens = dependencies.tokens;
    this.#failedLogins = dependencies.failedLogins;
    this.#secondFactors = dependencies.secondFactors;
  }

  /** Refuses an e-mail or password that is wrong, and then a code that is missing or wrong. */
  async logIn(credentials: Credentials): Promise<LoginResult> {
    const { email, password, address } = credentials;
    await this.#limits.admit(email, address);
    const login = await findLogin(this.#database.read, email);
    const network = toNetwork(address);
    const matches = await this.#passwords.verify(password, login?.passwordHash ?? null, this.#toTurn(network, email));
    if (!login || !matches) return this.#fail(credentials, 'wrong_password', REFUSED);
    this.#knownNetworks.set(network, true);
    const code = await this.#admitCode(login, credentials.code);

    const result = await this.#database.transaction(
      (tx) => this.#grantInTransaction(tx, login, { ...credentials, code }),
      login.accountId,
    );
    return result.kind === 'wrong_code' ? this.#fail(credentials, 'wrong_code', result) : result;
  }

  /** Counts the code towards its own limit. Returns undefined if there is none, or none is needed. */
  async #admitCode(owner: TokenOwner, code: string | undefined): Promise<string | undefined> {
    if (code === undefined || !(await findTwoFactor(this.#database.read, owner))?.enabledAt) return undefined;
    await this.#secondFactors.admit(owner, code);
    return code;
  }

  async #grantInTransaction(
    tx: Transaction,
    { accountId, operatorId, passwordHash }: StoredLogin,
    { email, code, address, device, use = 'token' }: Credentials,
  ): Promise<LoginResult> {
    // The password may have changed, or the operator may have been deleted, during the check.
    const current = await findLogin(tx.db, email);
    if (current?.passwordHash !== passwordHash) return REFUSED;
    const owner = { accountId, operatorId };
    const [twoFactor] = await loadTwoFactorStates(tx.db, accountId, [operatorId]);
    let method: LoginMethod = 'password';
    if (twoFactor?.enabledAt) {
      if (code === undefined) return { kind: 'code_required' };
      const context = { accountId, actor: { type: 'operator', id: operatorId, address } } as const;
      const secondFactor = await this.#secondFactors.use(tx, context, owner, code);
      if (secondFactor === undefined) return { kind: 'wrong_code' };
      method = secondFactor;
    } else if (twoFactor?.isRequired && use === 'token') {
      return { kind: 'set_up_required' };
    }
    return grant(await startSession(tx, this.#tokens, owner, { kind: 'password', method, use, device, address }));
  }

  async #fail(
    { email, address, device }: Credentials,
    reason: FailedLoginReason,
    result: LoginResult,
  ): Promise<LoginResult> {
    await this.#failedLogins.record({ email, address, device, reason });
    return result;
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
