import type { Transaction } from '../../../storage/database.ts';
import { announce } from '../../events/announce.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import type { LoginLimits } from '../login-limits.ts';
import type { InstallationSecrets } from '../secrets.ts';
import type { TokenOwner } from '../tokens.ts';
import { countRecoveryCodes, parseRecoveryCode, takeRecoveryCode } from './recovery-codes.ts';
import { findTotpStep } from './totp.ts';
import { advanceTotpStep, findTwoFactor, unsealTotpSecret } from './two-factor-store.ts';

/** What proved that the operator has the second factor. */
export type SecondFactor = 'totp' | 'recovery_code';

/** Checks codes of authenticator apps and recovery codes. Each is accepted once, on all nodes together. */
export class SecondFactors {
  readonly #secrets: InstallationSecrets;
  readonly #limits: LoginLimits;

  constructor(secrets: InstallationSecrets, limits: LoginLimits) {
    this.#secrets = secrets;
    this.#limits = limits;
  }

  /**
   * Counts an attempt with a code of the app, or throws with the seconds to wait. Call it before the transaction.
   * Recovery codes are too long to guess, so they count as logins only: someone who knows the password and uses up the
   * attempts does not lock the operator out.
   */
  async admit(owner: TokenOwner, code: string): Promise<void> {
    if (parseRecoveryCode(code) === undefined) await this.#limits.admitCode(owner);
  }

  /** Uses a code up, in a transaction of the operator's account. Returns undefined if it is wrong or was used before. */
  async use(
    tx: Transaction,
    context: ActorContext,
    owner: TokenOwner,
    code: string,
  ): Promise<SecondFactor | undefined> {
    const stored = await findTwoFactor(tx.db, owner);
    if (!stored || stored.enabledAt === null) return undefined;
    const recoveryCode = parseRecoveryCode(code);
    if (recoveryCode !== undefined) return this.#useRecoveryCode(tx, context, owner, recoveryCode);
    const secret = unsealTotpSecret(this.#secrets, owner, stored.secret);
    if (secret === undefined) return undefined;
    const step = findTotpStep(secret, code.replaceAll(/\s/g, ''), { now: tx.now, lastStep: stored.lastStep });
    return step !== undefined && (await advanceTotpStep(tx, owner, step)) ? 'totp' : undefined;
  }

  async #useRecoveryCode(
    tx: Transaction,
    context: ActorContext,
    owner: TokenOwner,
    code: string,
  ): Promise<SecondFactor | undefined> {
    if (!(await takeRecoveryCode(tx, this.#secrets, owner, code))) return undefined;
    const recoveryCodesLeft = await countRecoveryCodes(tx.db, owner);
    announce(tx, context, 'operator.updated', owner.operatorId, {
      fields: ['recoveryCodes'],
      values: { recoveryCodesLeft },
    });
    return 'recovery_code';
  }
}
