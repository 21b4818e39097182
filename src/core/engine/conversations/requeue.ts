import type { Transaction } from '../../../storage/database.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import { clearPresence } from '../../live/live-store.ts';
import { findHeldConversations } from '../records/conversation-store.ts';
import { addNotice } from '../records/message-store.ts';
import { requeue } from '../routing/offers.ts';

/** Requeues all conversations of an operator who is about to be deleted. */
export async function requeueOperatorConversations(
  tx: Transaction,
  context: ActorContext,
  operatorId: number,
): Promise<void> {
  await clearPresence(tx, context, operatorId);
  for (const conversation of await findHeldConversations(tx, context, operatorId)) {
    const isActive = conversation.state === 'active';
    if (isActive) await addNotice(tx, context, conversation, { code: 'operator_left', parameters: {} });
    await requeue(tx, context, conversation, { cause: 'operator_lost', atHead: isActive });
  }
}
