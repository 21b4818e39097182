import type { Transaction } from '../../../storage/database.ts';
import { announce } from '../../events/announce.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import {
  endLeases,
  type Lease,
  type LeaseKey,
  putLease,
  recountAfterExpiry,
  releaseLease,
  renewLease,
} from '../../live/leases.ts';
import {
  clearLostAt,
  type DisconnectReason,
  findLiveRow,
  type PresenceChange,
  recordPresence,
  setKeptOffline,
} from '../../live/live-store.ts';
import type { Conversation } from '../records/conversation.ts';
import { findHeldConversations } from '../records/conversation-store.ts';
import { addNotice } from '../records/message-store.ts';
import { requeue } from '../routing/offers.ts';
import { routeQueueForOperator } from '../routing/queue.ts';

/** Connects an operator who explicitly asks for it, even if another actor took them offline. */
export async function connect(tx: Transaction, context: ActorContext, lease: Lease): Promise<void> {
  await setKeptOffline(tx, context, { operatorId: lease.operatorId, keptOffline: false });
  await applyPresenceChange(tx, context, await putLease(tx, context, lease));
}

/** Connects the operator. Returns false if another actor took them offline and they have not connected since. */
export async function openDesk(tx: Transaction, context: ActorContext, lease: Lease): Promise<boolean> {
  const [row] = await tx.run(findLiveRow, { accountId: context.accountId, operatorId: lease.operatorId });
  if (!row || row.keptOffline === 1) return false;
  await applyPresenceChange(tx, context, await putLease(tx, context, lease));
  return true;
}

/** Returns false if the lease has already ended. */
export async function tryRenewLease(tx: Transaction, context: ActorContext, lease: Lease): Promise<boolean> {
  const [isRenewed = false] = await renewLeases(tx, [{ context, lease }]);
  return isRenewed;
}

/** Renews leases of one account. Returns, in the same order, whether each was renewed. */
export async function renewLeases(
  tx: Transaction,
  renewals: readonly { readonly context: ActorContext; readonly lease: Lease }[],
): Promise<boolean[]> {
  const changes: (PresenceChange | undefined)[] = [];
  const byOperator = Map.groupBy(renewals.entries(), ([, { lease }]) => lease.operatorId);
  await Promise.all(
    [...byOperator.values()].map(async (operatorRenewals) => {
      for (const [index, { context, lease }] of operatorRenewals) changes[index] = await renewLease(tx, context, lease);
    }),
  );
  // Sequential: a presence change may assign conversations.
  for (const [index, { context }] of renewals.entries()) await applyPresenceChange(tx, context, changes[index]);
  return renewals.map((_, index) => changes[index] !== undefined);
}

/**
 * Reconnects an open desk whose lease expired only because the database or a node was unavailable. Returns false if
 * the operator signed off or was taken offline since the desk was opened.
 */
export async function resumeDesk(
  tx: Transaction,
  context: ActorContext,
  lease: Lease,
  openedAt: number,
): Promise<boolean> {
  const disconnection = await tx.db
    .selectFrom('liveHistory')
    .select('version')
    .where('accountId', '=', context.accountId)
    .where('operatorId', '=', lease.operatorId)
    .where('at', '>=', openedAt)
    .where('kind', '=', 'disconnected')
    .where('reason', 'in', ['signed_off', 'taken_offline'] satisfies DisconnectReason[])
    .limit(1)
    .executeTakeFirst();
  return disconnection ? false : openDesk(tx, context, lease);
}

/** Releases the lease of a closed desk, which starts its grace period. */
export async function closeDesk(tx: Transaction, context: ActorContext, lease: LeaseKey): Promise<void> {
  await applyPresenceChange(tx, context, await releaseLease(tx, context, lease));
}

/** Ends every lease. If another actor does this, the operator stays offline until they explicitly connect. */
export async function disconnect(tx: Transaction, context: ActorContext, operatorId: number): Promise<void> {
  const isSelf = context.actor.type === 'operator' && context.actor.id === operatorId;
  if (!isSelf) await setKeptOffline(tx, context, { operatorId, keptOffline: true });
  await applyPresenceChange(
    tx,
    context,
    await endLeases(tx, context, operatorId),
    isSelf ? 'signed_off' : 'taken_offline',
  );
}

/** Applies and announces leases that have expired. */
export async function expireLeases(tx: Transaction, context: ActorContext, operatorId: number): Promise<void> {
  await applyPresenceChange(tx, context, await recountAfterExpiry(tx, context, operatorId), 'lease_ended');
}

async function applyPresenceChange(
  tx: Transaction,
  context: ActorContext,
  change: PresenceChange | undefined,
  disconnectReason: DisconnectReason = 'lease_ended',
): Promise<void> {
  if (!change) return;
  const { before, after, row } = change;
  const { operatorId } = row;
  if (before.connected === after.connected && before.inGrace === after.inGrace) {
    // The last lease had ended, and nothing had noticed it: meanwhile, conversations were queued past the operator.
    const hasReturned = after.connected && !after.inGrace && row.routableUntil <= tx.now;
    if (hasReturned) await announceReturn(tx, context, operatorId);
    return;
  }
  const isLost = !after.connected && (await findActiveConversations(tx, context, operatorId)).length > 0;
  const kind = await recordPresence(tx, context, { ...change, disconnectReason, lostAt: isLost ? tx.now : null });
  if (kind === 'disconnected') await releaseConversations(tx, context, operatorId);
  else if (!after.inGrace)
    await resumeConversations(
      tx,
      context,
      operatorId,
      row.lostAt !== null,
      kind === 'connected' ? 'connected' : 'available',
    );
}

/** Everyone who read the operator meanwhile saw them as not connected, and no event had said so. */
async function announceReturn(tx: Transaction, context: ActorContext, operatorId: number): Promise<void> {
  announce(tx, context, 'operator.availability_updated', operatorId, {
    fields: ['connected'],
    values: { connected: true },
  });
  await routeQueueForOperator(tx, context, operatorId, 'connected');
}

/** Requeues offers immediately; visitors in active conversations are notified and wait for the operator. */
async function releaseConversations(tx: Transaction, context: ActorContext, operatorId: number): Promise<void> {
  for (const conversation of await findHeldConversations(tx, context, operatorId)) {
    if (conversation.state === 'offered') await requeue(tx, context, conversation, { cause: 'withdrawn' });
    else await addNotice(tx, context, conversation, { code: 'operator_away', parameters: {} });
  }
}

async function resumeConversations(
  tx: Transaction,
  context: ActorContext,
  operatorId: number,
  wasLost: boolean,
  cause: 'connected' | 'available',
): Promise<void> {
  if (wasLost) {
    for (const conversation of await findActiveConversations(tx, context, operatorId))
      await addNotice(tx, context, conversation, { code: 'operator_back', parameters: {} });
  }
  await routeQueueForOperator(tx, context, operatorId, cause);
}

/** Requeues the active conversations of an operator who did not come back in time. */
export async function requeueAbandoned(tx: Transaction, context: ActorContext, operatorId: number): Promise<void> {
  await clearLostAt(tx, context, operatorId);
  for (const conversation of await findActiveConversations(tx, context, operatorId)) {
    await addNotice(tx, context, conversation, { code: 'operator_left', parameters: {} });
    await requeue(tx, context, conversation, { cause: 'operator_lost', atHead: true });
  }
}

async function findActiveConversations(
  tx: Transaction,
  context: ActorContext,
  operatorId: number,
): Promise<Conversation[]> {
  return (await findHeldConversations(tx, context, operatorId)).filter(({ state }) => state === 'active');
}
