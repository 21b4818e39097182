import { type AliasedExpression, type Kysely, sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import type { Tables } from '../../storage/tables.ts';
import { cut, type Slice, type SlicePage, sliced, within } from '../kernel/slice.ts';
import { filteredOperators, hasFilters, type OperatorFilters } from './operator-filter.ts';
import { type OperatorStamp, versionOf } from './operator-pages.ts';

/** Something that operators are members of. */
export type MembershipKind = 'group' | 'website' | 'skill';

/** One of a thing's members. */
type Member = OperatorStamp & { readonly owner: number };

/** What SQLite takes in one statement, with room for filters: parts of a union, and parameters. */
const MAX_UNITED = 400;
const MAX_PARAMETERS = 20_000;

/** Slices of the operators of an account, and of the members of many groups, websites or skills at once. */
export class OperatorSlices {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async ofAccount(accountId: number, filters: OperatorFilters, slice: Slice): Promise<SlicePage<OperatorStamp>> {
    const stamps = this.#filtered(accountId, filters).select(['operators.id as id', 'operators.version as version']);
    const query = sliced(stamps, 'operators.id', slice);
    return cut(hasFilters(filters) ? await this.#database.readOffThread(query) : await query.execute(), slice);
  }

  /** Which of these pass the filters, in the order given. */
  async among(accountId: number, ids: readonly number[], filters: OperatorFilters): Promise<number[]> {
    if (!hasFilters(filters)) return [...ids];
    const query = this.#filtered(accountId, filters).select('operators.id as id').where('operators.id', 'in', ids);
    const passing = new Set((await this.#database.readOffThread(query)).map((row) => row.id));
    return ids.filter((id) => passing.has(id));
  }

  /** One statement for very many of them. */
  async ofMany(
    accountId: number,
    kind: MembershipKind,
    ids: readonly number[],
    filters: OperatorFilters,
    slice: Slice,
  ): Promise<SlicePage<OperatorStamp>[]> {
    const rows: Member[] = [];
    for (const some of inParts(ids, hasFilters(filters) ? MAX_PARAMETERS : MAX_UNITED)) {
      if (hasFilters(filters)) rows.push(...(await this.#ranked(accountId, kind, some, filters, slice)));
      else rows.push(...(await this.#united(accountId, kind, some, slice)));
    }
    const byOwner = Map.groupBy(rows, (row) => row.owner);
    return ids.map((id) => cut(byOwner.get(id) ?? [], slice));
  }

  /** How many members of each pass the filters; without filters the numbers are kept. */
  async countMany(
    accountId: number,
    kind: MembershipKind,
    ids: readonly number[],
    filters: OperatorFilters,
  ): Promise<number[]> {
    const table = `${kind}s` as 'skills';
    const counts = new Map<number, number>();
    for (const some of inParts(ids, MAX_PARAMETERS)) {
      const rows = hasFilters(filters)
        ? await this.#database.readOffThread(
            this.#passing(accountId, kind, some, filters)
              .select(['skillId as owner', sql<number>`count(*)`.as('count')])
              .groupBy('skillId'),
          )
        : await this.#database.read
            .selectFrom(table)
            .select(['id as owner', 'operatorCount as count'])
            .where('accountId', '=', accountId)
            .where('id', 'in', some)
            .execute();
      for (const { owner, count } of rows) counts.set(owner, count);
    }
    return ids.map((id) => counts.get(id) ?? 0);
  }

  /** Without filters: each part is a walk along the index of its membership that stops when the page is full. */
  async #united(accountId: number, kind: MembershipKind, ids: readonly number[], slice: Slice) {
    const parts = ids.map((id) => {
      const members = membersOf(this.#database.read, kind)
        .where('accountId', '=', accountId)
        .where('skillId', '=', id)
        .select(['operatorId as id', sql.lit(id).as('owner')]);
      return sql`select * from (${sliced(members, 'operatorId', slice)})`;
    });
    const found = sql<{ id: number; owner: number }>`(${sql.join(parts, sql` union all `)})`;
    return this.#stamped(accountId, found.as('found'), slice).execute();
  }

  /** With filters: who passes is found once for all of them. */
  #ranked(accountId: number, kind: MembershipKind, ids: readonly number[], filters: OperatorFilters, slice: Slice) {
    const direction = sql.raw(slice.backwards ? 'asc' : 'desc');
    const ranked = within(this.#passing(accountId, kind, ids, filters), 'operatorId', slice).select([
      'operatorId as id',
      'skillId as owner',
      sql<number>`row_number() over (partition by skill_id order by operator_id ${direction})`.as('place'),
    ]);
    const first = this.#database.read
      .selectFrom(ranked.as('ranked'))
      .select(['ranked.id', 'ranked.owner'])
      .where('ranked.place', '<=', slice.limit + 1);
    return this.#database.readOffThread(this.#stamped(accountId, first.as('found'), slice));
  }

  /** In the order in which a slice is cut. */
  #stamped(accountId: number, found: AliasedExpression<{ id: number; owner: number }, 'found'>, slice: Slice) {
    return this.#database.read
      .selectFrom(found)
      .select(['found.id', 'found.owner', versionOf(accountId, 'found.id')])
      .orderBy('found.id', slice.backwards ? 'asc' : 'desc');
  }

  #passing(accountId: number, kind: MembershipKind, ids: readonly number[], filters: OperatorFilters) {
    return membersOf(this.#database.read, kind)
      .where('accountId', '=', accountId)
      .where('skillId', 'in', ids)
      .where('operatorId', 'in', this.#filtered(accountId, filters).select('operators.id'));
  }

  #filtered(accountId: number, filters: OperatorFilters) {
    return filteredOperators(this.#database.read, accountId, filters).where((eb) =>
      this.#database.withinDeadline(eb.ref('operators.id')),
    );
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

function* inParts<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
