import { sql } from 'kysely';
import type { Actor, Changes, Database } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import { type Caller, requireAdmin } from '../kernel/caller.ts';
import { invalidField } from '../kernel/errors.ts';
import type { Slice, SlicePage } from '../kernel/slice.ts';
import type { EventLog, LoggedEvent } from './event-log.ts';

export interface AuditFilter {
  readonly types?: readonly string[] | undefined;
  readonly subjectType?: string | undefined;
  readonly subjectId?: number | undefined;
  readonly actorType?: Actor['type'] | undefined;
  readonly actorId?: number | undefined;
  /** From this moment on. */
  readonly from?: number | undefined;
  /** Before this moment. */
  readonly to?: number | undefined;
}

/** A change with who made it, through what, and from where. */
export interface AuditEvent extends LoggedEvent {
  readonly actorType: Actor['type'];
  readonly via: Actor['via'] | null;
  readonly address: string | null;
  /** What the actor is called now; null for those who have no name, or are gone. */
  actorName(): Promise<string | null>;
}

const MAX_TYPES = 50;
/** So far clocks may have been set back between two events. */
const CLOCKS_MS = 3600 * 1000;
const COLUMNS = [
  ...(['position', 'type', 'subjectType', 'subjectId', 'actorType', 'actorId', 'at', 'changes'] as const),
  ...(['via', 'address'] as const),
] as const;

const findMoment = prepare<{ accountId: number; position: number }, { at: number }>((db, { accountId, position }) =>
  db.selectFrom('events').select('at').where('accountId', '=', accountId).where('position', '=', position),
);

/** Who changed what, when, and from where: the event log as admins read it. */
export class Audit {
  readonly #database: Database;
  readonly #log: EventLog;

  constructor(database: Database, log: EventLog) {
    this.#database = database;
    this.#log = log;
  }

  /** In the order of the log: the slice's `after` is the older end here. */
  async page(caller: Caller, filter: AuditFilter, slice: Slice): Promise<SlicePage<AuditEvent>> {
    requireAdmin(caller);
    if ((filter.types?.length ?? 0) > MAX_TYPES) throw invalidField('types', `must be ${MAX_TYPES} at most`);
    const { after, before, backwards, limit } = slice;
    if (after !== undefined) await this.#log.requirePosition(caller.accountId, after);
    const positions = await this.#positions(caller.accountId, filter, slice);
    const more = positions.length > limit;
    const own = positions.slice(0, limit).sort((one, other) => one - other);
    return {
      rows: await this.#load(caller.accountId, own),
      hasNext: backwards ? before !== undefined : more,
      hasPrevious: backwards ? more : after !== undefined,
    };
  }

  /** One more than asked for. Where no index leads to them, the log is searched apart from the requests of others. */
  async #positions(accountId: number, filter: AuditFilter, { after, before, backwards, limit }: Slice) {
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
      const about = await this.#placeOf(accountId, from - CLOCKS_MS);
      query = query.where('at', '>=', from).where('position', '>=', about);
    }
    if (to !== undefined) {
      const about = await this.#placeOf(accountId, to + CLOCKS_MS);
      query = query.where('at', '<', to).where('position', '<=', about);
    }
    const ordered = query.orderBy('position', backwards ? 'desc' : 'asc').limit(limit + 1);
    const isFiltered = Object.values(filter).some((value) => value !== undefined);
    const rows = isFiltered
      ? await this.#database.readOffThread(ordered.where(this.#database.withinDeadline(sql.ref<number>('position'))))
      : await ordered.execute();
    return rows.map((row) => row.position);
  }

  /**
   * The first position at a moment or after it. The log grows with time and has no holes, so the place is found by halving; a
   * clock that was set makes it the place of a moment nearby.
   */
  async #placeOf(accountId: number, moment: number): Promise<number> {
    let { oldest, newest } = await this.#log.bounds(accountId);
    newest += 1;
    while (oldest < newest) {
      const middle = Math.floor((oldest + newest) / 2);
      const [row] = await this.#database.run(findMoment, { accountId, position: middle });
      const at = row?.at ?? 0; // forgotten meanwhile: older than all
      if (at < moment) oldest = middle + 1;
      else newest = middle;
    }
    return oldest;
  }

  async #load(accountId: number, positions: readonly number[]): Promise<AuditEvent[]> {
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
        names ??= this.#names(accountId, rows);
        return (await names).get(nameKey(row)) ?? null;
      },
    }));
  }

  /** The names of all actors of a page at once. */
  async #names(accountId: number, rows: readonly Acting[]): Promise<ReadonlyMap<string, string>> {
    const idsOf = (type: Actor['type']) => [
      0, // nobody's; a list in SQL must not be empty
      ...new Set(rows.flatMap(({ actorType, actorId }) => (actorType === type && actorId !== null ? [actorId] : []))),
    ];
    const operators = await this.#database.read
      .selectFrom('operators')
      .select(['id', 'name', 'firstName'])
      .where('accountId', '=', accountId)
      .where('id', 'in', idsOf('operator'))
      .execute();
    const keys = await this.#database.read
      .selectFrom('apiKeys')
      .select(['id', 'name'])
      .where('accountId', '=', accountId)
      .where('id', 'in', idsOf('api_key'))
      .execute();
    return new Map([
      ...operators.map(
        ({ id, name, firstName }) =>
          [nameKey({ actorType: 'operator', actorId: id }), `${firstName} ${name}`.trim()] as const,
      ),
      ...keys.map(({ id, name }) => [nameKey({ actorType: 'api_key', actorId: id }), name] as const),
    ]);
  }
}

interface Acting {
  readonly actorType: string;
  readonly actorId: number | null;
}

function nameKey({ actorType, actorId }: Acting): string {
  return `${actorType} ${actorId}`;
}
