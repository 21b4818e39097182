import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Database, Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import { type Caller, requireOperatorId, type VisitorCaller } from '../../kernel/caller.ts';
import { DomainError } from '../../kernel/errors.ts';
import { text } from '../../kernel/text.ts';
import { validate } from '../../kernel/validate.ts';
import { type Conversation, wrongState } from '../records/conversation.ts';
import { requireConversation } from '../records/conversation-store.ts';
import { recordHandlingAnswer } from '../records/handlings.ts';
import { appendMessage, type Message, messagesFact } from '../records/message-store.ts';
import { requireOwnConversation, requireVisitorConversation } from './conversation-access.ts';
import { findSendable, findSentIds } from './message-files.ts';

const MAX_MESSAGE_LENGTH = 10_000;

export const messageText = text(1, MAX_MESSAGE_LENGTH);
/** Chosen by the sender; a retry repeats it. */
export const clientId = text(1, 64);
const messageContent = z.strictObject({ clientId: clientId.nullish(), text: messageText });
const closingContent = z.strictObject({ text: messageText.nullish() });
const contentWithFiles = messageContent.extend({ text: text(0, MAX_MESSAGE_LENGTH) });

/** Only a message with attachments can be without text. */
export function parseContent(
  content: { readonly clientId?: unknown; readonly text?: unknown },
  attachmentIds: readonly number[],
): Omit<NewMessage, 'conversationId'> {
  const schema = attachmentIds.length > 0 ? contentWithFiles : messageContent;
  return { ...validate(schema, content), attachmentIds };
}

/** Undefined without a closing line. */
export function parseClosingText(content: { readonly text?: unknown }): string | undefined {
  return validate(closingContent, content).text ?? undefined;
}

export interface NewMessage {
  readonly conversationId: number;
  readonly clientId?: string | null | undefined;
  readonly text: string;
  readonly attachmentIds?: readonly number[];
}

/** Sends a message of an operator, who must have accepted the conversation. */
export async function sendAsOperator(tx: Transaction, caller: Caller, input: NewMessage): Promise<Message> {
  const author = { authorType: 'operator', authorId: requireOperatorId(caller) } as const;
  const [conversation, earlierMessage] = await Promise.all([
    requireConversation(tx, caller.accountId, input.conversationId),
    findEarlierMessage(tx, caller, author, input),
  ]);
  requireOwnConversation(caller, conversation);
  if (earlierMessage) return requireSameContent(tx, earlierMessage, input);
  if (conversation.state === 'offered') throw wrongState('Accept the offer before you write.');
  if (conversation.state === 'closed') throw conversationClosedError();
  const files = await findSendable(tx, caller, author, input);
  const message = appendMessage(tx, caller, conversation, { ...author, ...toContent(input) }, files);
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
  if (earlierMessage) return requireSameContent(tx, earlierMessage, input);
  if (conversation.state === 'closed') throw conversationClosedError();
  const files = await findSendable(tx, visitor, author, input);
  return appendMessage(tx, visitor, conversation, { ...author, ...toContent(input) }, files);
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

const findByClientId = prepare<EarlierMessageKey, Message>(
  (db, args) =>
    db
      .selectFrom('messages')
      .selectAll()
      .where('accountId', '=', args.accountId)
      .where('conversationId', '=', args.id)
      .where('authorType', '=', args.authorType as never)
      .where('authorId', '=', args.authorId)
      .where('clientId', '=', args.clientId),
  { reads: ({ id }) => [messagesFact(id)] },
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

async function requireSameContent(tx: Transaction, earlierMessage: Message, input: NewMessage): Promise<Message> {
  const hasSameText = earlierMessage.text === input.text;
  const sentIds = await findSentIds(tx, earlierMessage);
  if (hasSameText && isDeepStrictEqual(sentIds, input.attachmentIds ?? [])) return earlierMessage;
  const content = hasSameText ? 'other attachments' : 'another text';
  throw new DomainError('conflict', `The client id was already used for a message with ${content}.`, {
    problems: [{ path: ['clientId'], code: 'invalid', rule: `was already used for a message with ${content}` }],
  });
}

function toContent(input: NewMessage) {
  return { clientId: input.clientId ?? null, text: input.text };
}

export function conversationClosedError(): DomainError {
  return wrongState('The conversation is closed.');
}
