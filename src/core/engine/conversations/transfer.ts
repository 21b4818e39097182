import type { Transaction } from '../../../storage/database.ts';
import { routingSettings } from '../../access/account-settings.ts';
import { announce } from '../../events/announce.ts';
import { type Caller, forbidden } from '../../kernel/caller.ts';
import { invalid, invalidField } from '../../kernel/errors.ts';
import { nextId } from '../../kernel/ids.ts';
import { claimSlot, releaseSlot } from '../../live/live-store.ts';
import { requireOperator } from '../../operators/operator-store.ts';
import { requireMayServe } from '../../operators/permissions.ts';
import { targetsOf } from '../../operators/targets.ts';
import { type Conversation, eventSnapshot, newConversation, wrongState } from '../records/conversation.ts';
import { insertConversation, requireConversation } from '../records/conversation-store.ts';
import { keepDecision } from '../routing/decisions.ts';
import { exclusionCounts } from '../routing/exclusions.ts';
import { isServable } from '../routing/needs.ts';
import { requeue } from '../routing/offers.ts';
import { drainFor } from '../routing/queue.ts';
import { give } from '../routing/router.ts';
import { requireInvolved, requireOwn } from './conversation-access.ts';
import { conversationIsClosed } from './messages.ts';

export interface Target {
  readonly operatorId?: number | null | undefined;
  readonly skillId?: number | null | undefined;
  readonly groupId?: number | null | undefined;
}

/** Passes a conversation on: to an operator as an offer, or to whoever a skill or group brings up. */
export async function transfer(
  tx: Transaction,
  caller: Caller,
  id: number,
  target: Target,
  force: boolean,
): Promise<Conversation> {
  const conversation = await requireConversation(tx, caller.accountId, id);
  const involved = await requireInvolved(tx, caller, conversation);
  if (force && involved !== 'managed' && caller.accessLevel !== 'admin' && caller.accessLevel !== 'manager')
    throw forbidden();
  const { operatorId, skillId, groupId } = target;
  const named = [operatorId, skillId, groupId].filter((value) => value !== null && value !== undefined);
  if (named.length !== 1) {
    throw invalid([
      {
        path: ['operatorId'],
        code: named.length === 0 ? 'missing' : 'invalid',
        rule: 'or skillId or groupId must be given, and only one of them',
      },
    ]);
  }
  if (conversation.state === 'closed') throw conversationIsClosed();
  if (conversation.state !== 'active')
    throw wrongState('Only a conversation that an operator has accepted can be passed on.');
  if (operatorId) return toOperator(tx, caller, conversation, operatorId, { force, cause: 'transfer' });
  return toOthers(tx, caller, conversation, { skillId: skillId ?? null, groupId: groupId ?? null });
}

/** A manager gives a conversation to somebody at once, whoever has it now. */
export async function take(
  tx: Transaction,
  caller: Caller,
  id: number,
  operatorId: number,
  force: boolean,
): Promise<Conversation> {
  const conversation = await requireConversation(tx, caller.accountId, id);
  if (caller.accessLevel !== 'admin' && caller.accessLevel !== 'manager') throw forbidden();
  await requireInvolved(tx, caller, conversation);
  if (conversation.state === 'closed') throw conversationIsClosed();
  requireMayServe(caller, await requireOperator(tx, caller.accountId, operatorId));
  if (conversation.operatorId === operatorId && conversation.state === 'active') {
    throw wrongState('The operator has this conversation already.');
  }
  return toOperator(tx, caller, conversation, operatorId, { force, cause: 'take' });
}

async function toOperator(
  tx: Transaction,
  caller: Caller,
  conversation: Conversation,
  operatorId: number,
  { force, cause }: { force: boolean; cause: 'transfer' | 'take' },
): Promise<Conversation> {
  const { accountId, channel } = conversation;
  await requireTarget(tx, accountId, 'operatorId', operatorId);
  const previous = conversation.operatorId;
  if (cause === 'transfer' && previous === operatorId) throw invalidField('operatorId', 'must be another operator');
  const settings = await routingSettings(tx, accountId);
  const excluded = await exclusionCounts(tx, conversation);
  // One's own offer holds the slot that is wanted.
  if (previous !== null) await releaseSlot(tx, caller, { operatorId: previous, channel });
  if (!(await claimSlot(tx, caller, { operatorId, channel, how: force ? 'forced' : 'within capacity' }))) {
    throw wrongState('The operator cannot take it now: not connected, not available, or without a free slot.');
  }
  const atOnce = cause === 'take' || settings.autoAccept;
  if (previous !== null) announceTransfer(tx, caller, conversation, { operatorId });
  const given = await give(tx, caller, conversation, { operatorId, settings, atOnce });
  const decision = { conversationId: conversation.id, cause, operatorId, forced: force, ranked: [], excluded };
  await keepDecision(tx, caller, conversation, decision);
  if (previous !== null && previous !== operatorId) await drainFor(tx, caller, previous, 'slot_freed');
  return given;
}

/** Back into the queue at its own time, with another wish; whoever passed it on is not asked again for a while. */
async function toOthers(
  tx: Transaction,
  caller: Caller,
  conversation: Conversation,
  asks: { skillId: number | null; groupId: number | null },
): Promise<Conversation> {
  const { accountId } = conversation;
  if (asks.skillId !== null) await requireTarget(tx, accountId, 'skillId', asks.skillId);
  if (asks.groupId !== null) await requireTarget(tx, accountId, 'groupId', asks.groupId);
  if (!(await isServable(tx, { ...conversation, ...asks }))) {
    throw wrongState(
      'Nobody there could ever answer this: no operator with that skill or group serves its website and language.',
    );
  }
  announceTransfer(tx, caller, conversation, asks);
  return requeue(tx, caller, conversation, { cause: 'transfer', pauseOperator: true, asks });
}

function announceTransfer(tx: Transaction, caller: Caller, conversation: Conversation, to: Target): void {
  announce(tx, caller, 'conversation.transferred', conversation.id, {
    fields: Object.keys(to),
    values: { ...eventSnapshot(conversation), ...to, previousOperatorId: conversation.operatorId },
  });
}

const THINGS = {
  operatorId: ['operators', 'operator'],
  skillId: ['skills', 'skill'],
  groupId: ['groups', 'group'],
} as const;

async function requireTarget(tx: Transaction, accountId: number, name: keyof typeof THINGS, id: number): Promise<void> {
  const [table, thing] = THINGS[name];
  if (!(await targetsOf(tx, accountId).allExist(table, [id]))) throw invalidField(name, `must be an existing ${thing}`);
}

/** From a chat to a video, in one step: the chat goes on, and its operator is on video with the same visitor. */
export async function escalate(tx: Transaction, caller: Caller, id: number): Promise<Conversation> {
  const chat = await requireConversation(tx, caller.accountId, id);
  requireOwn(caller, chat);
  const { accountId, operatorId } = chat;
  if (chat.channel !== 'chat') throw wrongState('Only a chat can become a video.');
  if (chat.state === 'closed') throw conversationIsClosed();
  if (chat.state !== 'active' || operatorId === null) throw wrongState('Accept the offer first.');
  if (!(await claimSlot(tx, caller, { operatorId, channel: 'video', how: 'escalation' }))) {
    throw wrongState(
      'No video can begin now: it is not allowed for this operator, or a call or another video is running.',
    );
  }
  const { visitorId, websiteId, skillId, groupId, language } = chat;
  const video = newConversation({
    ...{ accountId, visitorId, websiteId, skillId, groupId, language, operatorId, state: 'active' },
    id: await nextId(tx, accountId, 'conversation'),
    channel: 'video',
    createdAt: tx.now,
    offeredAt: tx.now,
    acceptedAt: tx.now,
    firstAnswerAt: tx.now,
    escalatedFromId: chat.id,
  });
  insertConversation(tx, caller, video);
  await keepDecision(tx, caller, video, {
    conversationId: video.id,
    cause: 'escalation',
    operatorId,
    forced: false,
    ranked: [],
    excluded: {},
  });
  announce(tx, caller, 'conversation.started', video.id, {
    fields: Object.keys(eventSnapshot(video)),
    values: { ...eventSnapshot(video), escalatedFromId: chat.id },
  });
  // Whoever watches the chat learns of it there.
  announce(tx, caller, 'conversation.updated', chat.id, {
    fields: ['escalatedTo'],
    values: { ...eventSnapshot(chat), escalatedToId: video.id },
  });
  return video;
}
