import type { MessageLeft } from '../../../core/engine/records/message-left-store.ts';
import { unknownId } from '../../../core/kernel/errors.ts';
import { parseId } from '../../../core/kernel/ids.ts';
import { toScope } from '../../../core/visitors/messages-left.ts';
import { toSlicedList } from '../../graphql-server/connection.ts';
import { parseIdArgument, parseIdField, requireId } from '../../graphql-server/ids.ts';
import { loadOrNull } from '../../graphql-server/loaders.ts';
import { objectPayload } from '../../graphql-server/mutation.ts';
import { addMutation, builder, connectionField, connectionType, idInput } from '../builder.ts';
import type { Context } from '../context.ts';
import { toIdFilter } from '../filters.ts';
import { WebsiteRef } from './directory.ts';
import { OperatorRef } from './operator.ts';
import { VisitorRef } from './visitor.ts';

const MessageLeftRef = builder.objectRef<MessageLeft>('MessageLeft').implement({
  description: 'A message that a visitor left for later. The answer goes by e-mail.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The identifier of the message.' }),
    website: t.field({
      type: WebsiteRef,
      nullable: true,
      description: 'The website. Null if it was deleted.',
      resolve: ({ websiteId }, _args, { load }) => loadOrNull(load.website, websiteId),
    }),
    visitor: t.field({
      type: VisitorRef,
      nullable: true,
      description: 'The visitor.',
      resolve: ({ visitorId }, _args, { load }) => loadOrNull(load.visitor, visitorId),
    }),
    name: t.exposeString('name', { description: 'The name that the visitor gave. May be empty.' }),
    email: t.exposeString('email', { description: 'The e-mail address for the answer.' }),
    text: t.exposeString('text', { description: 'The text, exactly as it was sent.' }),
    page: t.exposeString('page', { description: 'The address of the page. May be empty.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the message was left.' }),
    operator: t.field({
      type: OperatorRef,
      nullable: true,
      description: 'The operator who takes care of it. Null if it is not assigned.',
      resolve: ({ operatorId }, _args, { load }) => loadOrNull(load.operator, operatorId),
    }),
    doneAt: t.expose('doneAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it was marked as done. Null while it is open.',
    }),
    doneBy: t.field({
      type: OperatorRef,
      nullable: true,
      description: 'The operator who marked it as done. Null if an API key did.',
      resolve: ({ doneBy }, _args, { load }) => loadOrNull(load.operator, doneBy),
    }),
  }),
});

const MessageLeftConnection = connectionType('MessageLeft', MessageLeftRef);

const MessageLeftFilterInput = builder.inputType('MessageLeftFilter', {
  description: 'Filters for messages left. All of them must match.',
  fields: (t) => ({
    done: t.boolean({ description: 'Whether the message is done.' }),
    websiteId: t.string({ description: 'On this website: an identifier, or a comma-separated list.' }),
    operatorId: t.string({ description: 'Assigned to this operator: an identifier, or a comma-separated list.' }),
  }),
});

const WHO = 'Operators and managers on the websites that they work on, admins everywhere.';

builder.queryFields((t) => ({
  messageLeft: t.field({
    type: MessageLeftRef,
    nullable: true,
    description: `A message left, by its identifier. ${WHO}`,
    args: { id: t.arg.id({ required: true, description: 'The identifier of the message.' }) },
    resolve: async (_root, { id: idText }, { caller, services }) => {
      toScope(caller);
      const id = parseIdArgument(idText);
      return id === undefined ? null : ((await services.visitors.messagesLeft.find(caller, id)) ?? null);
    },
  }),
  messagesLeft: connectionField(t, {
    type: MessageLeftConnection,
    nullable: true,
    description: `The messages that visitors left, newest first. ${WHO}`,
    args: { filter: t.arg({ type: MessageLeftFilterInput, description: 'Filters for the messages.' }) },
    list: (_root, { filter }, { caller, services }) =>
      toSlicedList(services.visitors.messagesLeft, caller.accountId, {
        ...toScope(caller),
        done: filter?.done ?? undefined,
        websiteId: toIdFilter('websiteId', filter?.websiteId),
        operatorId: toIdFilter('operatorId', filter?.operatorId),
      }),
  }),
}));

/** Reports an unknown message before anything else in the input. */
async function authorizeOnMessage({ caller, services }: Context, { id }: { readonly id: string }): Promise<void> {
  const messageId = parseId(id);
  await services.visitors.messagesLeft.authorize(caller, messageId);
  if (messageId === undefined) throw unknownId('message left', id);
}

addMutation('messageLeftResolve', {
  description: `Marks a message left as done. Repeating it changes nothing. ${WHO}`,
  argumentDescription: 'The message that is done.',
  input: idInput('The message that is done.', 'The identifier of the message.'),
  payload: objectPayload('messageLeft', MessageLeftRef),
  authorize: authorizeOnMessage,
  run: (commit, { caller, services }, { id }) =>
    services.visitors.messagesLeft.resolve(commit, caller, requireId('message left', id)),
});

addMutation('messageLeftReopen', {
  description: `Marks a message left as not done. Repeating it changes nothing. ${WHO}`,
  argumentDescription: 'The message to open again.',
  input: idInput('The message to open again.', 'The identifier of the message.'),
  payload: objectPayload('messageLeft', MessageLeftRef),
  authorize: authorizeOnMessage,
  run: (commit, { caller, services }, { id }) =>
    services.visitors.messagesLeft.reopen(commit, caller, requireId('message left', id)),
});

addMutation('messageLeftAssign', {
  description: `Assigns a message left to an operator who can read it, or to none. ${WHO}`,
  argumentDescription: 'The message and the operator.',
  input: {
    description: 'The message and the operator.',
    fields: (t) => ({
      id: t.id({ required: true, description: 'The identifier of the message.' }),
      operatorId: t.id({ description: 'The operator who takes care of it. Omitted or null for none.' }),
    }),
  },
  payload: objectPayload('messageLeft', MessageLeftRef),
  authorize: authorizeOnMessage,
  run: (commit, { caller, services }, { id, operatorId }) =>
    services.visitors.messagesLeft.assign(commit, caller, {
      id: requireId('message left', id),
      operatorId: typeof operatorId === 'string' ? parseIdField('operatorId', operatorId) : null,
    }),
});
