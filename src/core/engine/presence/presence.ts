import type { Transaction } from '../../../storage/database.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import {
  type Lease,
  type LeaseName,
  prolongLease,
  putLease,
  recountLeases,
  releaseLease,
  removeLeases,
} from '../../live/leases.ts';
import {
  clearLost,
  type Departure,
  findLiveRow,
  type PresenceChange,
  recordPresence,
  setKeptOffline,
} from '../../live/live-store.ts';
import type { Conversation } from '../records/conversation.ts';
import { findHeldConversations } from '../records/conversation-store.ts';
import { addNotice } from '../records/message-store.ts';
import { requeue } from '../routing/offers.ts';
import { drainFor } from '../routing/queue.ts';

/** The operator's own, explicit wish to be there. */
export async function connect(tx: Transaction, context: ActorContext, lease: Lease): Promise<void> {
  await setKeptOffline(tx, context, { operatorId: lease.operatorId, keptOffline: false });
  await follow(tx, context, await putLease(tx, context, lease));
}

/** A desk opens its channel. False when somebody else took the operator offline, and they did not connect since. */
export async function openDesk(tx: Transaction, context: ActorContext, lease: Lease): Promise<boolean> {
  const [row] = await tx.run(findLiveRow, { accountId: context.accountId, operatorId: lease.operatorId });
  if (!row || row.keptOffline === 1) return false;
  await follow(tx, context, await putLease(tx, context, lease));
  return true;
}

/** Prolongs a lease that has not ended; false when it has. */
export async function prolong(tx: Transaction, context: ActorContext, lease: Lease): Promise<boolean> {
  const [holds = false] = await prolongAll(tx, [{ context, lease }]);
  return holds;
}

/** The same for several leases of an account, in their order. */
export async function prolongAll(
  tx: Transaction,
  renewals: readonly { readonly context: ActorContext; readonly lease: Lease }[],
): Promise<boolean[]> {
  const changes: (PresenceChange | undefined)[] = [];
  const ofOperators = Map.groupBy(renewals.entries(), ([, { lease }]) => lease.operatorId);
  await Promise.all(
    [...ofOperators.values()].map(async (own) => {
      for (const [index, { context, lease }] of own) changes[index] = await prolongLease(tx, context, lease);
    }),
  );
  // What follows gives out conversations: never for two at once.
  for (const [index, { context }] of renewals.entries()) await follow(tx, context, changes[index]);
  return renewals.map((_, index) => changes[index] !== undefined);
}

/**
 * A desk is there whose lease ended by time alone, while the database was away or a node stood still: it takes it up again.
 * False when somebody ended the session since it was opened.
 */
export async function resumeDesk(
  tx: Transaction,
  context: ActorContext,
  lease: Lease,
  openedAt: number,
): Promise<boolean> {
  const sentOff = await tx.db
    .selectFrom('liveHistory')
    .select('version')
    .where('accountId', '=', context.accountId)
    .where('operatorId', '=', lease.operatorId)
    .where('at', '>=', openedAt)
    .where('kind', '=', 'disconnected')
    .where('reason', 'in', ['signed_off', 'taken_offline'] satisfies Departure[])
    .limit(1)
    .executeTakeFirst();
  return sentOff ? false : openDesk(tx, context, lease);
}

/** The channel of a desk was closed. */
export async function closeDesk(tx: Transaction, context: ActorContext, lease: LeaseName): Promise<void> {
  await follow(tx, context, await releaseLease(tx, context, lease));
}

/** Ends every session. When somebody else did it, only an explicit connect of the operator returns. */
export async function disconnect(tx: Transaction, context: ActorContext, operatorId: number): Promise<void> {
  const own = context.actor.type === 'operator' && context.actor.id === operatorId;
  if (!own) await setKeptOffline(tx, context, { operatorId, keptOffline: true });
  await follow(tx, context, await removeLeases(tx, context, operatorId), own ? 'signed_off' : 'taken_offline');
}

/** Time has passed: announces what has ended by it. */
export async function notice(tx: Transaction, context: ActorContext, operatorId: number): Promise<void> {
  await follow(tx, context, await recountLeases(tx, context, operatorId), 'lease_ended');
}

async function follow(
  tx: Transaction,
  context: ActorContext,
  change: PresenceChange | undefined,
  departure: Departure = 'lease_ended',
): Promise<void> {
  if (!change) return;
  const { before, after, row } = change;
  if (before.connected === after.connected && before.inGrace === after.inGrace) return;
  const { operatorId } = row;
  const isLost = !after.connected && (await runningOf(tx, context, operatorId)).length > 0;
  const kind = await recordPresence(tx, context, { ...change, departure, lostAt: isLost ? tx.now : null });
  if (kind === 'disconnected') await release(tx, context, operatorId);
  else if (!after.inGrace)
    await resume(tx, context, operatorId, row.lostAt !== null, kind === 'connected' ? 'connected' : 'available');
}

/** Offers go to others at once; those who talk are told, and wait a while for the operator. */
async function release(tx: Transaction, context: ActorContext, operatorId: number): Promise<void> {
  for (const conversation of await findHeldConversations(tx, context, operatorId)) {
    if (conversation.state === 'offered') await requeue(tx, context, conversation, { cause: 'withdrawn' });
    else addNotice(tx, context, conversation, 'operatorAway');
  }
}

async function resume(
  tx: Transaction,
  context: ActorContext,
  operatorId: number,
  wasLost: boolean,
  cause: 'connected' | 'available',
): Promise<void> {
  if (wasLost) {
    for (const conversation of await runningOf(tx, context, operatorId))
      addNotice(tx, context, conversation, 'operatorBack');
  }
  await drainFor(tx, context, operatorId, cause);
}

/** The operator did not come back in time: what they had goes to the head of the queue. */
export async function requeueAbandoned(tx: Transaction, context: ActorContext, operatorId: number): Promise<void> {
  await clearLost(tx, context, operatorId);
  for (const conversation of await runningOf(tx, context, operatorId)) {
    addNotice(tx, context, conversation, 'newOperator');
    await requeue(tx, context, conversation, { cause: 'operator_lost', atHead: true });
  }
}

async function runningOf(tx: Transaction, context: ActorContext, operatorId: number): Promise<Conversation[]> {
  return (await findHeldConversations(tx, context, operatorId)).filter(({ state }) => state === 'active');
}
