import type { Conversation, ConversationState } from '../../../core/engine/records/conversation.ts';
import { requireSize } from '../../graphql-server/connection.ts';
import { graphqlError } from '../../graphql-server/errors.ts';
import { readId } from '../../graphql-server/ids.ts';
import { loadOrNull } from '../../graphql-server/loaders.ts';
import { builder, ChannelEnum, connectionField, connectionType, wordsEnum } from '../builder.ts';
import { MessageRef, OperatorRef } from './message.ts';
import { SatisfactionRef } from './satisfaction.ts';

const ConversationStateEnum = wordsEnum<ConversationState>(
  'ConversationState',
  'How far a conversation has come. It can go back to QUEUED, when an operator declines or is lost.',
  {
    queued: 'Waits for an operator.',
    offered: 'An operator is being asked.',
    active: 'An operator has accepted it.',
    closed: 'It has ended.',
  },
);

const ClosedByEnum = wordsEnum('ClosedBy', 'Who ended a conversation.', {
  visitor: 'The visitor.',
  operator: 'An operator.',
  system: 'The service.',
});

/** So many messages are read at once, unless fewer are asked for. */
const MAX_MESSAGES = 1000;

export const ConversationRef = builder.objectRef<Conversation>('Conversation');

ConversationRef.implement({
  description: 'A conversation of the visitor with the operators of the website.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier.' }),
    channel: t.expose('channel', { type: ChannelEnum, description: 'How it is held.' }),
    state: t.expose('state', { type: ConversationStateEnum, description: 'How far it has come.' }),
    language: t.exposeString('language', { description: 'The language that it asks for (ISO 639-1).' }),
    skillId: t.exposeID('skillId', { nullable: true, description: 'The skill that it asks for.' }),
    groupId: t.exposeID('groupId', { nullable: true, description: 'The group that it asks for.' }),
    operator: t.field({
      type: OperatorRef,
      nullable: true,
      description: 'Who has it; nobody as long as nobody has accepted it.',
      resolve: async ({ operatorId, state }, _args, { load }) =>
        operatorId === null || state === 'offered' ? null : ((await load.operator.load(operatorId)) ?? null),
    }),
    queuePosition: t.int({
      nullable: true,
      description: 'Its place among those that wait for the same: 1 is next. Null when it does not wait.',
      resolve: ({ id, state }, _args, { load }) => (state === 'queued' ? load.queuePosition.load(id) : null),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it began.' }),
    acceptedAt: t.expose('acceptedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When an operator accepted it.',
    }),
    closedAt: t.expose('closedAt', { type: 'DateTime', nullable: true, description: 'When it ended.' }),
    closedBy: t.field({
      type: ClosedByEnum,
      nullable: true,
      description: 'Who ended it.',
      resolve: ({ closedBy }) => (closedBy === 'api_key' ? 'system' : closedBy),
    }),
    messageCount: t.exposeInt('messageCount', {
      description: 'How many messages it has: also the sequence number of the newest.',
    }),
    messages: t.field({
      type: [MessageRef],
      description: 'What was said, in order.',
      args: {
        after: t.arg.int({
          description:
            'Only what has a higher sequence number. Give that of the last message you have: nothing is missed.',
        }),
        first: t.arg.int({ description: `How many from there; ${MAX_MESSAGES} at most, and if nothing is said.` }),
      },
      resolve: ({ id }, args, { load }) => {
        const [after, first] = [args.after ?? 0, args.first ?? MAX_MESSAGES];
        if (after < 0) throw graphqlError('BAD_REQUEST', 'after must be a sequence number, or 0.');
        requireSize('first', first, MAX_MESSAGES);
        return load.messages.load({ ownerId: id, window: { after, first } });
      },
    }),
    escalatedTo: t.field({
      type: ConversationRef,
      nullable: true,
      description: 'The video that this chat became, if it became one; both go on.',
      resolve: async ({ id, channel }, _args, { visitor, services }) =>
        channel === 'chat' ? ((await services.visitors.ownConversations.escalatedTo(visitor, id)) ?? null) : null,
    }),
    satisfaction: t.field({
      type: SatisfactionRef,
      nullable: true,
      description: 'What the visitor answered to the survey, if they did.',
      resolve: ({ id }, _args, { load }) => loadOrNull(load.satisfaction, id),
    }),
  }),
});

const ConversationConnection = connectionType('Conversation', ConversationRef);

builder.queryFields((t) => ({
  conversation: t.field({
    type: ConversationRef,
    nullable: true,
    description: 'A conversation of the visitor. Null for one of somebody else, as for one that does not exist.',
    args: { id: t.arg.id({ required: true, description: 'Identifier.' }) },
    resolve: async (_root, { id: text }, { visitor, services, position }) => {
      await position();
      const id = readId(text);
      return id === undefined ? null : ((await services.visitors.ownConversations.find(visitor, id)) ?? null);
    },
  }),
  conversations: connectionField(t, {
    type: ConversationConnection,
    description: 'The conversations of the visitor.',
    list: async (_root, _args, { visitor, services: { visitors }, position }) => {
      await position();
      return {
        slice: (slice) => visitors.ownConversations.slice(visitor, slice),
        count: () => visitors.ownConversations.count(visitor),
      };
    },
  }),
  eventPosition: t.id({
    description:
      'How far the log of changes had come before anything of this request was read. Subscribe with it as `after` to miss nothing of what happens from then on.',
    resolve: (_root, _args, { position }) => position(),
  }),
}));
