import { newConversation } from '../../core/engine/records/conversation.ts';
import { insertConversation } from '../../core/engine/records/conversation-store.ts';
import { replaceTags } from '../../core/engine/records/conversation-tags.ts';
import { insertMessage } from '../../core/engine/records/message-store.ts';
import { insertNote } from '../../core/engine/records/note-store.ts';
import type { Caller } from '../../core/kernel/caller.ts';
import { nextId } from '../../core/kernel/ids.ts';
import type { Transaction } from '../../storage/database.ts';
import type { EarlierConversation } from './customers.ts';

const MINUTE_MS = 60_000;
const SECONDS_PER_MESSAGE = 40;

interface Place {
  readonly visitorId: number;
  readonly websiteId: number;
  readonly operatorId: number;
  readonly language: string;
  readonly tagIds: readonly number[];
}

/** Adds a chat that the operator closed. */
export async function addEarlierConversation(
  tx: Transaction,
  caller: Caller,
  { minutesAgo, messages, note }: EarlierConversation,
  { visitorId, websiteId, operatorId, language, tagIds }: Place,
): Promise<void> {
  const { accountId } = caller;
  const closedAt = tx.now - minutesAgo * MINUTE_MS;
  const createdAt = closedAt - (messages.length + 1) * SECONDS_PER_MESSAGE * 1000;
  const timeOf = (index: number) => createdAt + index * SECONDS_PER_MESSAGE * 1000;
  const conversation = newConversation({
    ...{ accountId, id: await nextId(tx, accountId, 'conversation'), visitorId, websiteId, language },
    ...{ channel: 'chat', skillId: null, groupId: null, operatorId, state: 'closed' },
    ...{ createdAt, offeredAt: createdAt, acceptedAt: createdAt + 6000, firstAnswerAt: timeOf(1), closedAt },
    ...{ closedBy: 'operator', closedById: operatorId, messageCount: messages.length },
  });
  const { id: conversationId } = conversation;
  insertConversation(tx, caller, conversation);
  for (const [index, text] of messages.entries()) {
    const author =
      index % 2 === 0
        ? ({ authorType: 'visitor', authorId: visitorId } as const)
        : ({ authorType: 'operator', authorId: operatorId } as const);
    insertMessage(tx, caller, {
      ...{ conversationId, sequence: index + 1, clientId: null, text, at: timeOf(index) },
      ...author,
    });
  }
  replaceTags(tx, caller, { conversationId, tagIds });
  if (note !== undefined)
    await insertNote(tx, { ...caller, operatorId }, conversation, { clientId: `demo-${conversationId}`, text: note });
}
