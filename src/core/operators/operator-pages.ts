import { type Compilable, sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import type { Page, Window } from '../kernel/page.ts';
import {
  filteredOperators,
  hasFilters,
  isCountable,
  membersPage,
  type OperatorFilters,
  singleMembership,
} from './operator-filter.ts';

/** Enough of an operator to find its rendered form: a version is never shown twice with different contents. */
export interface OperatorStamp {
  readonly id: number;
  readonly version: number;
}

/** For identifiers that were found already: asked for one by one, as a join may begin at the other end. */
export function versionOf(accountId: number, id: string) {
  const version = sql<number>`(select o.version from operators o where o.account_id = ${accountId} and o.id = ${sql.ref(id)})`;
  return version.as('version');
}

/** Rows that may be stepped over in the thread that serves everybody; more than these are read apart from it. */
const FEW = 1000;

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
 * Pages of the operator list. What an index answers at once is read at once; everything else goes to the slow
 * readers, so that no filter of one caller delays the request of another.
 */
export class OperatorPages {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async page(accountId: number, filters: OperatorFilters, window: Window): Promise<Page<OperatorStamp>> {
    const near = window.offset + window.limit <= FEW;
    if (!hasFilters(filters)) {
      const count = await this.#countAll(accountId);
      if (near) return { rows: await this.#database.run(findFirst, { accountId, ...window }), count };
      return { rows: await this.#database.readOffThread(this.listQuery(accountId, filters, window)), count };
    }
    const membership = singleMembership(filters);
    if (membership) {
      const count = await this.#memberCount(accountId, membership);
      return { rows: await this.#run(near, this.listQuery(accountId, filters, window)), count };
    }
    const few = isCountable(filters) ? await this.#countUpTo(accountId, filters, FEW) : undefined;
    const count = few ?? (await this.#database.readOffThread(this.countQuery(accountId, filters)))[0]?.count ?? 0;
    return { rows: await this.#run(few !== undefined, this.listQuery(accountId, filters, window)), count };
  }

  /** How many pass the filters; kept where it can be, counted by an index or in a worker otherwise. */
  async count(accountId: number, filters: OperatorFilters): Promise<number> {
    if (!hasFilters(filters)) return this.#countAll(accountId);
    const membership = singleMembership(filters);
    if (membership) return this.#memberCount(accountId, membership);
    const few = isCountable(filters) ? await this.#countUpTo(accountId, filters, FEW) : undefined;
    return few ?? (await this.#database.readOffThread(this.countQuery(accountId, filters)))[0]?.count ?? 0;
  }

  /** The page as one statement: the identifiers first, from an index, and only for these the rows. */
  listQuery(accountId: number, filters: OperatorFilters, window: Window): Compilable<OperatorStamp> {
    const db = this.#database.read;
    const membership = singleMembership(filters);
    const page = membership
      ? membersPage(db, accountId, membership, window)
      : this.#filtered(accountId, filters)
          .select('operators.id as id')
          .orderBy('operators.id', 'desc')
          .limit(window.limit)
          .offset(window.offset)
          .as('page');
    return db
      .selectFrom(page)
      .select(['page.id', versionOf(accountId, 'page.id')])
      .orderBy('page.id', 'desc');
  }

  countQuery(accountId: number, filters: OperatorFilters): Compilable<{ count: number }> {
    return this.#filtered(accountId, filters).select((eb) => eb.fn.countAll<number>().as('count'));
  }

  #filtered(accountId: number, filters: OperatorFilters) {
    return filteredOperators(this.#database.read, accountId, filters).where((eb) =>
      this.#database.withinDeadline(eb.ref('operators.id')),
    );
  }

  async #countAll(accountId: number): Promise<number> {
    return (await this.#database.run(countAll, { accountId }))[0]?.count ?? 0;
  }

  /** The number of matches, or undefined when there are more than `most`. */
  async #countUpTo(accountId: number, filters: OperatorFilters, most: number): Promise<number | undefined> {
    const { rows } = await sql<{ count: number }>`select count(*) as count from (${filteredOperators(
      this.#database.read,
      accountId,
      filters,
    )
      .select('operators.id')
      .limit(most + 1)}) as found`.execute(this.#database.read);
    const count = rows[0]?.count ?? 0;
    return count > most ? undefined : count;
  }

  async #memberCount(
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

  async #run(atOnce: boolean, query: Compilable<OperatorStamp>): Promise<OperatorStamp[]> {
    if (!atOnce) return this.#database.readOffThread(query);
    return (await this.#database.read.executeQuery<OperatorStamp>(query.compile())).rows;
  }
}
