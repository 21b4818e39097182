import type { AliasedExpression, Kysely } from 'kysely';
import type { Tables } from '../../storage/tables.ts';
import { type IdFilter, matchesId, matchesText, type TextFilter } from '../filters.ts';
import type { Window } from '../page.ts';

/** The filters of the operator list. All that are given must hold. */
export interface OperatorFilters {
  readonly id?: IdFilter;
  readonly groupId?: IdFilter;
  readonly websiteId?: IdFilter;
  /** Any of these websites. */
  readonly websiteList?: IdFilter;
  readonly skillId?: IdFilter;
  readonly name?: TextFilter;
  readonly externalId?: TextFilter;
  readonly email?: TextFilter;
}

/** The operators of an account that pass the filters: a query on `operators`, still without columns. */
export function filteredOperators(db: Kysely<Tables>, accountId: number, filters: OperatorFilters) {
  const { id, groupId, websiteId, websiteList, skillId, name, externalId, email } = filters;
  let query = db.selectFrom('operators').where('operators.accountId', '=', accountId);
  if (id) query = query.where((eb) => matchesId(eb.ref('operators.id'), id));
  if (groupId) query = query.where((eb) => matchesId(eb.ref('operators.groupId'), groupId));
  if (name) query = query.where((eb) => matchesText(eb.ref('operators.nameFolded'), name));
  if (externalId) query = query.where((eb) => matchesText(eb.ref('operators.externalIdFolded'), externalId));
  if (email) query = query.where((eb) => matchesText(eb.ref('operators.emailFolded'), email));
  for (const websites of [websiteId, websiteList]) {
    if (websites) query = query.where('operators.id', 'in', operatorsOf(db, accountId, 'website', websites));
  }
  if (skillId) query = query.where('operators.id', 'in', operatorsOf(db, accountId, 'skill', skillId));
  return query;
}

function operatorsOf(db: Kysely<Tables>, accountId: number, kind: 'website' | 'skill', filter: IdFilter) {
  return db
    .selectFrom((kind === 'website' ? 'operatorWebsites' : 'operatorSkills') as 'operatorSkills')
    .select('operatorId')
    .where('accountId', '=', accountId)
    .where((eb) => matchesId(eb.ref(`${kind}Id` as 'skillId'), filter));
}

/** Where one filter names one group, website or skill: the list of its members is an index of its own, in order. */
export interface SingleMembership {
  readonly kind: 'group' | 'website' | 'skill';
  readonly id: number;
}

export function singleMembership(filters: OperatorFilters): SingleMembership | undefined {
  const given = Object.entries(filters).filter(([, filter]) => filter !== undefined);
  const [only] = given;
  if (given.length !== 1 || !only) return undefined;
  const [name, filter] = only as [keyof OperatorFilters, IdFilter];
  if (filter.kind !== 'ids' || filter.ids.length !== 1) return undefined;
  const id = filter.ids[0] as number;
  if (name === 'groupId') return { kind: 'group', id };
  if (name === 'websiteId' || name === 'websiteList') return { kind: 'website', id };
  if (name === 'skillId') return { kind: 'skill', id };
  return undefined;
}

/** A page of a membership's operators, newest first, straight from its index. */
export function membersPage(
  db: Kysely<Tables>,
  accountId: number,
  { kind, id }: SingleMembership,
  window: Window,
): AliasedExpression<{ id: number }, 'page'> {
  if (kind === 'group') {
    return db
      .selectFrom('operators')
      .select('id')
      .where('accountId', '=', accountId)
      .where('groupId', '=', id)
      .orderBy('id', 'desc')
      .limit(window.limit)
      .offset(window.offset)
      .as('page');
  }
  // The two tables are alike but for the name of one column; one stands for both in the types.
  return db
    .selectFrom((kind === 'website' ? 'operatorWebsites' : 'operatorSkills') as 'operatorSkills')
    .select('operatorId as id')
    .where('accountId', '=', accountId)
    .where(`${kind}Id` as 'skillId', '=', id)
    .orderBy('operatorId', 'desc')
    .limit(window.limit)
    .offset(window.offset)
    .as('page');
}

/** Whether one filter alone is given and an index finds its rows without looking at others. */
export function isIndexed(filters: OperatorFilters): boolean {
  const given = Object.values(filters).filter((filter) => filter !== undefined);
  const [only] = given;
  if (given.length !== 1 || !only) return false;
  return only.kind !== 'pattern' || (only === filters.id && only.parts.length === 2 && only.parts[1] === '');
}
