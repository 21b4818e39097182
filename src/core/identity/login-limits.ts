import { isIPv6 } from 'node:net';
import type { Database, Transaction } from '../../storage/database.ts';
import { DomainError } from '../errors.ts';
import { fold } from '../text.ts';
import { digest } from './secrets.ts';

const WINDOW_MS = 60_000;
export const LOGINS_PER_USER = 10;
export const LOGINS_PER_ADDRESS = 100;

/**
 * Exact sliding windows, kept in the database so that all nodes share them. A try that is refused uses up neither budget.
 */
export class LoginLimits {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Counts a try, or throws with the seconds to wait. Without an address, whoever tries has logged in before. */
  async admit(email: string, address?: string): Promise<void> {
    const user = { subject: `user ${digest(loginName(email))}`, most: LOGINS_PER_USER };
    const peer = address === undefined ? [] : [{ subject: `address ${network(address)}`, most: LOGINS_PER_ADDRESS }];
    const wait = await this.#database.transaction(async (tx) => {
      const windows: { subject: string; recent: number[]; wait: number }[] = [];
      // Always in this order, so that two nodes never wait for each other.
      for (const { subject, most } of [...peer, user]) {
        const recent = await this.#recent(tx, subject);
        windows.push({ subject, recent, wait: untilFree(recent, most, tx.now) });
      }
      const wait = Math.max(...windows.map((window) => window.wait));
      if (wait > 0) return wait;
      for (const { subject, recent } of windows) await this.#keep(tx, subject, recent);
      return 0;
    });
    if (wait > 0) {
      throw new DomainError('limited', 'Too many logins. Try again later.', {
        retryAfterSeconds: Math.ceil(wait / 1000),
      });
    }
  }

  /** Forgets the windows that have passed. */
  async clean(): Promise<void> {
    await this.#database.transaction((tx) => tx.db.deleteFrom('loginWindows').where('endsAt', '<', tx.now).execute());
  }

  /** The tries of the last minute. Reading them this way holds the row until the commit, on every database. */
  async #recent(tx: Transaction, subject: string): Promise<number[]> {
    const row = await tx.db
      .insertInto('loginWindows')
      .values({ subject, attempts: '[]', endsAt: tx.now })
      .onConflict((conflict) =>
        conflict.column('subject').doUpdateSet((eb) => ({ attempts: eb.ref('loginWindows.attempts') })),
      )
      .returning('attempts')
      .executeTakeFirstOrThrow();
    return (JSON.parse(row.attempts) as number[]).filter((at) => at > tx.now - WINDOW_MS);
  }

  async #keep(tx: Transaction, subject: string, earlier: readonly number[]): Promise<void> {
    await tx.db
      .updateTable('loginWindows')
      .set({ attempts: JSON.stringify([...earlier, tx.now]), endsAt: tx.now + WINDOW_MS })
      .where('subject', '=', subject)
      .execute();
  }
}

/** The form in which e-mails of logins compare. */
export function loginName(email: string): string {
  return fold(email.trim());
}

function untilFree(attempts: readonly number[], most: number, now: number): number {
  const blocking = attempts[attempts.length - most];
  return blocking === undefined ? 0 : blocking + WINDOW_MS - now;
}

/** IPv4 by address, IPv6 by /64: that is what one customer of a provider gets. */
export function network(address: string): string {
  const bare = address.replace(/%.*$/, '');
  if (!isIPv6(bare)) return bare;
  const groups = ipv6Groups(bare);
  const mapped = groups.slice(0, 6).every((group, index) => group === (index === 5 ? 0xffff : 0));
  if (mapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The eight groups of an address in any of its spellings; a URL knows the one that all come down to. */
function ipv6Groups(address: string): number[] {
  const [left = [], right = []] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((side) => (side === '' ? [] : side.split(':').map((group) => Number.parseInt(group, 16))));
  return [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
}
