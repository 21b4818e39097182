import { type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Tables } from '../../../storage/tables.ts';
import { type Caller, forbidden } from '../../kernel/caller.ts';
import type { Channel } from '../../kernel/channels.ts';
import { type IdFilter, matchesId } from '../../kernel/filters.ts';
import type { Period } from '../../kernel/period.ts';
import type { ConversationState } from '../records/conversation.ts';

/** Whose conversations somebody may see: their own, and those of these groups; everybody's where there is no limit. */
export interface Reach {
  readonly operatorId: number | null;
  readonly groups: readonly number[];
}

/** Admins see everything, managers what belongs to their groups, and everybody their own. */
export function reachOf({ accessLevel: standing, operatorId, managedGroups }: Caller): Reach | undefined {
  if (standing === 'admin' || managedGroups === 'account') return undefined;
  return { operatorId, groups: [...managedGroups] };
}

/** The same for what only managers and admins see: the groups alone, and nobody below. */
export function managedReach({ accessLevel: standing, managedGroups }: Caller): Reach | undefined {
  if (standing === 'admin') return undefined;
  if (standing !== 'manager') throw forbidden();
  return managedGroups === 'account' ? undefined : { operatorId: null, groups: [...managedGroups] };
}

/** Which conversations: all that is given must hold. */
export interface ConversationFilters {
  readonly id?: IdFilter | undefined;
  readonly channels?: readonly Channel[] | undefined;
  readonly period?: Period | undefined;
  readonly websiteId?: IdFilter | undefined;
  readonly operatorId?: IdFilter | undefined;
  readonly visitorId?: IdFilter | undefined;
  readonly skillId?: IdFilter | undefined;
  /** The group of its operator now; as long as it has no operator, the group that it asks for. */
  readonly groupId?: IdFilter | undefined;
  readonly tagId?: IdFilter | undefined;
  readonly states?: readonly ConversationState[] | undefined;
  readonly language?: string | undefined;
  /** Whether somebody waits for an answer to it: nobody has accepted it yet, and it is not closed. */
  readonly waiting?: boolean | undefined;
  readonly closed?: boolean | undefined;
  readonly reach?: Reach | undefined;
}

/** The conversations of an account that pass the filters: a query on `conversations`, still without columns. */
export function filteredConversations(db: Kysely<Tables>, accountId: number, filters: ConversationFilters) {
  const { id, channels, period = {}, visitorId, groupId, tagId, states, language, waiting, closed, reach } = filters;
  let query = db.selectFrom('conversations').where('conversations.accountId', '=', accountId);
  if (id) query = query.where((eb) => matchesId(eb.ref('conversations.id'), id));
  if (channels) query = query.where('conversations.channel', 'in', channels);
  const { from, to } = period;
  // SQLite prefers the index of moments, but the conversations of an operator or a visitor are fewer than those of a period.
  const createdAt =
    namesFew(filters) || id?.kind === 'ids'
      ? sql<number>`+conversations.created_at`
      : sql.ref<number>('conversations.createdAt');
  if (from !== undefined) query = query.where(sql<SqlBool>`${createdAt} >= ${from}`);
  if (to !== undefined) query = query.where(sql<SqlBool>`${createdAt} < ${to}`);
  // Rows in the order of their numbers lie side by side; without a word SQLite takes them in that of any index.
  const isBroad = !namesFew(filters) && filters.skillId?.kind !== 'ids' && from === undefined && to === undefined;
  if (isBroad) query = query.where('conversations.id', '>', 0);
  for (const name of ['websiteId', 'operatorId', 'skillId'] as const) {
    const filter = filters[name];
    if (filter) query = query.where((eb) => matchesId(eb.ref(`conversations.${name}`), filter));
  }
  if (visitorId) query = query.where((eb) => matchesId(eb.ref('conversations.visitorId'), visitorId));
  if (groupId) query = query.where(ofGroups(accountId, (column) => matchesId(column, groupId)));
  if (tagId) {
    query = query.where('conversations.id', 'in', (eb) =>
      eb
        .selectFrom('conversationTags')
        .select('conversationTags.conversationId')
        .where('conversationTags.accountId', '=', accountId)
        .where((inner) => matchesId(inner.ref('conversationTags.tagId'), tagId)),
    );
  }
  if (states) query = query.where('conversations.state', 'in', states);
  if (language) query = query.where('conversations.language', '=', language);
  if (waiting !== undefined) {
    query = query.where('conversations.state', waiting ? 'in' : 'not in', ['queued', 'offered']);
  }
  if (closed !== undefined) query = query.where('conversations.state', closed ? '=' : '<>', 'closed');
  if (reach) query = query.where(isWithin(accountId, reach));
  return isOpen(filters) ? query.where('conversations.id', 'in', openConversations(accountId)) : query;
}

/** Whether the filters name a few conversations by their operators or visitors. */
export function namesFew({ operatorId, visitorId, reach }: ConversationFilters): boolean {
  const isOwn = reach !== undefined && reach.groups.length === 0;
  return isOwn || operatorId?.kind === 'ids' || visitorId?.kind === 'ids';
}

function isOpen({ states, waiting, closed }: ConversationFilters): boolean {
  return closed === false || waiting === true || (states !== undefined && !states.includes('closed'));
}

/** There are few of them, and an index has them alone; a condition that holds for all makes SQLite take it. */
function openConversations(accountId: number): RawBuilder<number> {
  return sql`(select open.id from conversations open
    where open.account_id = ${accountId} and open.state <> 'closed' and open.website_id > 0)`;
}

function isWithin(accountId: number, { operatorId, groups }: Reach): Expression<SqlBool> {
  const own = operatorId === null ? sql<SqlBool>`1 = 0` : sql<SqlBool>`conversations.operator_id = ${operatorId}`;
  if (groups.length === 0) return own;
  return sql<SqlBool>`(${own} or ${ofGroups(accountId, (column) => matchesId(column, { kind: 'ids', ids: groups }))})`;
}

/** Whose a conversation is: its operator's group, as it is now; without an operator, the group that it asks for. */
function ofGroups(
  accountId: number,
  matches: (group: Expression<number | null>) => Expression<SqlBool>,
): Expression<SqlBool> {
  return sql<SqlBool>`(conversations.operator_id in (select id from operators
      where account_id = ${accountId} and ${matches(sql.ref<number | null>('operators.groupId'))})
    or (conversations.operator_id is null and ${matches(sql.ref<number | null>('conversations.groupId'))}))`;
}
