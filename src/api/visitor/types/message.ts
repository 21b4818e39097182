import type { Message } from '../../../core/engine/records/message-store.ts';
import { builder } from '../builder.ts';
import type { SeenOperator } from '../loaders.ts';

export const OperatorRef = builder.objectRef<SeenOperator>('Operator').implement({
  description: 'Somebody who answers, as visitors know them.',
  fields: (t) => ({ pseudo: t.exposeString('pseudo', { description: 'The name that visitors see.' }) }),
});

const MessageAuthorEnum = builder.enumType('MessageAuthor', {
  description: 'Who wrote a message.',
  values: {
    OPERATOR: { value: 'operator', description: 'An operator.' },
    VISITOR: { value: 'visitor', description: 'The visitor.' },
    NOTICE: { value: 'notice', description: 'The service, to tell what is going on.' },
  } as const,
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
    author: t.field({ type: MessageAuthorEnum, description: 'Who wrote it.', resolve: (row) => row.authorType }),
    operator: t.field({
      type: OperatorRef,
      nullable: true,
      description: 'The operator who wrote it, if one did and is still there.',
      resolve: async ({ authorType, authorId }, _args, { load }) =>
        authorType === 'operator' && authorId !== null ? ((await load.operator.load(authorId)) ?? null) : null,
    }),
    text: t.exposeString('text', { description: 'What was written, as it was written.' }),
    at: t.field({ type: 'DateTime', description: 'When it was stored.', resolve: (message) => message.at }),
  }),
});
