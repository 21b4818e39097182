import type { Conversation } from '../../../core/engine/records/conversation.ts';
import { type LoggedEvent, positionTooOld } from '../../../core/events/event-log.ts';
import { isVisibleToVisitors } from '../../../core/webhooks/event-types.ts';
import { loadNewMessage } from '../../graphql-server/conversation-loaders.ts';
import { graphqlError } from '../../graphql-server/errors.ts';
import { parseIdArgument } from '../../graphql-server/ids.ts';
import { createAbortableStream } from '../../graphql-server/streams.ts';
import { builder } from '../builder.ts';
import type { VisitorContext } from '../context.ts';
import { createLoaders } from '../loaders.ts';
import { ConversationRef } from './conversation.ts';
import { MessageRef } from './message.ts';

interface ConversationEvent extends LoggedEvent {
  /** The state when the event was delivered. */
  readonly conversation: Conversation;
}

const ConversationEventRef = builder.objectRef<ConversationEvent>('ConversationEvent').implement({
  description: 'An event of a conversation.',
  fields: (t) => ({
    position: t.id({
      description:
        'The position of the event, for this visitor only. Pass it as `after` to continue from here. It is encrypted: positions cannot be compared.',
      resolve: ({ position }, _args, { visitor, services }) => services.visitors.positions.encrypt(visitor, position),
    }),
    type: t.exposeString('type', {
      description:
        '`conversation.queued`, `.offered`, `.started`, `.transferred`, `.closed`, `.updated` (escalated to video), `message.created` or `satisfaction.answered`. New types may be added: ignore unknown ones.',
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When the event occurred.' }),
    conversation: t.expose('conversation', {
      type: ConversationRef,
      description: 'The current state of the conversation, which may be newer than the event.',
    }),
    message: t.field({
      type: MessageRef,
      nullable: true,
      description: 'The new message, for `message.created`.',
      resolve: (event, _args, { load }) => loadNewMessage(load, event),
    }),
  }),
});

builder.subscriptionField('conversationEvents', (t) =>
  t.field({
    type: ConversationEventRef,
    description:
      "The events of one of the visitor's conversations, in order. To continue without gaps or duplicates, pass the last `position` you received as `after`.",
    args: {
      id: t.arg.id({ required: true, description: 'The conversation.' }),
      after: t.arg.id({
        description:
          'Returns the events after this position. Defaults to new events only. A position that is too old is rejected: then reload the conversation and continue from `eventPosition`.',
      }),
    },
    subscribe: (_root, { id, after }, context) =>
      createAbortableStream((signal) => streamEvents(context, { id, after }, signal)),
    resolve: (event) => event,
  }),
);

async function* streamEvents(
  context: VisitorContext,
  { id: idText, after }: { readonly id: string; readonly after?: string | null | undefined },
  signal: AbortSignal,
): AsyncGenerator<ConversationEvent> {
  const { visitor, services } = context;
  const start = parsePosition(context, after) ?? (await services.events.log.readPosition(visitor.accountId));
  const id = parseIdArgument(idText);
  const requireOwnConversation = async () => {
    const found = id === undefined ? undefined : await services.visitors.ownConversations.find(visitor, id);
    if (!found) throw graphqlError('BAD_REQUEST', `Unknown 'conversation' with 'id' ${idText}.`);
    return found;
  };
  await requireOwnConversation();
  for await (const events of services.events.log.follow(visitor.accountId, start, signal, [`conversation:${id}`])) {
    const visibleEvents = events.filter(({ type, changes }) => isVisibleToVisitors(type, changes.fields));
    if (visibleEvents.length === 0) continue;
    // Cached rows may be outdated.
    context.load = createLoaders(visitor, services, context.turns);
    const conversation = await requireOwnConversation();
    for (const event of visibleEvents) yield { ...event, conversation };
  }
}

function parsePosition({ visitor, services }: VisitorContext, text: string | null | undefined): number | undefined {
  if (text === null || text === undefined) return undefined;
  const position = services.visitors.positions.decrypt(visitor, text);
  if (position !== undefined) return position;
  // Positions were numbers before they were encrypted.
  throw /^\d+$/.test(text)
    ? positionTooOld()
    : graphqlError('BAD_REQUEST', 'after must be a position that this visitor received.');
}
