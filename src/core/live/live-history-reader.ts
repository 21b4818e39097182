import { type Selectable, sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import type { Tables } from '../../storage/tables.ts';
import type { Period } from '../kernel/period.ts';
import { applySlice, type Slice, type SlicePage, toSlicePage } from '../kernel/slice.ts';
import type { LiveState } from './capacity.ts';
import { computePauseReason, toLiveState } from './live.ts';

/** One change of a live state, with the state from then on. */
export type LiveHistoryRow = Selectable<Tables['liveHistory']>;

/** Enough recent changes to include the latest version, because times and versions can be slightly out of order. */
const MAX_RECENT_CHANGES = 10;

export function toStateAfter(row: LiveHistoryRow): LiveState {
  return toLiveState(row, { connected: row.connected === 1, inGrace: row.inGrace === 1 });
}

/** A live state in the past. */
export interface PastLive {
  readonly state: LiveState;
  readonly pauseReason: string | null;
}

export function toPastLive(row: LiveHistoryRow): PastLive {
  const state = toStateAfter(row);
  return { state, pauseReason: computePauseReason(row, state) };
}

/** Reads past live states from the live history. */
export class LiveHistoryReader {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the changes of a period, newest first. The version of the resulting live state identifies a change. */
  async slice(
    accountId: number,
    operatorId: number,
    period: Period,
    slice: Slice,
  ): Promise<SlicePage<LiveHistoryRow & { readonly id: number }>> {
    const query = applySlice(this.#selectPeriod(accountId, operatorId, period).selectAll(), 'version', slice);
    const rows = await this.#database.readOffThread(query);
    return toSlicePage(
      rows.map((row) => ({ ...row, id: row.version })),
      slice,
    );
  }

  async count(accountId: number, operatorId: number, period: Period): Promise<number> {
    const query = this.#selectPeriod(accountId, operatorId, period).select((eb) =>
      eb.fn.countAll<number>().as('count'),
    );
    return (await this.#database.readOffThread(query))[0]?.count ?? 0;
  }

  /** Returns each operator's live state at a time; omits operators without history at that time. */
  async readStatesAt(
    accountId: number,
    operatorIds: readonly number[],
    time: number,
  ): Promise<ReadonlyMap<number, PastLive>> {
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
    return new Map(rows.map((row) => [row.operatorId, toPastLive(row)]));
  }

  /**
   * Returns the live state that a routing decision was based on: the last change before it. Ignores the slot claim of
   * the decision itself, which was written just before it.
   */
  async findStateBefore(
    accountId: number,
    operatorId: number,
    decision: { readonly id: number; readonly at: number; readonly operatorId: number | null },
  ): Promise<LiveHistoryRow | undefined> {
    // Uses the index on time, where a change that was noticed late is slightly out of order.
    const recentRows = await this.#database.read
      .selectFrom('liveHistory')
      .selectAll()
      .where('accountId', '=', accountId)
      .where('operatorId', '=', operatorId)
      .where('at', '<=', decision.at)
      .where('afterDecision', '<', decision.id)
      .orderBy('at', 'desc')
      .orderBy('version', 'desc')
      .limit(MAX_RECENT_CHANGES)
      .execute();
    const byVersion = recentRows.toSorted((a, b) => b.version - a.version);
    const hasOwnClaim = decision.operatorId === operatorId && byVersion[0]?.kind === 'slot_taken';
    const state = byVersion[hasOwnClaim ? 1 : 0];
    if (!state || state.connected === 0) return state;
    const hasEnded = (await this.#findLeaseEnd(state)) <= decision.at;
    return hasEnded ? { ...state, connected: 0, inGrace: 0 } : state;
  }

  /**
   * Returns when the operator's leases expired. Routing used that time, although the history records it slightly later.
   */
  async #findLeaseEnd({ accountId, operatorId, version }: LiveHistoryRow): Promise<number> {
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
    const current = await this.#database.read
      .selectFrom('operatorLive')
      .select('leaseUntil')
      .where('accountId', '=', accountId)
      .where('operatorId', '=', operatorId)
      .executeTakeFirst();
    return current?.leaseUntil ?? Number.POSITIVE_INFINITY;
  }

  #selectPeriod(accountId: number, operatorId: number, { from, to }: Period) {
    let query = this.#database.read
      .selectFrom('liveHistory')
      .where('accountId', '=', accountId)
      .where('operatorId', '=', operatorId)
      .where(this.#database.isWithinDeadline(sql.ref<number>('version')));
    if (from !== undefined) query = query.where('at', '>=', from);
    if (to !== undefined) query = query.where('at', '<', to);
    return query;
  }
}
