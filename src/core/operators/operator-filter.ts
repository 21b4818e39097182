import { type AliasedExpression, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from '../../storage/tables.ts';
import type { Channel } from '../kernel/channels.ts';
import { buildIdCondition, buildTextCondition, type IdFilter, type TextFilter, toIdRanges } from '../kernel/filters.ts';
import type { Window } from '../kernel/page.ts';
import type { Role } from '../kernel/roles.ts';
import { buildRoutableCondition } from '../live/routable.ts';

/** The filters of the operator list. All given filters must match. */
export interface OperatorFilters {
  readonly id?: IdFilter | undefined;
  readonly groupId?: IdFilter | undefined;
  readonly websiteId?: IdFilter | undefined;
  /** Any of these websites. */
  readonly websiteList?: IdFilter | undefined;
  readonly skillId?: IdFilter | undefined;
  readonly name?: TextFilter | undefined;
  readonly externalId?: TextFilter | undefined;
  readonly email?: TextFilter | undefined;
  readonly connected?: boolean | undefined;
  /** Is available on this channel, whether busy or not. */
  readonly available?: Channel | undefined;
  /** Can get a conversation on this channel now. */
  readonly routable?: Channel | undefined;
  readonly role?: Role | undefined;
  readonly language?: string | undefined;
}

export function hasFilters(filters: OperatorFilters): boolean {
  return Object.values(filters).some((filter) => filter !== undefined);
}

/** Builds a query on the operators that match the filters; the caller selects the columns. */
export function selectOperators(db: Kysely<Tables>, accountId: number, filters: OperatorFilters) {
  const { id, groupId, websiteId, websiteList, skillId, name, externalId, email } = filters;
  let query = db.selectFrom('operators').where('operators.accountId', '=', accountId);
  const buildIdSetCondition = (source: IdSource, filter: IdFilter) =>
    sql<SqlBool>`${sql.ref('operators.id')} in (${selectOperatorIds(source, accountId, filter)})`;
  if (id?.kind === 'ids') query = query.where('operators.id', 'in', id.ids);
  else if (id) query = query.where(buildIdSetCondition(SOURCES.operator, id));
  if (groupId) query = query.where(buildIdSetCondition(SOURCES.group, groupId));
  if (websiteId) query = query.where(buildIdSetCondition(SOURCES.website, websiteId));
  if (websiteList) query = query.where(buildIdSetCondition(SOURCES.website, websiteList));
  if (skillId) query = query.where(buildIdSetCondition(SOURCES.skill, skillId));
  if (name) query = query.where((eb) => buildTextCondition(eb.ref('operators.nameFolded'), name));
  if (externalId) query = query.where((eb) => buildTextCondition(eb.ref('operators.externalIdFolded'), externalId));
  if (email) query = query.where((eb) => buildTextCondition(eb.ref('operators.emailFolded'), email));
  if (filters.role) query = query.where('operators.roles', 'like', `%"${filters.role}"%`);
  if (filters.language) query = query.where('operators.languageList', 'like', `%"${filters.language}"%`);
  const { connected, available, routable } = filters;
  if (connected !== undefined) {
    query = query.where('operators.id', connected ? 'in' : 'not in', selectLive(db, accountId).where(isConnected));
  }
  if (available)
    query = query.where('operators.id', 'in', selectLive(db, accountId).where(`live.${available}Available`, '=', 1));
  if (routable)
    query = query.where('operators.id', 'in', selectLive(db, accountId).where(buildRoutableCondition(routable)));
  return query;
}

const isConnected = sql<SqlBool>`${sql.ref('live.leaseUntil')} > now_ms()`;

function selectLive(db: Kysely<Tables>, accountId: number) {
  return db.selectFrom('operatorLive as live').select('live.operatorId').where('live.accountId', '=', accountId);
}

/** A table whose index on the account and `key` finds the operators of a group, website or skill. */
interface IdSource {
  readonly table: 'operators' | 'operatorWebsites' | 'operatorSkills';
  readonly key: string;
  readonly operatorId: string;
}

const SOURCES = {
  operator: { table: 'operators', key: 'id', operatorId: 'id' },
  group: { table: 'operators', key: 'groupId', operatorId: 'id' },
  website: { table: 'operatorWebsites', key: 'websiteId', operatorId: 'operatorId' },
  skill: { table: 'operatorSkills', key: 'skillId', operatorId: 'operatorId' },
} as const satisfies Record<string, IdSource>;

/**
 * Selects the ids of the operators whose `key` matches the filter. Ranges are a union with one index search each: with
 * `or`,
 * SQLite would read the whole account.
 */
function selectOperatorIds(
  { table, key, operatorId }: IdSource,
  accountId: number,
  filter: IdFilter,
): RawBuilder<number> {
  const accountIds = sql`select ${sql.ref(operatorId)} from ${sql.table(table)} where ${sql.ref('accountId')} = ${accountId}`;
  const ranges = filter.kind === 'pattern' ? toIdRanges(filter.parts) : undefined;
  if (!ranges) return sql`${accountIds} and ${buildIdCondition(sql.ref<number>(key), filter)}`;
  const searches = ranges.map(([low, high]) => sql`${accountIds} and ${sql.ref(key)} between ${low} and ${high}`);
  return sql`${sql.join(searches, sql` union all `)}`;
}

/** A filter on exactly one group, website or skill: an index lists its members in order. */
export interface SingleMembership {
  readonly kind: 'group' | 'website' | 'skill';
  readonly id: number;
}

export function findSingleMembership(filters: OperatorFilters): SingleMembership | undefined {
  const used = Object.entries(filters).filter(([, filter]) => filter !== undefined);
  const [only] = used;
  if (used.length !== 1 || !only) return undefined;
  const [name, filter] = only as [keyof OperatorFilters, IdFilter];
  if (filter.kind !== 'ids' || filter.ids.length !== 1) return undefined;
  const id = filter.ids[0] as number;
  if (name === 'groupId') return { kind: 'group', id };
  if (name === 'websiteId' || name === 'websiteList') return { kind: 'website', id };
  if (name === 'skillId') return { kind: 'skill', id };
  return undefined;
}

/** Selects a page of the operators of a membership, newest first, directly from its index. */
export function selectMembersPage(
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
  // The two tables differ in the name of one column only; the types use one of them for both.
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

/** Whether there is a single filter that an index answers, so that its matches can be counted up to a bound. */
export function isCountable(filters: OperatorFilters): boolean {
  const used = Object.entries(filters).filter(([, filter]) => filter !== undefined);
  const [only] = used;
  if (used.length !== 1 || !only) return false;
  const [name, filter] = only as [keyof OperatorFilters, IdFilter | TextFilter];
  return name === 'id' ? filter.kind === 'ids' : filter.kind === 'exact' || filter.kind === 'prefix';
}
