import type { Database, Transaction } from '../../../storage/database.ts';
import { announce } from '../../events/announce.ts';
import { type Caller, type Commit, forbidden, requireAdmin, requireOperatorId } from '../../kernel/caller.ts';
import { DomainError, invalidField, unknownId } from '../../kernel/errors.ts';
import type { LoginLimits } from '../login-limits.ts';
import { findLoginOf } from '../logins.ts';
import type { OwnPassword } from '../own-password.ts';
import type { InstallationSecrets } from '../secrets.ts';
import { revokeAllTokens, revokePasswordTokens, type TokenOwner } from '../tokens.ts';
import { deleteRecoveryCodes, replaceRecoveryCodes } from './recovery-codes.ts';
import type { SecondFactors } from './second-factors.ts';
import { findTotpStep, generateTotpSecret } from './totp.ts';
import {
  confirmPendingSecret,
  deleteExpiredPending,
  deleteTotpSecret,
  findTwoFactor,
  loadTwoFactorStates,
  sealTotpSecret,
  storePendingSecret,
  type TwoFactorState,
  unsealTotpSecret,
} from './two-factor-store.ts';

/** How long a new secret waits for the first code of the authenticator app. */
const PENDING_TTL_MS = 15 * 60_000;
const CODE_RULE = 'must be the current code of the authenticator app, or an unused recovery code';

/** What the authenticator app needs. The secret can be read only now. */
export interface StartedTwoFactor {
  readonly secret: string;
  readonly email: string;
}

/** Ten codes, each of which replaces a code of the app once. They can be read only now. */
export interface NewRecoveryCodes {
  readonly recoveryCodes: readonly string[];
}

/** Operators turn two-factor authentication on and off for themselves; admins reset it for others. */
export class TwoFactor {
  readonly #database: Database;
  readonly #secrets: InstallationSecrets;
  readonly #limits: LoginLimits;
  readonly #ownPassword: OwnPassword;
  readonly #secondFactors: SecondFactors;

  constructor(dependencies: {
    database: Database;
    secrets: InstallationSecrets;
    limits: LoginLimits;
    ownPassword: OwnPassword;
    secondFactors: SecondFactors;
  }) {
    this.#database = dependencies.database;
    this.#secrets = dependencies.secrets;
    this.#limits = dependencies.limits;
    this.#ownPassword = dependencies.ownPassword;
    this.#secondFactors = dependencies.secondFactors;
  }

  /**
   * Generates a secret, which is used from `confirm` on. An operator who must set up two-factor authentication has just
   * logged in with the password. One who already has it needs a code too: this replaces the authenticator app.
   */
  async start(
    commit: Commit<StartedTwoFactor>,
    caller: Caller,
    { currentPassword, code }: { currentPassword?: string | undefined; code?: string | undefined },
  ): Promise<StartedTwoFactor> {
    const owner = toOwner(caller);
    if (!caller.mustSetUpTwoFactor) await this.#ownPassword.require(caller, owner.operatorId, currentPassword ?? '');
    if (code !== undefined) await this.#secondFactors.admit(owner, code);
    return commit(async (tx) => {
      const { email, enabledAt } = await requireState(tx, owner);
      if (enabledAt !== null) await this.#requireCode(tx, caller, owner, code ?? '');
      const secret = generateTotpSecret();
      const pendingSecret = sealTotpSecret(this.#secrets, owner, secret);
      await storePendingSecret(tx, owner, { pendingSecret, pendingUntil: tx.now + PENDING_TTL_MS });
      return { secret, email };
    });
  }

  /**
   * Turns two-factor authentication on with the first code of the app. Ends the other sessions and tokens that were made
   * by password, because they were made without the second factor.
   */
  async confirm(
    commit: Commit<NewRecoveryCodes>,
    caller: Caller,
    { code }: { code: string },
  ): Promise<NewRecoveryCodes> {
    const owner = toOwner(caller);
    await this.#admitFirstCode(owner);
    return commit(async (tx) => {
      const stored = await findTwoFactor(tx.db, owner);
      const isPending = (stored?.pendingUntil ?? 0) > tx.now;
      const secret = isPending ? unsealTotpSecret(this.#secrets, owner, stored?.pendingSecret) : undefined;
      if (!stored?.pendingSecret || secret === undefined)
        throw new DomainError('state', 'There is nothing to confirm, or it has expired: call twoFactorStart first.');
      const step = findTotpStep(secret, code.replaceAll(/\s/g, ''), { now: tx.now, lastStep: null });
      if (step === undefined) throw invalidField('code', 'must be the current code of the authenticator app');
      await confirmPendingSecret(tx, owner, stored.pendingSecret, step);
      const recoveryCodes = await replaceRecoveryCodes(tx, this.#secrets, owner);
      const { operatorId } = owner;
      await revokePasswordTokens(tx, caller, { operatorId, reason: 'two_factor_enabled' }, caller.tokenId);
      announceChange(tx, caller, owner, ['twoFactor', 'recoveryCodes'], { twoFactor: true });
      return { recoveryCodes };
    });
  }

  async disable(
    commit: Commit<{ readonly id: number }>,
    caller: Caller,
    { currentPassword, code }: { currentPassword: string; code: string },
  ): Promise<{ readonly id: number }> {
    const owner = await this.#requireSelf(caller, { currentPassword, code });
    return commit(async (tx) => {
      if ((await requireEnabled(tx, owner)).isRequired)
        throw new DomainError('state', 'Two-factor authentication is required for your role.');
      await this.#requireCode(tx, caller, owner, code);
      await this.#delete(tx, caller, owner);
      return { id: owner.operatorId };
    });
  }

  async createRecoveryCodes(
    commit: Commit<NewRecoveryCodes>,
    caller: Caller,
    { currentPassword, code }: { currentPassword: string; code: string },
  ): Promise<NewRecoveryCodes> {
    const owner = await this.#requireSelf(caller, { currentPassword, code });
    return commit(async (tx) => {
      await requireEnabled(tx, owner);
      await this.#requireCode(tx, caller, owner, code);
      const recoveryCodes = await replaceRecoveryCodes(tx, this.#secrets, owner);
      announceChange(tx, caller, owner, ['recoveryCodes'], {});
      return { recoveryCodes };
    });
  }

  /** For an operator who lost the authenticator app and the recovery codes. Ends all their sessions and tokens. */
  async reset(
    commit: Commit<{ readonly id: number }>,
    caller: Caller,
    operatorId: number,
  ): Promise<{ readonly id: number }> {
    requireCanResetTwoFactor(caller, { id: operatorId });
    const owner = { accountId: caller.accountId, operatorId };
    return commit(async (tx) => {
      await requireEnabled(tx, owner);
      await this.#delete(tx, caller, owner);
      await revokeAllTokens(tx, caller, { operatorId, reason: 'two_factor_reset' });
      return { id: operatorId };
    });
  }

  deleteExpired(): Promise<void> {
    return deleteExpiredPending(this.#database);
  }

  async #requireSelf(
    caller: Caller,
    { currentPassword, code }: { currentPassword: string; code: string },
  ): Promise<TokenOwner> {
    const owner = toOwner(caller);
    await this.#ownPassword.require(caller, owner.operatorId, currentPassword);
    await this.#secondFactors.admit(owner, code);
    return owner;
  }

  /** The only use of a code without the password, which counts as a login elsewhere. */
  async #admitFirstCode(owner: TokenOwner): Promise<void> {
    const login = await findLoginOf(this.#database.read, owner);
    await this.#limits.admit(login?.emailFolded ?? '');
    await this.#limits.admitCode(owner);
  }

  async #requireCode(tx: Transaction, caller: Caller, owner: TokenOwner, code: string): Promise<void> {
    if ((await this.#secondFactors.use(tx, caller, owner, code)) === undefined) throw invalidField('code', CODE_RULE);
  }

  async #delete(tx: Transaction, caller: Caller, owner: TokenOwner): Promise<void> {
    await deleteTotpSecret(tx, owner);
    await deleteRecoveryCodes(tx, owner);
    announceChange(tx, caller, owner, ['twoFactor', 'recoveryCodes'], { twoFactor: false });
  }
}

/** Admins only, and never for oneself: an open session, even of an admin, must not be able to remove its own limit. */
export function requireCanResetTwoFactor(caller: Caller, { id }: { readonly id: number }): void {
  requireAdmin(caller);
  if (caller.operatorId === id) throw forbidden();
}

function toOwner(caller: Caller): TokenOwner {
  return { accountId: caller.accountId, operatorId: requireOperatorId(caller) };
}

async function requireEnabled(tx: Transaction, owner: TokenOwner): Promise<TwoFactorState> {
  const state = await requireState(tx, owner);
  if (state.enabledAt === null) throw new DomainError('state', 'Two-factor authentication is not set up.');
  return state;
}

async function requireState(tx: Transaction, { accountId, operatorId }: TokenOwner): Promise<TwoFactorState> {
  const [state] = await loadTwoFactorStates(tx.db, accountId, [operatorId]);
  if (!state) throw unknownId('operator', operatorId);
  return state;
}

function announceChange(
  tx: Transaction,
  caller: Caller,
  { operatorId }: TokenOwner,
  fields: readonly string[],
  values: Readonly<Record<string, unknown>>,
): void {
  announce(tx, caller, 'operator.updated', operatorId, { fields, values });
}
