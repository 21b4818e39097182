import type { MessageName, MessageWindow } from '../../core/engine/conversations/message-query.ts';
import type { Engine } from '../../core/engine/engine.ts';
import type { Message } from '../../core/engine/records/message-store.ts';
import { loadById, loadByKey, loadByOwner, loadInOrder } from './loaders.ts';

/** A question about what was said in a conversation. */
interface MessagesKey {
  readonly ownerId: number;
  readonly window: MessageWindow;
}

/** A statement that names messages one by one takes fewer of them. */
const FEW_AT_ONCE = 100;

/** Look-ups about conversations that the caller may see. */
export function conversationLoaders(
  accountId: number,
  {
    conversationQuery,
    messageQuery,
    satisfactionQuery,
  }: Pick<Engine, 'conversationQuery' | 'messageQuery' | 'satisfactionQuery'>,
) {
  return {
    messages: loadByOwner(({ window }: MessagesKey, ids) => messageQuery.of(accountId, ids, window)),
    message: loadByKey<MessageName, Message | undefined>((names) => messageQuery.find(accountId, names), FEW_AT_ONCE),
    satisfaction: loadById(
      (ids) => satisfactionQuery.ofConversations(accountId, ids),
      ({ conversationId }) => conversationId,
    ),
    queuePosition: loadInOrder((ids) => conversationQuery.queuePositions(accountId, ids)),
  };
}
