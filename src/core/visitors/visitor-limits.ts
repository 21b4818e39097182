import type { Transaction } from '../../storage/database.ts';
import { toNetwork } from '../access/networks.ts';
import type { RateLimits } from '../access/rate-limits.ts';
import type { VisitorCaller } from '../kernel/caller.ts';

const HOUR_MS = 3_600_000;

/** Per minute unless it says otherwise; 0 means no limit. */
export interface VisitorRates {
  readonly sessionsPerAddress: number;
  readonly startsPerVisitor: number;
  readonly startsPerAddress: number;
  readonly messagesPerVisitor: number;
  readonly renewalsPerVisitor: number;
  readonly renewalsPerAddress: number;
  readonly contextsPerVisitor: number;
  /** Per hour. */
  readonly messagesLeftPerAddress: number;
}

/** Rate limits for visitors, who come from the open internet. */
export class VisitorLimits {
  readonly #rates: RateLimits;
  readonly #limits: VisitorRates;

  constructor(rates: RateLimits, limits: VisitorRates) {
    this.#rates = rates;
    this.#limits = limits;
  }

  async admitSession(address: string): Promise<void> {
    const window = { subject: `sessions ${toNetwork(address)}`, limit: this.#limits.sessionsPerAddress };
    await this.#rates.admit([window], 'Too many sessions from this address. Try again later.');
  }

  /** Also counts starts that are refused afterwards: they cost as much. */
  async admitStart(visitor: VisitorCaller, address: string): Promise<void> {
    const { startsPerAddress, startsPerVisitor } = this.#limits;
    await this.#rates.admit(
      [
        { subject: `starts ${toNetwork(address)}`, limit: startsPerAddress },
        { subject: `starts of visitor ${toSubjectKey(visitor)}`, limit: startsPerVisitor },
      ],
      'Too many conversations. Try again later.',
    );
  }

  /** By address too: one client can have many visitors. Apart from sessions, so that a burst of them ends no session. */
  async admitRenewal(visitor: VisitorCaller, address: string): Promise<void> {
    const { renewalsPerAddress, renewalsPerVisitor } = this.#limits;
    await this.#rates.admit(
      [
        { subject: `renewals ${toNetwork(address)}`, limit: renewalsPerAddress },
        { subject: `renewals of visitor ${toSubjectKey(visitor)}`, limit: renewalsPerVisitor },
      ],
      'Too many renewals. Try again later.',
    );
  }

  /** Counts a message in its transaction. */
  async admitMessage(tx: Transaction, visitor: VisitorCaller): Promise<void> {
    const window = {
      subject: `messages of visitor ${toSubjectKey(visitor)}`,
      limit: this.#limits.messagesPerVisitor,
    };
    await this.#rates.admitInTransaction(tx, [window], 'Too many messages. Try again later.');
  }

  /** Also counts messages that fail afterwards. A rejected one takes no lock. */
  async admitMessageLeft(address: string): Promise<void> {
    const subject = `messages left ${toNetwork(address)}`;
    const window = { subject, limit: this.#limits.messagesLeftPerAddress, windowMs: HOUR_MS };
    await this.#rates.admit([window], 'Too many messages were left from this address. Try again later.');
  }

  /** Counts a change of the visitor's context in its transaction. */
  async admitContext(tx: Transaction, visitor: VisitorCaller): Promise<void> {
    const window = {
      subject: `contexts of visitor ${toSubjectKey(visitor)}`,
      limit: this.#limits.contextsPerVisitor,
    };
    await this.#rates.admitInTransaction(tx, [window], 'Too many changes of the context. Try again later.');
  }
}

function toSubjectKey({ accountId, visitorId }: VisitorCaller): string {
  return `${accountId}.${visitorId}`;
}
