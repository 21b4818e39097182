import type { Transaction } from '../../../storage/database.ts';
import { announce } from '../../events/announce.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import { countMissedOffer, releaseSlot, resetMissedOffers } from '../../live/live-store.ts';
import { type Conversation, toEventSnapshot, wrongState } from '../records/conversation.ts';
import { changeConversation, updateConversation } from '../records/conversation-store.ts';
import { recordIncomingHandling, recordOutgoingHandling } from '../records/handlings.ts';
import { type MessageContent, storeMessage } from '../records/message-store.ts';
import { pauseOffers } from '../records/pauses.ts';
import { computeQueueOrder } from '../records/queue-order.ts';
import { isPassedOver } from '../records/visitor-presence-store.ts';
import { rememberLastOperator } from '../records/visitor-store.ts';
import type { RoutingCause } from './decisions.ts';
import { routeQueueForOperator } from './queue.ts';
import { getInitialAnswerTime, route } from './router.ts';

/** After this many missed offers in a row, the operator is set unavailable on the channel. */
export const MAX_MISSED_OFFERS = 3;

/** `notice` says that the operator joined. */
export function acceptOffer(
  tx: Transaction,
  context: ActorContext,
  conversation: Conversation,
  notice: MessageContent,
): Conversation {
  const { operatorId, channel, offerUntil } = conversation;
  if (conversation.state !== 'offered' || operatorId === null || (offerUntil ?? 0) <= tx.now) throw offerGoneError();
  const accepted = changeConversation(tx, context, conversation, {
    state: 'active',
    acceptedAt: conversation.acceptedAt ?? tx.now,
    offerUntil: null,
    firstAnswerAt: conversation.firstAnswerAt ?? getInitialAnswerTime(conversation, tx.now),
    messageCount: conversation.messageCount + 1,
  });
  resetMissedOffers(tx, context, { operatorId, channel });
  rememberLastOperator(tx, context, accepted);
  recordIncomingHandling(tx, context, accepted, getInitialAnswerTime(accepted, tx.now));
  announce(tx, context, 'conversation.started', accepted.id, {
    fields: ['state', 'acceptedAt'],
    values: toEventSnapshot(accepted),
  });
  storeMessage(tx, context, accepted, { ...notice, sequence: accepted.messageCount });
  return accepted;
}

/** Requeues the conversation; it is not offered to the same operator again for a while. */
export async function declineOffer(
  tx: Transaction,
  context: ActorContext,
  conversation: Conversation,
): Promise<Conversation> {
  const { operatorId, channel } = conversation;
  if (conversation.state !== 'offered' || operatorId === null) throw offerGoneError();
  resetMissedOffers(tx, context, { operatorId, channel });
  return requeue(tx, context, conversation, { cause: 'declined', pauseOperator: true });
}

/**
 * Requeues the conversation after an offer was not answered in time. It counts as a missed offer, unless the operator
 * could not have answered because the service was down.
 */
export async function expireOffer(
  tx: Transaction,
  context: ActorContext,
  conversation: Conversation,
  { couldAnswer }: { couldAnswer: boolean },
): Promise<void> {
  const { operatorId, channel } = conversation;
  if (conversation.state !== 'offered' || operatorId === null) return;
  if (!couldAnswer) {
    await requeue(tx, context, conversation, { cause: 'timed_out' });
    return;
  }
  await countMissedOffer(tx, context, { operatorId, channel, maxMissed: MAX_MISSED_OFFERS });
  await requeue(tx, context, conversation, { cause: 'timed_out', pauseOperator: true });
}

export interface RequeueOptions {
  readonly cause: RoutingCause;
  /** Whether it goes to the head of the queue instead of its original place. */
  readonly atHead?: boolean;
  /** Whether it is not offered to its last operator again for a while. */
  readonly pauseOperator?: boolean;
  /** Another required skill or group. */
  readonly needChanges?: Partial<Pick<Conversation, 'skillId' | 'groupId'>>;
  /** False if its last operator no longer has a live state. */
  readonly holdsSlot?: boolean;
}

/**
 * Takes a conversation from its operator, routes it again unless its visitor is absent, and then fills the slot that
 * became free.
 */
export async function requeue(
  tx: Transaction,
  context: ActorContext,
  conversation: Conversation,
  { cause, atHead = false, pauseOperator = false, needChanges = {}, holdsSlot = true }: RequeueOptions,
): Promise<Conversation> {
  const { id, operatorId, channel, createdAt } = conversation;
  const isAbsent = await isPassedOver(tx, conversation);
  const queued = await updateConversation(tx, context, conversation, {
    state: 'queued',
    operatorId: null,
    offeredAt: null,
    offerUntil: null,
    ...recordOutgoingHandling(tx, context, conversation),
    hasWaited: true,
    queueOrder: computeQueueOrder(createdAt, { atHead, isAbsent }),
    ...needChanges,
  });
  if (!queued) throw wrongState('The conversation was changed concurrently. Read it again.');
  if (operatorId !== null && pauseOperator) pauseOffers(tx, context, { conversationId: id, operatorId });
  if (operatorId !== null && holdsSlot) releaseSlot(tx, context, { operatorId, channel });
  announce(tx, context, 'conversation.queued', id, {
    fields: ['state', 'operatorId', ...Object.keys(needChanges)],
    values: { ...toEventSnapshot(queued), previousOperatorId: operatorId, reason: cause },
  });
  const routed = isAbsent ? undefined : await route(tx, context, queued, cause);
  if (operatorId !== null && holdsSlot) await routeQueueForOperator(tx, context, operatorId, 'slot_freed');
  return routed ?? queued;
}

export function offerGoneError() {
  return wrongState('The offer is no longer open: it was answered, it timed out, or the visitor left.');
}
