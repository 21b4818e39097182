import type { MessageKey, MessageWindow } from '../../core/engine/conversations/message-query.ts';
import type { Engine } from '../../core/engine/engine.ts';
import type { Message } from '../../core/engine/records/message-store.ts';
import { createLoaderFactory } from './loaders.ts';
import type { OperationTurns } from './turns.ts';

interface MessagesKey {
  readonly ownerId: number;
  readonly window: MessageWindow;
}

/** Each message adds a condition to the statement. */
const MAX_MESSAGES_PER_BATCH = 100;

/** Loaders for conversations that the caller can see. They check no permissions. */
export function createConversationLoaders(
  accountId: number,
  {
    conversationQuery,
    messageQuery,
    satisfactionQuery,
  }: Pick<Engine, 'conversationQuery' | 'messageQuery' | 'satisfactionQuery'>,
  turns: OperationTurns,
) {
  const { createIdLoader, createKeyLoader, createOrderedLoader, createOwnerLoader } = createLoaderFactory(turns);
  return {
    messages: createOwnerLoader(({ window }: MessagesKey, ids) => messageQuery.loadWindows(accountId, ids, window)),
    message: createKeyLoader<MessageKey, Message | undefined>(
      (keys) => messageQuery.loadByKeys(accountId, keys),
      MAX_MESSAGES_PER_BATCH,
    ),
    satisfaction: createIdLoader(
      (ids) => satisfactionQuery.loadByConversations(accountId, ids),
      ({ conversationId }) => conversationId,
    ),
    queuePosition: createOrderedLoader((ids) => conversationQuery.loadQueuePositions(accountId, ids)),
  };
}
