import type { MessageLeft } from '../../../core/engine/records/message-left-store.ts';
import { validate } from '../../../core/kernel/validate.ts';
import { messageLeave } from '../../../core/visitors/messages-left.ts';
import { objectPayload } from '../../graphql-server/mutation.ts';
import { addMutation, builder } from '../builder.ts';

/** Without identifier and state: the visitor gets the answer by e-mail. */
const MessageLeftRef = builder.objectRef<MessageLeft>('MessageLeft').implement({
  description: 'A message that the visitor left for later.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name. Empty if none was given.' }),
    email: t.exposeString('email', { description: 'The e-mail address for the answer.' }),
    text: t.exposeString('text', { description: 'The text, exactly as it was sent.' }),
    page: t.exposeString('page', { description: 'The address of the page. Empty if none was given.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the message was stored.' }),
  }),
});

addMutation('messageLeave', {
  description:
    'Leaves a message for later, when the website is closed or no operator is available. Possible at any time, and limited per hour and address.',
  argumentDescription: 'The message.',
  input: {
    description: 'The message to leave.',
    fields: (t) => ({
      name: t.string({ description: "The visitor's name, at most 100 characters." }),
      email: t.string({ required: true, description: 'The e-mail address for the answer.' }),
      text: t.string({ required: true, description: 'The message, at most 5000 characters.' }),
      page: t.string({ description: 'The address of the page, http or https, at most 2000 characters.' }),
    }),
  },
  payload: objectPayload('messageLeft', MessageLeftRef),
  run: (commit, { visitor, address, services }, input) =>
    services.visitors.messagesLeft.leave(commit, visitor, validate(messageLeave, input), address),
});
