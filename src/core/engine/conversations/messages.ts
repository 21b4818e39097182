import type { Database, Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import type { Caller, VisitorCaller } from '../../kernel/caller.ts';
import { DomainError } from '../../kernel/errors.ts';
import { text } from '../../kernel/text.ts';
import { type Conversation, wrongState } from '../records/conversation.ts';
import { noteFirstAnswer, requireConversation } from '../records/conversation-store.ts';
import { noteAnswer } from '../records/handlings.ts';
import { appendNext, type Message } from '../records/message-store.ts';
import { requireOwn, requireVisitorsOwn } from './conversation-access.ts';

const MAX_MESSAGE_LENGTH = 10_000;

export const messageText = text(1, MAX_MESSAGE_LENGTH);
/** The sender's own name for a message: a second sending is recognised by it. */
export const clientId = text(1, 64);

export interface NewMessage {
  readonly conversationId: number;
  readonly clientId?: string | null | undefined;
  readonly text: string;
}

/** An operator writes in a conversation that is theirs and has been accepted. */
export async function sendAsOperator(tx: Transaction, caller: Caller, input: NewMessage): Promise<Message> {
  const author = { authorType: 'operator', authorId: caller.operatorId } as const;
  const [conversation, earlier] = await Promise.all([
    requireConversation(tx, caller.accountId, input.conversationId),
    sentBefore(tx, caller, author, input),
  ]);
  requireOwn(caller, conversation);
  if (earlier) return sameText(earlier, input);
  if (conversation.state === 'offered') throw wrongState('Accept the offer before you write.');
  if (conversation.state === 'closed') throw conversationIsClosed();
  const message = appendNext(tx, caller, conversation, { ...author, ...content(input) });
  noteFirstAnswer(tx, caller, conversation);
  noteAnswer(tx, caller, conversation);
  return message;
}

/** A visitor writes in a conversation of their own, also while it waits. */
export async function sendAsVisitor(tx: Transaction, visitor: VisitorCaller, input: NewMessage): Promise<Message> {
  const author = { authorType: 'visitor', authorId: visitor.visitorId } as const;
  const [conversation, earlier] = await Promise.all([
    requireConversation(tx, visitor.accountId, input.conversationId),
    sentBefore(tx, visitor, author, input),
  ]);
  requireVisitorsOwn(visitor, conversation);
  if (earlier) return sameText(earlier, input);
  if (conversation.state === 'closed') throw conversationIsClosed();
  return appendNext(tx, visitor, conversation, { ...author, ...content(input) });
}

/** Messages after a sequence number, in order. */
export async function messagesAfter(
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

interface SentBefore {
  readonly accountId: number;
  readonly id: number;
  readonly authorType: string;
  readonly authorId: number;
  readonly clientId: string;
}

const findSent = prepare<SentBefore, Message>((db, given) =>
  db
    .selectFrom('messages')
    .selectAll()
    .where('accountId', '=', given.accountId)
    .where('conversationId', '=', given.id)
    .where('authorType', '=', given.authorType as never)
    .where('authorId', '=', given.authorId)
    .where('clientId', '=', given.clientId),
);

/** The same message, if it is here already: a resend changes nothing, also after the close. */
async function sentBefore(
  tx: Transaction,
  { accountId }: { readonly accountId: number },
  { authorType, authorId }: { authorType: string; authorId: number | null },
  input: NewMessage,
): Promise<Message | undefined> {
  if (!input.clientId || authorId === null) return undefined;
  const given = { accountId, id: input.conversationId, authorType, authorId, clientId: input.clientId };
  return (await tx.run(findSent, given))[0];
}

function sameText(earlier: Message, { text: words }: NewMessage): Message {
  if (earlier.text === words) return earlier;
  throw new DomainError('conflict', 'The client id was used for another text already.', {
    problems: [{ path: ['clientId'], code: 'invalid', rule: 'was used for another text already' }],
  });
}

function content({ clientId: name, text: words }: NewMessage) {
  return { clientId: name ?? null, text: words };
}

export function conversationIsClosed(): DomainError {
  return wrongState('The conversation is closed.');
}
