import type { Database } from '../../storage/database.ts';
import { foldEmail } from './logins.ts';
import { toNetwork } from './networks.ts';
import { RateLimits, type RateWindow } from './rate-limits.ts';
import type { InstallationSecrets } from './secrets.ts';
import type { TokenOwner } from './tokens.ts';

const MAX_LOGINS_PER_USER = 10;
const MAX_LOGINS_PER_ADDRESS = 100;
/** Codes of authenticator apps are short, so an attacker with the password gets only a few guesses. */
const MAX_CODES_PER_OPERATOR = 20;
const CODE_WINDOW_MS = 3_600_000;

/** Limits login attempts per user and per address. A rejected attempt does not count. */
export class LoginLimits {
  readonly #secrets: InstallationSecrets;
  readonly #rates: RateLimits;

  constructor(database: Database, secrets: InstallationSecrets) {
    this.#secrets = secrets;
    this.#rates = new RateLimits(database);
  }

  /** Counts an attempt, or throws with the seconds to wait. Omit the address for a user who is already logged in. */
  async admit(email: string, address?: string): Promise<void> {
    const userWindow = { subject: `user ${this.#secrets.digestLogin(foldEmail(email))}`, limit: MAX_LOGINS_PER_USER };
    const addressWindows = address === undefined ? [] : [toAddressWindow(address)];
    await this.#rates.admit([...addressWindows, userWindow], TOO_MANY_LOGINS);
  }

  /** Counts an attempt by an unknown user, or throws with the seconds to wait. */
  async admitAddress(address: string): Promise<void> {
    await this.#rates.admit([toAddressWindow(address)], TOO_MANY_LOGINS);
  }

  /** Counts an attempt with a code of an authenticator app, or throws with the seconds to wait. */
  async admitCode({ accountId, operatorId }: TokenOwner): Promise<void> {
    const subject = `code ${accountId}.${operatorId}`;
    await this.#rates.admit(
      [{ subject, limit: MAX_CODES_PER_OPERATOR, windowMs: CODE_WINDOW_MS }],
      'Too many two-factor codes. Try again later.',
    );
  }

  /** Deletes expired windows. */
  deleteExpired(): Promise<void> {
    return this.#rates.deleteExpired();
  }
}

const TOO_MANY_LOGINS = 'Too many logins. Try again later.';

function toAddressWindow(address: string): RateWindow {
  return { subject: `address ${toNetwork(address)}`, limit: MAX_LOGINS_PER_ADDRESS };
}
