import type { Transaction } from '../../storage/database.ts';
import { network } from '../access/networks.ts';
import type { RateLimits } from '../access/rate-limits.ts';
import type { VisitorCaller } from '../kernel/caller.ts';

/** How often within a minute; 0 means that there is no limit. */
export interface VisitorRates {
  readonly sessionsPerAddress: number;
  readonly startsPerVisitor: number;
  readonly startsPerAddress: number;
  readonly messagesPerVisitor: number;
}

/** Visitors come from the open internet: what they can make many of is limited. */
export class VisitorLimits {
  readonly #rates: RateLimits;
  readonly #most: VisitorRates;

  constructor(rates: RateLimits, most: VisitorRates) {
    this.#rates = rates;
    this.#most = most;
  }

  async admitSession(address: string): Promise<void> {
    const window = { subject: `sessions ${network(address)}`, most: this.#most.sessionsPerAddress };
    await this.#rates.admit([window], 'Too many sessions from this address. Try again later.');
  }

  /** Counts also what is refused afterwards: to find that out costs as much. */
  async admitStart(visitor: VisitorCaller, address: string): Promise<void> {
    const { startsPerAddress, startsPerVisitor } = this.#most;
    await this.#rates.admit(
      [
        { subject: `starts ${network(address)}`, most: startsPerAddress },
        { subject: `starts of visitor ${nameOf(visitor)}`, most: startsPerVisitor },
      ],
      'Too many conversations. Try again later.',
    );
  }

  /** Counts in the transaction of the message itself. */
  async admitMessage(tx: Transaction, visitor: VisitorCaller): Promise<void> {
    const window = { subject: `messages of visitor ${nameOf(visitor)}`, most: this.#most.messagesPerVisitor };
    await this.#rates.admitWithin(tx, [window], 'Too many messages. Try again later.');
  }
}

function nameOf({ accountId, visitorId }: VisitorCaller): string {
  return `${accountId}.${visitorId}`;
}
