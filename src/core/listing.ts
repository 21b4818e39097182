import { type Compilable, type Expression, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from '../storage/database.ts';
import { named } from '../storage/names.ts';
import type { Tables } from '../storage/tables.ts';
import type { Page, Window } from './page.ts';
import { cut, type Slice, type SlicePage, within } from './slice.ts';

/** Tables whose rows are known by their account and an identifier. */
type Listed =
  | 'conversations'
  | 'groups'
  | 'satisfactions'
  | 'skills'
  | 'tags'
  | 'visitors'
  | 'webhookDeliveries'
  | 'websites';

/** Those rows of a table that pass the filters, before anything is selected of them. */
type Filtered<Joined extends keyof Tables> = SelectQueryBuilder<Tables, Joined, object>;

/**
 * Lists of one table, newest first. There may be very many rows, and any filters together: they are read apart from the requests
 * of others, and only those of the page are looked at whole.
 */
export class Listing<Name extends Listed, Thing extends { readonly id: number }> {
  readonly #database: Database;
  readonly #table: Name;
  readonly #fromRow: (row: Selectable<Tables[Name]>) => Thing;
  readonly #id: Expression<number>;
  /** Most of what is looked up is looked up alone. */
  readonly #one;

  constructor(database: Database, table: Name, fromRow: (row: Selectable<Tables[Name]>) => Thing) {
    this.#database = database;
    this.#table = table;
    this.#fromRow = fromRow;
    this.#id = sql.ref<number>(`${table}.id`);
    this.#one = database.hot<unknown, [accountId: number, id: number]>((db, argument) =>
      db
        .selectFrom(table as 'skills')
        .selectAll()
        .where('accountId', '=', argument<number>(0))
        .where('id', '=', argument<number>(1)),
    );
  }

  async page<Joined extends keyof Tables>(
    accountId: number,
    filtered: Filtered<Joined>,
    window: Window,
  ): Promise<Page<Thing>> {
    const rows = this.read(this.pageQuery(accountId, filtered, window));
    const [page, count] = await Promise.all([rows, this.count(filtered)]);
    return { rows: page, count };
  }

  /** `place` is by what the rows are put into order, where the database would take a longer way by the identifier. */
  async slice<Joined extends keyof Tables>(
    accountId: number,
    filtered: Filtered<Joined>,
    slice: Slice,
    place = this.#id,
  ): Promise<SlicePage<Thing>> {
    const ids = within(filtered, `${this.#table}.id`, slice)
      .select(sql<number>`${this.#id}`.as('id'))
      .orderBy(place, slice.backwards ? 'asc' : 'desc')
      .limit(slice.limit + 1);
    const rows = await this.read(this.#whole(accountId, ids));
    return cut(slice.backwards ? rows.reverse() : rows, slice);
  }

  async count<Joined extends keyof Tables>(filtered: Filtered<Joined>): Promise<number> {
    return (await this.#database.slowly(this.countQuery(filtered)))[0]?.count ?? 0;
  }

  /** Those with these identifiers, newest first; what does not exist is left out. */
  async load(accountId: number, ids: readonly number[]): Promise<Thing[]> {
    const [first] = ids;
    if (first === undefined) return [];
    if (ids.length === 1) {
      const row = await this.find(accountId, first);
      return row ? [row] : [];
    }
    const rows = await this.#database.read
      .selectFrom(this.#table as 'skills')
      .selectAll()
      .where('accountId', '=', accountId)
      .where('id', 'in', ids)
      .orderBy('id', 'desc')
      .execute();
    return (rows as unknown as Selectable<Tables[Name]>[]).map(this.#fromRow);
  }

  async find(accountId: number, id: number): Promise<Thing | undefined> {
    const [row] = await named<Selectable<Tables[Name]>>(await this.#one.all(accountId, id));
    return row && this.#fromRow(row);
  }

  pageQuery<Joined extends keyof Tables>(
    accountId: number,
    filtered: Filtered<Joined>,
    { limit, offset }: Window,
    place = this.#id,
  ) {
    const ids = filtered.select(sql<number>`${this.#id}`.as('id')).orderBy(place, 'desc').limit(limit).offset(offset);
    return this.#whole(accountId, ids);
  }

  countQuery<Joined extends keyof Tables>(filtered: Filtered<Joined>) {
    return filtered.select((eb) => eb.fn.countAll<number>().as('count'));
  }

  /** The rows of a page, newest first. */
  async read(query: Compilable<Selectable<Tables[Name]>>): Promise<Thing[]> {
    const things = (await this.#database.slowly(query)).map(this.#fromRow);
    return things.sort((one, other) => other.id - one.id);
  }

  /** The identifiers first, from an index, and only for these the rows; the name of one table stands for all in the types. */
  #whole<Joined extends keyof Tables>(accountId: number, ids: SelectQueryBuilder<Tables, Joined, { id: number }>) {
    return this.#database.read
      .with(
        (page) => page('page').materialized(), // read first, and once
        () => ids,
      )
      .selectFrom('page')
      .crossJoin(`${this.#table} as whole` as 'skills as whole')
      .where('whole.accountId', '=', accountId)
      .whereRef('whole.id', '=', 'page.id')
      .selectAll('whole') as unknown as Compilable<Selectable<Tables[Name]>>;
  }
}
