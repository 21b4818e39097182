import type { Transaction } from '../../../storage/database.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import { clearPresence } from '../../live/live-store.ts';
import { findHeldConversations } from '../records/conversation-store.ts';
import { requeue } from '../routing/offers.ts';

/** Requeues all conversations of an operator who is about to be deleted. */
export async function requeueOperatorConversations(
  tx: Transaction,
  context: ActorContext,
  operatorId: number,
): Promise<void> {
  await clearPresence(tx, context, operatorId);
  for (const conversation of await findHeldConversations(tx, context, operatorId)) {
    await requeue(tx, context, conversation, { cause: 'operator_lost', atHead: conversation.state === 'active' });
  }
}
