import type { Database, Transaction } from '../../storage/database.ts';
import { hotStatement } from '../../storage/hot-statement.ts';
import type { Caller } from '../caller.ts';
import { DomainError } from '../errors.ts';
import { text } from '../text.ts';
import { type Conversation, wrongState } from './conversation.ts';
import { requireOwn, requireVisitorsOwn, type VisitorCaller } from './conversation-access.ts';
import { requireConversation } from './conversation-store.ts';
import { noteAnswer } from './handlings.ts';
import { appendMessage, type Message } from './message-store.ts';

const LONGEST_MESSAGE = 10_000;

export const messageText = text(1, LONGEST_MESSAGE);
/** The sender's own name for a message: a second sending is recognised by it. */
export const clientId = text(1, 64);

export interface NewMessage {
  readonly conversationId: number;
  readonly clientId?: string | null | undefined;
  readonly text: string;
}

/** An operator writes in a conversation that is theirs and has been accepted. */
export async function sendAsOperator(tx: Transaction, caller: Caller, input: NewMessage): Promise<Message> {
  const conversation = await requireConversation(tx, caller.accountId, input.conversationId);
  requireOwn(caller, conversation);
  const author = { authorType: 'operator', authorId: caller.operatorId } as const;
  const earlier = await sentBefore(tx, conversation, author, input);
  if (earlier) return earlier;
  if (conversation.state === 'offered') throw wrongState('Accept the offer before you write.');
  if (conversation.state === 'closed') throw conversationIsClosed();
  const message = await appendMessage(tx, caller, conversation, { ...author, ...content(input) });
  if (conversation.firstAnswerAt === null) await tx.run(answered, { ...conversationKey(conversation), at: tx.now });
  await noteAnswer(tx, conversation);
  return message;
}

/** A visitor writes in a conversation of their own, also while it waits. */
export async function sendAsVisitor(tx: Transaction, visitor: VisitorCaller, input: NewMessage): Promise<Message> {
  const conversation = await requireConversation(tx, visitor.accountId, input.conversationId);
  requireVisitorsOwn(visitor, conversation);
  const author = { authorType: 'visitor', authorId: visitor.visitorId } as const;
  const earlier = await sentBefore(tx, conversation, author, input);
  if (earlier) return earlier;
  if (conversation.state === 'closed') throw conversationIsClosed();
  return appendMessage(tx, visitor, conversation, { ...author, ...content(input) });
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

const answered = hotStatement<{ accountId: number; id: number; at: number }>((db, { accountId, id, at }) =>
  db
    .updateTable('conversations')
    .set({ firstAnswerAt: at })
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('firstAnswerAt', 'is', null),
);

interface SentBefore {
  readonly accountId: number;
  readonly id: number;
  readonly authorType: string;
  readonly authorId: number;
  readonly clientId: string;
}

const findSent = hotStatement<SentBefore, Message>((db, given) =>
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
  conversation: Conversation,
  { authorType, authorId }: { authorType: string; authorId: number | null },
  input: NewMessage,
): Promise<Message | undefined> {
  if (!input.clientId || authorId === null) return undefined;
  const given = { ...conversationKey(conversation), authorType, authorId, clientId: input.clientId };
  const [earlier] = await tx.run(findSent, given);
  if (earlier && earlier.text !== input.text) {
    throw new DomainError('conflict', 'The client id was used for another text already.', {
      problems: [{ path: ['clientId'], code: 'invalid', rule: 'was used for another text already' }],
    });
  }
  return earlier;
}

function conversationKey({ accountId, id }: Conversation) {
  return { accountId, id };
}

function content({ clientId: name, text: words }: NewMessage) {
  return { clientId: name ?? null, text: words };
}

export function conversationIsClosed(): DomainError {
  return wrongState('The conversation is closed.');
}
