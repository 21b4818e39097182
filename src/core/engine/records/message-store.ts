import type { Selectable } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import type { Tables } from '../../../storage/tables.ts';
import { announce } from '../../events/announce.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import { type Conversation, toEventSnapshot } from './conversation.ts';
import { eraseConversations, incrementMessageCount, selectConversationIds } from './conversation-store.ts';

export type Message = Selectable<Tables['messages']>;

const insert = prepare<Message>((db, row) => db.insertInto('messages').values(row));

type NoticeColumns = Pick<Message, 'noticeCode' | 'noticeParameters'>;

export type NewMessageRow = Omit<Message, 'accountId' | keyof NoticeColumns> & Partial<NoticeColumns>;

/** Stores a message without announcing it. */
export function insertMessage(tx: Transaction, { accountId }: ActorContext, message: NewMessageRow): Message {
  const row = { noticeCode: null, noticeParameters: null, accountId, ...message };
  tx.send(insert, row);
  return row;
}

type MessageContent = Pick<Message, 'clientId' | 'authorType' | 'authorId' | 'text'>;

/**
 * Appends to an open conversation that was read in this transaction, so that `messageCount + 1` is still free. The
 * counter is in the conversation's row, so that sequence numbers have no gaps.
 */
export function appendMessage(
  tx: Transaction,
  context: ActorContext,
  conversation: Conversation,
  content: MessageContent,
): Message {
  incrementMessageCount(tx, context, conversation.id);
  return storeMessage(tx, context, conversation, { ...content, sequence: conversation.messageCount + 1 });
}

/** Stores and announces a message whose sequence number is already reserved. */
export function storeMessage(
  tx: Transaction,
  context: ActorContext,
  conversation: Conversation,
  content: MessageContent & Pick<Message, 'sequence'>,
): Message {
  const { id } = conversation;
  const message = insertMessage(tx, context, { conversationId: id, at: tx.now, ...content });
  const { sequence, authorType } = message;
  announce(
    tx,
    context,
    'message.created',
    id,
    { fields: ['messages'], values: { ...toEventSnapshot(conversation), sequence, authorType } },
    'conversation',
  );
  return message;
}

/** Messages of the service to the operator and the visitor. */
export const NOTICES = {
  operatorAway: 'The operator lost the connection. Please wait a moment.',
  operatorBack: 'The operator is back.',
  erased: 'The messages in this conversation were removed on request.',
  newOperator: 'The operator did not come back. You are next in line for another operator.',
} as const;

const NOTICE_AUTHOR = { clientId: null, authorType: 'notice', authorId: null } as const;

/** Appends a notice to an open conversation that was read in this transaction. */
export function addNotice(
  tx: Transaction,
  context: ActorContext,
  conversation: Conversation,
  notice: Exclude<keyof typeof NOTICES, 'erased'>,
): void {
  appendMessage(tx, context, conversation, { ...NOTICE_AUTHOR, text: NOTICES[notice] });
}

/** Erases the text of every message in a visitor's conversations, and appends a notice that says so. */
export async function eraseMessageTexts(tx: Transaction, context: ActorContext, visitorId: number): Promise<void> {
  await tx.db
    .updateTable('messages')
    .set({ text: '', clientId: null })
    .where('accountId', '=', context.accountId)
    .where('conversationId', 'in', selectConversationIds(tx, context, visitorId))
    .execute();
  for (const conversation of await eraseConversations(tx, context, visitorId)) {
    storeMessage(tx, context, conversation, {
      ...NOTICE_AUTHOR,
      text: NOTICES.erased,
      sequence: conversation.messageCount,
    });
  }
}
