import type { FastifyRequest } from 'fastify';
import type { EventLog } from '../../core/events/event-log.ts';
import { VersionedCache } from '../../core/kernel/caches.ts';

export interface MadeAnswer {
  readonly body: string;
  /** The database's time until which the answer is true even if nothing changes; leases end by time alone. */
  readonly until: number;
}

const KEPT_CHARACTERS = 16 * 1024 * 1024;
const MAX_ADDRESS_LENGTH = 500;
const NEVER = -1;

/**
 * Whole answers of lists, kept as of a position of the account's event log. Every change moves the position in its own
 * transaction, and the position is read for every request: what is sent is never older than the last commit. Whichever node
 * committed it: the position is the database's.
 */
export class ListAnswers {
  readonly #events: EventLog;
  /** Where the log of an account was when somebody looked last. */
  readonly #seen = new Map<number, number>();
  readonly #kept = new VersionedCache<MadeAnswer>({
    maxSize: KEPT_CHARACTERS,
    sizeCalculation: ({ value }) => value.body.length,
  });

  constructor(events: EventLog) {
    this.#events = events;
  }

  async answer(request: FastifyRequest, make: () => Promise<MadeAnswer>): Promise<string> {
    const { accountId, canWrite } = request.caller;
    const address = request.url;
    if (address.length > MAX_ADDRESS_LENGTH) return (await make()).body;
    const name = `${accountId}${canWrite ? '+' : '-'}${address}`;
    const before = this.#seen.get(accountId) ?? NEVER;
    const kept = this.#kept.get(name, before);
    // One that cannot be true any more is made at once; it is at least as new as the position that was known before.
    if (!kept) {
      const [made] = await Promise.all([make(), this.#look(accountId)]);
      return this.#kept.set(name, before, made).body;
    }
    const { position, now } = await this.#look(accountId);
    if (position === before && now < kept.until) return kept.body;
    return this.#kept.set(name, position, await make()).body;
  }

  async #look(accountId: number): Promise<{ position: number; now: number }> {
    const moment = await this.#events.moment(accountId);
    this.#seen.set(accountId, moment.position);
    return moment;
  }
}
