import { sql } from 'kysely';
import type { Clock, Database } from '../../storage/database.ts';
import { type ApiKey, SHOWN_COLUMNS } from '../access/api-keys.ts';
import { type Caller, requireAdmin } from '../kernel/caller.ts';

/** What a key used of the deprecated interface: an endpoint, a field or a filter. */
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

/** Tallies by account, key and what was used. Maps in maps, so that counting makes no text. */
type Tallies = Map<number, Map<number, Map<string, Tally>>>;

/** The migration meter: which keys still use what is deprecated. Counted in memory, written down now and then. */
export class RestUsage {
  readonly #database: Database;
  readonly #clock: Clock;
  #tallies: Tallies = new Map();
  /** One writing at a time, so that whoever waits for the last one has waited for all. */
  #writing: Promise<void> = Promise.resolve();

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Counts one use. `what` must come from a fixed set: it stays in memory until it is written down. */
  count({ accountId, actor }: Caller, what: string): void {
    if (actor.id === null) return;
    const tallies = talliesOf(this.#tallies, accountId, actor.id);
    const tally = tallies.get(what);
    const now = this.#clock();
    if (tally) {
      tally.count += 1;
      tally.lastUsedAt = now;
    } else {
      tallies.set(what, { count: 1, firstUsedAt: now, lastUsedAt: now });
    }
  }

  /** Writes down what was counted, in one transaction. What could not be written is kept for the next time. */
  record(): Promise<void> {
    const written = this.#writing.then(() => this.#write());
    this.#writing = written.catch(() => undefined);
    return written;
  }

  /** All that the keys of the caller's account used, up to this moment on this node; what is used most comes first. */
  async list(caller: Caller): Promise<RestUse[]> {
    requireAdmin(caller);
    await this.record();
    const rows = await this.#database.read
      .selectFrom('restUsage')
      .innerJoin('apiKeys', (join) =>
        join.onRef('apiKeys.accountId', '=', 'restUsage.accountId').onRef('apiKeys.id', '=', 'restUsage.keyId'),
      )
      .select(['what', 'count', 'firstUsedAt', 'restUsage.lastUsedAt as usedAt'])
      .select(SHOWN_COLUMNS.map((column) => `apiKeys.${column}` as const))
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
    const taken = this.#tallies;
    this.#tallies = new Map();
    try {
      await this.#database.transaction(async (tx) => {
        for (const row of inOrder(taken)) {
          await tx.db
            .insertInto('restUsage')
            .values(row)
            .onConflict((conflict) =>
              conflict.columns(['accountId', 'keyId', 'what']).doUpdateSet((eb) => ({
                count: eb('restUsage.count', '+', row.count),
                // Nodes write in any order; the latest use is the last one.
                lastUsedAt: sql<number>`case when ${eb.ref('restUsage.lastUsedAt')} > ${row.lastUsedAt}
                  then ${eb.ref('restUsage.lastUsedAt')} else ${row.lastUsedAt} end`,
              })),
            )
            .execute();
        }
      });
    } catch (error) {
      this.#putBack(taken);
      throw error;
    }
  }

  #putBack(taken: Tallies): void {
    for (const { accountId, keyId, what, ...earlier } of rowsOf(taken)) {
      const tallies = talliesOf(this.#tallies, accountId, keyId);
      const later = tallies.get(what) ?? { count: 0, lastUsedAt: earlier.lastUsedAt };
      const lastUsedAt = Math.max(earlier.lastUsedAt, later.lastUsedAt);
      tallies.set(what, { count: earlier.count + later.count, firstUsedAt: earlier.firstUsedAt, lastUsedAt });
    }
  }
}

function talliesOf(all: Tallies, accountId: number, keyId: number): Map<string, Tally> {
  let keys = all.get(accountId);
  if (!keys) {
    keys = new Map();
    all.set(accountId, keys);
  }
  let tallies = keys.get(keyId);
  if (!tallies) {
    tallies = new Map();
    keys.set(keyId, tallies);
  }
  return tallies;
}

/** The same on every node, so that none waits for a row of another. */
function inOrder(all: Tallies) {
  return [...rowsOf(all)].sort(
    (a, b) => a.accountId - b.accountId || a.keyId - b.keyId || (a.what < b.what ? -1 : Number(a.what > b.what)),
  );
}

function* rowsOf(all: Tallies) {
  for (const [accountId, keys] of all) {
    for (const [keyId, tallies] of keys) {
      for (const [what, tally] of tallies) yield { accountId, keyId, what, ...tally };
    }
  }
}
