import { z } from 'zod';
import type { Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import { type Caller, isManager } from '../../kernel/caller.ts';
import { DomainError } from '../../kernel/errors.ts';
import { validate } from '../../kernel/validate.ts';
import { type Conversation, wrongState } from '../records/conversation.ts';
import { requireConversation } from '../records/conversation-store.ts';
import { insertNote, type Note, toNoteAuthor } from '../records/note-store.ts';
import { requireInvolvement } from './conversation-access.ts';
import { clientId, conversationClosedError, messageText } from './messages.ts';

const noteContent = z.strictObject({ clientId, text: messageText });
const transferNote = z.strictObject({ note: messageText.nullish() });

export interface NewNote extends z.output<typeof noteContent> {
  readonly conversationId: number;
}

export function parseNote(content: { readonly clientId: unknown; readonly text: unknown }) {
  return validate(noteContent, content);
}

/** The note that a transfer can have. */
export function parseTransferNote(note: string | null | undefined): string | undefined {
  return validate(transferNote, { note }).note ?? undefined;
}

/** Adds a note to a conversation of the caller that is active, or to one that they manage, in any state. */
export async function addNote(tx: Transaction, caller: Caller, input: NewNote): Promise<Note> {
  const conversation = await requireConversation(tx, caller.accountId, input.conversationId);
  const involvement = await requireInvolvement(tx, caller, conversation);
  const earlierNote = await findEarlierNote(tx, caller, input);
  if (earlierNote) return requireSameText(earlierNote, input.text);
  if (involvement === 'own' && !isManager(caller)) requireActive(conversation);
  if (conversation.state === 'closed') await requireNotErased(tx, conversation);
  return insertNote(tx, caller, conversation, { clientId: input.clientId, text: input.text });
}

function requireActive({ state }: Conversation): void {
  if (state === 'offered') throw wrongState('Accept the offer before you write.');
  if (state === 'closed') throw conversationClosedError();
}

const findErasure = prepare<{ accountId: number; visitorId: number }, { id: number }>((db, { accountId, visitorId }) =>
  db
    .selectFrom('visitors')
    .select('id')
    .where('accountId', '=', accountId)
    .where('id', '=', visitorId)
    .where('erasedAt', 'is not', null),
);

/** A note that a client resends must not come back after it was erased. The erasure closes all conversations. */
async function requireNotErased(tx: Transaction, { accountId, visitorId }: Conversation): Promise<void> {
  if (visitorId === null) return;
  const erased = await tx.run(findErasure, { accountId, visitorId });
  if (erased.length > 0) throw wrongState('The data of this visitor was erased.');
}

const findByClientId = prepare<
  Pick<Note, 'accountId' | 'conversationId' | 'authorType'> & { authorId: number; clientId: string },
  Note
>((db, args) =>
  db
    .selectFrom('notes')
    .selectAll()
    .where('accountId', '=', args.accountId)
    .where('conversationId', '=', args.conversationId)
    .where('authorType', '=', args.authorType as never)
    .where('authorId', '=', args.authorId)
    .where('clientId', '=', args.clientId),
);

/** Finds the stored note with the same client id: adding it again changes nothing, even after the close. */
async function findEarlierNote(
  tx: Transaction,
  caller: Caller,
  { conversationId, clientId }: NewNote,
): Promise<Note | undefined> {
  const { authorType, authorId } = toNoteAuthor(caller);
  if (authorId === null) return undefined;
  const args = { accountId: caller.accountId, conversationId, authorType, authorId, clientId };
  return (await tx.run(findByClientId, args))[0];
}

function requireSameText(earlierNote: Note, text: string): Note {
  if (earlierNote.text === text) return earlierNote;
  throw new DomainError('conflict', 'The client id was already used for a note with another text.', {
    problems: [{ path: ['clientId'], code: 'invalid', rule: 'was already used for a note with another text' }],
  });
}
