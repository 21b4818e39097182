import { sql } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import type { Channel } from '../../kernel/channels.ts';
import type { Conversation } from '../records/conversation.ts';
import { type ConversationRow, fetchConversations } from '../records/conversation-store.ts';
import { deleteEndedPauses } from '../records/pauses.ts';
import { FIRST_ABSENT_ORDER } from '../records/queue-order.ts';
import type { RoutingCause } from './decisions.ts';
import { findNextWaiting } from './next-waiting.ts';
import { route } from './router.ts';

/** Bounds the transaction: all other writes wait for it. */
export const MAX_ROUTED_PER_TRANSACTION = 100;

/** Conversations of absent visitors are passed over: they are the last of the index, which is not read that far. */
const firstAbsent = sql.lit(FIRST_ABSENT_ORDER);

/**
 * Assigns queued conversations after one operator gained capacity or eligibility, longest waiting first, until the
 * operator is full.
 */
export async function routeQueueForOperator(
  tx: Transaction,
  context: ActorContext,
  operatorId: number,
  cause: RoutingCause,
): Promise<void> {
  const { accountId } = context;
  for (let assigned = 0; assigned < MAX_ROUTED_PER_TRANSACTION; assigned += 1) {
    const next = await findNextWaiting(tx, { accountId, operatorId });
    if (!next || !(await route(tx, context, next, cause))) return;
  }
}

/** Deletes the operator's ended pauses and assigns conversations that waited because of them. */
export async function endOperatorPauses(tx: Transaction, context: ActorContext, operatorId: number): Promise<void> {
  if (await deleteEndedPauses(tx, context, operatorId))
    await routeQueueForOperator(tx, context, operatorId, 'pause_ended');
}

/** Queued conversations with the same need (0 for no skill or group), and the position up to which they were tried. */
interface QueueLine {
  readonly channel: Channel;
  readonly websiteId: number;
  readonly skillKey: number;
  readonly groupKey: number;
  readonly language: string;
  readonly order: number;
  readonly id: number;
}

const skillKey = sql<number>`coalesce(skill_id, 0)`;
const groupKey = sql<number>`coalesce(group_id, 0)`;

const findLines = prepare<{ accountId: number }, Omit<QueueLine, 'order' | 'id'>>((db, { accountId }) =>
  db
    .selectFrom('conversations')
    .select(['channel', 'websiteId', skillKey.as('skillKey'), groupKey.as('groupKey'), 'language'])
    .where('accountId', '=', accountId)
    .where('state', '=', sql.lit('queued'))
    .where('queueOrder', '<', firstAbsent)
    .groupBy(['channel', 'websiteId', skillKey, groupKey, 'language']),
);
const findHead = prepare<{ accountId: number } & QueueLine, ConversationRow>((db, args) =>
  db
    .selectFrom('conversations')
    .selectAll()
    .where('accountId', '=', args.accountId)
    .where('state', '=', sql.lit('queued'))
    .where('queueOrder', '<', firstAbsent)
    .where('channel', '=', args.channel)
    .where('websiteId', '=', args.websiteId)
    .where(skillKey, '=', args.skillKey)
    .where(groupKey, '=', args.groupKey)
    .where('language', '=', args.language)
    .where((eb) =>
      eb.or([eb('queueOrder', '>', args.order), eb.and([eb('queueOrder', '=', args.order), eb('id', '>', args.id)])]),
    )
    .orderBy('queueOrder')
    .orderBy('id')
    .limit(1),
);

/**
 * Routes all queued conversations after a change that may affect many operators, longest waiting first. When no
 * operator is found for the head of a line, the rest of that line is skipped. Returns how many were assigned.
 */
export async function routeAccountQueue(tx: Transaction, context: ActorContext, cause: RoutingCause): Promise<number> {
  const { accountId } = context;
  const heads = new Map<QueueLine, Conversation>();
  const advance = async (line: QueueLine, after: Pick<QueueLine, 'order' | 'id'>) => {
    heads.delete(line);
    const next = { ...line, ...after };
    const [head] = await fetchConversations(tx, findHead, { accountId, ...next });
    if (head) heads.set(next, head);
  };
  for (const line of await tx.run(findLines, { accountId })) {
    await advance({ ...line, order: 0, id: 0 }, { order: Number.MIN_SAFE_INTEGER, id: 0 });
  }
  for (let assigned = 0; ; ) {
    const [first] = [...heads].sort(([, a], [, b]) => a.queueOrder - b.queueOrder || a.id - b.id);
    if (!first || assigned >= MAX_ROUTED_PER_TRANSACTION) return assigned;
    const [line, head] = first;
    const isAssigned = (await route(tx, context, head, cause)) !== undefined;
    if (isAssigned) assigned += 1;
    if (isAssigned || (await hasOfferPauses(tx, head))) await advance(line, { order: head.queueOrder, id: head.id });
    else heads.delete(line);
  }
}

const findPause = prepare<{ accountId: number; conversationId: number }, { operatorId: number }>(
  (db, { accountId, conversationId }) =>
    db
      .selectFrom('offerPauses')
      .select('operatorId')
      .where('accountId', '=', accountId)
      .where('conversationId', '=', conversationId)
      .limit(1),
);

/** With pauses, routing may have failed for this conversation only: others with the same need may still succeed. */
async function hasOfferPauses(tx: Transaction, { accountId, id }: Conversation): Promise<boolean> {
  return (await tx.run(findPause, { accountId, conversationId: id })).length > 0;
}
