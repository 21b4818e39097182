import { requireOperatorId } from '../../../core/kernel/caller.ts';
import type { Signal } from '../../../core/signals/signal.ts';
import { forbiddenError, graphqlError } from '../../graphql-server/errors.ts';
import { parseIdArgument, requireId } from '../../graphql-server/ids.ts';
import { objectPayload } from '../../graphql-server/mutation.ts';
import { SIGNAL_AUTHOR_DESCRIPTIONS, SIGNAL_KIND_DESCRIPTIONS } from '../../graphql-server/signal-descriptions.ts';
import { streamConversationSignals } from '../../graphql-server/signal-stream.ts';
import { createAbortableStream } from '../../graphql-server/streams.ts';
import { requireHandling } from '../authorize.ts';
import { addMutation, builder, createEnum } from '../builder.ts';
import type { Context } from '../context.ts';
import { createLoaders } from '../loaders.ts';
import { ConversationRef, canSee } from './conversation.ts';
import { OperatorRef } from './operator.ts';

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
    'Tells the visitor that the viewer is typing in a conversation that they handle. At most one signal per second is sent: more calls succeed without an effect. Nothing is stored. FORBIDDEN for API keys.',
  argumentDescription: 'The conversation in which the viewer is typing.',
  input: {
    description: 'The conversation in which the viewer is typing.',
    fields: (t) => ({ conversationId: t.id({ required: true, description: 'The conversation.' }) }),
  },
  payload: objectPayload('conversation', ConversationRef),
  authorize: (context, { conversationId }) => requireHandling(context, conversationId),
  run: (_commit, { caller, services }, { conversationId }) =>
    services.engine.typing.typeAsOperator(caller, requireId('conversation', conversationId)),
});

builder.subscriptionField('signals', (t) =>
  t.field({
    type: SignalRef,
    description:
      'What happens in a conversation from now on: typing, read markers of both sides, and visitors who leave and come back. Signals that are sent while nothing is subscribed are lost: read markers are also in the conversation. Ends when the conversation is closed, and with FORBIDDEN when the viewer can no longer see it.',
    args: {
      conversationId: t.arg.id({
        description:
          'The conversation. Defaults to all conversations that the viewer has, also those they get later; then it is FORBIDDEN for API keys.',
      }),
    },
    subscribe: (_root, { conversationId }, context) =>
      createAbortableStream((stop) =>
        typeof conversationId === 'string'
          ? streamSignals(context, conversationId, stop)
          : streamOwnSignals(context, stop),
      ),
    resolve: (signal) => signal,
  }),
);

/** A signal names the operator who had the conversation when it was sent, so nothing has to be checked. */
async function* streamOwnSignals(context: Context, stop: AbortSignal): AsyncGenerator<Signal> {
  const { caller, services } = context;
  const operatorId = requireOperatorId(caller);
  const listener = services.signals.listen(caller.accountId, { operatorId });
  const close = () => listener.close();
  stop.addEventListener('abort', close);
  try {
    for await (const signal of listener.receive()) if (isVisible(context, signal)) yield signal;
  } finally {
    stop.removeEventListener('abort', close);
    close();
  }
}

async function* streamSignals(context: Context, idText: string, stop: AbortSignal): AsyncGenerator<Signal> {
  const { caller, services } = context;
  const id = parseIdArgument(idText);
  const unknown = () => graphqlError('BAD_REQUEST', `Unknown 'conversation' with 'id' ${idText}.`);
  if (id === undefined) throw unknown();
  const isRunning = async () => {
    context.load = createLoaders(caller, services, context.turns);
    const conversation = await context.load.conversations.byId.load(id);
    if (!conversation) throw unknown();
    if (!(await canSee(conversation, context))) throw forbiddenError();
    return conversation.state !== 'closed';
  };
  const source = { signals: services.signals, log: services.events.log, accountId: caller.accountId };
  for await (const signal of streamConversationSignals({ ...source, conversationId: id, isRunning }, stop))
    if (isVisible(context, signal)) yield signal;
}

/** After a transfer, a signal may arrive before the event. The viewer's own typing comes from another desk of theirs. */
function isVisible(context: Context, { kind, author, operatorId }: Signal): boolean {
  const { caller, services, turns } = context;
  context.load = createLoaders(caller, services, turns); // cached rows may be outdated
  const isOwn = operatorId !== null && operatorId === caller.operatorId;
  if (isOwn) return kind !== 'typing' || author !== 'operator';
  return caller.accessLevel === 'manager' || caller.accessLevel === 'admin';
}
