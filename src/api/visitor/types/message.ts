import type { Message } from '../../../core/engine/records/message-store.ts';
import { parseNotice, renderText } from '../../../core/engine/records/notices.ts';
import { NOTICE_FIELD_DESCRIPTION } from '../../graphql-server/notice.ts';
import { builder, createEnum, NoticeRef } from '../builder.ts';
import type { PublicOperator } from '../loaders.ts';
import { AttachmentRef } from './attachment.ts';

export const OperatorRef = builder.objectRef<PublicOperator>('Operator').implement({
  description: 'An operator, as visitors see them.',
  fields: (t) => ({ pseudo: t.exposeString('pseudo', { description: 'The name shown to visitors.' }) }),
});

const MessageAuthorEnum = createEnum<Message['authorType']>('MessageAuthor', 'The author of a message.', {
  operator: 'An operator.',
  visitor: 'The visitor.',
  notice: 'The service, to inform the visitor and the operator.',
});

export const MessageRef = builder.objectRef<Message>('Message').implement({
  description: 'A message of a conversation.',
  fields: (t) => ({
    sequence: t.exposeInt('sequence', {
      description: 'The number of the message in its conversation: 1, 2, 3 … without gaps.',
    }),
    clientId: t.string({
      nullable: true,
      description: "The identifier that the client chose when sending. Only for the visitor's own messages.",
      resolve: ({ authorType, clientId }) => (authorType === 'visitor' ? clientId : null),
    }),
    author: t.expose('authorType', { type: MessageAuthorEnum, description: 'Who wrote the message.' }),
    operator: t.field({
      type: OperatorRef,
      nullable: true,
      description: 'The operator who wrote the message. Null for other authors and deleted operators.',
      resolve: async ({ authorType, authorId }, _args, { load }) =>
        authorType === 'operator' && authorId !== null ? ((await load.operator.load(authorId)) ?? null) : null,
    }),
    text: t.string({
      description:
        "The text, exactly as it was sent. Notices are in the session's language, or the website's if the service has no texts in it.",
      resolve: (message, _args, { visitor }) => renderText(message, visitor.language),
    }),
    notice: t.field({
      type: NoticeRef,
      nullable: true,
      description: NOTICE_FIELD_DESCRIPTION,
      resolve: (message) => parseNotice(message),
    }),
    attachments: t.field({
      type: [AttachmentRef],
      description: 'The files that were sent with the message, in order.',
      resolve: ({ conversationId, sequence }, _args, { load }) => load.attachments.load({ conversationId, sequence }),
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When the message was stored.' }),
  }),
});
