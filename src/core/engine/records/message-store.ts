import type { Selectable } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import type { Tables } from '../../../storage/tables.ts';
import { announce } from '../../events/announce.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import { type Conversation, eventSnapshot } from './conversation.ts';
import { conversationIdsOf, eraseConversations, takeSequence } from './conversation-store.ts';

export type Message = Selectable<Tables['messages']>;

const insert = prepare<Message>((db, row) => db.insertInto('messages').values(row));

/** Stores a message as it is, and announces nothing. */
export function insertMessage(
  tx: Transaction,
  { accountId }: ActorContext,
  message: Omit<Message, 'accountId'>,
): Message {
  const row = { accountId, ...message };
  tx.send(insert, row);
  return row;
}

type Content = Pick<Message, 'clientId' | 'authorType' | 'authorId' | 'text'>;

/**
 * Appends to an open conversation of which the last number was read in this transaction: nobody can have taken the next. Its own
 * row gives out the numbers, so that there is never a hole.
 */
export function appendNext(
  tx: Transaction,
  context: ActorContext,
  conversation: Conversation,
  content: Content,
): Message {
  takeSequence(tx, context, conversation.id);
  return storeMessage(tx, context, conversation, { ...content, sequence: conversation.messageCount + 1 });
}

/** Stores a message under a number that is its own. */
export function storeMessage(
  tx: Transaction,
  context: ActorContext,
  conversation: Conversation,
  content: Content & Pick<Message, 'sequence'>,
): Message {
  const { id } = conversation;
  const message = insertMessage(tx, context, { conversationId: id, at: tx.now, ...content });
  const { sequence, authorType } = message;
  announce(
    tx,
    context,
    'message.created',
    id,
    { fields: ['messages'], values: { ...eventSnapshot(conversation), sequence, authorType } },
    'conversation',
  );
  return message;
}

/** What the service itself tells those who talk. */
export const NOTICES = {
  operatorAway: 'The operator lost the connection. Please wait a moment.',
  operatorBack: 'The operator is back.',
  erased: 'What was said here was removed on request.',
  newOperator: 'The operator did not come back. You are first in line for another one.',
} as const;

const NOTICE_AUTHOR = { clientId: null, authorType: 'notice', authorId: null } as const;

/** To an open conversation that was read in this transaction. */
export function addNotice(
  tx: Transaction,
  context: ActorContext,
  conversation: Conversation,
  notice: Exclude<keyof typeof NOTICES, 'erased'>,
): void {
  appendNext(tx, context, conversation, { ...NOTICE_AUTHOR, text: NOTICES[notice] });
}

/** Empties every text in the conversations of a visitor, in its place; a notice at the end says why. */
export async function eraseWords(tx: Transaction, context: ActorContext, visitorId: number): Promise<void> {
  await tx.db
    .updateTable('messages')
    .set({ text: '', clientId: null })
    .where('accountId', '=', context.accountId)
    .where('conversationId', 'in', conversationIdsOf(tx, context, visitorId))
    .execute();
  for (const conversation of await eraseConversations(tx, context, visitorId)) {
    storeMessage(tx, context, conversation, {
      ...NOTICE_AUTHOR,
      text: NOTICES.erased,
      sequence: conversation.messageCount,
    });
  }
}
