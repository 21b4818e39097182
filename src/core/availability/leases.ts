import type { Selectable } from 'kysely';
import type { Transaction } from '../../storage/database.ts';
import type { Tables } from '../../storage/tables.ts';
import { announce } from '../announce.ts';
import type { Caller } from '../caller.ts';

export interface Lease {
  readonly operatorId: number;
  readonly leaseId: string;
  readonly seconds: number;
}

/** Holds an operator connected until the lease ends by itself, by the database's clock, or is renewed. */
export async function renewLease(tx: Transaction, caller: Caller, lease: Lease): Promise<void> {
  const { accountId } = caller;
  const { operatorId, leaseId } = lease;
  const expiresAt = tx.now + lease.seconds * 1000;
  await tx.db
    .insertInto('operatorLeases')
    .values({ accountId, operatorId, leaseId, expiresAt })
    .onConflict((conflict) => conflict.columns(['accountId', 'operatorId', 'leaseId']).doUpdateSet({ expiresAt }))
    .execute();
  const row = await tx.db
    .selectFrom('operatorLive')
    .select('leaseUntil')
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .executeTakeFirstOrThrow();
  await tx.db
    .updateTable('operatorLive')
    // The last of all leases decides: renewed for a shorter time, this one may end earlier than it did.
    .set((eb) => ({
      leaseUntil: eb
        .selectFrom('operatorLeases')
        .select((leases) => leases.fn.max('expiresAt').as('last'))
        .where('accountId', '=', accountId)
        .where('operatorId', '=', operatorId),
    }))
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .execute();
  if (row.leaseUntil <= tx.now) announce(tx, caller, 'operator.connected', operatorId);
}

/** Takes an operator offline: every lease ends now. The wishes for the channels stay as they were set. */
export async function endLeases(
  tx: Transaction,
  caller: Caller,
  row: Selectable<Tables['operatorLive']>,
): Promise<void> {
  const { accountId, operatorId } = row;
  await tx.db
    .deleteFrom('operatorLeases')
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .execute();
  await tx.db
    .updateTable('operatorLive')
    .set({ leaseUntil: 0 })
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .execute();
  if (row.leaseUntil > tx.now) announce(tx, caller, 'operator.disconnected', operatorId);
}
