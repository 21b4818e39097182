import { MAX_COUNTED_MESSAGES } from '../../../core/engine/conversations/read-markers.ts';
import {
  CLOSE_REASON_DESCRIPTIONS,
  type CloseReason,
  type Conversation,
  type ConversationState,
} from '../../../core/engine/records/conversation.ts';
import { requireSize } from '../../graphql-server/connection.ts';
import { graphqlError } from '../../graphql-server/errors.ts';
import { parseIdArgument } from '../../graphql-server/ids.ts';
import { loadOrNull } from '../../graphql-server/loaders.ts';
import { builder, ChannelEnum, connectionField, connectionType, createEnum } from '../builder.ts';
import { MessageRef, OperatorRef } from './message.ts';
import { SatisfactionRef } from './satisfaction.ts';

const ConversationStateEnum = createEnum<ConversationState>(
  'ConversationState',
  'The state of a conversation. It returns to QUEUED if the operator declines or disconnects.',
  {
    queued: 'Waiting for an operator.',
    offered: 'Offered to an operator.',
    active: 'Accepted by an operator.',
    closed: 'Closed.',
  },
);

const ClosedByEnum = createEnum('ClosedBy', 'Who closed a conversation.', {
  visitor: 'The visitor.',
  operator: 'An operator.',
  system: 'The service.',
});

const CloseReasonEnum = createEnum<CloseReason>(
  'CloseReason',
  'Why the service closed a conversation.',
  CLOSE_REASON_DESCRIPTIONS,
);

const MAX_MESSAGES = 1000;

export const ConversationRef = builder.objectRef<Conversation>('Conversation');

ConversationRef.implement({
  description: 'A conversation between the visitor and the operators of the website.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The identifier of the conversation.' }),
    channel: t.expose('channel', { type: ChannelEnum, description: 'The channel of the conversation.' }),
    state: t.expose('state', { type: ConversationStateEnum, description: 'The state of the conversation.' }),
    language: t.exposeString('language', { description: 'The requested language (ISO 639-1).' }),
    skillId: t.exposeID('skillId', { nullable: true, description: 'The requested skill.' }),
    groupId: t.exposeID('groupId', { nullable: true, description: 'The requested group.' }),
    operator: t.field({
      type: OperatorRef,
      nullable: true,
      description: 'The operator who handles the conversation. Null until an operator accepts it.',
      resolve: async ({ operatorId, state }, _args, { load }) =>
        operatorId === null || state === 'offered' ? null : ((await load.operator.load(operatorId)) ?? null),
    }),
    queuePosition: t.int({
      nullable: true,
      description:
        'The position among queued conversations with the same requirements, starting at 1. Null unless queued.',
      resolve: ({ id, state }, _args, { load }) => (state === 'queued' ? load.queuePosition.load(id) : null),
    }),
    estimatedWaitSeconds: t.int({
      nullable: true,
      description:
        'How long the conversation still has to wait, from how many conversations of the same skill and channel were started in the last 30 minutes. Null unless queued, and with fewer than 10 starts.',
      resolve: ({ id, state }, _args, { load }) => (state === 'queued' ? load.estimatedWait.load(id) : null),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the conversation was started.' }),
    acceptedAt: t.expose('acceptedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When an operator accepted the conversation.',
    }),
    closedAt: t.expose('closedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the conversation was closed.',
    }),
    closedBy: t.field({
      type: ClosedByEnum,
      nullable: true,
      description: 'Who closed the conversation.',
      resolve: ({ closedBy }) => (closedBy === 'api_key' ? 'system' : closedBy),
    }),
    closeReason: t.expose('closeReason', {
      type: CloseReasonEnum,
      nullable: true,
      description: 'Why it was closed. Null if a person closed it on purpose.',
    }),
    messageCount: t.exposeInt('messageCount', {
      description: 'The number of messages, which is also the sequence number of the newest.',
    }),
    messages: t.field({
      type: [MessageRef],
      description: 'The messages of the conversation, oldest first.',
      args: {
        after: t.arg.int({
          description:
            'Returns the messages after this sequence number. Pass that of your last message to miss none. Defaults to 0.',
        }),
        first: t.arg.int({
          description: `Returns the first _n_ messages. Defaults to ${MAX_MESSAGES}, which is the maximum.`,
        }),
      },
      resolve: ({ id }, args, { load }) => {
        const [after, first] = [args.after ?? 0, args.first ?? MAX_MESSAGES];
        if (after < 0) throw graphqlError('BAD_REQUEST', 'after must be 0 or a sequence number.');
        requireSize('first', first, MAX_MESSAGES);
        return load.messages.load({ ownerId: id, window: { after, first } });
      },
    }),
    readByVisitorUpTo: t.int({
      description: 'The number of the last message that the visitor has read; 0 if none.',
      resolve: async ({ id }, _args, { load }) => (await load.readMarkers.load(id)).visitorUpTo,
    }),
    readByOperatorUpTo: t.int({
      description: 'The number of the last message that an operator has read; 0 if none.',
      resolve: async ({ id }, _args, { load }) => (await load.readMarkers.load(id)).operatorUpTo,
    }),
    unreadCount: t.int({
      description: `The number of messages of operators that the visitor has not read, among the newest ${MAX_COUNTED_MESSAGES} messages.`,
      resolve: ({ id }, _args, { load }) => load.unreadCount.load({ ownerId: id }),
    }),
    escalatedTo: t.field({
      type: ConversationRef,
      nullable: true,
      description: 'The video conversation that this chat was escalated to, if any. The chat stays open.',
      resolve: async ({ id, channel }, _args, { visitor, services }) =>
        channel === 'chat'
          ? ((await services.visitors.ownConversations.findEscalatedVideo(visitor, id)) ?? null)
          : null,
    }),
    satisfaction: t.field({
      type: SatisfactionRef,
      nullable: true,
      description: "The visitor's answer to the satisfaction survey, if any.",
      resolve: ({ id }, _args, { load }) => loadOrNull(load.satisfaction, id),
    }),
  }),
});

const ConversationConnection = connectionType('Conversation', ConversationRef);

builder.queryFields((t) => ({
  conversation: t.field({
    type: ConversationRef,
    nullable: true,
    description:
      'A conversation of the visitor by its identifier. Null if it does not exist or belongs to another visitor.',
    args: { id: t.arg.id({ required: true, description: 'The identifier of the conversation.' }) },
    resolve: async (_root, { id: idText }, { visitor, services, eventPosition }) => {
      await eventPosition();
      const id = parseIdArgument(idText);
      return id === undefined ? null : ((await services.visitors.ownConversations.find(visitor, id)) ?? null);
    },
  }),
  conversations: connectionField(t, {
    type: ConversationConnection,
    description: 'The conversations of the visitor.',
    list: async (_root, _args, { visitor, services: { visitors }, eventPosition }) => {
      await eventPosition();
      return {
        slice: (slice) => visitors.ownConversations.slice(visitor, slice),
        count: () => visitors.ownConversations.count(visitor),
      };
    },
  }),
  eventPosition: t.id({
    description:
      'The position before this request read anything. Subscribe with it as `after` to receive every later event.',
    resolve: async (_root, _args, { visitor, services, eventPosition }) =>
      services.visitors.positions.encrypt(visitor, await eventPosition()),
  }),
}));
