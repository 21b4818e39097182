import { type AliasedExpression, type Kysely, sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { prepare, preparePerShape } from '../../storage/prepared-statement.ts';
import type { Tables } from '../../storage/tables.ts';
import { applySlice, applySliceBounds, type Slice, type SlicePage, toSlicePage } from '../kernel/slice.ts';
import { hasFilters, type OperatorFilters, selectOperators } from './operator-filter.ts';
import { type OperatorStamp, selectVersion } from './operator-pages.ts';

export type MembershipKind = 'group' | 'website' | 'skill';

/** A member of a group, website or skill, the owner. */
type Member = OperatorStamp & { readonly owner: number };

/** Limits of SQLite for one statement, with room for filters. */
const MAX_UNION_PARTS = 400;
const MAX_PARAMETERS = 20_000;

/** Rows to read for the usual sizes of a page, with one that shows whether there are more. */
const ROW_COUNTS = [2, 6, 11, 21, 51, 101];

/**
 * Which ends a slice has, its direction, and its rows. As a parameter, their number would make PostgreSQL plan every
 * run again: a plan for any number is made for a tenth of the table, and so looks expensive.
 */
interface SliceShape {
  readonly hasAfter: boolean;
  readonly hasBefore: boolean;
  readonly backwards: boolean;
  readonly rowCount: number;
}

/** Without filters. */
const findSlice = preparePerShape(({ hasAfter, hasBefore, backwards, rowCount }: SliceShape) =>
  prepare<{ accountId: number; after: number; before: number }, OperatorStamp>((db, { accountId, after, before }) => {
    let query = db.selectFrom('operators').select(['id', 'version']).where('accountId', '=', accountId);
    if (hasAfter) query = query.where('id', '<', after);
    if (hasBefore) query = query.where('id', '>', before);
    return query.orderBy('id', backwards ? 'asc' : 'desc').limit(sql.lit(rowCount));
  }),
);

/** Slices the operators of an account, and the members of many groups, websites or skills. */
export class OperatorSlices {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async sliceAccount(accountId: number, filters: OperatorFilters, slice: Slice): Promise<SlicePage<OperatorStamp>> {
    if (!hasFilters(filters)) return toSlicePage(await this.#findSlice(accountId, slice), slice);
    const stamps = this.#select(accountId, filters).select(['operators.id as id', 'operators.version as version']);
    return toSlicePage(await this.#database.readOffThread(applySlice(stamps, 'operators.id', slice)), slice);
  }

  #findSlice(accountId: number, { limit, after, before, backwards }: Slice): Promise<OperatorStamp[]> {
    const rowCount = ROW_COUNTS.find((count) => count > limit) ?? limit + 1;
    const shape = { hasAfter: after !== undefined, hasBefore: before !== undefined, backwards, rowCount };
    return this.#database.run(findSlice(shape), { accountId, after: after ?? 0, before: before ?? 0 });
  }

  /** Returns the ids of operators that match the filters, in the same order. */
  async filterIds(accountId: number, ids: readonly number[], filters: OperatorFilters): Promise<number[]> {
    if (!hasFilters(filters)) return [...ids];
    const query = this.#select(accountId, filters).select('operators.id as id').where('operators.id', 'in', ids);
    const matchingIds = new Set((await this.#database.readOffThread(query)).map((row) => row.id));
    return ids.filter((id) => matchingIds.has(id));
  }

  /** Runs one statement per chunk of owners. */
  async sliceMembers(
    accountId: number,
    kind: MembershipKind,
    ids: readonly number[],
    filters: OperatorFilters,
    slice: Slice,
  ): Promise<SlicePage<OperatorStamp>[]> {
    const rows: Member[] = [];
    for (const chunk of splitIntoChunks(ids, hasFilters(filters) ? MAX_PARAMETERS : MAX_UNION_PARTS)) {
      if (hasFilters(filters)) rows.push(...(await this.#sliceFiltered(accountId, kind, chunk, filters, slice)));
      else rows.push(...(await this.#sliceUnfiltered(accountId, kind, chunk, slice)));
    }
    const byOwner = Map.groupBy(rows, (row) => row.owner);
    return ids.map((id) => toSlicePage(byOwner.get(id) ?? [], slice));
  }

  /** Counts the members of each owner that match the filters; without filters, returns the stored counts. */
  async countMembers(
    accountId: number,
    kind: MembershipKind,
    ids: readonly number[],
    filters: OperatorFilters,
  ): Promise<number[]> {
    const table = `${kind}s` as 'skills';
    const counts = new Map<number, number>();
    for (const chunk of splitIntoChunks(ids, MAX_PARAMETERS)) {
      const rows = hasFilters(filters)
        ? await this.#database.readOffThread(
            this.#selectMatchingMembers(accountId, kind, chunk, filters)
              .select(['skillId as owner', sql<number>`count(*)`.as('count')])
              .groupBy('skillId'),
          )
        : await this.#database.read
            .selectFrom(table)
            .select(['id as owner', 'operatorCount as count'])
            .where('accountId', '=', accountId)
            .where('id', 'in', chunk)
            .execute();
      for (const { owner, count } of rows) counts.set(owner, count);
    }
    return ids.map((id) => counts.get(id) ?? 0);
  }

  /** Each part of the union walks the index of its membership and stops when the page is full. */
  async #sliceUnfiltered(accountId: number, kind: MembershipKind, ids: readonly number[], slice: Slice) {
    const parts = ids.map((id) => {
      const ownMembers = selectMembers(this.#database.read, kind)
        .where('accountId', '=', accountId)
        .where('skillId', '=', id)
        .select(['operatorId as id', 'skillId as owner']);
      return sql`select * from (${applySlice(ownMembers, 'operatorId', slice)})`;
    });
    const members = sql<{ id: number; owner: number }>`(${sql.join(parts, sql` union all `)})`;
    return this.#selectStamps(accountId, members.as('members'), slice).execute();
  }

  /** Evaluates the filters once for all owners. */
  #sliceFiltered(
    accountId: number,
    kind: MembershipKind,
    ids: readonly number[],
    filters: OperatorFilters,
    slice: Slice,
  ) {
    const direction = sql.raw(slice.backwards ? 'asc' : 'desc');
    const ranked = applySliceBounds(
      this.#selectMatchingMembers(accountId, kind, ids, filters),
      'operatorId',
      slice,
    ).select([
      'operatorId as id',
      'skillId as owner',
      sql<number>`row_number() over (partition by skill_id order by operator_id ${direction})`.as('position'),
    ]);
    const first = this.#database.read
      .selectFrom(ranked.as('ranked'))
      .select(['ranked.id', 'ranked.owner'])
      .where('ranked.position', '<=', slice.limit + 1);
    return this.#database.readOffThread(this.#selectStamps(accountId, first.as('members'), slice));
  }

  /** Selects the stamps in the order that `toSlicePage` expects. */
  #selectStamps(accountId: number, members: AliasedExpression<{ id: number; owner: number }, 'members'>, slice: Slice) {
    return this.#database.read
      .selectFrom(members)
      .select(['members.id', 'members.owner', selectVersion(accountId, 'members.id')])
      .orderBy('members.id', slice.backwards ? 'asc' : 'desc');
  }

  #selectMatchingMembers(accountId: number, kind: MembershipKind, ids: readonly number[], filters: OperatorFilters) {
    return selectMembers(this.#database.read, kind)
      .where('accountId', '=', accountId)
      .where('skillId', 'in', ids)
      .where('operatorId', 'in', this.#select(accountId, filters).select('operators.id'));
  }

  #select(accountId: number, filters: OperatorFilters) {
    return selectOperators(this.#database.read, accountId, filters).where((eb) =>
      this.#database.isWithinDeadline(eb.ref('operators.id')),
    );
  }
}

/** Selects the members of any kind, with the columns of `operator_skills`. */
function selectMembers(db: Kysely<Tables>, kind: MembershipKind) {
  if (kind === 'skill') return db.selectFrom('operatorSkills');
  const source =
    kind === 'website'
      ? sql<Tables['operatorSkills']>`(select account_id, website_id as skill_id, operator_id from operator_websites)`
      : sql<Tables['operatorSkills']>`(select account_id, group_id as skill_id, id as operator_id from operators)`;
  return db.selectFrom(source.as('operatorSkills'));
}

function* splitIntoChunks<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
