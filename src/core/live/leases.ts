import type { Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import type { ActorContext } from '../kernel/caller.ts';
import type { LiveRow } from './live.ts';
import { findLiveRow, type PresenceChange, recountPresence } from './live-store.ts';

/** A desk renews every 15 s for this long, so that one lost ping does no harm. */
export const DESK_LEASE_SECONDS = 30;

/** A closed connection keeps its lease for so long: a page that is reloaded does not go offline. */
export const GRACE_MS = 10_000;

export interface LeaseName {
  readonly operatorId: number;
  readonly leaseId: string;
}

export interface Lease extends LeaseName {
  readonly seconds: number;
}

interface Named {
  readonly accountId: number;
  readonly operatorId: number;
  readonly leaseId: string;
}

const put = prepare<Named & { expiresAt: number; inGrace: number }>((db, row) =>
  db
    .insertInto('operatorLeases')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['accountId', 'operatorId', 'leaseId'])
        .doUpdateSet({ expiresAt: row.expiresAt, inGrace: row.inGrace }),
    ),
);
const prolong = prepare<Named & { expiresAt: number }, { leaseId: string }>(
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
const toGrace = prepare<Named & { until: number }, { leaseId: string }>(
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
const removeAll = prepare<{ accountId: number; operatorId: number }>((db, { accountId, operatorId }) =>
  db.deleteFrom('operatorLeases').where('accountId', '=', accountId).where('operatorId', '=', operatorId),
);
const removeOver = prepare<{ accountId: number; operatorId: number }>((db, { accountId, operatorId }) =>
  db
    .deleteFrom('operatorLeases')
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .where('expiresAt', '<=', (eb) => eb.fn<number>('now_ms', [])),
);

/** Holds an operator connected until the lease ends by itself, by the database's clock, or is renewed. */
export async function putLease(
  tx: Transaction,
  context: ActorContext,
  lease: Lease,
): Promise<PresenceChange | undefined> {
  const { accountId } = context;
  const { operatorId, leaseId } = lease;
  return changing(tx, context, operatorId, () =>
    tx.run(put, { accountId, operatorId, leaseId, expiresAt: tx.now + lease.seconds * 1000, inGrace: 0 }),
  );
}

/** Prolongs a lease that still holds; undefined when it has ended, whoever ended it: then nothing is changed. */
export async function prolongLease(
  tx: Transaction,
  context: ActorContext,
  lease: Lease,
): Promise<PresenceChange | undefined> {
  const { accountId } = context;
  const { operatorId, leaseId } = lease;
  const expiresAt = tx.now + lease.seconds * 1000;
  const [[row], held] = await Promise.all([
    tx.run(findLiveRow, { accountId, operatorId }),
    tx.run(prolong, { accountId, operatorId, leaseId, expiresAt }),
  ]);
  return row && held.length > 0 ? counted(tx, context, row) : undefined;
}

/** The connection behind a lease is gone: it has a moment to come back. */
export async function releaseLease(
  tx: Transaction,
  context: ActorContext,
  lease: LeaseName,
): Promise<PresenceChange | undefined> {
  const { accountId } = context;
  return changing(tx, context, lease.operatorId, () =>
    tx.run(toGrace, { accountId, ...lease, until: tx.now + GRACE_MS }),
  );
}

export async function removeLeases(
  tx: Transaction,
  context: ActorContext,
  operatorId: number,
): Promise<PresenceChange | undefined> {
  return changing(tx, context, operatorId, () => tx.run(removeAll, { accountId: context.accountId, operatorId }));
}

/** For an operator who is deleted: no presence is left to recount. */
export async function deleteLeases(tx: Transaction, context: ActorContext, operatorId: number): Promise<void> {
  await tx.run(removeAll, { accountId: context.accountId, operatorId });
}

/** Looks again, after time has passed. */
export async function recountLeases(
  tx: Transaction,
  context: ActorContext,
  operatorId: number,
): Promise<PresenceChange | undefined> {
  return changing(tx, context, operatorId, async () => undefined);
}

async function changing(
  tx: Transaction,
  context: ActorContext,
  operatorId: number,
  work: () => Promise<unknown>,
): Promise<PresenceChange | undefined> {
  const [row] = await tx.run(findLiveRow, { accountId: context.accountId, operatorId });
  if (!row) return undefined;
  await work();
  return counted(tx, context, row);
}

/** After the leases have changed: those that are over count no more. */
async function counted(tx: Transaction, context: ActorContext, row: LiveRow): Promise<PresenceChange> {
  tx.send(removeOver, { accountId: context.accountId, operatorId: row.operatorId });
  return recountPresence(tx, context, row);
}
