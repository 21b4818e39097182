import { type Expression, type RawBuilder, sql } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import { CHANNELS } from '../../kernel/channels.ts';
import { buildRoutableCondition } from '../../live/routable.ts';
import type { Conversation } from '../records/conversation.ts';
import { type ConversationRow, fetchConversations } from '../records/conversation-store.ts';
import { FIRST_ABSENT_ORDER } from '../records/queue-order.ts';
import { buildCanServeCondition, buildServedTreesCte, type ServingOperator } from './needs.ts';

/**
 * Those who wait longest are tried one after the other: nearly always one of the first can be served. Behind this many
 * only the first of each need is tried, so that needs that cannot be served cost the others nothing.
 */
export const MAX_TRIED_IN_ORDER = 100;

/**
 * Conversations of absent visitors are passed over: they are the last of the index, which is not read that far. `order`
 * is the column, or an expression of it so that its index is not used.
 */
const isWaiting = (alias: string, accountId: Expression<number>, order = sql.ref(`${alias}.queueOrder`)) =>
  sql`${sql.ref(`${alias}.accountId`)} = ${accountId} and ${sql.ref(`${alias}.state`)} = 'queued'
    and ${order} < ${sql.lit(FIRST_ABSENT_ORDER)}`;

const isWaitingWithNeed = (alias: string, accountId: Expression<number>) =>
  isWaiting(alias, accountId, sql`+${sql.ref(`${alias}.queueOrder`)}`);

/** What a conversation needs, as one text. Must be the expression of the index `conversations_waiting_needs`. */
const needOf = (alias: string) => {
  const column = (name: string) => sql.ref(`${alias}.${name}`);
  return sql`(${column('channel')} || ' ' || cast(${column('websiteId')} as text) || ' ' || coalesce(cast(${column('skillId')} as text), '')
    || ' ' || coalesce(cast(${column('groupId')} as text), '') || ' ' || ${column('language')})`;
};

interface OperatorArguments {
  readonly accountId: number;
  readonly operatorId: number;
}

/** The channels on which an operator is routable, as a common table expression. */
const buildRoutableChannels = ({ accountId, operatorId }: Pick<ServingOperator, 'accountId' | 'operatorId'>) => sql`
  routable (channel, language_list) as (${sql.join(
    CHANNELS.map(
      (channel) => sql`select '${sql.raw(channel)}', live.language_list from operator_live live
        where live.account_id = ${accountId} and live.operator_id = ${operatorId} and ${buildRoutableCondition(channel)}`,
    ),
    sql` union all `,
  )})`;

/**
 * Reads no queue without a routable channel, and no needs if one of the first can be served or there are no more. The
 * head of a need is found by `between`, because only then its index also gives the order.
 */
export const findNext = prepare<OperatorArguments, ConversationRow>((db, args) => {
  const { accountId, operatorId } = args;
  const operator: ServingOperator = { ...args, languageList: sql<string>`(select max(language_list) from routable)` };
  const canServe = sql`c.channel in (select channel from routable) and ${buildCanServeCondition(operator)}`;
  const isNotPaused = (alias: string) => sql`not exists (select 1 from offer_pauses p
    where p.account_id = ${accountId} and p.conversation_id = ${sql.ref(`${alias}.id`)}
    and p.operator_id = ${operatorId} and p.until > now_ms())`;
  const firstNeedAfter = (need: RawBuilder<unknown>) => sql`(select min(${needOf('n')}) from conversations n
    where ${isWaitingWithNeed('n', accountId)} and ${needOf('n')} > ${need})`;
  return {
    compile: () =>
      sql<ConversationRow>`with recursive ${buildServedTreesCte(operator)}, ${buildRoutableChannels(operator)},
        first (id, queue_order) as (select w.id, w.queue_order from conversations w
          where exists (select 1 from routable) and ${isWaiting('w', accountId)}
          order by w.queue_order, w.id limit ${sql.lit(MAX_TRIED_IN_ORDER)}),
        near (id) as (select c.id from first cross join conversations c
          where c.account_id = ${accountId} and c.id = first.id and ${canServe} and ${isNotPaused('c')}
          order by c.queue_order, c.id limit 1),
        needs (need) as (
          select ${firstNeedAfter(sql`''`)}
            where not exists (select 1 from near) and (select count(*) from first) = ${sql.lit(MAX_TRIED_IN_ORDER)}
          union all select ${firstNeedAfter(sql`needs.need`)} from needs where needs.need is not null),
        heads (id) as (select (select w.id from conversations w
          where ${isWaitingWithNeed('w', accountId)} and ${needOf('w')} between needs.need and needs.need and ${isNotPaused('w')}
          order by ${needOf('w')}, w.queue_order, w.id limit 1) from needs where needs.need is not null),
        far (id) as (select c.id from heads cross join conversations c
          where c.account_id = ${accountId} and c.id = heads.id and ${canServe}
          order by c.queue_order, c.id limit 1)
      select c.* from conversations c where c.account_id = ${accountId}
        and c.id in (select id from near union all select id from far)`.compile(db),
  };
});

/** Finds the longest waiting conversation that an operator can serve now. */
export async function findNextWaiting(tx: Transaction, operator: OperatorArguments): Promise<Conversation | undefined> {
  return (await fetchConversations(tx, findNext, operator))[0];
}
