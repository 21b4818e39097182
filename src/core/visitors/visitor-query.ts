import type { Selectable } from 'kysely';
import type { Database } from '../../storage/database.ts';
import type { Tables } from '../../storage/tables.ts';
import { type AccessScope, selectConversations } from '../engine/conversations/conversation-filter.ts';
import { buildIdCondition, buildTextCondition, type IdFilter, type TextFilter } from '../kernel/filters.ts';
import { Listing } from '../kernel/listing.ts';
import type { Page, Window } from '../kernel/page.ts';
import type { Slice, SlicePage } from '../kernel/slice.ts';

/** A visitor of a website. */
export interface Visitor {
  readonly id: number;
  /** The public identifier. */
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
  /** When the visitor's personal data was erased. */
  readonly erasedAt: number | null;
}

export interface VisitorFilters {
  readonly id?: IdFilter | undefined;
  readonly uniqueId?: TextFilter | undefined;
  readonly externalId?: TextFilter | undefined;
  readonly websiteId?: IdFilter | undefined;
  /** Only visitors with a conversation in this scope. */
  readonly scope?: AccessScope | undefined;
}

/** Lists visitors, newest first. */
export class VisitorQuery {
  readonly #database: Database;
  readonly #list: Listing<'visitors', Visitor>;

  constructor(database: Database) {
    this.#database = database;
    this.#list = new Listing(database, 'visitors', toVisitor);
  }

  page(accountId: number, filters: VisitorFilters, window: Window): Promise<Page<Visitor>> {
    return this.#list.page(accountId, this.#select(accountId, filters), window);
  }

  slice(accountId: number, filters: VisitorFilters, slice: Slice): Promise<SlicePage<Visitor>> {
    return this.#list.slice(accountId, this.#select(accountId, filters), slice);
  }

  count(accountId: number, filters: VisitorFilters): Promise<number> {
    return this.#list.count(this.#select(accountId, filters));
  }

  find(accountId: number, id: number): Promise<Visitor | undefined> {
    return this.#list.find(accountId, id);
  }

  load(accountId: number, ids: readonly number[]): Promise<Visitor[]> {
    return this.#list.load(accountId, ids);
  }

  #select(accountId: number, { id, uniqueId, externalId, websiteId, scope }: VisitorFilters) {
    let query = this.#database.read
      .selectFrom('visitors')
      .where('visitors.accountId', '=', accountId)
      .where((eb) => this.#database.isWithinDeadline(eb.ref('visitors.id')));
    if (id) query = query.where((eb) => buildIdCondition(eb.ref('visitors.id'), id));
    if (uniqueId) query = query.where((eb) => buildTextCondition(eb.ref('visitors.uniqueId'), uniqueId));
    if (externalId) query = query.where((eb) => buildTextCondition(eb.ref('visitors.externalIdFolded'), externalId));
    if (websiteId) {
      query = query.where('visitors.id', 'in', (eb) =>
        eb
          .selectFrom('visitorWebsites')
          .select('visitorWebsites.visitorId')
          .where('visitorWebsites.accountId', '=', accountId)
          .where((inner) => buildIdCondition(inner.ref('visitorWebsites.websiteId'), websiteId)),
      );
    }
    if (scope) {
      const conversations = selectConversations(this.#database.read, accountId, { scope })
        .select('conversations.id')
        .whereRef('conversations.visitorId', '=', 'visitors.id' as never);
      query = query.where((eb) => eb.exists(conversations));
    }
    return query;
  }
}

export function toVisitor(row: Selectable<Tables['visitors']>): Visitor {
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
