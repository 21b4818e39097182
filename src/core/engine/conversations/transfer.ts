import type { Transaction } from '../../../storage/database.ts';
import { loadRoutingSettings } from '../../access/account-settings.ts';
import { loadDeskSettings } from '../../access/desk-settings.ts';
import { announce } from '../../events/announce.ts';
import { type Caller, forbidden, requireManager } from '../../kernel/caller.ts';
import { invalid, invalidField } from '../../kernel/errors.ts';
import { nextId } from '../../kernel/ids.ts';
import { claimSlot, releaseSlot } from '../../live/live-store.ts';
import { requireOperator } from '../../operators/operator-store.ts';
import { requireSelfOrManaged } from '../../operators/permissions.ts';
import { createTargetLookup } from '../../operators/targets.ts';
import { type Conversation, newConversation, toEventSnapshot, wrongState } from '../records/conversation.ts';
import { insertConversation, requireConversation } from '../records/conversation-store.ts';
import { addNotice } from '../records/message-store.ts';
import { insertNote } from '../records/note-store.ts';
import { storeDecision } from '../routing/decisions.ts';
import { countExclusions } from '../routing/exclusions.ts';
import { isServable } from '../routing/needs.ts';
import { requeue } from '../routing/offers.ts';
import { routeQueueForOperator } from '../routing/queue.ts';
import { assignConversation } from '../routing/router.ts';
import { couldServe } from '../routing/servable.ts';
import {
  createGroupIdLoader,
  findInvolvement,
  requireInvolvement,
  requireOwnConversation,
} from './conversation-access.ts';
import { conversationClosedError } from './messages.ts';
import { sharesWork } from './read-access.ts';

export interface TransferTarget {
  readonly operatorId?: number | null | undefined;
  readonly skillId?: number | null | undefined;
  readonly groupId?: number | null | undefined;
}

/** Offers a conversation to another operator, or requeues it for a skill or group. The note is for the next operator. */
export async function transfer(
  tx: Transaction,
  caller: Caller,
  id: number,
  target: TransferTarget,
  { force, note }: { readonly force: boolean; readonly note?: string | undefined },
): Promise<Conversation> {
  const conversation = await requireConversation(tx, caller.accountId, id);
  const involvement = await requireInvolvement(tx, caller, conversation);
  if (force && involvement !== 'managed' && caller.accessLevel !== 'admin' && caller.accessLevel !== 'manager')
    throw forbidden();
  const { operatorId, skillId, groupId } = target;
  const targets = [operatorId, skillId, groupId].filter((value) => value !== null && value !== undefined);
  if (targets.length !== 1) {
    throw invalid([
      {
        path: ['operatorId'],
        code: targets.length === 0 ? 'missing' : 'invalid',
        rule: 'or skillId or groupId is required, and only one of them',
      },
    ]);
  }
  if (conversation.state === 'closed') throw conversationClosedError();
  if (conversation.state !== 'active')
    throw wrongState('Only a conversation that an operator has accepted can be transferred.');
  // The present operator receives its event too, because the conversation is still theirs.
  if (note !== undefined) await insertNote(tx, caller, conversation, { clientId: null, text: note });
  if (operatorId) return assignToOperator(tx, caller, conversation, operatorId, { force, cause: 'transfer' });
  return requeueForTarget(tx, caller, conversation, { skillId: skillId ?? null, groupId: groupId ?? null });
}

/**
 * Assigns a conversation to an operator without an offer: on behalf of a manager, or for the operators who take a waiting
 * one themselves.
 */
export async function take(
  tx: Transaction,
  caller: Caller,
  id: number,
  operatorId: number,
  force: boolean,
): Promise<Conversation> {
  const conversation = await requireConversation(tx, caller.accountId, id);
  if (await canTakeAsOperator(tx, caller, { conversation, operatorId, force })) {
    requireWaiting(conversation, operatorId);
  } else {
    requireManager(caller);
    await requireInvolvement(tx, caller, conversation);
    if (conversation.state === 'closed') throw conversationClosedError();
    requireSelfOrManaged(caller, await requireOperator(tx, caller.accountId, operatorId));
  }
  if (conversation.operatorId === operatorId && conversation.state === 'active') {
    throw wrongState('The operator already has this conversation.');
  }
  return assignToOperator(tx, caller, conversation, operatorId, { force, cause: 'take' });
}

export interface TakeRequest {
  readonly conversation: Conversation;
  readonly operatorId: number;
  readonly force: boolean;
}

/**
 * Whether the caller takes a conversation that they could serve for themselves, as the account allows. It does not hold
 * for a conversation that they manage anyway, and never ignores the capacity.
 */
export async function canTakeAsOperator(
  tx: Pick<Transaction, 'run' | 'db'>,
  caller: Caller,
  { conversation, operatorId, force }: TakeRequest,
): Promise<boolean> {
  if (!caller.canWrite || !sharesWork(caller) || caller.operatorId !== operatorId || force) return false;
  if ((await findInvolvement(caller, conversation, createGroupIdLoader(tx, caller))) === 'managed') return false;
  const { accountId } = caller;
  if (!(await loadDeskSettings(tx, accountId)).operatorsMayTake) return false;
  return couldServe(tx, accountId, { operatorId, id: conversation.id });
}

/** An offer that stands for another operator is not taken away from them; the operator's own is accepted. */
function requireWaiting({ state, operatorId }: Conversation, takerId: number): void {
  if (state === 'closed') throw conversationClosedError();
  if (state === 'queued' || (state === 'offered' && operatorId === takerId)) return;
  if (operatorId === takerId) throw wrongState('The operator already has this conversation.');
  throw wrongState('The conversation does not wait any more: another operator has it, or it is offered to one.');
}

async function assignToOperator(
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
  const settings = await loadRoutingSettings(tx, accountId);
  const excluded = await countExclusions(tx, conversation);
  // An open offer to the same operator holds the slot that is claimed next.
  if (previous !== null) releaseSlot(tx, caller, { operatorId: previous, channel });
  if (!(await claimSlot(tx, caller, { operatorId, channel, mode: force ? 'forced' : 'within capacity' }))) {
    throw wrongState(
      'The operator cannot take the conversation now: not connected, not available, or without a free slot.',
    );
  }
  const autoAccept = cause === 'take' || settings.autoAccept;
  const told = previous === null ? conversation : await announceTransfer(tx, caller, conversation, { operatorId });
  const assigned = await assignConversation(tx, caller, told, { operatorId, settings, autoAccept });
  const decision = { conversationId: conversation.id, cause, operatorId, forced: force, ranked: [], excluded };
  storeDecision(tx, caller, conversation, decision);
  if (previous !== null && previous !== operatorId) await routeQueueForOperator(tx, caller, previous, 'slot_freed');
  return assigned;
}

/** Requeues at the original place with another skill or group; the previous operator gets no offer for a while. */
async function requeueForTarget(
  tx: Transaction,
  caller: Caller,
  conversation: Conversation,
  needChanges: { skillId: number | null; groupId: number | null },
): Promise<Conversation> {
  const { accountId } = conversation;
  if (needChanges.skillId !== null) await requireTarget(tx, accountId, 'skillId', needChanges.skillId);
  if (needChanges.groupId !== null) await requireTarget(tx, accountId, 'groupId', needChanges.groupId);
  if (!(await isServable(tx, { ...conversation, ...needChanges }))) {
    throw wrongState('No operator with that skill or group serves the website and language of this conversation.');
  }
  const told = await announceTransfer(tx, caller, conversation, needChanges);
  return requeue(tx, caller, told, { cause: 'transfer', pauseOperator: true, needChanges });
}

/**
 * Visitors are told only if they had an operator: they do not see offers. They are told first, because the event is the
 * last one that the previous operator receives.
 */
async function announceTransfer(
  tx: Transaction,
  caller: Caller,
  conversation: Conversation,
  to: TransferTarget,
): Promise<Conversation> {
  const told =
    conversation.state === 'active'
      ? await addNotice(tx, caller, conversation, { code: 'transferred', parameters: {} })
      : conversation;
  announce(tx, caller, 'conversation.transferred', conversation.id, {
    fields: Object.keys(to),
    values: { ...toEventSnapshot(conversation), ...to, previousOperatorId: conversation.operatorId },
  });
  return told;
}

const TARGET_KINDS = {
  operatorId: ['operators', 'operator'],
  skillId: ['skills', 'skill'],
  groupId: ['groups', 'group'],
} as const;

async function requireTarget(
  tx: Transaction,
  accountId: number,
  name: keyof typeof TARGET_KINDS,
  id: number,
): Promise<void> {
  const [table, kind] = TARGET_KINDS[name];
  if (!(await createTargetLookup(tx, accountId).allExist(table, [id])))
    throw invalidField(name, `must be an existing ${kind}`);
}

/** Starts a video with the visitor of a chat, in one step; the chat continues. */
export async function escalate(tx: Transaction, caller: Caller, id: number): Promise<Conversation> {
  const chat = await requireConversation(tx, caller.accountId, id);
  requireOwnConversation(caller, chat);
  const { accountId, operatorId } = chat;
  if (chat.channel !== 'chat') throw wrongState('Only a chat can be escalated to video.');
  if (chat.state === 'closed') throw conversationClosedError();
  if (chat.state !== 'active' || operatorId === null) throw wrongState('Accept the offer first.');
  if (!(await claimSlot(tx, caller, { operatorId, channel: 'video', mode: 'escalation' }))) {
    throw wrongState(
      'No video can start now: it is not enabled for this operator, or a call or another video is running.',
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
  storeDecision(tx, caller, video, {
    conversationId: video.id,
    cause: 'escalation',
    operatorId,
    forced: false,
    ranked: [],
    excluded: {},
  });
  announce(tx, caller, 'conversation.started', video.id, {
    fields: Object.keys(toEventSnapshot(video)),
    values: { ...toEventSnapshot(video), escalatedFromId: chat.id },
  });
  // Also notifies subscribers of the chat.
  announce(tx, caller, 'conversation.updated', chat.id, {
    fields: ['escalatedTo'],
    values: { ...toEventSnapshot(chat), escalatedToId: video.id },
  });
  return video;
}
