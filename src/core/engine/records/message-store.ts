import type { Selectable } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { hotStatement } from '../../../storage/prepared-statement.ts';
import type { Tables } from '../../../storage/tables.ts';
import { announce } from '../../events/announce.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import { type Conversation, placed, wrongState } from './conversation.ts';

export type Message = Selectable<Tables['messages']>;

const takeSequence = hotStatement<{ accountId: number; id: number }, { messageCount: number }>(
  (db, { accountId, id }) =>
    db
      .updateTable('conversations')
      .set((eb) => ({ messageCount: eb('messageCount', '+', 1) }))
      .where('accountId', '=', accountId)
      .where('id', '=', id)
      .where('state', '<>', 'closed')
      .returning('messageCount'),
);
const insertMessage = hotStatement<Message>((db, row) => db.insertInto('messages').values(row));

type Content = Pick<Message, 'clientId' | 'authorType' | 'authorId' | 'text'>;

/** Appends to a conversation; its own row gives out the numbers, so that there is never a hole. */
async function appendMessage(
  tx: Transaction,
  by: ActorContext,
  conversation: Conversation,
  content: Content,
): Promise<Message> {
  const { accountId, id } = conversation;
  const [next] = await tx.run(takeSequence, { accountId, id });
  if (!next) throw wrongState('The conversation is closed.');
  return storeMessage(tx, by, conversation, { ...content, sequence: next.messageCount });
}

/** The same for an open conversation of which the last number was read in this transaction: nobody can have taken the next. */
export function appendNext(tx: Transaction, by: ActorContext, conversation: Conversation, content: Content): Message {
  const { accountId, id, messageCount } = conversation;
  tx.send(takeSequence, { accountId, id });
  return storeMessage(tx, by, conversation, { ...content, sequence: messageCount + 1 });
}

/** Stores a message under a number that is its own. */
export function storeMessage(
  tx: Transaction,
  by: ActorContext,
  conversation: Conversation,
  { clientId, authorType, authorId, text, sequence }: Content & Pick<Message, 'sequence'>,
): Message {
  const { accountId, id } = conversation;
  const message = { accountId, conversationId: id, sequence, clientId, authorType, authorId, text, at: tx.now };
  tx.send(insertMessage, message);
  announce(
    tx,
    by,
    'message.created',
    id,
    { fields: ['messages'], values: { ...placed(conversation), sequence, authorType } },
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

export async function addNotice(
  tx: Transaction,
  by: ActorContext,
  conversation: Conversation,
  notice: keyof typeof NOTICES,
): Promise<void> {
  await appendMessage(tx, by, conversation, {
    clientId: null,
    authorType: 'notice',
    authorId: null,
    text: NOTICES[notice],
  });
}
