import type { Selectable } from 'kysely';
import type { Database } from '../../storage/database.ts';
import type { Tables } from '../../storage/tables.ts';
import { type IdFilter, matchesId, matchesText, type TextFilter } from '../filters.ts';
import type { Page, Window } from '../page.ts';
import { cut, type Slice, type SlicePage, sliced } from '../slice.ts';
import { filteredConversations, type Reach } from './conversation-filter.ts';

/** Somebody who came to a website and talked to operators. */
export interface Visitor {
  readonly id: number;
  /** The name in which a visitor is known outside. */
  readonly uniqueId: string;
  readonly externalId: string | null;
  readonly lastname: string;
  readonly firstname: string;
  readonly address: string;
  readonly city: string;
  readonly zip: string;
  readonly country: string;
  readonly phone: string;
  readonly email: string;
  readonly browser: string;
  readonly websiteList: readonly number[];
  readonly createdAt: number;
  /** When their data was removed on request. */
  readonly erasedAt: number | null;
}

export interface VisitorFilters {
  readonly id?: IdFilter | undefined;
  readonly uniqueId?: TextFilter | undefined;
  readonly externalId?: TextFilter | undefined;
  readonly websiteId?: IdFilter | undefined;
  /** Only those who had a conversation within this reach. */
  readonly reach?: Reach | undefined;
}

/** Lists of visitors, newest first. */
export class VisitorQuery {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async page(accountId: number, filters: VisitorFilters, window: Window): Promise<Page<Visitor>> {
    const found = await this.#database.slowly(this.pageQuery(accountId, filters, window));
    const rows = await this.load(
      accountId,
      found.map((row) => row.id),
    );
    return { rows, count: await this.count(accountId, filters) };
  }

  async slice(accountId: number, filters: VisitorFilters, slice: Slice): Promise<SlicePage<Visitor>> {
    const query = sliced(this.#filtered(accountId, filters).select('visitors.id as id'), 'visitors.id', slice);
    const page = cut(
      (await this.#database.slowly(query)).map((row) => row.id),
      slice,
    );
    return { ...page, rows: await this.load(accountId, page.rows) };
  }

  async count(accountId: number, filters: VisitorFilters): Promise<number> {
    const query = this.#filtered(accountId, filters).select((eb) => eb.fn.countAll<number>().as('count'));
    return (await this.#database.slowly(query))[0]?.count ?? 0;
  }

  async find(accountId: number, id: number): Promise<Visitor | undefined> {
    return (await this.load(accountId, [id]))[0];
  }

  async load(accountId: number, ids: readonly number[]): Promise<Visitor[]> {
    if (ids.length === 0) return [];
    const rows = await this.#database.read
      .selectFrom('visitors')
      .selectAll()
      .where('accountId', '=', accountId)
      .where('id', 'in', ids)
      .orderBy('id', 'desc')
      .execute();
    return rows.map(visitorFromRow);
  }

  pageQuery(accountId: number, filters: VisitorFilters, { limit, offset }: Window) {
    return this.#filtered(accountId, filters)
      .select('visitors.id as id')
      .orderBy('visitors.id', 'desc')
      .limit(limit)
      .offset(offset);
  }

  #filtered(accountId: number, { id, uniqueId, externalId, websiteId, reach }: VisitorFilters) {
    let query = this.#database.read
      .selectFrom('visitors')
      .where('visitors.accountId', '=', accountId)
      .where((eb) => this.#database.withinDeadline(eb.ref('visitors.id')));
    if (id) query = query.where((eb) => matchesId(eb.ref('visitors.id'), id));
    if (uniqueId) query = query.where((eb) => matchesText(eb.ref('visitors.uniqueId'), uniqueId));
    if (externalId) query = query.where((eb) => matchesText(eb.ref('visitors.externalIdFolded'), externalId));
    if (websiteId) {
      query = query.where('visitors.id', 'in', (eb) =>
        eb
          .selectFrom('visitorWebsites')
          .select('visitorWebsites.visitorId')
          .where('visitorWebsites.accountId', '=', accountId)
          .where((inner) => matchesId(inner.ref('visitorWebsites.websiteId'), websiteId)),
      );
    }
    if (reach) {
      const theirs = filteredConversations(this.#database.read, accountId, { reach })
        .select('conversations.id')
        .whereRef('conversations.visitorId', '=', 'visitors.id' as never);
      query = query.where((eb) => eb.exists(theirs));
    }
    return query;
  }
}

export function visitorFromRow(row: Selectable<Tables['visitors']>): Visitor {
  const { id, uniqueId, externalId, lastname, firstname, address, city, zip, country } = row;
  const { phone, email, browser, createdAt, erasedAt } = row;
  const websiteList = JSON.parse(row.websiteList) as number[];
  return {
    ...{ id, uniqueId, externalId, lastname, firstname, address, city, zip, country, phone, email, browser },
    websiteList,
    createdAt,
    erasedAt,
  };
}
