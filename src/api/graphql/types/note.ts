import type { NoteWindow } from '../../../core/engine/conversations/note-query.ts';
import { parseNote } from '../../../core/engine/conversations/notes.ts';
import type { Note } from '../../../core/engine/records/note-store.ts';
import { requireSize } from '../../graphql-server/connection.ts';
import { graphqlError } from '../../graphql-server/errors.ts';
import { parsePosition, requireId } from '../../graphql-server/ids.ts';
import { objectPayload } from '../../graphql-server/mutation.ts';
import { addMutation, builder } from '../builder.ts';
import { ConversationRef } from './conversation.ts';
import { requireAccess } from './conversation-mutations.ts';
import { OperatorRef } from './operator.ts';

const MAX_NOTES = 100;

export const NoteRef = builder.objectRef<Note>('Note').implement({
  description:
    'What an operator noted in a conversation. It is no message: visitors never see it, and it is in no sequence, count or statistic.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The identifier of the note. Later notes have higher identifiers.' }),
    conversationId: t.exposeID('conversationId', { description: 'The identifier of the conversation.' }),
    afterSequence: t.exposeInt('afterSequence', {
      description: 'The sequence number of the message after which it is placed; 0 before the first.',
    }),
    operator: t.field({
      type: OperatorRef,
      nullable: true,
      description: 'The operator who wrote the note. Null for API keys and deleted operators.',
      resolve: async ({ authorType, authorId }, _args, { load }) =>
        authorType === 'operator' && authorId !== null ? ((await load.operator.load(authorId)) ?? null) : null,
    }),
    text: t.exposeString('text', { description: 'The text, exactly as it was written.' }),
    clientId: t.exposeString('clientId', {
      nullable: true,
      description: 'The identifier that the client chose. Null for the note of a transfer.',
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When the note was stored.' }),
  }),
});

builder.objectField(ConversationRef, 'notes', (t) =>
  t.field({
    type: [NoteRef],
    description:
      'The notes of operators, oldest first, which the visitor never sees. Place each one after the message `afterSequence`, and those after the same message in this order.',
    args: {
      after: t.arg.id({ description: 'Returns the notes after the one with this identifier.' }),
      first: t.arg.int({ description: `Returns the first _n_ notes. Defaults to ${MAX_NOTES}, which is the most.` }),
      last: t.arg.int({
        description: `Returns the newest _n_ notes, at most ${MAX_NOTES}. Cannot be combined with \`after\` or \`first\`.`,
      }),
    },
    resolve: ({ id }, args, { load }) => load.notes.load({ ownerId: id, window: parseNoteWindow(args) }),
  }),
);

interface NoteArguments {
  readonly after?: string | null | undefined;
  readonly first?: number | null | undefined;
  readonly last?: number | null | undefined;
}

function parseNoteWindow({ after, first, last }: NoteArguments): NoteWindow {
  requireSize('first', first, MAX_NOTES);
  requireSize('last', last, MAX_NOTES);
  const position = parsePosition('after', after);
  const isFromEnd = typeof last === 'number';
  if (isFromEnd && (typeof first === 'number' || position !== undefined))
    throw graphqlError('BAD_REQUEST', 'Use last, or after and first, not both.');
  return { after: position ?? 0, limit: last ?? first ?? MAX_NOTES, isFromEnd };
}

addMutation('noteAdd', {
  description:
    'Adds a note to a conversation, after its newest message. The visitor never sees it. Operators and experts can add one to an active conversation that they handle, managers to all conversations of their groups and admins to all, also to closed ones. API keys with write access can add one too.',
  argumentDescription: 'The note to add.',
  input: {
    description: 'The note to add.',
    fields: (t) => ({
      conversationId: t.id({ required: true, description: 'The conversation.' }),
      clientId: t.string({
        required: true,
        description:
          'An identifier of your choice, 1 to 64 characters. Retries with the same identifier have no further effect.',
      }),
      text: t.string({ required: true, description: 'The text, at most 10000 characters.' }),
    }),
  },
  payload: objectPayload('note', NoteRef),
  authorize: (context, { conversationId }) => requireAccess(context, conversationId),
  run: (commit, { caller, services }, { conversationId, ...content }) =>
    services.engine.conversations.addNote(commit, caller, {
      conversationId: requireId('conversation', conversationId),
      ...parseNote(content),
    }),
});
