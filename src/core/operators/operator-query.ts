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

/** Lists of operators, newest first. */
export class OperatorQuery {
  readonly #database: Database;
  readonly #pages: OperatorPages;
  readonly #slices: OperatorSlices;
  readonly #loaded = new VersionedCache<Operator>();

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

  async stamp(accountId: number, id: number): Promise<OperatorStamp | undefined> {
    return (await this.#database.run(findStamp, { accountId, id }))[0];
  }

  /** Operators with these identifiers, newest first. */
  async load(accountId: number, ids: readonly number[]): Promise<Operator[]> {
    if (ids.length === 0) return [];
    const stamps = await this.#database.read
      .selectFrom('operators')
      .select(['id', 'version'])
      .where('accountId', '=', accountId)
      .where('id', 'in', ids)
      .orderBy('id', 'desc')
      .execute();
    return this.ofStamps(accountId, stamps);
  }

  /** A part of the list by its ends. */
  async slice(accountId: number, filters: OperatorFilters, slice: Slice): Promise<SlicePage<Operator>> {
    const page = await this.#slices.ofAccount(accountId, filters, slice);
    return { ...page, rows: await this.ofStamps(accountId, page.rows) };
  }

  /** The same part of the members of each of these. */
  async members(
    accountId: number,
    kind: MembershipKind,
    ownerIds: readonly number[],
    filters: OperatorFilters,
    slice: Slice,
  ): Promise<SlicePage<Operator>[]> {
    const pages = await this.#slices.ofMany(accountId, kind, ownerIds, filters, slice);
    const stamps = new Map(pages.flatMap(({ rows }) => rows.map((stamp) => [stamp.id, stamp])));
    const operators = await this.ofStamps(accountId, [...stamps.values()]);
    const byId = new Map(operators.map((operator) => [operator.id, operator]));
    return pages.map((page) => ({
      ...page,
      rows: page.rows.map(({ id }) => byId.get(id)).filter((operator) => operator !== undefined),
    }));
  }

  memberCounts(accountId: number, kind: MembershipKind, ownerIds: readonly number[], filters: OperatorFilters) {
    return this.#slices.countMany(accountId, kind, ownerIds, filters);
  }

  /** Which of these pass the filters, in the order given. */
  among(accountId: number, ids: readonly number[], filters: OperatorFilters): Promise<number[]> {
    return this.#slices.among(accountId, ids, filters);
  }

  /** Those of whom stamps were read; whoever was deleted since is left out. What was put together for a version before is not put together again. */
  ofStamps(accountId: number, stamps: readonly OperatorStamp[]): Promise<Operator[]> {
    const load = async (missing: readonly OperatorStamp[]) => {
      const ids = missing.map(({ id }) => id);
      const operators = await loadOperators(this.#database.read, accountId, ids);
      return operators.map((value) => ({ id: value.id, version: value.version, value }));
    };
    return this.#loaded.getAll(stamps, ({ id }) => `${accountId} ${id}`, load);
  }
}
