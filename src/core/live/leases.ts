import { sql } from 'kysely';
import type { Transaction } from '../../storage/database.ts';
import { hotStatement } from '../../storage/prepared-statement.ts';
import type { ActorContext } from '../kernel/caller.ts';
import { type LiveRow, type Presence, presenceAt } from './live.ts';

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

/** What the leases said before and say now. */
export interface PresenceChange {
  readonly before: Presence;
  readonly after: Presence;
  /** The row as it was before. */
  readonly row: LiveRow;
}

interface Named {
  readonly accountId: number;
  readonly operatorId: number;
  readonly leaseId: string;
}

const put = hotStatement<Named & { expiresAt: number; inGrace: number }>((db, row) =>
  db
    .insertInto('operatorLeases')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['accountId', 'operatorId', 'leaseId'])
        .doUpdateSet({ expiresAt: row.expiresAt, inGrace: row.inGrace }),
    ),
);
const prolong = hotStatement<Named & { expiresAt: number }, { leaseId: string }>(
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
const toGrace = hotStatement<Named & { until: number }, { leaseId: string }>(
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
const removeAll = hotStatement<{ accountId: number; operatorId: number }>((db, { accountId, operatorId }) =>
  db.deleteFrom('operatorLeases').where('accountId', '=', accountId).where('operatorId', '=', operatorId),
);
const removeOver = hotStatement<{ accountId: number; operatorId: number }>((db, { accountId, operatorId }) =>
  db
    .deleteFrom('operatorLeases')
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .where('expiresAt', '<=', (eb) => eb.fn<number>('now_ms', [])),
);
export const findLiveRow = hotStatement<{ accountId: number; operatorId: number }, LiveRow>(
  (db, { accountId, operatorId }) =>
    db.selectFrom('operatorLive').selectAll().where('accountId', '=', accountId).where('operatorId', '=', operatorId),
);
/** The last of all leases decides; one in its grace holds the connection, but nobody is given to it. */
const recount = hotStatement<{ accountId: number; operatorId: number }, LiveRow>((db, given) => ({
  compile: () =>
    sql<LiveRow>`update operator_live set
      lease_until = coalesce((select max(expires_at) from operator_leases l where l.account_id = operator_live.account_id and l.operator_id = operator_live.operator_id), 0),
      routable_until = coalesce((select max(expires_at) from operator_leases l where l.account_id = operator_live.account_id and l.operator_id = operator_live.operator_id and l.in_grace = 0), 0)
      where account_id = ${given.accountId} and operator_id = ${given.operatorId} returning *`.compile(db),
}));

/** Holds an operator connected until the lease ends by itself, by the database's clock, or is renewed. */
export async function putLease(tx: Transaction, by: ActorContext, lease: Lease): Promise<PresenceChange | undefined> {
  const { accountId } = by;
  const { operatorId, leaseId } = lease;
  return changing(tx, by, operatorId, () =>
    tx.run(put, { accountId, operatorId, leaseId, expiresAt: tx.now + lease.seconds * 1000, inGrace: 0 }),
  );
}

/** Prolongs a lease that still holds; undefined when it has ended, whoever ended it: then nothing is changed. */
export async function prolongLease(
  tx: Transaction,
  by: ActorContext,
  lease: Lease,
): Promise<PresenceChange | undefined> {
  const { accountId } = by;
  const { operatorId, leaseId } = lease;
  const expiresAt = tx.now + lease.seconds * 1000;
  const [[row], held] = await Promise.all([
    tx.run(findLiveRow, { accountId, operatorId }),
    tx.run(prolong, { accountId, operatorId, leaseId, expiresAt }),
  ]);
  return row && held.length > 0 ? counted(tx, row) : undefined;
}

/** The connection behind a lease is gone: it has a moment to come back. */
export async function releaseLease(
  tx: Transaction,
  by: ActorContext,
  lease: LeaseName,
): Promise<PresenceChange | undefined> {
  const { accountId } = by;
  return changing(tx, by, lease.operatorId, () => tx.run(toGrace, { accountId, ...lease, until: tx.now + GRACE_MS }));
}

export async function removeLeases(
  tx: Transaction,
  by: ActorContext,
  operatorId: number,
): Promise<PresenceChange | undefined> {
  return changing(tx, by, operatorId, () => tx.run(removeAll, { accountId: by.accountId, operatorId }));
}

/** Looks again, after time has passed. */
export async function recountLeases(
  tx: Transaction,
  by: ActorContext,
  operatorId: number,
): Promise<PresenceChange | undefined> {
  return changing(tx, by, operatorId, async () => undefined);
}

async function changing(
  tx: Transaction,
  { accountId }: ActorContext,
  operatorId: number,
  work: () => Promise<unknown>,
): Promise<PresenceChange | undefined> {
  const [row] = await tx.run(findLiveRow, { accountId, operatorId });
  if (!row) return undefined;
  await work();
  return counted(tx, row);
}

/** After the leases have changed: what they say now, beside what the row said before. */
async function counted(tx: Transaction, row: LiveRow): Promise<PresenceChange> {
  const { accountId, operatorId } = row;
  tx.send(removeOver, { accountId, operatorId });
  const [now] = await tx.run(recount, { accountId, operatorId });
  // What ended by time is still there for everybody else until it is announced, and announced is what is not zero.
  const before = { connected: row.leaseUntil > 0, inGrace: row.leaseUntil > 0 && row.routableUntil === 0 };
  return { row, before, after: presenceAt(now as LiveRow, tx.now) };
}
