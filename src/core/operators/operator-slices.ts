import { type Kysely, sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import type { Tables } from '../../storage/tables.ts';
import { cut, type Slice, type SlicePage, sliced } from '../slice.ts';
import { filteredOperators, hasFilters, type OperatorFilters } from './operator-filter.ts';

/** Something that operators are members of. */
export type MembershipKind = 'group' | 'website' | 'skill';

/** Slices of the operators of an account, and of the members of many groups, websites or skills at once. */
export class OperatorSlices {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async ofAccount(accountId: number, filters: OperatorFilters, slice: Slice): Promise<SlicePage<number>> {
    const query = sliced(this.#filtered(accountId, filters).select('operators.id as id'), 'operators.id', slice);
    const rows = hasFilters(filters) ? await this.#database.slowly(query) : await query.execute();
    return cut(
      rows.map((row) => row.id),
      slice,
    );
  }

  /** One statement for all of them: each part is a walk along the index of its membership. */
  async ofMany(
    accountId: number,
    kind: MembershipKind,
    ids: readonly number[],
    filters: OperatorFilters,
    slice: Slice,
  ): Promise<SlicePage<number>[]> {
    const parts = ids.map((id) => {
      const members = this.#members(kind, accountId, id);
      const own = hasFilters(filters)
        ? members.where('operatorId', 'in', this.#filtered(accountId, filters).select('operators.id'))
        : members;
      return sql`select * from (${sliced(own.select(['operatorId as id', sql.lit(id).as('owner')]), 'operatorId', slice)})`;
    });
    const query = sql<{ id: number; owner: number }>`${sql.join(parts, sql` union all `)}`;
    const rows = hasFilters(filters)
      ? await this.#database.slowly({ compile: () => query.compile(this.#database.read) })
      : (await query.execute(this.#database.read)).rows;
    const byOwner = Map.groupBy(rows, (row) => row.owner);
    return ids.map((id) =>
      cut(
        (byOwner.get(id) ?? []).map((row) => row.id),
        slice,
      ),
    );
  }

  /** How many members of each pass the filters; without filters the numbers are kept. */
  async countMany(
    accountId: number,
    kind: MembershipKind,
    ids: readonly number[],
    filters: OperatorFilters,
  ): Promise<number[]> {
    const table = `${kind}s` as 'skills';
    if (!hasFilters(filters)) {
      const kept = await this.#database.read
        .selectFrom(table)
        .select(['id', 'operatorCount as count'])
        .where('accountId', '=', accountId)
        .where('id', 'in', ids)
        .execute();
      return ids.map((id) => kept.find((row) => row.id === id)?.count ?? 0);
    }
    const parts = ids.map(
      (id) =>
        sql`select ${sql.lit(id)} as owner, count(*) as count from (${this.#members(kind, accountId, id)
          .where('operatorId', 'in', this.#filtered(accountId, filters).select('operators.id'))
          .select('operatorId')})`,
    );
    const query = sql<{ owner: number; count: number }>`${sql.join(parts, sql` union all `)}`;
    const rows = await this.#database.slowly({ compile: () => query.compile(this.#database.read) });
    return ids.map((id) => rows.find((row) => row.owner === id)?.count ?? 0);
  }

  #filtered(accountId: number, filters: OperatorFilters) {
    return filteredOperators(this.#database.read, accountId, filters).where((eb) =>
      this.#database.withinDeadline(eb.ref('operators.id')),
    );
  }

  #members(kind: MembershipKind, accountId: number, id: number) {
    return membersOf(this.#database.read, kind).where('accountId', '=', accountId).where('skillId', '=', id);
  }
}

/** The members of a kind of thing in the shape of the skills' table, whichever table they are in. */
function membersOf(db: Kysely<Tables>, kind: MembershipKind) {
  if (kind === 'skill') return db.selectFrom('operatorSkills');
  const source =
    kind === 'website'
      ? sql<Tables['operatorSkills']>`(select account_id, website_id as skill_id, operator_id from operator_websites)`
      : sql<Tables['operatorSkills']>`(select account_id, group_id as skill_id, id as operator_id from operators)`;
  return db.selectFrom(source.as('operatorSkills'));
}
