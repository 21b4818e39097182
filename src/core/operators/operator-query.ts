import type { Database } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import { VersionedCache } from '../kernel/caches.ts';
import type { Page, Window } from '../kernel/page.ts';
import type { Slice, SlicePage } from '../kernel/slice.ts';
import type { Operator } from './operator.ts';
import type { OperatorFilters } from './operator-filter.ts';
import { OperatorPages, type OperatorStamp } from './operator-pages.ts';
import { type MembershipKind, OperatorSlices } from './operator-slices.ts';
import { loadOperators } from './operator-store.ts';

const findStamp = prepare<{ accountId: number; id: number }, OperatorStamp>((db, { accountId, id }) =>
  db.selectFrom('operators').select(['id', 'version']).where('accountId', '=', accountId).where('id', '=', id),
);

const findStamps = prepare<{ accountId: number; ids: readonly number[] }, OperatorStamp>((db, { accountId, ids }) =>
  db
    .selectFrom('operators')
    .select(['id', 'version'])
    .where('accountId', '=', accountId)
    .where('id', 'in', ids)
    .orderBy('id', 'desc'),
);

/** Lists operators, newest first. */
export class OperatorQuery {
  readonly #database: Database;
  readonly #pages: OperatorPages;
  readonly #slices: OperatorSlices;
  readonly #cache = new VersionedCache<Operator>();

  constructor(database: Database) {
    this.#database = database;
    this.#pages = new OperatorPages(database);
    this.#slices = new OperatorSlices(database);
  }

  page(accountId: number, filters: OperatorFilters, window: Window): Promise<Page<OperatorStamp>> {
    return this.#pages.page(accountId, filters, window);
  }

  count(accountId: number, filters: OperatorFilters): Promise<number> {
    return this.#pages.count(accountId, filters);
  }

  async loadStamp(accountId: number, id: number): Promise<OperatorStamp | undefined> {
    return (await this.#database.run(findStamp, { accountId, id }))[0];
  }

  /** Newest first; unknown ids are omitted. */
  async load(accountId: number, ids: readonly number[]): Promise<Operator[]> {
    if (ids.length === 0) return [];
    return this.loadByStamps(accountId, await this.#database.run(findStamps, { accountId, ids }));
  }

  async slice(accountId: number, filters: OperatorFilters, slice: Slice): Promise<SlicePage<Operator>> {
    const page = await this.#slices.sliceAccount(accountId, filters, slice);
    return { ...page, rows: await this.loadByStamps(accountId, page.rows) };
  }

  /** Returns the same slice of the members of each owner. */
  async sliceMembers(
    accountId: number,
    kind: MembershipKind,
    ownerIds: readonly number[],
    filters: OperatorFilters,
    slice: Slice,
  ): Promise<SlicePage<Operator>[]> {
    const pages = await this.#slices.sliceMembers(accountId, kind, ownerIds, filters, slice);
    const stamps = new Map(pages.flatMap(({ rows }) => rows.map((stamp) => [stamp.id, stamp])));
    const operators = await this.loadByStamps(accountId, [...stamps.values()]);
    const byId = new Map(operators.map((operator) => [operator.id, operator]));
    return pages.map((page) => ({
      ...page,
      rows: page.rows.map(({ id }) => byId.get(id)).filter((operator) => operator !== undefined),
    }));
  }

  countMembers(accountId: number, kind: MembershipKind, ownerIds: readonly number[], filters: OperatorFilters) {
    return this.#slices.countMembers(accountId, kind, ownerIds, filters);
  }

  /** Returns the ids of operators that match the filters, in the same order. */
  filterIds(accountId: number, ids: readonly number[], filters: OperatorFilters): Promise<number[]> {
    return this.#slices.filterIds(accountId, ids, filters);
  }

  /** Caches operators by version. Omits operators deleted since the stamps were read. */
  loadByStamps(accountId: number, stamps: readonly OperatorStamp[]): Promise<Operator[]> {
    const load = async (missing: readonly OperatorStamp[]) => {
      const ids = missing.map(({ id }) => id);
      const operators = await loadOperators(this.#database.read, accountId, ids);
      return operators.map((value) => ({ id: value.id, version: value.version, value }));
    };
    return this.#cache.getAll(stamps, ({ id }) => `${accountId} ${id}`, load);
  }
}
