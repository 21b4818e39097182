import type { Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import type { ActorContext } from '../kernel/caller.ts';
import type { LiveRow } from './live.ts';
import { findLiveRow, type PresenceChange, recountPresence } from './live-store.ts';

/** A desk renews its lease every 15 s, so that one lost ping does no harm. */
export const DESK_LEASE_SECONDS = 30;

/** A lease outlives its closed connection by this time, so that reloading a page does not take an operator offline. */
export const GRACE_PERIOD_MS = 10_000;

export interface LeaseKey {
  readonly operatorId: number;
  readonly leaseId: string;
}

export interface Lease extends LeaseKey {
  readonly seconds: number;
}

interface LeaseRowKey {
  readonly accountId: number;
  readonly operatorId: number;
  readonly leaseId: string;
}

const upsertLease = prepare<LeaseRowKey & { expiresAt: number; inGrace: number }>((db, row) =>
  db
    .insertInto('operatorLeases')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['accountId', 'operatorId', 'leaseId'])
        .doUpdateSet({ expiresAt: row.expiresAt, inGrace: row.inGrace }),
    ),
);
const extendLease = prepare<LeaseRowKey & { expiresAt: number }, { leaseId: string }>(
  (db, { accountId, operatorId, leaseId, expiresAt }) =>
    db
      .updateTable('operatorLeases')
      .set({ expiresAt, inGrace: 0 })
      .where('accountId', '=', accountId)
      .where('operatorId', '=', operatorId)
      .where('leaseId', '=', leaseId)
      .where('expiresAt', '>', (eb) => eb.fn<number>('now_ms', []))
      .returning('leaseId'),
);
const startGrace = prepare<LeaseRowKey & { until: number }, { leaseId: string }>(
  (db, { accountId, operatorId, leaseId, until }) =>
    db
      .updateTable('operatorLeases')
      .set({ expiresAt: until, inGrace: 1 })
      .where('accountId', '=', accountId)
      .where('operatorId', '=', operatorId)
      .where('leaseId', '=', leaseId)
      .where('inGrace', '=', 0)
      .returning('leaseId'),
);
const deleteAll = prepare<{ accountId: number; operatorId: number }>((db, { accountId, operatorId }) =>
  db.deleteFrom('operatorLeases').where('accountId', '=', accountId).where('operatorId', '=', operatorId),
);
const deleteExpired = prepare<{ accountId: number; operatorId: number }>((db, { accountId, operatorId }) =>
  db
    .deleteFrom('operatorLeases')
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .where('expiresAt', '<=', (eb) => eb.fn<number>('now_ms', [])),
);

/** Keeps an operator connected until the lease expires by the database's clock. */
export async function putLease(
  tx: Transaction,
  context: ActorContext,
  lease: Lease,
): Promise<PresenceChange | undefined> {
  const { accountId } = context;
  const { operatorId, leaseId } = lease;
  return changeAndRecount(tx, context, operatorId, () =>
    tx.run(upsertLease, { accountId, operatorId, leaseId, expiresAt: tx.now + lease.seconds * 1000, inGrace: 0 }),
  );
}

/** Renews an active lease. Returns undefined and changes nothing if it has ended, for any reason. */
export async function renewLease(
  tx: Transaction,
  context: ActorContext,
  lease: Lease,
): Promise<PresenceChange | undefined> {
  const { accountId } = context;
  const { operatorId, leaseId } = lease;
  const expiresAt = tx.now + lease.seconds * 1000;
  const [[row], renewed] = await Promise.all([
    tx.run(findLiveRow, { accountId, operatorId }),
    tx.run(extendLease, { accountId, operatorId, leaseId, expiresAt }),
  ]);
  return row && renewed.length > 0 ? recount(tx, context, row) : undefined;
}

/** Starts the grace period of a lease whose connection closed. */
export async function releaseLease(
  tx: Transaction,
  context: ActorContext,
  lease: LeaseKey,
): Promise<PresenceChange | undefined> {
  const { accountId } = context;
  return changeAndRecount(tx, context, lease.operatorId, () =>
    tx.run(startGrace, { accountId, ...lease, until: tx.now + GRACE_PERIOD_MS }),
  );
}

export async function endLeases(
  tx: Transaction,
  context: ActorContext,
  operatorId: number,
): Promise<PresenceChange | undefined> {
  return changeAndRecount(tx, context, operatorId, () =>
    tx.run(deleteAll, { accountId: context.accountId, operatorId }),
  );
}

/** Deletes the leases of an operator who is being deleted, without recounting presence. */
export async function deleteLeases(tx: Transaction, context: ActorContext, operatorId: number): Promise<void> {
  await tx.run(deleteAll, { accountId: context.accountId, operatorId });
}

/** Recounts presence after leases may have expired. */
export async function recountAfterExpiry(
  tx: Transaction,
  context: ActorContext,
  operatorId: number,
): Promise<PresenceChange | undefined> {
  return changeAndRecount(tx, context, operatorId, async () => undefined);
}

async function changeAndRecount(
  tx: Transaction,
  context: ActorContext,
  operatorId: number,
  work: () => Promise<unknown>,
): Promise<PresenceChange | undefined> {
  const [row] = await tx.run(findLiveRow, { accountId: context.accountId, operatorId });
  if (!row) return undefined;
  await work();
  return recount(tx, context, row);
}

/** Deletes expired leases and recomputes presence. */
async function recount(tx: Transaction, context: ActorContext, row: LiveRow): Promise<PresenceChange> {
  tx.send(deleteExpired, { accountId: context.accountId, operatorId: row.operatorId });
  return recountPresence(tx, context, row);
}
