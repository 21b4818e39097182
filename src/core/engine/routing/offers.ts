import type { Transaction } from '../../../storage/database.ts';
import { announce } from '../../events/announce.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import { countMissedOffer, forgetMissedOffers, releaseSlot } from '../../live/live-store.ts';
import { type Conversation, eventSnapshot, wrongState } from '../records/conversation.ts';
import { change } from '../records/conversation-store.ts';
import { handOver, takeOver } from '../records/handlings.ts';
import { pauseOffers } from '../records/pauses.ts';
import { rememberOperator } from '../records/visitor-store.ts';
import type { Cause } from './decisions.ts';
import { drainFor } from './queue.ts';
import { answeredBy, route } from './router.ts';

/** After so many offers in a row that timed out, the operator's wish for the channel is taken back. */
export const MAX_MISSED = 3;

/** Before every moment at which a conversation can begin: the head of the queue. */
const HEAD_OF_QUEUE = -4_102_444_800_000;

/** The operator says yes: from now on it is theirs. */
export async function acceptOffer(
  tx: Transaction,
  context: ActorContext,
  conversation: Conversation,
): Promise<Conversation> {
  const { operatorId, channel, offerUntil } = conversation;
  if (conversation.state !== 'offered' || operatorId === null || (offerUntil ?? 0) <= tx.now) throw offerIsGone();
  const accepted = await change(tx, context, conversation, {
    state: 'active',
    acceptedAt: conversation.acceptedAt ?? tx.now,
    offerUntil: null,
    firstAnswerAt: conversation.firstAnswerAt ?? answeredBy(conversation, tx.now),
  });
  if (!accepted) throw offerIsGone();
  forgetMissedOffers(tx, context, { operatorId, channel });
  rememberOperator(tx, context, accepted);
  takeOver(tx, context, accepted, answeredBy(accepted, tx.now));
  announce(tx, context, 'conversation.started', accepted.id, {
    fields: ['state', 'acceptedAt'],
    values: eventSnapshot(accepted),
  });
  return accepted;
}

/** The operator says no: others are asked, and they themself not for a while. */
export async function declineOffer(
  tx: Transaction,
  context: ActorContext,
  conversation: Conversation,
): Promise<Conversation> {
  const { operatorId, channel } = conversation;
  if (conversation.state !== 'offered' || operatorId === null) throw offerIsGone();
  forgetMissedOffers(tx, context, { operatorId, channel });
  return requeue(tx, context, conversation, { cause: 'declined', pauseOperator: true });
}

/**
 * Nobody said anything in time. Who does that again and again is not there, whatever their screen says; unless nobody could
 * have said anything, because the service was away.
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
  await countMissedOffer(tx, context, { operatorId, channel, most: MAX_MISSED });
  await requeue(tx, context, conversation, { cause: 'timed_out', pauseOperator: true });
}

export interface Requeue {
  readonly cause: Cause;
  /** At its original time, or before everybody. */
  readonly atHead?: boolean;
  /** Not offered to whoever had it for a while. */
  readonly pauseOperator?: boolean;
  /** What else changes with it: another skill or group that is asked for. */
  readonly asks?: Partial<Pick<Conversation, 'skillId' | 'groupId'>>;
  /** False where whoever had it is gone, and has no slots. */
  readonly hadSlot?: boolean;
}

/** Takes a conversation from the operator who has it, and looks for another; then for what else the free slot is good. */
export async function requeue(
  tx: Transaction,
  context: ActorContext,
  conversation: Conversation,
  { cause, atHead = false, pauseOperator = false, asks = {}, hadSlot = true }: Requeue,
): Promise<Conversation> {
  const { id, operatorId, channel, createdAt } = conversation;
  const waiting = await change(tx, context, conversation, {
    state: 'queued',
    operatorId: null,
    offeredAt: null,
    offerUntil: null,
    ...handOver(tx, context, conversation),
    hasWaited: true,
    queueOrder: atHead ? HEAD_OF_QUEUE + createdAt : createdAt,
    ...asks,
  });
  if (!waiting) throw wrongState('The conversation has changed meanwhile.');
  if (operatorId !== null && pauseOperator) pauseOffers(tx, context, { conversationId: id, operatorId });
  if (operatorId !== null && hadSlot) await releaseSlot(tx, context, { operatorId, channel });
  announce(tx, context, 'conversation.queued', id, {
    fields: ['state', 'operatorId', ...Object.keys(asks)],
    values: { ...eventSnapshot(waiting), previousOperatorId: operatorId, reason: cause },
  });
  const routed = await route(tx, context, waiting, cause);
  if (operatorId !== null && hadSlot) await drainFor(tx, context, operatorId, 'slot_freed');
  return routed ?? waiting;
}

export function offerIsGone() {
  return wrongState('The offer is gone: it was answered, has timed out, or the visitor has left.');
}
