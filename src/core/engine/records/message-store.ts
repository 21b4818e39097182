import { type Selectable, sql } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { type Fact, NO_FACTS, prepare } from '../../../storage/prepared-statement.ts';
import type { Tables } from '../../../storage/tables.ts';
import { announce } from '../../events/announce.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import { attachToMessage } from './attachment-store.ts';
import { type Conversation, toEventSnapshot } from './conversation.ts';
import { eraseConversations, incrementMessageCount, selectConversationIds } from './conversation-store.ts';
import { type Notice, operatorJoined, renderNotice } from './notices.ts';

export type Message = Selectable<Tables['messages']>;

/** What reads of the messages of a conversation depend on. */
export const messagesFact = (conversationId: number): Fact => `messages of ${conversationId}`;

const insert = prepare<Message>((db, row) => db.insertInto('messages').values(row), {
  writes: ({ conversationId }) => [messagesFact(conversationId)],
});

type NoticeColumns = Pick<Message, 'noticeCode' | 'noticeParameters'>;

export type NewMessageRow = Omit<Message, 'accountId' | keyof NoticeColumns> & Partial<NoticeColumns>;

/** Stores a message without announcing it. */
export function insertMessage(tx: Transaction, { accountId }: ActorContext, message: NewMessageRow): Message {
  const row = { noticeCode: null, noticeParameters: null, accountId, ...message };
  tx.send(insert, row);
  return row;
}

export type MessageContent = Pick<Message, 'clientId' | 'authorType' | 'authorId' | 'text'> & Partial<NoticeColumns>;

/**
 * Appends to an open conversation that was read in this transaction, so that `messageCount + 1` is still free. The
 * counter is in the conversation's row, so that sequence numbers have no gaps.
 */
export function appendMessage(
  tx: Transaction,
  context: ActorContext,
  conversation: Conversation,
  content: MessageContent,
  attachmentIds: readonly number[] = [],
): Message {
  incrementMessageCount(tx, context, conversation, content.authorType);
  const sequence = conversation.messageCount + 1;
  attachToMessage(tx, context, sequence, attachmentIds);
  return storeMessage(tx, context, conversation, { ...content, sequence }, attachmentIds);
}

/** Stores and announces a message whose sequence number is already reserved. */
export function storeMessage(
  tx: Transaction,
  context: ActorContext,
  conversation: Conversation,
  content: MessageContent & Pick<Message, 'sequence'>,
  attachmentIds: readonly number[] = [],
): Message {
  const { id } = conversation;
  const message = insertMessage(tx, context, { conversationId: id, at: tx.now, ...content });
  const { sequence, authorType, noticeCode } = message;
  const values = {
    ...{ ...toEventSnapshot(conversation), sequence, authorType },
    ...(noticeCode && { noticeCode }),
    ...(attachmentIds.length > 0 && { attachmentIds }),
  };
  announce(tx, context, 'message.created', id, { fields: ['messages'], values }, 'conversation');
  return message;
}

/** Appends a notice to an open conversation that was read in this transaction, and returns the conversation with it. */
export async function addNotice(
  tx: Transaction,
  context: ActorContext,
  conversation: Conversation,
  notice: Notice,
): Promise<Conversation> {
  const { accountId, websiteId } = conversation;
  const [row] = await tx.run(findWebsiteLanguage, { accountId, websiteId });
  appendMessage(tx, context, conversation, toContent(notice, row?.languageAdmin));
  return { ...conversation, messageCount: conversation.messageCount + 1 };
}

const findWebsiteLanguage = prepare<Pick<Conversation, 'accountId' | 'websiteId'>, { languageAdmin: string }>(
  (db, { accountId, websiteId }) =>
    db.selectFrom('websites').select('languageAdmin').where('accountId', '=', accountId).where('id', '=', websiteId),
);

/** Also stores a sentence in the website's language, for clients and nodes that do not know the code. */
function toContent(notice: Notice, websiteLanguage: string | null = 'en') {
  return {
    clientId: null,
    authorType: 'notice',
    authorId: null,
    text: renderNotice(notice, websiteLanguage ?? 'en') ?? '',
    noticeCode: notice.code,
    noticeParameters: JSON.stringify(notice.parameters),
  } as const;
}

interface JoinKey {
  readonly accountId: number;
  readonly conversationId: number;
  /** Null if the conversation was not read yet. */
  readonly websiteId: number | null;
  readonly operatorId: number;
}

const findJoin = prepare<JoinKey, { pseudo: string | null; languageAdmin: string | null }>(
  (db, args) =>
    db.selectNoFrom((eb) => [
      eb
        .selectFrom('operators')
        .select('pseudo')
        .where('accountId', '=', args.accountId)
        .where('id', '=', args.operatorId)
        .as('pseudo'),
      eb
        .selectFrom('websites')
        .select('languageAdmin')
        .where('accountId', '=', args.accountId)
        .where(
          'id',
          '=',
          sql<number>`coalesce(cast(${args.websiteId} as bigint), (select website_id from conversations
          where account_id = ${args.accountId} and id = ${args.conversationId}))`,
        )
        .as('languageAdmin'),
    ]),
  { reads: NO_FACTS }, // the website of a conversation stays
);

/**
 * Loads the notice that an operator joined a conversation. Without the website it can run together with the read of the
 * conversation; with it, before the conversation is stored.
 */
export async function loadJoinedNotice(
  tx: Transaction,
  { accountId, id, websiteId }: Pick<Conversation, 'accountId' | 'id'> & { readonly websiteId?: number },
  operatorId: number,
): Promise<MessageContent> {
  const [row] = await tx.run(findJoin, { accountId, conversationId: id, websiteId: websiteId ?? null, operatorId });
  return toContent(operatorJoined(row?.pseudo ?? ''), row?.languageAdmin);
}

/** Erases the text of every message in a visitor's conversations, and appends a notice that says so. */
export async function eraseMessageTexts(tx: Transaction, context: ActorContext, visitorId: number): Promise<void> {
  const { accountId } = context;
  await tx.db
    .updateTable('messages')
    .set({ text: '', clientId: null, noticeCode: null, noticeParameters: null })
    .where('accountId', '=', accountId)
    .where('conversationId', 'in', selectConversationIds(tx, context, visitorId))
    .execute();
  for (const conversation of await eraseConversations(tx, context, visitorId)) {
    const [row] = await tx.run(findWebsiteLanguage, { accountId, websiteId: conversation.websiteId });
    storeMessage(tx, context, conversation, {
      ...toContent({ code: 'messages_erased', parameters: {} }, row?.languageAdmin),
      sequence: conversation.messageCount,
    });
  }
}

/** Makes another visitor the author of the messages in their conversations, so that a resend is still detected. */
export async function moveMessages(
  tx: Transaction,
  context: ActorContext,
  fromVisitorId: number,
  toVisitorId: number,
): Promise<void> {
  await tx.db
    .updateTable('messages')
    .set({ authorId: toVisitorId })
    .where('accountId', '=', context.accountId)
    .where('conversationId', 'in', selectConversationIds(tx, context, toVisitorId))
    .where('authorType', '=', 'visitor')
    .where('authorId', '=', fromVisitorId)
    .execute();
}
