import { sql } from 'kysely';
import type { Database, Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import { readsFirst } from '../../../storage/reads-first.ts';
import { loadDeskSettings } from '../../access/desk-settings.ts';
import { VersionedCache } from '../../kernel/caches.ts';
import { type Caller, type Commit, requireOperatorId } from '../../kernel/caller.ts';
import { CHANNELS, type Channel } from '../../kernel/channels.ts';
import { DomainError, invalid, invalidField } from '../../kernel/errors.ts';
import type { Window } from '../../kernel/page.ts';
import type { LiveState } from '../../live/capacity.ts';
import { DESK_LEASE_SECONDS } from '../../live/leases.ts';
import { computePauseReason, type LiveRow, type LiveUpdate, toLiveState } from '../../live/live.ts';
import { type LiveChangeRecord, parseLiveChange } from '../../live/live-change.ts';
import { findLiveRow, setAvailability } from '../../live/live-store.ts';
import type { Operator } from '../../operators/operator.ts';
import type { OperatorFilters } from '../../operators/operator-filter.ts';
import { requireOperator } from '../../operators/operator-store.ts';
import { requireSelfOrManaged } from '../../operators/permissions.ts';
import { countQueuedConversations } from '../records/conversation-store.ts';
import { routeQueueForOperator } from '../routing/queue.ts';
import {
  type LiveRequest,
  type LiveRowQuery,
  type StampRow,
  selectAvailableRows,
  selectLiveRows,
  selectStamps,
} from './live-query.ts';
import { closeDesk, connect, disconnect, openDesk, resumeDesk, tryRenewLease } from './presence.ts';
import { LeaseRenewals } from './renewals.ts';

/** Identifies a version of a live state, to find its cached rendering. */
export interface LiveStamp {
  readonly id: number;
  readonly version: number;
  readonly connected: boolean;
}

export interface OperatorLiveState {
  readonly id: number;
  readonly version: number;
  readonly state: LiveState;
  /** Why the operator takes a pause. */
  readonly pauseReason: string | null;
}

/** Who last changed which part of an operator's live state; null where it is not known. */
export type LiveChanges = {
  readonly id: number;
  /** Null unless the operator is kept offline. */
  readonly takenOffline: LiveChangeRecord | null;
} & { readonly [channel in Channel]: LiveChangeRecord | null };

export interface LiveList {
  readonly count: number;
  /** Operators omitted because they have a skill or belong to a group and the request names neither. */
  readonly omittedCount: number;
  /** When the first lease expires; until then only a new version changes the list. */
  readonly validUntil: number;
  /** In batches: a list with offline operators may be long. */
  readonly batches: AsyncIterable<readonly LiveStamp[]>;
}

const BATCH_SIZE = 1000;

const findAvailable = prepare<{ accountId: number }, StampRow>((db, { accountId }) =>
  selectStamps(selectAvailableRows(db).where('live.accountId', '=', accountId)),
);
const findStamp = prepare<{ accountId: number; operatorId: number }, StampRow>((db, { accountId, operatorId }) =>
  selectStamps(
    db
      .selectFrom('operatorLive as live')
      .where('live.accountId', '=', accountId)
      .where('live.operatorId', '=', operatorId),
  ),
);

interface StateStamp {
  readonly id: number;
  readonly version: number;
  /** PostgreSQL and SQLite return 0 or 1. */
  readonly connected: number;
  readonly routable: number;
}

interface OperatorsKey {
  readonly accountId: number;
  readonly operatorIds: readonly number[];
}

const findStateStamps = prepare<OperatorsKey, StateStamp>((db, { accountId, operatorIds }) =>
  db
    .selectFrom('operatorLive as live')
    .select((eb) => [
      'live.operatorId as id',
      'live.version as version',
      eb('live.leaseUntil', '>', eb.fn<number>('now_ms', [])).as('connected'),
      eb('live.routableUntil', '>', eb.fn<number>('now_ms', [])).as('routable'),
    ])
    .where('live.accountId', '=', accountId)
    .where('live.operatorId', 'in', operatorIds),
);
const findStateRows = prepare<OperatorsKey, LiveRow>((db, { accountId, operatorIds }) =>
  db.selectFrom('operatorLive').selectAll().where('accountId', '=', accountId).where('operatorId', 'in', operatorIds),
);

/** Reads and changes the live state of operators: presence and availability. */
export class LiveService {
  readonly #database: Database;
  readonly #cache = new VersionedCache<OperatorLiveState>();
  readonly #renewals: LeaseRenewals;

  constructor(database: Database) {
    this.#database = database;
    this.#renewals = new LeaseRenewals(database);
  }

  async loadStamp(accountId: number, operatorId: number): Promise<LiveStamp | undefined> {
    const [row] = await this.#database.run(findStamp, { accountId, operatorId });
    return row && toStamp(row);
  }

  async list(accountId: number, request: LiveRequest, window: Window | undefined): Promise<LiveList> {
    const isFiltered = Object.values(request.filters).some((filter) => filter !== undefined);
    const rows = request.includeOffline
      ? undefined
      : isFiltered
        ? await this.#database.readOffThread(selectStamps(this.#select(accountId, request)))
        : await this.#database.run(findAvailable, { accountId });
    if (!rows) return this.#listWithOffline(accountId, request, window);
    const visible = hasSpecificFilters(request.filters) ? rows : rows.filter((row) => row.namedOnly === 0);
    const page = window ? visible.slice(window.offset, window.offset + window.limit) : visible;
    return {
      count: visible.length,
      omittedCount: rows.length - visible.length,
      validUntil: rows.reduce((first, row) => Math.min(first, row.leaseUntil), Number.POSITIVE_INFINITY),
      batches: toSingleBatch(page.map(toStamp)),
    };
  }

  /** Loads the live states of these operators, with their current presence. */
  async loadStates(accountId: number, operatorIds: readonly number[]): Promise<OperatorLiveState[]> {
    if (operatorIds.length === 0) return [];
    const stamps = await this.#database.run(findStateStamps, { accountId, operatorIds });
    const load = async (missing: readonly StateStamp[]) => {
      const ids = missing.map(({ id }) => id);
      const rows = await this.#database.run(findStateRows, { accountId, operatorIds: ids });
      const rowsById = new Map(rows.map((row) => [row.operatorId, row]));
      return missing.flatMap((stamp) => {
        const row = rowsById.get(stamp.id);
        if (!row) return [];
        const [connected, inGrace] = [Boolean(stamp.connected), Boolean(stamp.connected) && !stamp.routable];
        const { version } = row;
        const state = toLiveState(row, { connected, inGrace });
        const value = { id: stamp.id, version, state, pauseReason: computePauseReason(row, state) };
        return { ...stamp, version, value };
      });
    };
    // A lease expires without a new version, so presence is part of the cache key.
    return this.#cache.getAll(stamps, (stamp) => `${accountId} ${stamp.id} ${stamp.connected} ${stamp.routable}`, load);
  }

  async loadChanges(accountId: number, operatorIds: readonly number[]): Promise<LiveChanges[]> {
    const rows = await this.#database.read
      .selectFrom('operatorLive')
      .select(['operatorId', 'keptOffline', 'takenOffline', 'chatChanged', 'callChanged', 'videoChanged'])
      .where('accountId', '=', accountId)
      .where('operatorId', 'in', operatorIds)
      .execute();
    return rows.map((row) => ({
      id: row.operatorId,
      takenOffline: row.keptOffline === 1 ? parseLiveChange(row.takenOffline) : null,
      chat: parseLiveChange(row.chatChanged),
      call: parseLiveChange(row.callChanged),
      video: parseLiveChange(row.videoChanged),
    }));
  }

  /** `pauseReason` says why channels are turned off; null removes it. */
  async update(
    commit: Commit<Operator>,
    caller: Caller,
    operatorId: number,
    input: LiveUpdate,
    pauseReason?: string | null,
  ): Promise<Operator> {
    if (Object.values(input).every((value) => value === undefined)) {
      throw invalid([{ path: ['chat', 'available'], code: 'missing', rule: 'or another field is required' }]);
    }
    return commit(
      readsFirst(async (tx) => {
        const { accountId } = caller;
        const turnsOn = CHANNELS.some((channel) => input[channel]?.available);
        const [operator, [row], queued] = await Promise.all([
          requireOperator(tx, accountId, operatorId),
          tx.run(findLiveRow, { accountId, operatorId }),
          turnsOn ? countQueuedConversations(tx, accountId, 1) : 0,
        ]);
        requireSelfOrManaged(caller, operator);
        if (pauseReason) await requirePauseReason(tx, caller, input, pauseReason);
        const update = { operatorId, update: input, currentFlags: row, pauseReason };
        const changedFlags = row ? setAvailability(tx, caller, update) : {};
        if (queued > 0 && Object.values(changedFlags).includes(1))
          await routeQueueForOperator(tx, caller, operatorId, 'available');
        if (input.connected === false) await disconnect(tx, caller, operatorId);
        return operator;
      }),
    );
  }

  /** Connects the caller's operator for a time, or only renews a lease that has not ended. */
  async connect(
    commit: Commit<Operator>,
    caller: Caller,
    lease: { leaseId: string; seconds: number; renewOnly: boolean },
  ): Promise<Operator> {
    const operatorId = requireOperatorId(caller);
    const { accountId } = caller;
    return commit(async (tx) => {
      const operator = await requireOperator(tx, accountId, operatorId);
      if (!lease.renewOnly) await connect(tx, caller, { operatorId, ...lease });
      else if (!(await tryRenewLease(tx, caller, { operatorId, ...lease }))) {
        throw new DomainError('state', 'The lease has ended. Connect again without `renew`.');
      }
      return operator;
    });
  }

  /** Creates the lease of a desk's socket. The operator is connected while the socket answers pings. */
  createDeskLease(caller: Caller, operatorId: number, leaseId: string) {
    const lease = { operatorId, leaseId, seconds: DESK_LEASE_SECONDS };
    const transaction = <T>(work: (tx: Transaction) => Promise<T>) =>
      this.#database.transaction(work, caller.accountId);
    let openedAt = 0;
    return {
      /** Returns false while another actor keeps the operator offline. */
      open: () =>
        transaction((tx) => {
          openedAt = tx.now;
          return openDesk(tx, caller, lease);
        }),
      /** Returns false if the lease has already ended. */
      renew: () => this.#renewals.renew(caller, lease),
      /**
       * Reconnects after the lease expired. Returns false if it was ended explicitly: then the desk must not reconnect
       * automatically.
       */
      resume: () => transaction((tx) => resumeDesk(tx, caller, lease, openedAt)),
      close: () => transaction((tx) => closeDesk(tx, caller, lease)),
    };
  }

  #select(accountId: number, request: LiveRequest): LiveRowQuery {
    return selectLiveRows(this.#database.read, accountId, request).where((eb) =>
      this.#database.isWithinDeadline(eb.ref('live.operatorId')),
    );
  }

  async #listWithOffline(accountId: number, request: LiveRequest, window: Window | undefined): Promise<LiveList> {
    const [totals] = await this.#database.readOffThread(
      this.#select(accountId, request).select([
        sql<number>`count(*)`.as('total'),
        sql<number>`coalesce(sum(named_only), 0)`.as('namedOnly'),
      ]),
    );
    const { total = 0, namedOnly = 0 } = totals ?? {};
    const omittedCount = hasSpecificFilters(request.filters) ? 0 : namedOnly;
    const buildQuery = () => {
      const rows = selectStamps(this.#select(accountId, request));
      return omittedCount > 0 ? rows.where('live.namedOnly', '=', 0) : rows;
    };
    const database = this.#database;
    async function* readBatches() {
      if (window) {
        yield (await database.readOffThread(buildQuery().limit(window.limit).offset(window.offset))).map(toStamp);
        return;
      }
      for (let before = Number.MAX_SAFE_INTEGER; ; ) {
        const rows = await database.readOffThread(buildQuery().where('live.operatorId', '<', before).limit(BATCH_SIZE));
        yield rows.map(toStamp);
        if (rows.length < BATCH_SIZE) return;
        before = rows.at(-1)?.id ?? 0;
      }
    }
    return { count: total - omittedCount, omittedCount, validUntil: 0, batches: readBatches() };
  }
}

async function requirePauseReason(
  tx: Transaction,
  { accountId }: Caller,
  { chat, call, video }: LiveUpdate,
  pauseReason: string,
): Promise<void> {
  const flags = [chat, call, video].flatMap((channel) => channel?.available ?? []);
  if (flags.length === 0 || flags.includes(true)) {
    throw invalidField('pauseReason', 'is only allowed when channels are turned off and none is turned on');
  }
  const { pauseReasons } = await loadDeskSettings(tx, accountId);
  if (pauseReasons.includes(pauseReason)) return;
  const allowed = pauseReasons.length === 0 ? 'omitted: the account has none' : `one of: ${pauseReasons.join(', ')}`;
  throw invalidField('pauseReason', `must be ${allowed}`);
}

/** Whether a request names skills, groups or operators; `*` names all skills or groups. */
function hasSpecificFilters({ skillId, groupId, id, email, externalId, name }: OperatorFilters): boolean {
  return [skillId, groupId, id, email, externalId, name].some((filter) => filter !== undefined);
}

function toStamp({ id, version, connected }: StampRow): LiveStamp {
  return { id, version, connected: connected === 1 };
}

async function* toSingleBatch(rows: readonly LiveStamp[]): AsyncIterable<readonly LiveStamp[]> {
  yield rows;
}
