import { type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from '../../../storage/tables.ts';
import type { DeskSettings } from '../../access/desk-settings.ts';
import { type Caller, forbidden } from '../../kernel/caller.ts';
import type { Channel } from '../../kernel/channels.ts';
import { buildIdCondition, type IdFilter } from '../../kernel/filters.ts';
import type { Period } from '../../kernel/period.ts';
import type { ConversationState } from '../records/conversation.ts';
import { selectServableQueue } from '../routing/servable.ts';
import { sharesWork } from './read-access.ts';

/** Limits a caller to their own conversations and the conversations of some groups. Undefined means no limit. */
export interface AccessScope {
  readonly operatorId: number | null;
  readonly groups: readonly number[];
  /** Adds the queued conversations that the operator could serve. */
  readonly includesServable?: boolean | undefined;
  /** Adds all closed conversations of a visitor. */
  readonly sharedVisitorId?: number | undefined;
}

/** Admins see everything, managers their groups and their own, operators their own. */
export async function toAccessScope(
  caller: Caller,
  loadSettings: () => Promise<Pick<DeskSettings, 'operatorsMayTake'>>,
): Promise<AccessScope | undefined> {
  const { accessLevel, operatorId, managedGroups } = caller;
  if (accessLevel === 'admin' || managedGroups === 'account') return undefined;
  const { operatorsMayTake } = await loadSettings();
  return { operatorId, groups: [...managedGroups], includesServable: operatorsMayTake && sharesWork(caller) };
}

/** Like `toAccessScope`, for data that only managers and admins see. Throws for other callers. */
export function toManagedScope({ accessLevel, managedGroups }: Caller): AccessScope | undefined {
  if (accessLevel === 'admin') return undefined;
  if (accessLevel !== 'manager') throw forbidden();
  return managedGroups === 'account' ? undefined : { operatorId: null, groups: [...managedGroups] };
}

/** All given filters must match. */
export interface ConversationFilters {
  readonly id?: IdFilter | undefined;
  readonly channels?: readonly Channel[] | undefined;
  readonly period?: Period | undefined;
  /** When it was closed; running conversations do not match. */
  readonly closedPeriod?: Period | undefined;
  readonly websiteId?: IdFilter | undefined;
  readonly operatorId?: IdFilter | undefined;
  readonly visitorId?: IdFilter | undefined;
  readonly skillId?: IdFilter | undefined;
  /** The current group of its operator; without an operator, the required group. */
  readonly groupId?: IdFilter | undefined;
  readonly tagId?: IdFilter | undefined;
  readonly states?: readonly ConversationState[] | undefined;
  readonly language?: string | undefined;
  /** Whether it is queued or offered. */
  readonly waiting?: boolean | undefined;
  readonly closed?: boolean | undefined;
  readonly scope?: AccessScope | undefined;
}

/** Builds a query on the conversations that match the filters; the caller selects the columns. */
export function selectConversations(db: Kysely<Tables>, accountId: number, filters: ConversationFilters) {
  const { id, channels, period = {}, visitorId, groupId, tagId, states, language, waiting, closed, scope } = filters;
  let query = db.selectFrom('conversations').where('conversations.accountId', '=', accountId);
  if (id) query = query.where((eb) => buildIdCondition(eb.ref('conversations.id'), id));
  if (channels) query = query.where('conversations.channel', 'in', channels);
  const { from, to } = period;
  const { from: closedFrom, to: closedTo } = filters.closedPeriod ?? {};
  // SQLite would choose the index on the time, but an operator or visitor has fewer conversations than a period.
  const createdAt =
    isNarrow(filters) || hasClosedPeriod(filters) || id?.kind === 'ids'
      ? sql<number>`+conversations.created_at`
      : sql.ref<number>('conversations.createdAt');
  if (from !== undefined) query = query.where(sql<SqlBool>`${createdAt} >= ${from}`);
  if (to !== undefined) query = query.where(sql<SqlBool>`${createdAt} < ${to}`);
  if (closedFrom !== undefined) query = query.where('conversations.closedAt', '>=', closedFrom);
  if (closedTo !== undefined) query = query.where('conversations.closedAt', '<', closedTo);
  // Makes SQLite scan in the order of ids, in which rows are stored, instead of the order of any index.
  const isOfPeriod = from !== undefined || to !== undefined || hasClosedPeriod(filters);
  const isBroad = !isNarrow(filters) && filters.skillId?.kind !== 'ids' && !isOfPeriod;
  if (isBroad) query = query.where('conversations.id', '>', 0);
  for (const name of ['websiteId', 'operatorId', 'skillId'] as const) {
    const filter = filters[name];
    if (filter) query = query.where((eb) => buildIdCondition(eb.ref(`conversations.${name}`), filter));
  }
  if (visitorId) query = query.where((eb) => buildIdCondition(eb.ref('conversations.visitorId'), visitorId));
  if (groupId) query = query.where(buildGroupCondition(accountId, (column) => buildIdCondition(column, groupId)));
  if (tagId) {
    query = query.where('conversations.id', 'in', (eb) =>
      eb
        .selectFrom('conversationTags')
        .select('conversationTags.conversationId')
        .where('conversationTags.accountId', '=', accountId)
        .where((inner) => buildIdCondition(inner.ref('conversationTags.tagId'), tagId)),
    );
  }
  if (states) query = query.where('conversations.state', 'in', states);
  if (language) query = query.where('conversations.language', '=', language);
  if (waiting !== undefined) {
    query = query.where('conversations.state', waiting ? 'in' : 'not in', ['queued', 'offered']);
  }
  if (closed !== undefined) query = query.where('conversations.state', closed ? '=' : '<>', 'closed');
  if (scope) {
    const isServable = scope.includesServable && canMatchQueued(filters);
    query = query.where(buildScopeCondition(accountId, { ...scope, includesServable: isServable }));
  }
  return isOpenOnly(filters) ? query.where('conversations.id', 'in', selectOpenConversationIds(accountId)) : query;
}

/** Whether the filters select the few conversations of certain operators or visitors. */
export function isNarrow({ operatorId, visitorId, scope }: ConversationFilters): boolean {
  const isOwn = scope !== undefined && scope.groups.length === 0;
  return isOwn || operatorId?.kind === 'ids' || visitorId?.kind === 'ids';
}

/** Whether the time of the close selects few conversations: an index finds them, and no order of ids does. */
export function hasClosedPeriod({ closedPeriod }: ConversationFilters): boolean {
  return closedPeriod?.from !== undefined || closedPeriod?.to !== undefined;
}

function isOpenOnly({ states, waiting, closed }: ConversationFilters): boolean {
  return closed === false || waiting === true || (states !== undefined && !states.includes('closed'));
}

/** The condition on the website is always true: it makes SQLite use the partial index of open conversations. */
function selectOpenConversationIds(accountId: number): RawBuilder<number> {
  return sql`(select open.id from conversations open
    where open.account_id = ${accountId} and open.state <> 'closed' and open.website_id > 0)`;
}

/** Whether queued conversations, which have no operator, can match; otherwise they need not be looked for. */
function canMatchQueued(filters: ConversationFilters): boolean {
  const { states, waiting, closed, operatorId } = filters;
  const isExcluded = waiting === false || closed === true || (states !== undefined && !states.includes('queued'));
  return !isExcluded && operatorId === undefined && !hasClosedPeriod(filters);
}

function buildScopeCondition(accountId: number, scope: AccessScope): Expression<SqlBool> {
  const { operatorId, groups, includesServable, sharedVisitorId } = scope;
  const conditions = [buildOwnCondition(accountId, operatorId, includesServable === true)];
  const inGroups = () =>
    buildGroupCondition(accountId, (column) => buildIdCondition(column, { kind: 'ids', ids: groups }));
  if (groups.length > 0) conditions.push(inGroups());
  if (sharedVisitorId !== undefined)
    conditions.push(sql`(conversations.visitor_id = ${sharedVisitorId} and conversations.state = 'closed')`);
  const [first] = conditions;
  return conditions.length === 1 && first ? first : sql`(${sql.join(conditions, sql` or `)})`;
}

/** Looks up both kinds by their own index: the databases would scan the account for an `or`. */
function buildOwnCondition(
  accountId: number,
  operatorId: number | null,
  includesServable: boolean,
): RawBuilder<SqlBool> {
  if (operatorId === null) return sql`1 = 0`;
  if (!includesServable) return sql`conversations.operator_id = ${operatorId}`;
  return sql`conversations.id in (select own.id from conversations own
      where own.account_id = ${accountId} and own.operator_id = ${operatorId}
    union all select servable.id from ${selectServableQueue(accountId, operatorId)} servable)`;
}

/** A conversation belongs to the current group of its operator; without an operator, to the required group. */
function buildGroupCondition(
  accountId: number,
  matches: (group: Expression<number | null>) => Expression<SqlBool>,
): RawBuilder<SqlBool> {
  return sql<SqlBool>`(conversations.operator_id in (select id from operators
      where account_id = ${accountId} and ${matches(sql.ref<number | null>('operators.groupId'))})
    or (conversations.operator_id is null and ${matches(sql.ref<number | null>('conversations.groupId'))}))`;
}
