import type { LoggedEvent } from '../../../core/events/event-log.ts';
import { forbiddenError, graphqlError } from '../../graphql-server/errors.ts';
import { readId, readPosition } from '../../graphql-server/ids.ts';
import { endable } from '../../graphql-server/streams.ts';
import { builder } from '../builder.ts';
import type { Context } from '../context.ts';
import { createLoaders } from '../loaders.ts';
import { ConversationRef, MessageRef, maySee } from './conversation.ts';
import { OperatorRef } from './operator.ts';

const DeskEventRef = builder.objectRef<LoggedEvent>('DeskEvent').implement({
  description:
    'Something that happened. Its objects are shown as they are now, which may be further than the event: several events may show the same.',
  fields: (t) => ({
    position: t.exposeID('position', { description: 'Its place in the log: give it as `after` to go on from here.' }),
    type: t.exposeString('type', {
      description:
        '`conversation.queued`, `.offered`, `.started`, `.transferred`, `.closed`, `.updated`; `message.created`; `satisfaction.answered`; `operator.connected`, `.disconnected`, `.availability_updated`, `.updated`. More may come: leave out what you do not know.',
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When it happened.' }),
    conversationId: t.id({
      nullable: true,
      description: 'The conversation that it is about, also when the viewer has lost it with this event.',
      resolve: conversationIdOf,
    }),
    conversation: t.field({
      type: ConversationRef,
      nullable: true,
      description: 'The conversation that it is about; null when it is no longer one that the viewer may see.',
      resolve: async (event, _args, context) => (await visibleConversation(event, context)) ?? null,
    }),
    message: t.field({
      type: MessageRef,
      nullable: true,
      description: 'The new message, for `message.created` in a conversation that the viewer may see.',
      resolve: async (event, _args, context) => {
        const { sequence } = event.changes.values;
        if (event.type !== 'message.created' || typeof sequence !== 'number') return null;
        const conversation = await visibleConversation(event, context);
        if (!conversation) return null;
        const name = { conversationId: conversation.id, sequence };
        return (await context.load.conversations.message.load(name)) ?? null;
      },
    }),
    operator: t.field({
      type: OperatorRef,
      nullable: true,
      description: 'The operator who changed, for the events of operators.',
      resolve: async ({ subjectType, subjectId }, _args, { load }) =>
        subjectType === 'operator' ? ((await load.operator.load(subjectId)) ?? null) : null,
    }),
    reason: t.string({
      nullable: true,
      description:
        'Why, where there is more than one possibility: of a conversation that waits again `declined`, `timed_out`, `withdrawn`, `operator_lost`, `transfer`; of who went offline `signed_off`, `taken_offline`, `lease_ended`; of a wish taken back `missed_offers`.',
      resolve: ({ changes: { values } }) => (typeof values.reason === 'string' ? values.reason : null),
    }),
  }),
});

function conversationIdOf({ subjectType, subjectId }: LoggedEvent): number | null {
  return subjectType === 'conversation' ? subjectId : null;
}

async function visibleConversation(event: LoggedEvent, context: Context) {
  const id = conversationIdOf(event);
  const conversation = id === null ? undefined : await context.load.conversations.byId.load(id);
  return conversation && (await maySee(conversation, context)) ? conversation : undefined;
}

const AFTER =
  'Only what happened after this position, all of it and in order; from now on if nothing is said. One that is too old is refused: then read everything again and go on from `eventPosition`.';

builder.queryField('eventPosition', (t) =>
  t.id({
    description:
      'How far the log of changes has come. Read it first, then what you show, then subscribe with it as `after`: so nothing is missed between the two, and what comes twice is known by its position and sequence numbers.',
    resolve: (_root, _args, { caller, services }) => services.events.log.position(caller.accountId),
  }),
);

builder.subscriptionFields((t) => ({
  deskEvents: t.field({
    type: DeskEventRef,
    description:
      'All that concerns the viewer: offers, their conversations with the messages in them, conversations that they lose, and their own live state. While it is open and the connection answers pings, the viewer is connected; 10 seconds after it was closed they are not. Whom somebody else took offline stays so until they call `operatorConnect`.',
    args: { after: t.arg.id({ description: AFTER }) },
    subscribe: (_root, { after }, context) => {
      const position = readPosition('after', after);
      return endable((signal) => eventsOfDesk(context, position, signal));
    },
    resolve: (event) => event,
  }),
  conversationEvents: t.field({
    type: DeskEventRef,
    description:
      'All that happens in one conversation, for whoever may see it. It ends with FORBIDDEN when they may not any more.',
    args: {
      id: t.arg.id({ required: true, description: 'The conversation.' }),
      after: t.arg.id({ description: AFTER }),
    },
    subscribe: (_root, { id, after }, context) => {
      const position = readPosition('after', after);
      return endable((signal) => eventsOfConversation(context, id, position, signal));
    },
    resolve: (event) => event,
  }),
}));

async function* eventsOfDesk(
  context: Context,
  after: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<LoggedEvent> {
  const { caller, services, desk } = context;
  const { accountId, operatorId } = caller;
  if (operatorId === null) throw forbiddenError();
  // Before the desk opens: what its being there brings about is the first that it must hear of.
  const opened = await services.events.log.position(accountId);
  const start = after ?? opened;
  await services.events.log.requirePosition(accountId, start);
  try {
    await desk?.enter(caller, operatorId);
    for await (const events of services.events.log.follow(accountId, start, signal, [`operator:${operatorId}`])) {
      // What is known of earlier events is over.
      context.load = createLoaders(caller, services);
      for (const event of events) {
        if (event.position > opened) desk?.notice(event);
        if (concerns(event, operatorId)) yield event;
      }
    }
  } finally {
    desk?.leave();
  }
}

/** Whoever loses a conversation hears of the loss, and whoever gets it that it is theirs; neither of the other's part. */
function concerns({ type, subjectType, changes: { values } }: LoggedEvent, operatorId: number): boolean {
  if (subjectType !== 'conversation') return subjectType === 'operator';
  const isTheirs = values.operatorId === operatorId;
  if (type === 'conversation.offered' || type === 'conversation.started') return isTheirs;
  return type !== 'conversation.transferred' || !isTheirs;
}

async function* eventsOfConversation(
  context: Context,
  text: string,
  after: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<LoggedEvent> {
  const { caller, services } = context;
  const { accountId } = caller;
  const start = after ?? (await services.events.log.position(accountId));
  const id = readId(text);
  const requireSight = async () => {
    context.load = createLoaders(caller, services);
    const conversation = id === undefined ? undefined : await context.load.conversations.byId.load(id);
    if (!conversation) throw graphqlError('BAD_REQUEST', `Unknown 'conversation' with 'id' ${text}.`);
    if (!(await maySee(conversation, context))) throw forbiddenError();
  };
  await requireSight();
  for await (const events of services.events.log.follow(accountId, start, signal, [`conversation:${id}`])) {
    if (events.length > 0) await requireSight();
    yield* events;
  }
}
