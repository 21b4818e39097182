import type { Selectable } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import { prepare } from '../../../storage/prepared-statement.ts';
import type { Tables } from '../../../storage/tables.ts';
import { announce } from '../../events/announce.ts';
import type { ActorContext, Caller } from '../../kernel/caller.ts';
import { nextId } from '../../kernel/ids.ts';
import { type Conversation, toEventSnapshot } from './conversation.ts';
import { selectConversationIds } from './conversation-store.ts';

/** What an operator noted in a conversation. It is no message: visitors never see it, and nothing counts it. */
export type Note = Selectable<Tables['notes']>;

export type NoteAuthor = Pick<Note, 'authorType' | 'authorId'>;

/** The operator, or the API key of an integration. */
export function toNoteAuthor({ operatorId, actor }: Caller): NoteAuthor {
  return operatorId === null
    ? { authorType: 'api_key', authorId: actor.id }
    : { authorType: 'operator', authorId: operatorId };
}

const insert = prepare<Note>((db, row) => db.insertInto('notes').values(row));

/** Stores a note after the newest message of a conversation that was read in this transaction. */
export async function insertNote(
  tx: Transaction,
  caller: Caller,
  conversation: Conversation,
  content: Pick<Note, 'clientId' | 'text'>,
): Promise<Note> {
  const { accountId } = caller;
  const { id: conversationId, messageCount: afterSequence } = conversation;
  const id = await nextId(tx, accountId, 'note');
  const place = { accountId, conversationId, id, afterSequence, at: tx.now };
  const note: Note = { ...place, ...toNoteAuthor(caller), ...content };
  tx.send(insert, note);
  const values = { ...toEventSnapshot(conversation), noteId: id, afterSequence };
  announce(tx, caller, 'note.created', conversationId, { fields: ['notes'], values }, 'conversation');
  return note;
}

/** Deletes the notes in a visitor's conversations: they can be about the visitor. */
export async function deleteNotesOf(tx: Transaction, context: ActorContext, visitorId: number): Promise<void> {
  await tx.db
    .deleteFrom('notes')
    .where('accountId', '=', context.accountId)
    .where('conversationId', 'in', selectConversationIds(tx, context, visitorId))
    .execute();
}
