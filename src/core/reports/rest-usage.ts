import { sql } from 'kysely';
import type { Clock, Database } from '../../storage/database.ts';
import { type ApiKey, PUBLIC_COLUMNS } from '../access/api-keys.ts';
import { type Caller, requireAdminRead } from '../kernel/caller.ts';

/** Use of the deprecated interface by a key: an endpoint, a field or a filter. */
export interface RestUse {
  readonly key: ApiKey;
  readonly what: string;
  readonly count: number;
  readonly firstUsedAt: number;
  readonly lastUsedAt: number;
}

interface Tally {
  count: number;
  readonly firstUsedAt: number;
  lastUsedAt: number;
}

/** By account, key and feature. Nested maps, so that counting builds no strings. */
type Tallies = Map<number, Map<number, Map<string, Tally>>>;

/** Counts which keys still use deprecated features: in memory, with a periodic flush to the database. */
export class RestUsage {
  readonly #database: Database;
  readonly #clock: Clock;
  #tallies: Tallies = new Map();
  /** Writes run one after another: waiting for the last one means waiting for all. */
  #lastWrite: Promise<void> = Promise.resolve();

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** `what` must come from a fixed set: it stays in memory until the next flush. */
  countUse({ accountId, actor }: Caller, what: string): void {
    if (actor.id === null) return;
    const tallies = getOrCreateTallies(this.#tallies, accountId, actor.id);
    const tally = tallies.get(what);
    const now = this.#clock();
    if (tally) {
      tally.count += 1;
      tally.lastUsedAt = now;
    } else {
      tallies.set(what, { count: 1, firstUsedAt: now, lastUsedAt: now });
    }
  }

  /** Stores the counts in one transaction. If that fails, they stay in memory for the next flush. */
  flush(): Promise<void> {
    const write = this.#lastWrite.then(() => this.#write());
    this.#lastWrite = write.catch(() => undefined);
    return write;
  }

  /**
   * Lists all uses by the keys of the caller's account, most frequent first per key. Includes this node's unflushed
   * counts.
   */
  async list(caller: Caller): Promise<RestUse[]> {
    requireAdminRead(caller);
    await this.flush();
    const rows = await this.#database.read
      .selectFrom('restUsage')
      .innerJoin('apiKeys', (join) =>
        join.onRef('apiKeys.accountId', '=', 'restUsage.accountId').onRef('apiKeys.id', '=', 'restUsage.keyId'),
      )
      .select(['what', 'count', 'firstUsedAt', 'restUsage.lastUsedAt as usedAt'])
      .select(PUBLIC_COLUMNS.map((column) => `apiKeys.${column}` as const))
      .where('restUsage.accountId', '=', caller.accountId)
      .orderBy('restUsage.keyId')
      .orderBy('count', 'desc')
      .orderBy('what')
      .execute();
    return rows.map(({ what, count, firstUsedAt, usedAt, ...key }) => ({
      key,
      what,
      count,
      firstUsedAt,
      lastUsedAt: usedAt,
    }));
  }

  async #write(): Promise<void> {
    if (this.#tallies.size === 0) return;
    const pending = this.#tallies;
    this.#tallies = new Map();
    try {
      await this.#database.transaction(async (tx) => {
        for (const row of toSortedRows(pending)) {
          await tx.db
            .insertInto('restUsage')
            .values(row)
            .onConflict((conflict) =>
              conflict.columns(['accountId', 'keyId', 'what']).doUpdateSet((eb) => ({
                count: eb('restUsage.count', '+', row.count),
                // Nodes write in any order; the latest time wins.
                lastUsedAt: sql<number>`case when ${eb.ref('restUsage.lastUsedAt')} > ${row.lastUsedAt}
                  then ${eb.ref('restUsage.lastUsedAt')} else ${row.lastUsedAt} end`,
              })),
            )
            .execute();
        }
      });
    } catch (error) {
      this.#restore(pending);
      throw error;
    }
  }

  #restore(pending: Tallies): void {
    for (const { accountId, keyId, what, ...earlier } of toRows(pending)) {
      const tallies = getOrCreateTallies(this.#tallies, accountId, keyId);
      const later = tallies.get(what) ?? { count: 0, lastUsedAt: earlier.lastUsedAt };
      const lastUsedAt = Math.max(earlier.lastUsedAt, later.lastUsedAt);
      tallies.set(what, { count: earlier.count + later.count, firstUsedAt: earlier.firstUsedAt, lastUsedAt });
    }
  }
}

function getOrCreateTallies(talliesByAccount: Tallies, accountId: number, keyId: number): Map<string, Tally> {
  let keys = talliesByAccount.get(accountId);
  if (!keys) {
    keys = new Map();
    talliesByAccount.set(accountId, keys);
  }
  let tallies = keys.get(keyId);
  if (!tallies) {
    tallies = new Map();
    keys.set(keyId, tallies);
  }
  return tallies;
}

/** Returns rows in the same order on every node, so that concurrent writes do not deadlock. */
function toSortedRows(talliesByAccount: Tallies) {
  return [...toRows(talliesByAccount)].sort(
    (a, b) => a.accountId - b.accountId || a.keyId - b.keyId || (a.what < b.what ? -1 : Number(a.what > b.what)),
  );
}

function* toRows(talliesByAccount: Tallies) {
  for (const [accountId, keys] of talliesByAccount) {
    for (const [keyId, tallies] of keys) {
      for (const [what, tally] of tallies) yield { accountId, keyId, what, ...tally };
    }
  }
}
