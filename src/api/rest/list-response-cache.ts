import type { FastifyRequest } from 'fastify';
import type { EventLog } from '../../core/events/event-log.ts';
import { VersionedCache } from '../../core/kernel/caches.ts';
import type { Caller } from '../../core/kernel/caller.ts';

export interface ListResponse {
  readonly body: string;
  /** Database time until which the response is valid if no event is written, because leases expire without an event. */
  readonly validUntil: number;
}

const MAX_CACHED_BYTES = 16 * 1024 * 1024;
const MAX_URL_LENGTH = 500;
const NO_POSITION = -1;

/** As bytes, so that the compressed copies are kept as long as the response. */
interface CachedResponse {
  readonly bytes: Buffer;
  readonly validUntil: number;
}

/**
 * Caches rendered lists by the position of the account's event log. Every change advances the position in its own
 * transaction, and the position is read from the database in every turn of the event loop: a response is never older
 * than the last commit before its request was received, on any node.
 */
export class ListResponseCache {
  readonly #events: EventLog;
  /** The last known position of each account's event log. */
  readonly #lastPositions = new Map<number, number>();
  readonly #responses = new VersionedCache<CachedResponse>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ value }) => value.bytes.length,
  });

  constructor(events: EventLog) {
    this.#events = events;
  }

  /** Returns undefined, at once or later, if there is no response or something has changed since. */
  findCurrent(caller: Caller, url: string): Promise<Buffer | undefined> | undefined {
    const lastPosition = this.#lastPositions.get(caller.accountId) ?? NO_POSITION;
    const cached = this.#responses.get(toCacheKey(caller, url), lastPosition);
    return cached && this.#checkCurrent(caller.accountId, cached, lastPosition);
  }

  async #checkCurrent(accountId: number, cached: CachedResponse, expected: number): Promise<Buffer | undefined> {
    const { position, now } = await this.#readPosition(accountId);
    return position === expected && now < cached.validUntil ? cached.bytes : undefined;
  }

  async getOrRender(request: FastifyRequest, render: () => Promise<ListResponse>): Promise<string | Buffer> {
    const { caller, url } = request;
    const { accountId } = caller;
    if (url.length > MAX_URL_LENGTH) return (await render()).body;
    const key = toCacheKey(caller, url);
    const lastPosition = this.#lastPositions.get(accountId) ?? NO_POSITION;
    const cached = this.#responses.get(key, lastPosition);
    // On a miss, render without waiting for the position: the result is at least as new as the last known position.
    if (!cached) {
      const [rendered] = await Promise.all([render(), this.#readPosition(accountId)]);
      return this.#responses.set(key, lastPosition, toCached(rendered)).bytes;
    }
    const { position, now } = await this.#readPosition(accountId);
    if (position === lastPosition && now < cached.validUntil) return cached.bytes;
    return this.#responses.set(key, position, toCached(await render())).bytes;
  }

  async #readPosition(accountId: number): Promise<{ position: number; now: number }> {
    const positionAndTime = await this.#events.readSharedPositionAndTime(accountId);
    this.#lastPositions.set(accountId, positionAndTime.position);
    return positionAndTime;
  }
}

/** Read keys see fewer fields. */
function toCacheKey({ accountId, canWrite }: Caller, url: string): string {
  return `${accountId}${canWrite ? '+' : '-'}${url}`;
}

function toCached({ body, validUntil }: ListResponse): CachedResponse {
  return { bytes: Buffer.from(body), validUntil };
}
