import { type Compilable, type Expression, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import type { Tables } from '../../storage/tables.ts';
import type { Page, Window } from './page.ts';
import { applySliceBounds, type Slice, type SlicePage, toSlicePage } from './slice.ts';

/** Tables whose primary key is the account and an identifier. */
type ListedTable =
  | 'conversations'
  | 'groups'
  | 'messagesLeft'
  | 'satisfactions'
  | 'skills'
  | 'tags'
  | 'visitors'
  | 'webhookDeliveries'
  | 'websites';

/** The rows of a table that match the filters, without selected columns. */
type FilteredQuery<Joined extends keyof Tables> = SelectQueryBuilder<Tables, Joined, object>;

/** Hints for queries that the database would plan poorly. */
interface PageOrder<Joined extends keyof Tables> {
  /** Finds the same rows with a better plan for one page. */
  readonly pageQuery?: FilteredQuery<Joined>;
  /** Defaults to the identifier. */
  readonly sortKey?: Expression<number>;
}

/**
 * Lists the rows of a table, newest first. Tables are large and filters combine freely, so lists are read off-thread,
 * and only the rows of the requested page are loaded in full.
 */
export class Listing<Table extends ListedTable, Item extends { readonly id: number }> {
  readonly #database: Database;
  readonly #table: Table;
  readonly #toItem: (row: Selectable<Tables[Table]>) => Item;
  readonly #id: Expression<number>;
  readonly #findOne;
  readonly #findMany;

  constructor(database: Database, table: Table, toItem: (row: Selectable<Tables[Table]>) => Item) {
    this.#database = database;
    this.#table = table;
    this.#toItem = toItem;
    this.#id = sql.ref<number>(`${table}.id`);
    this.#findOne = prepare<{ accountId: number; id: number }, object>((db, { accountId, id: itemId }) =>
      db
        .selectFrom(table as 'skills')
        .selectAll()
        .where('accountId', '=', accountId)
        .where('id', '=', itemId),
    );
    this.#findMany = prepare<{ accountId: number; ids: readonly number[] }, object>((db, { accountId, ids }) =>
      db
        .selectFrom(table as 'skills')
        .selectAll()
        .where('accountId', '=', accountId)
        .where('id', 'in', ids),
    );
  }

  /** Reads a page and the total count in one statement, so that a request occupies only one off-thread lane. */
  async page<Joined extends keyof Tables>(
    accountId: number,
    filtered: FilteredQuery<Joined>,
    window: Window,
    order: PageOrder<Joined> = {},
  ): Promise<Page<Item>> {
    const total = sql<number>`(${this.countQuery(filtered)})`.as('total');
    const rows = await this.#database.readOffThread(
      this.#buildPageQuery(accountId, filtered, window, order).select(total),
    );
    const [first] = rows;
    if (first) return { rows: this.#toItems(rows.map(({ total: _total, ...row }) => row)), count: first.total };
    const isListEmpty = window.offset === 0 && window.limit > 0;
    return { rows: [], count: isListEmpty ? 0 : await this.count(filtered) };
  }

  async slice<Joined extends keyof Tables>(
    accountId: number,
    filtered: FilteredQuery<Joined>,
    slice: Slice,
    sortKey = this.#id,
  ): Promise<SlicePage<Item>> {
    const ids = applySliceBounds(filtered, `${this.#table}.id`, slice)
      .select(sql<number>`${this.#id}`.as('id'))
      .orderBy(sortKey, slice.backwards ? 'asc' : 'desc')
      .limit(slice.limit + 1);
    const rows = this.#toItems(await this.#database.readOffThread(this.#selectFullRows(accountId, ids)));
    return toSlicePage(slice.backwards ? rows.reverse() : rows, slice);
  }

  async count<Joined extends keyof Tables>(filtered: FilteredQuery<Joined>): Promise<number> {
    return (await this.#database.readOffThread(this.countQuery(filtered)))[0]?.count ?? 0;
  }

  /** Returns the items with these identifiers, newest first; omits unknown ones. */
  async load(accountId: number, ids: readonly number[]): Promise<Item[]> {
    if (ids.length === 0) return [];
    return this.#toItems(await this.#database.run(this.#findMany, { accountId, ids }));
  }

  async find(accountId: number, id: number): Promise<Item | undefined> {
    return this.#toItems(await this.#database.run(this.#findOne, { accountId, id }))[0];
  }

  /** Returns the query for a page without the total count. */
  pageQuery<Joined extends keyof Tables>(
    accountId: number,
    filtered: FilteredQuery<Joined>,
    window: Window,
    order: PageOrder<Joined> = {},
  ): Compilable {
    return this.#buildPageQuery(accountId, filtered, window, order);
  }

  countQuery<Joined extends keyof Tables>(filtered: FilteredQuery<Joined>) {
    return filtered.select((eb) => eb.fn.countAll<number>().as('count'));
  }

  #buildPageQuery<Joined extends keyof Tables>(
    accountId: number,
    filtered: FilteredQuery<Joined>,
    { limit, offset }: Window,
    { pageQuery = filtered, sortKey = this.#id }: PageOrder<Joined>,
  ) {
    const ids = pageQuery
      .select(sql<number>`${this.#id}`.as('id'))
      .orderBy(sortKey, 'desc')
      .limit(limit)
      .offset(offset);
    return this.#selectFullRows(accountId, ids);
  }

  /** Finds identifiers in an index first, then loads only their rows. The types use one table to represent all. */
  #selectFullRows<Joined extends keyof Tables>(
    accountId: number,
    ids: SelectQueryBuilder<Tables, Joined, { id: number }>,
  ) {
    return this.#database.read
      .with(
        (page) => page('page').materialized(), // evaluated first, and once
        () => ids,
      )
      .selectFrom('page')
      .crossJoin(`${this.#table} as listed` as 'skills as listed')
      .where('listed.accountId', '=', accountId)
      .whereRef('listed.id', '=', 'page.id')
      .selectAll('listed');
  }

  /** Newest first. */
  #toItems(rows: readonly object[]): Item[] {
    const items = (rows as readonly Selectable<Tables[Table]>[]).map(this.#toItem);
    return items.sort((a, b) => b.id - a.id);
  }
}
