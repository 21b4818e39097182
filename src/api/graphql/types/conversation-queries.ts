import { type ConversationFilters, toAccessScope } from '../../../core/engine/conversations/conversation-filter.ts';
import { sharesWork } from '../../../core/engine/conversations/read-access.ts';
import type { Visitor } from '../../../core/visitors/visitor-query.ts';
import { toSlicedList } from '../../graphql-server/connection.ts';
import { forbiddenError } from '../../graphql-server/errors.ts';
import { parseIdArgument } from '../../graphql-server/ids.ts';
import { builder, ChannelEnum, connectionField, connectionType } from '../builder.ts';
import { requireLanguageCode, toIdFilter } from '../filters.ts';
import { ConversationRef, ConversationStateEnum, canSee } from './conversation.ts';
import { toPeriod } from './statistics.ts';
import { VisitorRef } from './visitor.ts';

const ConversationConnection = connectionType('Conversation', ConversationRef);

const ConversationFilterInput = builder.inputType('ConversationFilter', {
  description:
    'Filters for conversations. All of them must match. Identifier filters accept one identifier, a comma-separated list, or digits with `*`.',
  fields: (t) => ({
    id: t.string({ description: 'The identifier of the conversation.' }),
    channel: t.field({ type: ChannelEnum, description: 'On this channel.' }),
    state: t.field({ type: ConversationStateEnum, description: 'In this state.' }),
    websiteId: t.string({ description: 'Started on this website.' }),
    operatorId: t.string({ description: 'Handled by this operator, or offered to them.' }),
    visitorId: t.string({ description: 'Of this visitor.' }),
    skillId: t.string({ description: 'Requests this skill.' }),
    groupId: t.string({
      description: 'The current group of its operator. Without an operator, the requested group.',
    }),
    tagId: t.string({ description: 'Has this tag.' }),
    language: t.string({ description: 'Requests this language (ISO 639-1).' }),
    waiting: t.boolean({ description: 'Whether the conversation is neither accepted nor closed.' }),
    from: t.field({ type: 'DateTime', description: 'Started at this time or later.' }),
    to: t.field({ type: 'DateTime', description: 'Started before this time.' }),
    closedFrom: t.field({ type: 'DateTime', description: 'Closed at this time or later.' }),
    closedTo: t.field({ type: 'DateTime', description: 'Closed before this time.' }),
  }),
});

function toConversationFilters(
  filter: typeof ConversationFilterInput.$inferInput | null | undefined,
): ConversationFilters {
  if (!filter) return {};
  requireLanguageCode('filter.language', filter.language);
  const { closedFrom, closedTo } = filter;
  return {
    id: toIdFilter('id', filter.id),
    channels: filter.channel ? [filter.channel] : undefined,
    states: filter.state ? [filter.state] : undefined,
    websiteId: toIdFilter('websiteId', filter.websiteId),
    operatorId: toIdFilter('operatorId', filter.operatorId),
    visitorId: toIdFilter('visitorId', filter.visitorId),
    skillId: toIdFilter('skillId', filter.skillId),
    groupId: toIdFilter('groupId', filter.groupId),
    tagId: toIdFilter('tagId', filter.tagId),
    language: filter.language ?? undefined,
    waiting: filter.waiting ?? undefined,
    period: toPeriod(filter),
    closedPeriod: closedFrom || closedTo ? toPeriod({ from: closedFrom, to: closedTo }) : undefined,
  };
}

builder.objectField(VisitorRef, 'conversations', (t) =>
  connectionField(t as never, {
    type: ConversationConnection,
    description:
      'The conversations of the visitor that the viewer can see. With `Account.shareVisitorHistory`, operators and managers see all closed ones while they serve the visitor; experts only their own.',
    list: async ({ id }: Visitor, _args, { caller, load, services }) => {
      const settings = await load.deskSettings();
      const scope = await toAccessScope(caller, load.deskSettings);
      const isShared = settings.shareVisitorHistory && sharesWork(caller) && (await load.servesVisitor.load(id));
      const filters: ConversationFilters = {
        visitorId: { kind: 'ids', ids: [id] },
        scope: scope && { ...scope, sharedVisitorId: isShared ? id : undefined },
      };
      return {
        slice: (slice) => load.conversations.slice.load({ filters, slice }),
        count: () => services.engine.conversationQuery.count(caller.accountId, filters),
      };
    },
  }),
);

builder.queryFields((t) => ({
  conversation: t.field({
    type: ConversationRef,
    nullable: true,
    description:
      'A conversation by its identifier. Available to the operator who handles it, their managers and admins.',
    args: { id: t.arg.id({ required: true, description: 'The identifier of the conversation.' }) },
    resolve: async (_root, { id: idText }, context) => {
      const id = parseIdArgument(idText);
      const conversation = id === undefined ? undefined : await context.load.conversations.byId.load(id);
      if (conversation && !(await canSee(conversation, context))) throw forbiddenError();
      return conversation ?? null;
    },
  }),
  conversations: connectionField(t, {
    type: ConversationConnection,
    description:
      'The conversations that the viewer can see. Admins see all conversations, managers the conversations of their groups, operators their own.',
    args: { filter: t.arg({ type: ConversationFilterInput, description: 'Filters for the conversations.' }) },
    list: async (_root, { filter }, { caller, services, load }) => {
      const scope = await toAccessScope(caller, load.deskSettings);
      const filters = { ...toConversationFilters(filter), scope };
      const list = toSlicedList(services.engine.conversationQuery, caller.accountId, filters);
      return {
        ...list,
        slice: async (slice) => {
          const page = await list.slice(slice);
          for (const row of page.rows) load.conversations.byId.prime(row.id, row);
          return page;
        },
      };
    },
  }),
}));
