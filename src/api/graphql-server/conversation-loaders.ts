import type { Attachments } from '../../core/attachments/attachments.ts';
import type { MessageKey, MessageWindow } from '../../core/engine/conversations/message-query.ts';
import type { Engine } from '../../core/engine/engine.ts';
import type { Message } from '../../core/engine/records/message-store.ts';
import type { Side } from '../../core/engine/records/read-marker-store.ts';
import type { LoggedEvent } from '../../core/events/event-log.ts';
import { createLoaderFactory } from './loaders.ts';
import type { OperationTurns } from './turns.ts';

interface MessagesKey {
  readonly ownerId: number;
  readonly window: MessageWindow;
}

/** Each message adds a condition to the statement. */
const MAX_MESSAGES_PER_BATCH = 100;
/** The unread messages of a conversation that are counted, as an average: it limits the conversations of a read. */
const UNREAD_PER_CONVERSATION = 8;

/** Loaders for conversations that the caller, on one of their sides, can see. They check no permissions. */
export function createConversationLoaders(
  accountId: number,
  side: Side,
  {
    conversationQuery,
    estimatedWaits,
    messageQuery,
    readMarkers,
    satisfactionQuery,
  }: Pick<Engine, 'conversationQuery' | 'estimatedWaits' | 'messageQuery' | 'readMarkers' | 'satisfactionQuery'>,
  attachments: Pick<Attachments, 'query'>,
  turns: OperationTurns,
) {
  const { createIdLoader, createKeyLoader, createOrderedLoader, createOwnerLoader } = createLoaderFactory(turns);
  return {
    messages: createOwnerLoader(({ window }: MessagesKey, ids) => messageQuery.loadWindows(accountId, ids, window)),
    message: createKeyLoader<MessageKey, Message | undefined>(
      (keys) => messageQuery.loadByKeys(accountId, keys),
      MAX_MESSAGES_PER_BATCH,
    ),
    attachments: createKeyLoader((keys: readonly MessageKey[]) => attachments.query.loadByMessages(accountId, keys)),
    satisfaction: createIdLoader(
      (ids) => satisfactionQuery.loadByConversations(accountId, ids),
      ({ conversationId }) => conversationId,
    ),
    readMarkers: createOrderedLoader((ids) => readMarkers.load(accountId, ids)),
    unreadCount: createOwnerLoader(
      (_key: { readonly ownerId: number }, ids) => readMarkers.countUnread(accountId, side, ids),
      () => UNREAD_PER_CONVERSATION,
    ),
    estimatedWait: createOrderedLoader((ids) => estimatedWaits.load(accountId, ids)),
    queuePosition: createOrderedLoader((ids) => conversationQuery.loadQueuePositions(accountId, ids)),
  };
}

type MessageLoaders = Pick<ReturnType<typeof createConversationLoaders>, 'message' | 'attachments'>;

/** Loads the message of `message.created`. The event names its attachments: without any, they are not read. */
export async function loadNewMessage(
  load: MessageLoaders,
  { type, subjectId, changes }: LoggedEvent,
): Promise<Message | null> {
  const { sequence, attachmentIds } = changes.values;
  if (type !== 'message.created' || typeof sequence !== 'number') return null;
  const key = { conversationId: subjectId, sequence };
  if (attachmentIds === undefined) load.attachments.prime(key, []);
  return (await load.message.load(key)) ?? null;
}
