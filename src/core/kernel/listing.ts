import { type Compilable, type Expression, type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import type { Tables } from '../../storage/tables.ts';
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

/** Where the database would take a longer way to a page than it has to. */
interface Order<Joined extends keyof Tables> {
  /** The same rows, found in another way. */
  readonly ordered?: Filtered<Joined>;
  /** By what they are put into order; by the identifier, if nothing is said. */
  readonly place?: Expression<number>;
}

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
    this.#one = prepare<{ accountId: number; id: number }, object>((db, { accountId, id: own }) =>
      db
        .selectFrom(table as 'skills')
        .selectAll()
        .where('accountId', '=', accountId)
        .where('id', '=', own),
    );
  }

  /** A page and how many there are in all, by one statement: nobody has more than one of the lanes for reads that take long. */
  async page<Joined extends keyof Tables>(
    accountId: number,
    filtered: Filtered<Joined>,
    window: Window,
    order: Order<Joined> = {},
  ): Promise<Page<Thing>> {
    const total = sql<number>`(${this.countQuery(filtered)})`.as('total');
    const found = await this.#database.readOffThread(this.#page(accountId, filtered, window, order).select(total));
    const [first] = found;
    if (first) return { rows: this.#things(found.map(({ total: _total, ...row }) => row)), count: first.total };
    const isAll = window.offset === 0 && window.limit > 0;
    return { rows: [], count: isAll ? 0 : await this.count(filtered) };
  }

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
    const rows = this.#things(await this.#database.readOffThread(this.#whole(accountId, ids)));
    return cut(slice.backwards ? rows.reverse() : rows, slice);
  }

  async count<Joined extends keyof Tables>(filtered: Filtered<Joined>): Promise<number> {
    return (await this.#database.readOffThread(this.countQuery(filtered)))[0]?.count ?? 0;
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
    return this.#things(await this.#database.run(this.#one, { accountId, id }))[0];
  }

  /** A page alone. */
  pageQuery<Joined extends keyof Tables>(
    accountId: number,
    filtered: Filtered<Joined>,
    window: Window,
    order: Order<Joined> = {},
  ): Compilable {
    return this.#page(accountId, filtered, window, order);
  }

  countQuery<Joined extends keyof Tables>(filtered: Filtered<Joined>) {
    return filtered.select((eb) => eb.fn.countAll<number>().as('count'));
  }

  #page<Joined extends keyof Tables>(
    accountId: number,
    filtered: Filtered<Joined>,
    { limit, offset }: Window,
    { ordered = filtered, place = this.#id }: Order<Joined>,
  ) {
    const ids = ordered.select(sql<number>`${this.#id}`.as('id')).orderBy(place, 'desc').limit(limit).offset(offset);
    return this.#whole(accountId, ids);
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
      .selectAll('whole');
  }

  /** Newest first. */
  #things(rows: readonly object[]): Thing[] {
    const things = (rows as readonly Selectable<Tables[Name]>[]).map(this.#fromRow);
    return things.sort((one, other) => other.id - one.id);
  }
}
