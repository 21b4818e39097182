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
export async function connect(tx: Transaction, by: ActorContext, lease: Lease): Promise<void> {
  await setKeptOffline(tx, by, { operatorId: lease.operatorId, keptOffline: false });
  await follow(tx, by, await putLease(tx, by, lease));
}

/** A desk opens its channel. False when somebody else took the operator offline, and they did not connect since. */
export async function openDesk(tx: Transaction, by: ActorContext, lease: Lease): Promise<boolean> {
  const [row] = await tx.run(findLiveRow, { accountId: by.accountId, operatorId: lease.operatorId });
  if (!row || row.keptOffline === 1) return false;
  await follow(tx, by, await putLease(tx, by, lease));
  return true;
}

/** Prolongs a lease that has not ended; false when it has. */
export async function prolong(tx: Transaction, by: ActorContext, lease: Lease): Promise<boolean> {
  const [holds = false] = await prolongAll(tx, [{ by, lease }]);
  return holds;
}

/** The same for several leases of an account, in their order. */
export async function prolongAll(
  tx: Transaction,
  renewals: readonly { readonly by: ActorContext; readonly lease: Lease }[],
): Promise<boolean[]> {
  const changes: (PresenceChange | undefined)[] = [];
  const ofOperators = Map.groupBy(renewals.entries(), ([, { lease }]) => lease.operatorId);
  await Promise.all(
    [...ofOperators.values()].map(async (own) => {
      for (const [index, { by, lease }] of own) changes[index] = await prolongLease(tx, by, lease);
    }),
  );
  // What follows gives out conversations: never for two at once.
  for (const [index, { by }] of renewals.entries()) await follow(tx, by, changes[index]);
  return renewals.map((_, index) => changes[index] !== undefined);
}

/**
 * A desk is there whose lease ended by time alone, while the database was away or a node stood still: it takes it up again.
 * False when somebody ended the session since it was opened.
 */
export async function resumeDesk(tx: Transaction, by: ActorContext, lease: Lease, openedAt: number): Promise<boolean> {
  const sentOff = await tx.db
    .selectFrom('liveHistory')
    .select('version')
    .where('accountId', '=', by.accountId)
    .where('operatorId', '=', lease.operatorId)
    .where('at', '>=', openedAt)
    .where('kind', '=', 'disconnected')
    .where('reason', 'in', ['signed_off', 'taken_offline'] satisfies Departure[])
    .limit(1)
    .executeTakeFirst();
  return sentOff ? false : openDesk(tx, by, lease);
}

/** The channel of a desk was closed. */
export async function closeDesk(tx: Transaction, by: ActorContext, lease: LeaseName): Promise<void> {
  await follow(tx, by, await releaseLease(tx, by, lease));
}

/** Ends every session. When somebody else did it, only an explicit connect of the operator returns. */
export async function disconnect(tx: Transaction, by: ActorContext, operatorId: number): Promise<void> {
  const own = by.actor.type === 'operator' && by.actor.id === operatorId;
  if (!own) await setKeptOffline(tx, by, { operatorId, keptOffline: true });
  await follow(tx, by, await removeLeases(tx, by, operatorId), own ? 'signed_off' : 'taken_offline');
}

/** Time has passed: announces what has ended by it. */
export async function notice(tx: Transaction, by: ActorContext, operatorId: number): Promise<void> {
  await follow(tx, by, await recountLeases(tx, by, operatorId), 'lease_ended');
}

async function follow(
  tx: Transaction,
  by: ActorContext,
  change: PresenceChange | undefined,
  departure: Departure = 'lease_ended',
): Promise<void> {
  if (!change) return;
  const { before, after, row } = change;
  if (before.connected === after.connected && before.inGrace === after.inGrace) return;
  const { operatorId } = row;
  const isLost = !after.connected && (await runningOf(tx, by, operatorId)).length > 0;
  const kind = await recordPresence(tx, by, { ...change, departure, lostAt: isLost ? tx.now : null });
  if (kind === 'disconnected') await release(tx, by, operatorId);
  else if (!after.inGrace)
    await resume(tx, by, operatorId, row.lostAt !== null, kind === 'connected' ? 'connected' : 'available');
}

/** Offers go to others at once; those who talk are told, and wait a while for the operator. */
async function release(tx: Transaction, by: ActorContext, operatorId: number): Promise<void> {
  for (const conversation of await findHeldConversations(tx, by, operatorId)) {
    if (conversation.state === 'offered') await requeue(tx, by, conversation, { cause: 'withdrawn' });
    else addNotice(tx, by, conversation, 'operatorAway');
  }
}

async function resume(
  tx: Transaction,
  by: ActorContext,
  operatorId: number,
  wasLost: boolean,
  cause: 'connected' | 'available',
): Promise<void> {
  if (wasLost) {
    for (const conversation of await runningOf(tx, by, operatorId)) addNotice(tx, by, conversation, 'operatorBack');
  }
  await drainFor(tx, by, operatorId, cause);
}

/** The operator did not come back in time: what they had goes to the head of the queue. */
export async function requeueAbandoned(tx: Transaction, by: ActorContext, operatorId: number): Promise<void> {
  await clearLost(tx, by, operatorId);
  for (const conversation of await runningOf(tx, by, operatorId)) {
    addNotice(tx, by, conversation, 'newOperator');
    await requeue(tx, by, conversation, { cause: 'operator_lost', atHead: true });
  }
}

async function runningOf(tx: Transaction, by: ActorContext, operatorId: number): Promise<Conversation[]> {
  return (await findHeldConversations(tx, by, operatorId)).filter(({ state }) => state === 'active');
}
