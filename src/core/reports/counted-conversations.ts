import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { type ConversationFilters, selectConversations } from '../engine/conversations/conversation-filter.ts';

export type StatisticsSubject = 'account' | 'operator' | 'skill' | 'group' | 'website';

/** All given filters must match. */
export type StatisticsFilters = Pick<
  ConversationFilters,
  'period' | 'channels' | 'websiteId' | 'skillId' | 'groupId' | 'operatorId' | 'scope'
>;

export interface StatisticsRequest {
  readonly subject: StatisticsSubject;
  /** The ids of the subjects; for the account, any single value. */
  readonly ids: readonly number[];
  readonly filters?: StatisticsFilters;
}

/**
 * The subject for which a conversation counts. The group is the current group of its operator; without an operator, the
 * required group. Each conversation counts for one group, so that the figures of all groups add up.
 */
const SUBJECT_ID: Record<StatisticsSubject, RawBuilder<number>> = {
  account: sql`0`,
  operator: sql`conversations.operator_id`,
  skill: sql`conversations.skill_id`,
  website: sql`conversations.website_id`,
  group: sql`case when conversations.operator_id is null then conversations.group_id else
    (select o.group_id from operators o where o.account_id = conversations.account_id and o.id = conversations.operator_id) end`,
};

/** Selects the rows that the statistics of a request count, with the columns that they need. */
export function selectCountedConversations(database: Database, accountId: number, request: StatisticsRequest) {
  return request.subject === 'operator'
    ? selectPerOperator(database, accountId, request)
    : selectPerConversation(database, accountId, request);
}

/** Selects each conversation once, with the times of the first operator who accepted and answered it. */
function selectPerConversation(
  database: Database,
  accountId: number,
  { subject, ids, filters = {} }: StatisticsRequest,
) {
  const subjectFilters: ConversationFilters =
    subject === 'account' ? filters : { ...filters, [`${subject}Id`]: { kind: 'ids', ids } };
  return selectRows(database, accountId, subjectFilters).select([
    SUBJECT_ID[subject].as('subject'),
    'conversations.acceptedAt as accepted',
    'conversations.firstAnswerAt as answered',
    'conversations.closedAt as ended',
    IS_CLOSED,
    ABANDONED,
    WAITING.as('waiting'),
    QUEUED.as('queued'),
    NOTE_SUM.as('note'),
  ]);
}

/** Selects each conversation once per operator who accepted it. The survey counts for the last of them. */
function selectPerOperator(database: Database, accountId: number, request: StatisticsRequest) {
  const { ids, filters = {} } = request;
  const singleOperatorRows = selectPerConversation(database, accountId, request).where(
    'conversations.changedHands',
    '=',
    0,
  );
  const transferredRows = selectRows(database, accountId, filters)
    .innerJoin('handlings', (join) =>
      join
        .onRef('handlings.accountId', '=', 'conversations.accountId')
        .onRef('handlings.conversationId', '=', 'conversations.id'),
    )
    .where('handlings.operatorId', 'in', ids)
    .select([
      'handlings.operatorId as subject',
      'handlings.acceptedAt as accepted',
      'handlings.firstAnswerAt as answered',
      sql<number | null>`coalesce((select min(later.accepted_at) from handlings later
        where later.account_id = handlings.account_id and later.conversation_id = handlings.conversation_id
        and later.accepted_at > handlings.accepted_at), conversations.closed_at)`.as('ended'),
      IS_CLOSED,
      sql<number>`0`.as('abandoned'),
      ifFirstHandling(WAITING).as('waiting'),
      ifFirstHandling(QUEUED).as('queued'),
      sql<number | null>`case when conversations.operator_id = handlings.operator_id then ${NOTE_SUM} end`.as('note'),
    ]);
  return singleOperatorRows.unionAll(transferredRows as never);
}

function selectRows(database: Database, accountId: number, filters: ConversationFilters) {
  return selectConversations(database.read, accountId, filters)
    .leftJoin('satisfactions', (join) =>
      join
        .onRef('satisfactions.accountId', '=', 'conversations.accountId')
        .onRef('satisfactions.conversationId', '=', 'conversations.id'),
    )
    .where((eb) => database.isWithinDeadline(eb.ref('conversations.id')));
}

const IS_CLOSED = sql<number>`case when state = 'closed' then 1 else 0 end`.as('isClosed');
const ABANDONED = sql<number>`case when state = 'closed' and conversations.accepted_at is null
  and closed_by in ('visitor', 'system') then 1 else 0 end`.as('abandoned');
const WAITING = sql<number | null>`conversations.accepted_at - conversations.created_at`;
/** How long it was queued: until now while it still waits. Null if it was never queued. */
const QUEUED = sql<number | null>`case when conversations.has_waited = 1
  then coalesce(conversations.accepted_at, conversations.closed_at, now_ms()) - conversations.created_at end`;
/** The sum of the three ratings. The average of integers is the same on every database. */
const NOTE_SUM = sql<number | null>`note_welcome + note_resolution + note_delay`;

/** The wait of a conversation counts only for the first operator who accepted it. */
function ifFirstHandling(value: RawBuilder<number | null>): RawBuilder<number | null> {
  return sql`case when handlings.accepted_at = conversations.accepted_at then ${value} end`;
}
