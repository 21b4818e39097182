import type { Signal } from '../../../core/signals/signal.ts';
import { graphqlError } from '../../graphql-server/errors.ts';
import { parseIdArgument, requireId } from '../../graphql-server/ids.ts';
import { objectPayload } from '../../graphql-server/mutation.ts';
import { SIGNAL_AUTHOR_DESCRIPTIONS, SIGNAL_KIND_DESCRIPTIONS } from '../../graphql-server/signal-descriptions.ts';
import { streamConversationSignals } from '../../graphql-server/signal-stream.ts';
import { createAbortableStream } from '../../graphql-server/streams.ts';
import { addMutation, builder, createEnum } from '../builder.ts';
import type { VisitorContext } from '../context.ts';
import { createLoaders } from '../loaders.ts';
import { ConversationRef } from './conversation.ts';
import { OperatorRef } from './message.ts';

const SignalKindEnum = createEnum('SignalKind', 'The kind of a signal.', SIGNAL_KIND_DESCRIPTIONS);
const SignalAuthorEnum = createEnum('SignalAuthor', 'The side that a signal comes from.', SIGNAL_AUTHOR_DESCRIPTIONS);

const SignalRef = builder.objectRef<Signal>('Signal').implement({
  description: 'Something that happens in a conversation right now. It is not stored, and can be lost.',
  fields: (t) => ({
    kind: t.expose('kind', { type: SignalKindEnum, description: 'What happens. Ignore unknown kinds.' }),
    conversationId: t.exposeID('conversationId', { description: 'The conversation.' }),
    author: t.expose('author', { type: SignalAuthorEnum, description: 'The side that it comes from.' }),
    operator: t.field({
      type: OperatorRef,
      nullable: true,
      description: 'The operator, if it comes from one.',
      resolve: async ({ author, operatorId }, _args, { load }) =>
        author === 'operator' && operatorId !== null ? ((await load.operator.load(operatorId)) ?? null) : null,
    }),
    upTo: t.exposeInt('upTo', {
      nullable: true,
      description: 'For READ: the sequence number of the last message that was read.',
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When it happened.' }),
  }),
});

addMutation('typing', {
  description:
    'Tells the operator that the visitor is typing. At most one signal per second is sent: more calls succeed without an effect. Nothing is stored.',
  argumentDescription: 'The conversation in which the visitor is typing.',
  input: {
    description: 'The conversation in which the visitor is typing.',
    fields: (t) => ({ conversationId: t.id({ required: true, description: 'The conversation.' }) }),
  },
  payload: objectPayload('conversation', ConversationRef),
  run: (_commit, { visitor, services }, { conversationId }) =>
    services.engine.typing.typeAsVisitor(visitor, requireId('conversation', conversationId)),
});

builder.subscriptionField('signals', (t) =>
  t.field({
    type: SignalRef,
    description:
      "What happens in one of the visitor's conversations from now on: typing of the operator, and read markers of both sides. Ends when the conversation is closed. Signals that are sent while nothing is subscribed are lost: read markers are also in the conversation.",
    args: { conversationId: t.arg.id({ required: true, description: 'The conversation.' }) },
    subscribe: (_root, { conversationId }, context) =>
      createAbortableStream((stop) => streamSignals(context, conversationId, stop)),
    resolve: (signal) => signal,
  }),
);

async function* streamSignals(context: VisitorContext, idText: string, stop: AbortSignal): AsyncGenerator<Signal> {
  const { visitor, services } = context;
  const id = parseIdArgument(idText);
  const unknown = () => graphqlError('BAD_REQUEST', `Unknown 'conversation' with 'id' ${idText}.`);
  if (id === undefined) throw unknown();
  const isRunning = async () => {
    const conversation = await services.visitors.ownConversations.find(visitor, id);
    if (!conversation) throw unknown();
    return conversation.state !== 'closed';
  };
  const source = { signals: services.signals, log: services.events.log, accountId: visitor.accountId };
  for await (const signal of streamConversationSignals({ ...source, conversationId: id, isRunning }, stop)) {
    if (signal.kind === 'typing' && signal.author === 'visitor') continue; // from another page of the visitor
    context.load = createLoaders(visitor, services, context.turns); // cached rows may be outdated
    yield signal;
  }
}
