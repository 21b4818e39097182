import { sql } from 'kysely';
import type { Database, Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import { VersionedCache } from '../../kernel/caches.ts';
import { type Caller, type Commit, forbidden } from '../../kernel/caller.ts';
import { DomainError, invalid } from '../../kernel/errors.ts';
import type { Window } from '../../kernel/page.ts';
import type { LiveState } from '../../live/capacity.ts';
import { DESK_LEASE_SECONDS } from '../../live/leases.ts';
import { type LiveUpdate, liveState } from '../../live/live.ts';
import { findLiveRow, setAvailability } from '../../live/live-store.ts';
import type { Operator } from '../../operators/operator.ts';
import type { OperatorFilters } from '../../operators/operator-filter.ts';
import { requireOperator } from '../../operators/operator-store.ts';
import { requireMayServe } from '../../operators/permissions.ts';
import { drainFor } from '../routing/queue.ts';
import {
  filteredLive,
  type LiveRequest,
  type LiveRows,
  presentRows,
  type StampRow,
  stampColumns,
} from './live-query.ts';
import { closeDesk, connect, disconnect, openDesk, prolong, resumeDesk } from './presence.ts';
import { Renewals } from './renewals.ts';

/** Enough of a live state to find its rendered form. */
export interface LiveStamp {
  readonly id: number;
  readonly version: number;
  readonly connected: boolean;
}

/** What decides over an operator's live state, at a version. */
export interface OperatorLiveState {
  readonly id: number;
  readonly version: number;
  readonly state: LiveState;
}

export interface LiveList {
  readonly count: number;
  /** How many hold a skill or belong to a group and are left out because the request names neither. */
  readonly leftOut: number;
  /** When the first of the connected ones would go offline by time alone; nothing but a change makes the list another before. */
  readonly until: number;
  /** The rows in order, in batches: a list of everyone may be long. */
  readonly batches: AsyncIterable<readonly LiveStamp[]>;
}

const BATCH = 1000;

const findPresent = prepare<{ accountId: number }, StampRow>((db, { accountId }) =>
  stampColumns(presentRows(db).where('live.accountId', '=', accountId)),
);
const findStamp = prepare<{ accountId: number; operatorId: number }, StampRow>((db, { accountId, operatorId }) =>
  stampColumns(
    db
      .selectFrom('operatorLive as live')
      .where('live.accountId', '=', accountId)
      .where('live.operatorId', '=', operatorId),
  ),
);

/** The live availability of operators: who is there, and for what. */
export class LiveService {
  readonly #database: Database;
  readonly #loaded = new VersionedCache<OperatorLiveState>();
  readonly #renewals: Renewals;

  constructor(database: Database) {
    this.#database = database;
    this.#renewals = new Renewals(database);
  }

  async stamp(accountId: number, operatorId: number): Promise<LiveStamp | undefined> {
    const [row] = await this.#database.run(findStamp, { accountId, operatorId });
    return row && toStamp(row);
  }

  async list(accountId: number, request: LiveRequest, window: Window | undefined): Promise<LiveList> {
    const filtered = Object.values(request.filters).some((filter) => filter !== undefined);
    const rows = request.everyone
      ? undefined
      : filtered
        ? await this.#database.readOffThread(stampColumns(this.#filtered(accountId, request)))
        : await this.#database.run(findPresent, { accountId });
    if (!rows) return this.#everyone(accountId, request, window);
    const shown = namesPeople(request.filters) ? rows : rows.filter((row) => row.named === 0);
    const page = window ? shown.slice(window.offset, window.offset + window.limit) : shown;
    return {
      count: shown.length,
      leftOut: rows.length - shown.length,
      until: rows.reduce((first, row) => Math.min(first, row.until), Number.POSITIVE_INFINITY),
      batches: oneBatch(page.map(toStamp)),
    };
  }

  /** The live states of these operators, with the moment's answer to who is connected. */
  async states(accountId: number, operatorIds: readonly number[]): Promise<OperatorLiveState[]> {
    if (operatorIds.length === 0) return [];
    const stamps = await this.#database.read
      .selectFrom('operatorLive as live')
      .select((eb) => [
        'live.operatorId as id',
        'live.version as version',
        eb('live.leaseUntil', '>', eb.fn<number>('now_ms', [])).as('connected'),
        eb('live.routableUntil', '>', eb.fn<number>('now_ms', [])).as('there'),
      ])
      .where('live.accountId', '=', accountId)
      .where('live.operatorId', 'in', operatorIds)
      .execute();
    const load = async (missing: typeof stamps) => {
      const ids = missing.map(({ id }) => id);
      const rows = await this.#database.read
        .selectFrom('operatorLive')
        .selectAll()
        .where('accountId', '=', accountId)
        .where('operatorId', 'in', ids)
        .execute();
      const rowOf = new Map(rows.map((row) => [row.operatorId, row]));
      return missing.flatMap((stamp) => {
        const row = rowOf.get(stamp.id);
        if (!row) return [];
        const [connected, inGrace] = [Boolean(stamp.connected), Boolean(stamp.connected) && !stamp.there];
        const { version } = row;
        return { ...stamp, version, value: { id: stamp.id, version, state: liveState(row, { connected, inGrace }) } };
      });
    };
    // Being connected ends by time alone, without a new version: so it is part of the name.
    return this.#loaded.getAll(stamps, (stamp) => `${accountId} ${stamp.id} ${stamp.connected} ${stamp.there}`, load);
  }

  async update(commit: Commit<Operator>, caller: Caller, operatorId: number, input: LiveUpdate): Promise<Operator> {
    if (Object.values(input).every((value) => value === undefined)) {
      throw invalid([{ path: ['chat', 'available'], code: 'missing', rule: 'or another of the fields must be named' }]);
    }
    return commit(async (tx) => {
      const [operator, [row]] = await Promise.all([
        requireOperator(tx, caller.accountId, operatorId),
        tx.run(findLiveRow, { accountId: caller.accountId, operatorId }),
      ]);
      requireMayServe(caller, operator);
      const changed = row ? setAvailability(tx, caller, { operatorId, wanted: input, present: row }) : {};
      if (row && Object.values(changed).includes(1)) {
        await drainFor(tx, caller, operatorId, 'available', { ...row, ...changed });
      }
      if (input.connected === false) await disconnect(tx, caller, operatorId);
      return operator;
    });
  }

  /** Holds the caller's own operator connected for a while: as an explicit wish, or only if the last time has not ended. */
  async connect(
    commit: Commit<Operator>,
    caller: Caller,
    lease: { leaseId: string; seconds: number; onlyProlong: boolean },
  ): Promise<Operator> {
    const { operatorId, accountId } = caller;
    if (operatorId === null) throw forbidden();
    return commit(async (tx) => {
      const operator = await requireOperator(tx, accountId, operatorId);
      if (!lease.onlyProlong) await connect(tx, caller, { operatorId, ...lease });
      else if (!(await prolong(tx, caller, { operatorId, ...lease }))) {
        throw new DomainError('state', 'The session has ended. Connect again, without renewal.');
      }
      return operator;
    });
  }

  /** The realtime channel of a desk: while it is open and answers, its operator is connected. */
  desk(caller: Caller, operatorId: number, leaseId: string) {
    const lease = { operatorId, leaseId, seconds: DESK_LEASE_SECONDS };
    const transaction = <T>(work: (tx: Transaction) => Promise<T>) =>
      this.#database.transaction(work, caller.accountId);
    let openedAt = 0;
    return {
      /** False while somebody else keeps the operator offline. */
      open: () =>
        transaction((tx) => {
          openedAt = tx.now;
          return openDesk(tx, caller, lease);
        }),
      /** False when the session has ended. */
      renew: () => this.#renewals.renew(caller, lease),
      /** After that, for one that ended by time alone. False when somebody ended it: a desk does not come back by itself then. */
      resume: () => transaction((tx) => resumeDesk(tx, caller, lease, openedAt)),
      close: () => transaction((tx) => closeDesk(tx, caller, lease)),
    };
  }

  #filtered(accountId: number, request: LiveRequest): LiveRows {
    return filteredLive(this.#database.read, accountId, request).where((eb) =>
      this.#database.withinDeadline(eb.ref('live.operatorId')),
    );
  }

  async #everyone(accountId: number, request: LiveRequest, window: Window | undefined): Promise<LiveList> {
    const [totals] = await this.#database.readOffThread(
      this.#filtered(accountId, request).select([
        sql<number>`count(*)`.as('all'),
        sql<number>`coalesce(sum(named_only), 0)`.as('named'),
      ]),
    );
    const { all = 0, named = 0 } = totals ?? {};
    const leftOut = namesPeople(request.filters) ? 0 : named;
    const query = () => {
      const rows = stampColumns(this.#filtered(accountId, request));
      return leftOut > 0 ? rows.where('live.namedOnly', '=', 0) : rows;
    };
    const database = this.#database;
    async function* batches() {
      if (window) {
        yield (await database.readOffThread(query().limit(window.limit).offset(window.offset))).map(toStamp);
        return;
      }
      for (let before = Number.MAX_SAFE_INTEGER; ; ) {
        const rows = await database.readOffThread(query().where('live.operatorId', '<', before).limit(BATCH));
        yield rows.map(toStamp);
        if (rows.length < BATCH) return;
        before = rows.at(-1)?.id ?? 0;
      }
    }
    return { count: all - leftOut, leftOut, until: 0, batches: batches() };
  }
}

/** Whether a request says which skills, groups or people it means; `*` names all skills or groups. */
function namesPeople({ skillId, groupId, id, email, externalId }: OperatorFilters): boolean {
  return [skillId, groupId, id, email, externalId].some((filter) => filter !== undefined);
}

function toStamp({ id, version, connected }: StampRow): LiveStamp {
  return { id, version, connected: connected === 1 };
}

async function* oneBatch(rows: readonly LiveStamp[]): AsyncIterable<readonly LiveStamp[]> {
  yield rows;
}
