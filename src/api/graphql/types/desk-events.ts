import type { LoggedEvent } from '../../../core/events/event-log.ts';
import { ANY_SUBJECT } from '../../../core/events/event-tail.ts';
import { requireOperatorId } from '../../../core/kernel/caller.ts';
import { loadNewMessage } from '../../graphql-server/conversation-loaders.ts';
import { forbiddenError, graphqlError } from '../../graphql-server/errors.ts';
import { parseIdArgument, parsePosition } from '../../graphql-server/ids.ts';
import { createAbortableStream } from '../../graphql-server/streams.ts';
import { builder } from '../builder.ts';
import type { Context } from '../context.ts';
import { createLoaders } from '../loaders.ts';
import { ConversationRef, canSee, MessageRef } from './conversation.ts';
import { NoteRef } from './note.ts';
import { OperatorRef } from './operator.ts';

const DeskEventRef = builder.objectRef<LoggedEvent>('DeskEvent').implement({
  description: 'An event. Its objects have their current state, which may be newer than the event.',
  fields: (t) => ({
    position: t.exposeID('position', {
      description: 'The position in the event log. Pass it as `after` to continue from here.',
    }),
    type: t.exposeString('type', {
      description:
        '`conversation.queued`, `.offered`, `.started`, `.transferred`, `.closed`, `.updated`; `message.created`; `note.created`; `satisfaction.answered`; `operator.connected`, `.disconnected`, `.availability_updated`, `.updated`; `visitor.updated` when the context of a visitor in one of the conversations of the viewer changed; `canned_reply.created`, `.updated`, `.deleted` when canned replies of the viewer, a group or the account changed: read `cannedReplies` again; `message_left.created`, `.updated`, `.deleted` for messages that the viewer can read: read `messagesLeft` again; `account.updated`: read `account` again. Of changes of canned replies, messages left or the account that were made together, only the last arrives. New types may be added: ignore unknown ones.',
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When the event occurred.' }),
    conversationId: t.id({
      nullable: true,
      description: 'The identifier of the conversation, even if the event took it away from the viewer.',
      resolve: getConversationId,
    }),
    conversation: t.field({
      type: ConversationRef,
      nullable: true,
      description: 'The conversation. Null if the viewer can no longer see it.',
      resolve: async (event, _args, context) => (await findVisibleConversation(event, context)) ?? null,
    }),
    message: t.field({
      type: MessageRef,
      nullable: true,
      description: 'The new message, for `message.created` in a conversation that the viewer can see.',
      resolve: async (event, _args, context) => {
        if (event.type !== 'message.created') return null;
        const [conversation, message] = await Promise.all([
          findVisibleConversation(event, context),
          loadNewMessage(context.load.conversations, event),
        ]);
        return conversation ? message : null;
      },
    }),
    note: t.field({
      type: NoteRef,
      nullable: true,
      description: 'The new note, for `note.created` in a conversation that the viewer can see.',
      resolve: async (event, _args, context) => {
        const { noteId } = event.changes.values;
        if (event.type !== 'note.created' || typeof noteId !== 'number') return null;
        const conversation = await findVisibleConversation(event, context);
        if (!conversation) return null;
        return (await context.load.note.load({ conversationId: conversation.id, id: noteId })) ?? null;
      },
    }),
    operator: t.field({
      type: OperatorRef,
      nullable: true,
      description: 'The operator, for events about operators.',
      resolve: async ({ subjectType, subjectId }, _args, { load }) =>
        subjectType === 'operator' ? ((await load.operator.load(subjectId)) ?? null) : null,
    }),
    visitorId: t.id({
      nullable: true,
      description: 'The identifier of the visitor, for `visitor.updated`. Read the conversation again for the details.',
      resolve: ({ subjectType, subjectId }) => (subjectType === 'visitor' ? subjectId : null),
    }),
    reason: t.string({
      nullable: true,
      description:
        'The reason, where there are several. For a requeued conversation: `declined`, `timed_out`, `withdrawn`, `operator_lost`, `transfer`. For an operator who went offline: `signed_off`, `taken_offline`, `lease_ended`. For an operator who is no longer available: `missed_offers`.',
      resolve: ({ changes: { values } }) => (typeof values.reason === 'string' ? values.reason : null),
    }),
  }),
});

function getConversationId({ subjectType, subjectId }: LoggedEvent): number | null {
  return subjectType === 'conversation' ? subjectId : null;
}

async function findVisibleConversation(event: LoggedEvent, context: Context) {
  const id = getConversationId(event);
  const conversation = id === null ? undefined : await context.load.conversations.byId.load(id);
  return conversation && (await canSee(conversation, context)) ? conversation : undefined;
}

const AFTER_DESCRIPTION =
  'Returns all events after this position, in order. Defaults to new events only. A position that is too old is rejected: then reload your data and continue from `eventPosition`.';

builder.queryField('eventPosition', (t) =>
  t.id({
    description:
      'The current position of the event log. Read it first, then your data, then subscribe with it as `after`: no event is missed. Detect duplicates by positions and sequence numbers.',
    resolve: (_root, _args, { caller, services }) => services.events.log.readPosition(caller.accountId),
  }),
);

builder.subscriptionFields((t) => ({
  deskEvents: t.field({
    type: DeskEventRef,
    description:
      'The events that concern the viewer: offers, their conversations and messages, the visitors in them, conversations they lose, and their live state. The viewer is connected while the subscription is open and the connection answers pings, and for a grace period of 10 seconds after that. A viewer who was taken offline by someone else stays offline until they call `operatorConnect`. FORBIDDEN for API keys.',
    args: { after: t.arg.id({ description: AFTER_DESCRIPTION }) },
    subscribe: (_root, { after }, context) => {
      const position = parsePosition('after', after);
      return createAbortableStream((signal) => streamDeskEvents(context, position, signal));
    },
    resolve: (event) => event,
  }),
  conversationEvents: t.field({
    type: DeskEventRef,
    description:
      'The events of one conversation. Ends with FORBIDDEN when the viewer can no longer see the conversation.',
    args: {
      id: t.arg.id({ required: true, description: 'The conversation.' }),
      after: t.arg.id({ description: AFTER_DESCRIPTION }),
    },
    subscribe: (_root, { id, after }, context) => {
      const position = parsePosition('after', after);
      return createAbortableStream((signal) => streamConversationEvents(context, id, position, signal));
    },
    resolve: (event) => event,
  }),
}));

async function* streamDeskEvents(
  context: Context,
  after: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<LoggedEvent> {
  const { caller, services, desk } = context;
  const { accountId } = caller;
  const operatorId = requireOperatorId(caller);
  // Read before the desk opens, so that it receives the events caused by its own connection.
  const openPosition = await services.events.log.readPosition(accountId);
  const start = after ?? openPosition;
  await services.events.log.requirePosition(accountId, start);
  try {
    await desk?.enter(caller, operatorId);
    const topics = [
      `operator:${operatorId}`,
      ...[`canned_reply:${ANY_SUBJECT}`, `message_left:${ANY_SUBJECT}`, `account:${accountId}`],
    ];
    for await (const events of services.events.log.follow(accountId, start, signal, topics)) {
      // Cached rows may be outdated.
      context.load = createLoaders(caller, services, context.turns);
      for (const event of events) if (event.position > openPosition) desk?.handleEvent(event);
      yield* await listRelevant(events, context, operatorId);
    }
  } finally {
    desk?.leave();
  }
}

/** In a transfer, the previous operator receives only the loss, and the new operator only the offer or start. */
function isRelevant(event: LoggedEvent, operatorId: number): boolean {
  const { type, subjectType } = event;
  const { fields, values } = event.changes;
  if (subjectType === 'account') return true;
  if (subjectType === 'canned_reply') {
    // An update of the scope takes the reply away from the others.
    const isShared = values.scope !== 'own' || (type === 'canned_reply.updated' && fields.includes('scope'));
    return isShared || values.operatorId === operatorId;
  }
  if (subjectType !== 'conversation') return subjectType === 'operator' || subjectType === 'visitor';
  const isOwn = values.operatorId === operatorId;
  if (type === 'conversation.offered' || type === 'conversation.started') return isOwn;
  return type !== 'conversation.transferred' || !isOwn;
}

/** Their events tell only that something has to be read again, which is done once for several of them. */
const REREAD_SUBJECTS = ['canned_reply', 'message_left', 'account'];

async function listRelevant(
  events: readonly LoggedEvent[],
  context: Context,
  operatorId: number,
): Promise<LoggedEvent[]> {
  const hasMessagesLeft = events.some(({ subjectType }) => subjectType === 'message_left');
  const canReadMessage = hasMessagesLeft ? await createMessageReader(context, operatorId) : () => false;
  const relevant = events.filter((event) =>
    event.subjectType === 'message_left' ? canReadMessage(event) : isRelevant(event, operatorId),
  );
  const last = new Map(relevant.map((event) => [event.subjectType, event]));
  return relevant.filter(
    (event) => !REREAD_SUBJECTS.includes(event.subjectType) || event === last.get(event.subjectType),
  );
}

/** As in `messagesLeft`. */
async function createMessageReader(
  { caller, load }: Context,
  operatorId: number,
): Promise<(event: LoggedEvent) => boolean> {
  if (caller.accessLevel === 'expert') return () => false;
  if (caller.accessLevel === 'admin') return () => true;
  const websites = new Set((await load.operator.load(operatorId))?.websiteList);
  return ({ changes }) => websites.has(changes.values.websiteId as number);
}

async function* streamConversationEvents(
  context: Context,
  idText: string,
  after: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<LoggedEvent> {
  const { caller, services } = context;
  const { accountId } = caller;
  const start = after ?? (await services.events.log.readPosition(accountId));
  const id = parseIdArgument(idText);
  const requireAccess = async () => {
    context.load = createLoaders(caller, services, context.turns);
    const conversation = id === undefined ? undefined : await context.load.conversations.byId.load(id);
    if (!conversation) throw graphqlError('BAD_REQUEST', `Unknown 'conversation' with 'id' ${idText}.`);
    if (!(await canSee(conversation, context))) throw forbiddenError();
  };
  await requireAccess();
  for await (const events of services.events.log.follow(accountId, start, signal, [`conversation:${id}`])) {
    if (events.length > 0) await requireAccess();
    yield* events;
  }
}
