import { sql } from 'kysely';
import type { Actor, Changes, Database } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import { type Caller, requireAdminRead } from '../kernel/caller.ts';
import { invalidField } from '../kernel/errors.ts';
import type { Slice, SlicePage } from '../kernel/slice.ts';
import type { EventLog, LoggedEvent } from './event-log.ts';

export interface AuditFilter {
  readonly types?: readonly string[] | undefined;
  readonly subjectType?: string | undefined;
  readonly subjectId?: number | undefined;
  readonly actorType?: Actor['type'] | undefined;
  readonly actorId?: number | undefined;
  /** Inclusive. */
  readonly from?: number | undefined;
  /** Exclusive. */
  readonly to?: number | undefined;
}

/** A change with its actor, interface and network address. */
export interface AuditEvent extends LoggedEvent {
  readonly actorType: Actor['type'];
  readonly via: Actor['via'] | null;
  readonly address: string | null;
  /** The actor's current name; null if the actor has none or was deleted. */
  actorName(): Promise<string | null>;
}

const MAX_TYPES = 50;
/** How far a clock may have been set back between two events. */
const MAX_CLOCK_SKEW_MS = 3600 * 1000;
const COLUMNS = [
  ...(['position', 'type', 'subjectType', 'subjectId', 'actorType', 'actorId', 'at', 'changes'] as const),
  ...(['via', 'address'] as const),
] as const;

const findEventTime = prepare<{ accountId: number; position: number }, { at: number }>((db, { accountId, position }) =>
  db.selectFrom('events').select('at').where('accountId', '=', accountId).where('position', '=', position),
);

/** Who changed what, when and from where: the event log for admins. */
export class Audit {
  readonly #database: Database;
  readonly #log: EventLog;

  constructor(database: Database, log: EventLog) {
    this.#database = database;
    this.#log = log;
  }

  /** Returns a page, oldest first, unlike other lists: here the slice's `after` is the older end. */
  async page(caller: Caller, filter: AuditFilter, slice: Slice): Promise<SlicePage<AuditEvent>> {
    requireAdminRead(caller);
    if ((filter.types?.length ?? 0) > MAX_TYPES)
      throw invalidField('types', `must have at most ${MAX_TYPES} event types`);
    const { after, before, backwards, limit } = slice;
    if (after !== undefined) await this.#log.requirePosition(caller.accountId, after);
    const positions = await this.#findPositions(caller.accountId, filter, slice);
    const hasMore = positions.length > limit;
    const pagePositions = positions.slice(0, limit).sort((a, b) => a - b);
    return {
      rows: await this.#loadEvents(caller.accountId, pagePositions),
      hasNext: backwards ? before !== undefined : hasMore,
      hasPrevious: backwards ? hasMore : after !== undefined,
    };
  }

  /** Returns one more than the limit. Filters have no index, so filtered searches run off-thread. */
  async #findPositions(accountId: number, filter: AuditFilter, { after, before, backwards, limit }: Slice) {
    const { types, subjectType, subjectId, actorType, actorId, from, to } = filter;
    let query = this.#database.read.selectFrom('events').select('position').where('accountId', '=', accountId);
    if (after !== undefined) query = query.where('position', '>', after);
    if (before !== undefined) query = query.where('position', '<', before);
    if (types !== undefined) query = query.where('type', 'in', types.length === 0 ? [''] : types);
    if (subjectType !== undefined) query = query.where('subjectType', '=', subjectType);
    if (subjectId !== undefined) query = query.where('subjectId', '=', subjectId);
    if (actorType !== undefined) query = query.where('actorType', '=', actorType);
    if (actorId !== undefined) query = query.where('actorId', '=', actorId);
    if (from !== undefined) {
      const firstPosition = await this.#findPosition(accountId, from - MAX_CLOCK_SKEW_MS);
      query = query.where('at', '>=', from).where('position', '>=', firstPosition);
    }
    if (to !== undefined) {
      const lastPosition = await this.#findPosition(accountId, to + MAX_CLOCK_SKEW_MS);
      query = query.where('at', '<', to).where('position', '<=', lastPosition);
    }
    const ordered = query.orderBy('position', backwards ? 'desc' : 'asc').limit(limit + 1);
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    const rows = isFiltered
      ? await this.#database.readOffThread(ordered.where(this.#database.isWithinDeadline(sql.ref<number>('position'))))
      : await ordered.execute();
    return rows.map((row) => row.position);
  }

  /**
   * Returns the first position at or after a time, by binary search: positions grow with time and have no gaps. The
   * result is approximate if a clock was set back.
   */
  async #findPosition(accountId: number, time: number): Promise<number> {
    let { oldest, newest } = await this.#log.readBounds(accountId);
    newest += 1;
    while (oldest < newest) {
      const middle = Math.floor((oldest + newest) / 2);
      const [row] = await this.#database.run(findEventTime, { accountId, position: middle });
      const at = row?.at ?? 0; // deleted in the meantime, so older than the rest
      if (at < time) oldest = middle + 1;
      else newest = middle;
    }
    return oldest;
  }

  async #loadEvents(accountId: number, positions: readonly number[]): Promise<AuditEvent[]> {
    if (positions.length === 0) return [];
    const rows = await this.#database.read
      .selectFrom('events')
      .select(COLUMNS)
      .where('accountId', '=', accountId)
      .where('position', 'in', positions)
      .orderBy('position')
      .execute();
    let names: Promise<ReadonlyMap<string, string>> | undefined;
    return rows.map((row) => ({
      ...row,
      actorType: row.actorType as Actor['type'],
      via: row.via as AuditEvent['via'],
      changes: JSON.parse(row.changes) as Changes,
      actorName: async () => {
        names ??= this.#loadActorNames(accountId, rows);
        return (await names).get(toActorKey(row)) ?? null;
      },
    }));
  }

  /** Loads the names of all actors of a page together. */
  async #loadActorNames(accountId: number, rows: readonly ActorRef[]): Promise<ReadonlyMap<string, string>> {
    const listIds = (type: Actor['type']) => [
      0, // never assigned; a list in SQL must not be empty
      ...new Set(rows.flatMap(({ actorType, actorId }) => (actorType === type && actorId !== null ? [actorId] : []))),
    ];
    const operators = await this.#database.read
      .selectFrom('operators')
      .select(['id', 'name', 'firstName'])
      .where('accountId', '=', accountId)
      .where('id', 'in', listIds('operator'))
      .execute();
    const keys = await this.#database.read
      .selectFrom('apiKeys')
      .select(['id', 'name'])
      .where('accountId', '=', accountId)
      .where('id', 'in', listIds('api_key'))
      .execute();
    return new Map([
      ...operators.map(
        ({ id, name, firstName }) =>
          [toActorKey({ actorType: 'operator', actorId: id }), `${firstName} ${name}`.trim()] as const,
      ),
      ...keys.map(({ id, name }) => [toActorKey({ actorType: 'api_key', actorId: id }), name] as const),
    ]);
  }
}

interface ActorRef {
  readonly actorType: string;
  readonly actorId: number | null;
}

function toActorKey({ actorType, actorId }: ActorRef): string {
  return `${actorType} ${actorId}`;
}
