import type { Database, Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import { type Caller, requireOperatorId, type VisitorCaller } from '../../kernel/caller.ts';
import { DomainError } from '../../kernel/errors.ts';
import { text } from '../../kernel/text.ts';
import { type Conversation, wrongState } from '../records/conversation.ts';
import { recordFirstAnswer, requireConversation } from '../records/conversation-store.ts';
import { recordHandlingAnswer } from '../records/handlings.ts';
import { appendMessage, type Message } from '../records/message-store.ts';
import { requireOwnConversation, requireVisitorConversation } from './conversation-access.ts';

const MAX_MESSAGE_LENGTH = 10_000;

export const messageText = text(1, MAX_MESSAGE_LENGTH);
/** Chosen by the sender; a retry repeats it. */
export const clientId = text(1, 64);

export interface NewMessage {
  readonly conversationId: number;
  readonly clientId?: string | null | undefined;
  readonly text: string;
}

/** Sends a message of an operator, who must have accepted the conversation. */
export async function sendAsOperator(tx: Transaction, caller: Caller, input: NewMessage): Promise<Message> {
  const author = { authorType: 'operator', authorId: requireOperatorId(caller) } as const;
  const [conversation, earlierMessage] = await Promise.all([
    requireConversation(tx, caller.accountId, input.conversationId),
    findEarlierMessage(tx, caller, author, input),
  ]);
  requireOwnConversation(caller, conversation);
  if (earlierMessage) return requireSameText(earlierMessage, input);
  if (conversation.state === 'offered') throw wrongState('Accept the offer before you write.');
  if (conversation.state === 'closed') throw conversationClosedError();
  const message = appendMessage(tx, caller, conversation, { ...author, ...toContent(input) });
  recordFirstAnswer(tx, caller, conversation);
  recordHandlingAnswer(tx, caller, conversation);
  return message;
}

/** Sends a message of a visitor, who can also write while the conversation is queued. */
export async function sendAsVisitor(tx: Transaction, visitor: VisitorCaller, input: NewMessage): Promise<Message> {
  const author = { authorType: 'visitor', authorId: visitor.visitorId } as const;
  const [conversation, earlierMessage] = await Promise.all([
    requireConversation(tx, visitor.accountId, input.conversationId),
    findEarlierMessage(tx, visitor, author, input),
  ]);
  requireVisitorConversation(visitor, conversation);
  if (earlierMessage) return requireSameText(earlierMessage, input);
  if (conversation.state === 'closed') throw conversationClosedError();
  return appendMessage(tx, visitor, conversation, { ...author, ...toContent(input) });
}

/** Loads the messages after a sequence number, in order. */
export async function loadMessagesAfter(
  database: Database,
  { accountId, id }: Pick<Conversation, 'accountId' | 'id'>,
  { after, limit }: { after: number; limit: number },
): Promise<Message[]> {
  return database.read
    .selectFrom('messages')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('conversationId', '=', id)
    .where('sequence', '>', after)
    .orderBy('sequence')
    .limit(limit)
    .execute();
}

interface EarlierMessageKey {
  readonly accountId: number;
  readonly id: number;
  readonly authorType: string;
  readonly authorId: number;
  readonly clientId: string;
}

const findByClientId = prepare<EarlierMessageKey, Message>((db, args) =>
  db
    .selectFrom('messages')
    .selectAll()
    .where('accountId', '=', args.accountId)
    .where('conversationId', '=', args.id)
    .where('authorType', '=', args.authorType as never)
    .where('authorId', '=', args.authorId)
    .where('clientId', '=', args.clientId),
);

/** Finds the stored message with the same client id: sending it again changes nothing, even after the close. */
async function findEarlierMessage(
  tx: Transaction,
  { accountId }: { readonly accountId: number },
  { authorType, authorId }: { authorType: string; authorId: number | null },
  input: NewMessage,
): Promise<Message | undefined> {
  if (!input.clientId || authorId === null) return undefined;
  const args = { accountId, id: input.conversationId, authorType, authorId, clientId: input.clientId };
  return (await tx.run(findByClientId, args))[0];
}

function requireSameText(earlierMessage: Message, input: NewMessage): Message {
  if (earlierMessage.text === input.text) return earlierMessage;
  throw new DomainError('conflict', 'The client id was already used for a message with another text.', {
    problems: [{ path: ['clientId'], code: 'invalid', rule: 'was already used for a message with another text' }],
  });
}

function toContent(input: NewMessage) {
  return { clientId: input.clientId ?? null, text: input.text };
}

export function conversationClosedError(): DomainError {
  return wrongState('The conversation is closed.');
}
