import DataLoader from 'dataloader';
import type { MessageName, MessageWindow } from '../../core/engine/conversations/message-query.ts';
import type { Conversation } from '../../core/engine/records/conversation.ts';
import type { Message } from '../../core/engine/records/message-store.ts';
import type { Satisfaction } from '../../core/engine/records/satisfaction-store.ts';
import { together } from '../graphql-server/together.ts';
import type { GraphqlServices } from './services.ts';

/** A question about what was said in a conversation. */
export interface MessagesKey {
  readonly ownerId: number;
  readonly window: MessageWindow;
}

/** Look-ups about conversations, shared within one request. */
export interface ConversationLoaders {
  readonly byId: DataLoader<number, Conversation | undefined>;
  readonly messages: DataLoader<MessagesKey, Message[], string>;
  readonly message: DataLoader<MessageName, Message | undefined, string>;
  readonly tagIds: DataLoader<number, readonly number[]>;
  readonly satisfaction: DataLoader<number, Satisfaction | undefined>;
  readonly queuePosition: DataLoader<number, number | null>;
}

/** A statement takes a bounded number of identifiers; one that names messages one by one, fewer. */
const AT_ONCE = { maxBatchSize: 10_000 };
const FEW_AT_ONCE = { maxBatchSize: 100 };

export function conversationLoaders(
  accountId: number,
  { engine: { conversationQuery, messageQuery, satisfactionQuery }, administration: { tags } }: GraphqlServices,
): ConversationLoaders {
  return {
    byId: new DataLoader(async (ids) => {
      const found = new Map((await conversationQuery.load(accountId, ids)).map((row) => [row.id, row]));
      return ids.map((id) => found.get(id));
    }, AT_ONCE),
    messages: new DataLoader((keys) => together(keys, ({ window }, ids) => messageQuery.of(accountId, ids, window)), {
      cacheKeyFn: (key) => JSON.stringify(key),
    }),
    message: new DataLoader((names) => messageQuery.find(accountId, names), {
      ...FEW_AT_ONCE,
      cacheKeyFn: ({ conversationId, sequence }) => `${conversationId} ${sequence}`,
    }),
    tagIds: new DataLoader(async (ids) => {
      const lists = await tags.ofConversations(accountId, ids);
      return ids.map((id) => lists.get(id) ?? []);
    }, AT_ONCE),
    satisfaction: new DataLoader(async (ids) => {
      const rows = await satisfactionQuery.ofConversations(accountId, ids);
      const found = new Map(rows.map((row) => [row.conversationId, row]));
      return ids.map((id) => found.get(id));
    }, AT_ONCE),
    queuePosition: new DataLoader((ids) => conversationQuery.queuePositions(accountId, ids), AT_ONCE),
  };
}
