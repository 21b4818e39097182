import type { Transaction } from '../../storage/database.ts';
import { conversationsOf } from '../availability/presence.ts';
import { requeue } from '../routing/offers.ts';
import type { By } from '../routing/slots.ts';

/** The operator is about to be deleted: what they were offered or were handling waits again, and others are asked. */
export async function requeueConversationsOf(tx: Transaction, by: By, operatorId: number): Promise<void> {
  await tx.db
    .updateTable('operatorLive')
    .set({ leaseUntil: 0, routableUntil: 0 })
    .where('accountId', '=', by.accountId)
    .where('operatorId', '=', operatorId)
    .execute();
  for (const conversation of await conversationsOf(tx, by, operatorId)) {
    await requeue(tx, by, conversation, { cause: 'operator_lost', atHead: conversation.state === 'active' });
  }
}
