import type { Transaction } from '../../../storage/database.ts';
import type { ActorContext } from '../../kernel/caller.ts';

/** Why the service did not accept a conversation. */
export type RefusalReason = 'queue_full' | 'nobody_could' | 'too_many_open' | 'closed';

/** Counts refused conversations by day, so that none is dropped without a trace. */
export async function countRefusal(
  tx: Transaction,
  { accountId }: ActorContext,
  { websiteId, reason }: { readonly websiteId: number; readonly reason: RefusalReason },
): Promise<void> {
  const day = new Date(tx.now).toISOString().slice(0, 10);
  await tx.db
    .insertInto('refusals')
    .values({ accountId, day, websiteId, reason, count: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['accountId', 'day', 'websiteId', 'reason'])
        .doUpdateSet((eb) => ({ count: eb('refusals.count', '+', 1) })),
    )
    .execute();
}
