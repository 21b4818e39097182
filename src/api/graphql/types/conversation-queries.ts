import { type ConversationFilters, reachOf } from '../../../core/engine/conversations/conversation-filter.ts';
import { listOf } from '../../graphql-server/connection.ts';
import { forbiddenError } from '../../graphql-server/errors.ts';
import { readId } from '../../graphql-server/ids.ts';
import { builder, ChannelEnum, connectionField, connectionType } from '../builder.ts';
import { idFilter, requireLanguage } from '../filters.ts';
import { ConversationRef, ConversationStateEnum, maySee } from './conversation.ts';
import { readPeriod } from './statistics.ts';

const ConversationConnection = connectionType('Conversation', ConversationRef);

const ConversationFilterInput = builder.inputType('ConversationFilter', {
  description: 'All that is given must hold. Identifiers: one, a comma-separated list, or digits with `*`.',
  fields: (t) => ({
    id: t.string({ description: 'The conversation itself.' }),
    channel: t.field({ type: ChannelEnum, description: 'Held in this way.' }),
    state: t.field({ type: ConversationStateEnum, description: 'In this state.' }),
    websiteId: t.string({ description: 'Began on this website.' }),
    operatorId: t.string({ description: 'Of this operator, or offered to them.' }),
    visitorId: t.string({ description: 'Of this visitor.' }),
    skillId: t.string({ description: 'Asks for this skill.' }),
    groupId: t.string({
      description: "Its operator's group, as it is now; while it has no operator, the group that it asks for.",
    }),
    tagId: t.string({ description: 'Has this tag.' }),
    language: t.string({ description: 'Asks for this language (ISO 639-1).' }),
    waiting: t.boolean({ description: 'Nobody has accepted it yet, and it is not closed; or the opposite.' }),
    from: t.field({ type: 'DateTime', description: 'Began at this moment or later.' }),
    to: t.field({ type: 'DateTime', description: 'Began before this moment.' }),
  }),
});

function readFilter(filter: typeof ConversationFilterInput.$inferInput | null | undefined): ConversationFilters {
  if (!filter) return {};
  requireLanguage('filter.language', filter.language);
  return {
    id: idFilter('id', filter.id),
    channels: filter.channel ? [filter.channel] : undefined,
    states: filter.state ? [filter.state] : undefined,
    websiteId: idFilter('websiteId', filter.websiteId),
    operatorId: idFilter('operatorId', filter.operatorId),
    visitorId: idFilter('visitorId', filter.visitorId),
    skillId: idFilter('skillId', filter.skillId),
    groupId: idFilter('groupId', filter.groupId),
    tagId: idFilter('tagId', filter.tagId),
    language: filter.language ?? undefined,
    waiting: filter.waiting ?? undefined,
    period: readPeriod(filter),
  };
}

builder.queryFields((t) => ({
  conversation: t.field({
    type: ConversationRef,
    nullable: true,
    description:
      'A conversation by its identifier: one that the viewer has, or that is of the groups that they manage.',
    args: { id: t.arg.id({ required: true, description: 'Identifier.' }) },
    resolve: async (_root, { id: text }, context) => {
      const id = readId(text);
      const conversation = id === undefined ? undefined : await context.load.conversations.byId.load(id);
      if (conversation && !(await maySee(conversation, context))) throw forbiddenError();
      return conversation ?? null;
    },
  }),
  conversations: connectionField(t, {
    type: ConversationConnection,
    description:
      'The conversations that the viewer may see: all for admins, those of their groups for managers, their own for everybody.',
    args: { filter: t.arg({ type: ConversationFilterInput, description: 'Which ones.' }) },
    list: (_root, { filter }, { caller, services, load }) => {
      const filters = { ...readFilter(filter), reach: reachOf(caller) };
      const list = listOf(services.engine.conversationQuery, caller.accountId, filters);
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
