import { type Selectable, sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import type { Tables } from '../../storage/tables.ts';
import type { Period } from '../kernel/period.ts';
import { cut, type Slice, type SlicePage, sliced } from '../kernel/slice.ts';
import type { LiveState } from './capacity.ts';
import { liveState } from './live.ts';

/** One change of a live state as the history has it, and what was true from then on. */
export type LiveMoment = Selectable<Tables['liveHistory']>;

/** Enough of the last changes to have the very last among them. */
const LATELY = 10;

/** What was true of the operator from this change on. */
export function stateOf(moment: LiveMoment): LiveState {
  return liveState(moment, { connected: moment.connected === 1, inGrace: moment.inGrace === 1 });
}

/** Live states of the past, from their history. */
export class LivePast {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** The changes of a period, newest first. A change is known by the version of the live state that it made. */
  async slice(
    accountId: number,
    operatorId: number,
    period: Period,
    slice: Slice,
  ): Promise<SlicePage<LiveMoment & { readonly id: number }>> {
    const query = sliced(this.#within(accountId, operatorId, period).selectAll(), 'version', slice);
    const rows = await this.#database.readOffThread(query);
    return cut(
      rows.map((row) => ({ ...row, id: row.version })),
      slice,
    );
  }

  async count(accountId: number, operatorId: number, period: Period): Promise<number> {
    const query = this.#within(accountId, operatorId, period).select((eb) => eb.fn.countAll<number>().as('count'));
    return (await this.#database.readOffThread(query))[0]?.count ?? 0;
  }

  /** What was true of each at a moment; nobody of whom nothing is known so long ago. */
  async at(accountId: number, operatorIds: readonly number[], time: number): Promise<ReadonlyMap<number, LiveState>> {
    if (operatorIds.length === 0) return new Map();
    const rows = await this.#database.read
      .selectFrom('operators as o')
      .crossJoin('liveHistory as h')
      .selectAll('h')
      .where('o.accountId', '=', accountId)
      .where('o.id', 'in', operatorIds)
      .whereRef('h.accountId', '=', 'o.accountId')
      .whereRef('h.operatorId', '=', 'o.id')
      .where('h.version', '=', (eb) =>
        eb
          .selectFrom('liveHistory as before')
          .select('before.version')
          .whereRef('before.accountId', '=', 'o.accountId')
          .whereRef('before.operatorId', '=', 'o.id')
          .where('before.at', '<=', time)
          .orderBy('before.at', 'desc')
          .orderBy('before.version', 'desc')
          .limit(1),
      )
      .execute();
    return new Map(rows.map((row) => [row.operatorId, stateOf(row)]));
  }

  /**
   * What routing saw of an operator when it decided: the last change before the decision. The decision's own claim of a slot
   * was written just before it and does not count.
   */
  async before(
    accountId: number,
    operatorId: number,
    decision: { readonly id: number; readonly at: number; readonly operatorId: number | null },
  ): Promise<LiveMoment | undefined> {
    // By the index on time; a change that was noticed late stands there a little before its place.
    const lately = await this.#database.read
      .selectFrom('liveHistory')
      .selectAll()
      .where('accountId', '=', accountId)
      .where('operatorId', '=', operatorId)
      .where('at', '<=', decision.at)
      .where('afterDecision', '<', decision.id)
      .orderBy('at', 'desc')
      .orderBy('version', 'desc')
      .limit(LATELY)
      .execute();
    const earlier = lately.toSorted((a, b) => b.version - a.version);
    const claimed = decision.operatorId === operatorId && earlier[0]?.kind === 'slot_taken';
    const seen = earlier[claimed ? 1 : 0];
    if (!seen || seen.connected === 0) return seen;
    const isOver = (await this.#endOf(seen)) <= decision.at;
    return isOver ? { ...seen, connected: 0, inGrace: 0 } : seen;
  }

  /** When the sessions of a moment ended by time alone: for routing it was then, though it is written down a little later. */
  async #endOf({ accountId, operatorId, version }: LiveMoment): Promise<number> {
    const next = await this.#database.read
      .selectFrom('liveHistory')
      .select(['kind', 'reason', 'at'])
      .where('accountId', '=', accountId)
      .where('operatorId', '=', operatorId)
      .where('version', '>', version)
      .orderBy('version')
      .limit(1)
      .executeTakeFirst();
    if (next) return next.kind === 'disconnected' && next.reason === 'lease_ended' ? next.at : Number.POSITIVE_INFINITY;
    const present = await this.#database.read
      .selectFrom('operatorLive')
      .select('leaseUntil')
      .where('accountId', '=', accountId)
      .where('operatorId', '=', operatorId)
      .executeTakeFirst();
    return present?.leaseUntil ?? Number.POSITIVE_INFINITY;
  }

  #within(accountId: number, operatorId: number, { from, to }: Period) {
    let query = this.#database.read
      .selectFrom('liveHistory')
      .where('accountId', '=', accountId)
      .where('operatorId', '=', operatorId)
      .where(this.#database.withinDeadline(sql.ref<number>('version')));
    if (from !== undefined) query = query.where('at', '>=', from);
    if (to !== undefined) query = query.where('at', '<', to);
    return query;
  }
}
