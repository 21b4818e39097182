import type { Message } from '../../../core/engine/records/message-store.ts';
import { builder, wordsEnum } from '../builder.ts';
import type { SeenOperator } from '../loaders.ts';

export const OperatorRef = builder.objectRef<SeenOperator>('Operator').implement({
  description: 'Somebody who answers, as visitors know them.',
  fields: (t) => ({ pseudo: t.exposeString('pseudo', { description: 'The name that visitors see.' }) }),
});

const MessageAuthorEnum = wordsEnum<Message['authorType']>('MessageAuthor', 'Who wrote a message.', {
  operator: 'An operator.',
  visitor: 'The visitor.',
  notice: 'The service, to tell what is going on.',
});

export const MessageRef = builder.objectRef<Message>('Message').implement({
  description: 'One message of a conversation.',
  fields: (t) => ({
    sequence: t.exposeInt('sequence', { description: 'Its number in the conversation: 1, 2, 3 … without holes.' }),
    clientId: t.string({
      nullable: true,
      description: "The sender's own name for it, for the visitor's own messages.",
      resolve: ({ authorType, clientId }) => (authorType === 'visitor' ? clientId : null),
    }),
    author: t.expose('authorType', { type: MessageAuthorEnum, description: 'Who wrote it.' }),
    operator: t.field({
      type: OperatorRef,
      nullable: true,
      description: 'The operator who wrote it, if one did and is still there.',
      resolve: async ({ authorType, authorId }, _args, { load }) =>
        authorType === 'operator' && authorId !== null ? ((await load.operator.load(authorId)) ?? null) : null,
    }),
    text: t.exposeString('text', { description: 'What was written, as it was written.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When it was stored.' }),
  }),
});
