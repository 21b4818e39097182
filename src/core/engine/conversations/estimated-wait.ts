import { sql } from 'kysely';
import type { Database } from '../../../storage/database.ts';
import { upToEntries, VersionedCache } from '../../kernel/caches.ts';
import type { Channel } from '../../kernel/channels.ts';
import { FIRST_ABSENT_ORDER } from '../records/queue-order.ts';

const PERIOD_MS = 30 * 60_000;
/** With fewer starts in the period, an estimate would be a guess. */
const MIN_STARTS = 10;
/** Conversations that waited longer than this before their start are not counted: an index finds the others. */
const MAX_WAIT_MS = 4 * 3_600_000;
const CACHE_TTL_MS = 5000;

interface Line {
  readonly accountId: number;
  readonly channel: Channel;
  readonly skillId: number | null;
}

/** Estimates how long visitors have to wait, from how many conversations of the same skill were started lately. */
export class EstimatedWaits {
  readonly #database: Database;
  readonly #starts = new VersionedCache<Promise<{ readonly count: number }>>({
    ...upToEntries(10_000),
    ttl: CACHE_TTL_MS,
  });

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns seconds in the order of the ids; null if a conversation is not waiting or the estimate were not honest. */
  async load(accountId: number, ids: readonly number[]): Promise<(number | null)[]> {
    const places = new Map((await this.#loadPlaces(accountId, ids)).map((row) => [row.id, row]));
    return Promise.all(
      ids.map(async (id) => {
        const row = places.get(id);
        if (!row) return null;
        const { count } = await this.#countStarts({ accountId, channel: row.channel, skillId: row.skillId });
        return count < MIN_STARTS ? null : Math.round((row.place * PERIOD_MS) / count / 1000);
      }),
    );
  }

  /** The place among all waiting conversations of the same skill and channel, of present visitors. */
  async #loadPlaces(accountId: number, ids: readonly number[]) {
    if (ids.length === 0) return [];
    return this.#database.read
      .selectFrom('conversations as c')
      .select([
        'c.id',
        'c.channel',
        'c.skillId',
        sql<number>`(select count(*) from conversations o where o.account_id = c.account_id and o.state = 'queued'
          and o.queue_order < ${sql.lit(FIRST_ABSENT_ORDER)} and o.channel = c.channel
          and coalesce(o.skill_id, 0) = coalesce(c.skill_id, 0)
          and (o.queue_order < c.queue_order or (o.queue_order = c.queue_order and o.id <= c.id)))`.as('place'),
      ])
      .where('c.accountId', '=', accountId)
      .where('c.id', 'in', ids)
      .where('c.state', '=', sql.lit('queued'))
      .where('c.queueOrder', '<', sql.lit(FIRST_ABSENT_ORDER))
      .execute();
  }

  #countStarts(line: Line): Promise<{ readonly count: number }> {
    const key = `${line.accountId} ${line.channel} ${line.skillId ?? ''}`;
    return this.#starts.get(key, 0) ?? this.#starts.set(key, 0, this.#readStarts(line));
  }

  async #readStarts({ accountId, channel, skillId }: Line): Promise<{ readonly count: number }> {
    return this.#database.read
      .selectFrom('conversations')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('accountId', '=', accountId)
      .where('skillId', skillId === null ? 'is' : '=', skillId)
      .where('createdAt', '>=', sql<number>`now_ms() - ${sql.lit(PERIOD_MS + MAX_WAIT_MS)}`)
      .where('acceptedAt', '>=', sql<number>`now_ms() - ${sql.lit(PERIOD_MS)}`)
      .where('channel', '=', channel)
      .executeTakeFirstOrThrow();
  }
}
