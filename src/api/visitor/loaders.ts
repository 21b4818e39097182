import DataLoader from 'dataloader';
import type { MessageName, MessageWindow } from '../../core/engine/conversations/message-query.ts';
import type { Message } from '../../core/engine/records/message-store.ts';
import type { Satisfaction } from '../../core/engine/records/satisfaction-store.ts';
import type { VisitorCaller } from '../../core/kernel/caller.ts';
import { together } from '../graphql-server/together.ts';
import type { VisitorServices } from './services.ts';

/** What a visitor sees of an operator. */
export interface SeenOperator {
  readonly pseudo: string;
}

export interface MessagesKey {
  readonly ownerId: number;
  readonly window: MessageWindow;
}

/** Look-ups of one request: all that are asked for in the same moment become one statement. */
export interface VisitorLoaders {
  readonly operator: DataLoader<number, SeenOperator | undefined>;
  readonly messages: DataLoader<MessagesKey, Message[], string>;
  readonly message: DataLoader<MessageName, Message | undefined, string>;
  readonly satisfaction: DataLoader<number, Satisfaction | undefined>;
  readonly queuePosition: DataLoader<number, number | null>;
}

const FEW_AT_ONCE = { maxBatchSize: 100 };

export function createLoaders(
  { accountId }: VisitorCaller,
  {
    administration: { operatorQuery },
    engine: { messageQuery, satisfactionQuery, conversationQuery },
  }: VisitorServices,
): VisitorLoaders {
  return {
    operator: new DataLoader(async (ids) => {
      const found = new Map((await operatorQuery.load(accountId, ids)).map(({ id, pseudo }) => [id, { pseudo }]));
      return ids.map((id) => found.get(id));
    }),
    messages: new DataLoader((keys) => together(keys, ({ window }, ids) => messageQuery.of(accountId, ids, window)), {
      cacheKeyFn: (key) => JSON.stringify(key),
    }),
    message: new DataLoader((names) => messageQuery.find(accountId, names), {
      ...FEW_AT_ONCE,
      cacheKeyFn: ({ conversationId, sequence }) => `${conversationId} ${sequence}`,
    }),
    satisfaction: new DataLoader(async (ids) => {
      const rows = await satisfactionQuery.ofConversations(accountId, ids);
      const found = new Map(rows.map((row) => [row.conversationId, row]));
      return ids.map((id) => found.get(id));
    }),
    queuePosition: new DataLoader((ids) => conversationQuery.queuePositions(accountId, ids)),
  };
}
