import type { Transaction } from '../../storage/database.ts';
import { announce } from '../announce.ts';
import type { Caller } from '../caller.ts';

/** What an operator was offered or was handling waits again, at its original time. */
export async function requeueConversationsOf(tx: Transaction, caller: Caller, operatorId: number): Promise<void> {
  const requeued = await tx.db
    .updateTable('conversations')
    .set({ state: 'queued', operatorId: null, acceptedAt: null })
    .where('accountId', '=', caller.accountId)
    .where('operatorId', '=', operatorId)
    .where('state', 'in', ['offered', 'active'])
    .returning('id')
    .execute();
  for (const { id } of requeued) {
    announce(tx, caller, 'conversation.queued', id, {
      fields: ['state', 'operatorId'],
      values: { state: 'queued', operatorId: null },
    });
  }
}
