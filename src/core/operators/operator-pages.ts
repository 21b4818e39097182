import { type Compilable, sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import type { Page, Window } from '../kernel/page.ts';
import {
  findSingleMembership,
  hasFilters,
  isCountable,
  type OperatorFilters,
  selectMembersPage,
  selectOperators,
} from './operator-filter.ts';

/** Identifies a version of an operator, to find its cached rendering: a version's contents never change. */
export interface OperatorStamp {
  readonly id: number;
  readonly version: number;
}

/** Selects the version by a subquery per id: SQLite might start a join from the wrong table. */
export function selectVersion(accountId: number, id: string) {
  const version = sql<number>`(select o.version from operators o where o.account_id = ${accountId} and o.id = ${sql.ref(id)})`;
  return version.as('version');
}

/** Reads that step over more rows than this run off-thread. */
const MAX_INLINE_ROWS = 1000;

const findFirst = prepare<{ accountId: number } & Window, OperatorStamp>((db, { accountId, limit, offset }) =>
  db
    .selectFrom('operators')
    .select(['id', 'version'])
    .where('accountId', '=', accountId)
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset),
);
const countAll = prepare<{ accountId: number }, { count: number }>((db, { accountId }) =>
  db.selectFrom('accounts').select('operatorCount as count').where('id', '=', accountId),
);

/**
 * Reads pages of the operator list. Reads that an index answers quickly run inline; all others run off-thread, so that
 * no
 * caller's filter delays the requests of others.
 */
export class OperatorPages {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async page(accountId: number, filters: OperatorFilters, window: Window): Promise<Page<OperatorStamp>> {
    const isInline = window.offset + window.limit <= MAX_INLINE_ROWS;
    if (!hasFilters(filters)) {
      const count = await this.#countAll(accountId);
      if (isInline) return { rows: await this.#database.run(findFirst, { accountId, ...window }), count };
      return { rows: await this.#database.readOffThread(this.listQuery(accountId, filters, window)), count };
    }
    const membership = findSingleMembership(filters);
    if (membership) {
      const count = await this.#countMembers(accountId, membership);
      return { rows: await this.#run(isInline, this.listQuery(accountId, filters, window)), count };
    }
    const smallCount = isCountable(filters) ? await this.#countUpTo(accountId, filters, MAX_INLINE_ROWS) : undefined;
    const count =
      smallCount ?? (await this.#database.readOffThread(this.countQuery(accountId, filters)))[0]?.count ?? 0;
    return { rows: await this.#run(smallCount !== undefined, this.listQuery(accountId, filters, window)), count };
  }

  /** Uses a stored count if there is one; otherwise counts by an index or off-thread. */
  async count(accountId: number, filters: OperatorFilters): Promise<number> {
    if (!hasFilters(filters)) return this.#countAll(accountId);
    const membership = findSingleMembership(filters);
    if (membership) return this.#countMembers(accountId, membership);
    const smallCount = isCountable(filters) ? await this.#countUpTo(accountId, filters, MAX_INLINE_ROWS) : undefined;
    return smallCount ?? (await this.#database.readOffThread(this.countQuery(accountId, filters)))[0]?.count ?? 0;
  }

  /** Builds the page as one statement: first the ids, from an index, then only their versions. */
  listQuery(accountId: number, filters: OperatorFilters, window: Window): Compilable<OperatorStamp> {
    const db = this.#database.read;
    const membership = findSingleMembership(filters);
    const page = membership
      ? selectMembersPage(db, accountId, membership, window)
      : this.#select(accountId, filters)
          .select('operators.id as id')
          .orderBy('operators.id', 'desc')
          .limit(window.limit)
          .offset(window.offset)
          .as('page');
    return db
      .selectFrom(page)
      .select(['page.id', selectVersion(accountId, 'page.id')])
      .orderBy('page.id', 'desc');
  }

  countQuery(accountId: number, filters: OperatorFilters): Compilable<{ count: number }> {
    return this.#select(accountId, filters).select((eb) => eb.fn.countAll<number>().as('count'));
  }

  #select(accountId: number, filters: OperatorFilters) {
    return selectOperators(this.#database.read, accountId, filters).where((eb) =>
      this.#database.isWithinDeadline(eb.ref('operators.id')),
    );
  }

  async #countAll(accountId: number): Promise<number> {
    return (await this.#database.run(countAll, { accountId }))[0]?.count ?? 0;
  }

  /** Returns undefined if there are more than `limit` matches. */
  async #countUpTo(accountId: number, filters: OperatorFilters, limit: number): Promise<number | undefined> {
    const { rows } = await sql<{ count: number }>`select count(*) as count from (${selectOperators(
      this.#database.read,
      accountId,
      filters,
    )
      .select('operators.id')
      .limit(limit + 1)}) as found`.execute(this.#database.read);
    const count = rows[0]?.count ?? 0;
    return count > limit ? undefined : count;
  }

  async #countMembers(
    accountId: number,
    { kind, id }: { kind: 'group' | 'website' | 'skill'; id: number },
  ): Promise<number> {
    const row = await this.#database.read
      .selectFrom(`${kind}s` as 'skills')
      .select('operatorCount as count')
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .executeTakeFirst();
    return row?.count ?? 0;
  }

  async #run(isInline: boolean, query: Compilable<OperatorStamp>): Promise<OperatorStamp[]> {
    if (!isInline) return this.#database.readOffThread(query);
    return (await this.#database.read.executeQuery<OperatorStamp>(query.compile())).rows;
  }
}
