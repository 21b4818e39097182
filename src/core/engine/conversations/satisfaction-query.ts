import type { Selectable } from 'kysely';
import type { Database } from '../../../storage/database.ts';
import type { Tables } from '../../../storage/tables.ts';
import { buildIdCondition, type IdFilter } from '../../kernel/filters.ts';
import { Listing } from '../../kernel/listing.ts';
import type { Page, Window } from '../../kernel/page.ts';
import type { Period } from '../../kernel/period.ts';
import type { Slice, SlicePage } from '../../kernel/slice.ts';
import type { Satisfaction } from '../records/satisfaction-store.ts';

export interface SatisfactionFilters {
  readonly id?: IdFilter | undefined;
  readonly websiteId?: IdFilter | undefined;
  readonly operatorId?: IdFilter | undefined;
  readonly conversationId?: IdFilter | undefined;
  /** When the survey was answered. */
  readonly period?: Period | undefined;
  /** Only surveys about current members of these groups. */
  readonly groups?: readonly number[] | undefined;
}

/** Lists answered surveys, newest first. */
export class SatisfactionQuery {
  readonly #database: Database;
  readonly #list: Listing<'satisfactions', Satisfaction>;

  constructor(database: Database) {
    this.#database = database;
    this.#list = new Listing(database, 'satisfactions', toSatisfaction);
  }

  page(accountId: number, filters: SatisfactionFilters, window: Window): Promise<Page<Satisfaction>> {
    return this.#list.page(accountId, this.#select(accountId, filters), window);
  }

  slice(accountId: number, filters: SatisfactionFilters, slice: Slice): Promise<SlicePage<Satisfaction>> {
    return this.#list.slice(accountId, this.#select(accountId, filters), slice);
  }

  count(accountId: number, filters: SatisfactionFilters): Promise<number> {
    return this.#list.count(this.#select(accountId, filters));
  }

  find(accountId: number, id: number): Promise<Satisfaction | undefined> {
    return this.#list.find(accountId, id);
  }

  load(accountId: number, ids: readonly number[]): Promise<Satisfaction[]> {
    return this.#list.load(accountId, ids);
  }

  /** At most one per conversation. */
  async loadByConversations(accountId: number, ids: readonly number[]): Promise<Satisfaction[]> {
    if (ids.length === 0) return [];
    const rows = await this.#database.read
      .selectFrom('satisfactions')
      .selectAll()
      .where('accountId', '=', accountId)
      .where('conversationId', 'in', ids)
      .execute();
    return rows.map(toSatisfaction);
  }

  #select(accountId: number, filters: SatisfactionFilters) {
    const { period, groups } = filters;
    let query = this.#database.read
      .selectFrom('satisfactions')
      .where('satisfactions.accountId', '=', accountId)
      .where((eb) => this.#database.isWithinDeadline(eb.ref('satisfactions.id')));
    for (const name of ['id', 'websiteId', 'operatorId', 'conversationId'] as const) {
      const filter = filters[name];
      if (filter) query = query.where((eb) => buildIdCondition(eb.ref(`satisfactions.${name}`), filter));
    }
    if (period?.from !== undefined) query = query.where('satisfactions.createdAt', '>=', period.from);
    if (period?.to !== undefined) query = query.where('satisfactions.createdAt', '<', period.to);
    if (groups) {
      query = query.where('satisfactions.operatorId', 'in', (eb) =>
        eb
          .selectFrom('operators')
          .select('operators.id')
          .where('operators.accountId', '=', accountId)
          .where('operators.groupId', 'in', groups.length === 0 ? [0] : groups),
      );
    }
    return query;
  }
}

function toSatisfaction({ accountId: _accountId, ...satisfaction }: Selectable<Tables['satisfactions']>): Satisfaction {
  return satisfaction;
}
