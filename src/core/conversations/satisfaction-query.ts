import type { Selectable } from 'kysely';
import type { Database } from '../../storage/database.ts';
import type { Tables } from '../../storage/tables.ts';
import { type IdFilter, matchesId } from '../filters.ts';
import type { Page, Window } from '../page.ts';
import { cut, type Slice, type SlicePage, sliced } from '../slice.ts';
import type { Period } from './period.ts';

/** What a visitor thought of a conversation: three notes from 1 to 5, and words. */
export type Satisfaction = Omit<Selectable<Tables['satisfactions']>, 'accountId'>;

export interface SatisfactionFilters {
  readonly id?: IdFilter | undefined;
  readonly websiteId?: IdFilter | undefined;
  readonly operatorId?: IdFilter | undefined;
  readonly conversationId?: IdFilter | undefined;
  /** By the moment of the answer. */
  readonly period?: Period | undefined;
  /** Only those about operators who belong to these groups now. */
  readonly groups?: readonly number[] | undefined;
}

/** Lists of answered surveys, newest first. */
export class SatisfactionQuery {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async page(accountId: number, filters: SatisfactionFilters, window: Window): Promise<Page<Satisfaction>> {
    const query = this.#filtered(accountId, filters).select('satisfactions.id as id');
    const found = await this.#database.slowly(
      query.orderBy('satisfactions.id', 'desc').limit(window.limit).offset(window.offset),
    );
    const rows = await this.load(
      accountId,
      found.map((row) => row.id),
    );
    return { rows, count: await this.count(accountId, filters) };
  }

  async slice(accountId: number, filters: SatisfactionFilters, slice: Slice): Promise<SlicePage<Satisfaction>> {
    const query = this.#filtered(accountId, filters).select('satisfactions.id as id');
    const page = cut(
      (await this.#database.slowly(sliced(query, 'satisfactions.id', slice))).map((row) => row.id),
      slice,
    );
    return { ...page, rows: await this.load(accountId, page.rows) };
  }

  async count(accountId: number, filters: SatisfactionFilters): Promise<number> {
    const query = this.#filtered(accountId, filters).select((eb) => eb.fn.countAll<number>().as('count'));
    return (await this.#database.slowly(query))[0]?.count ?? 0;
  }

  async find(accountId: number, id: number): Promise<Satisfaction | undefined> {
    return (await this.load(accountId, [id]))[0];
  }

  async load(accountId: number, ids: readonly number[]): Promise<Satisfaction[]> {
    if (ids.length === 0) return [];
    return this.#rows(accountId).where('id', 'in', ids).orderBy('id', 'desc').execute();
  }

  /** The surveys of these conversations; each has one at most. */
  async ofConversations(accountId: number, ids: readonly number[]): Promise<Satisfaction[]> {
    if (ids.length === 0) return [];
    return this.#rows(accountId).where('conversationId', 'in', ids).execute();
  }

  #rows(accountId: number) {
    return this.#database.read
      .selectFrom('satisfactions')
      .select(['id', 'conversationId', 'websiteId', 'operatorId'])
      .select(['noteWelcome', 'noteResolution', 'noteDelay', 'comment', 'createdAt'])
      .where('accountId', '=', accountId);
  }

  #filtered(accountId: number, filters: SatisfactionFilters) {
    const { period, groups } = filters;
    let query = this.#database.read
      .selectFrom('satisfactions')
      .where('satisfactions.accountId', '=', accountId)
      .where((eb) => this.#database.withinDeadline(eb.ref('satisfactions.id')));
    for (const name of ['id', 'websiteId', 'operatorId', 'conversationId'] as const) {
      const filter = filters[name];
      if (filter) query = query.where((eb) => matchesId(eb.ref(`satisfactions.${name}`), filter));
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
