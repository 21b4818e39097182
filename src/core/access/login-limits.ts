import type { Database } from '../../storage/database.ts';
import { loginName } from './logins.ts';
import { network } from './networks.ts';
import { RateLimits, type RateWindow } from './rate-limits.ts';
import { digest } from './secrets.ts';

const LOGINS_PER_USER = 10;
const LOGINS_PER_ADDRESS = 100;

/** How often somebody may try to log in. A try that is refused uses up neither budget. */
export class LoginLimits {
  readonly #rates: RateLimits;

  constructor(database: Database) {
    this.#rates = new RateLimits(database);
  }

  /** Counts a try, or throws with the seconds to wait. Without an address, whoever tries has logged in before. */
  async admit(email: string, address?: string): Promise<void> {
    const user = { subject: `user ${digest(loginName(email))}`, most: LOGINS_PER_USER };
    const peer = address === undefined ? [] : [windowOf(address)];
    await this.#rates.admit([...peer, user], TOO_MANY);
  }

  /** The same for somebody of whom nothing but the address is known. */
  async admitFrom(address: string): Promise<void> {
    await this.#rates.admit([windowOf(address)], TOO_MANY);
  }

  /** Forgets the windows that have passed. */
  clean(): Promise<void> {
    return this.#rates.clean();
  }
}

const TOO_MANY = 'Too many logins. Try again later.';

function windowOf(address: string): RateWindow {
  return { subject: `address ${network(address)}`, most: LOGINS_PER_ADDRESS };
}
