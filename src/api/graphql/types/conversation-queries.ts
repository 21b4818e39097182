import { type ConversationFilters, reachOf } from '../../../core/engine/conversations/conversation-filter.ts';
import type { Conversation } from '../../../core/engine/records/conversation.ts';
import { languageCode } from '../../../core/kernel/languages.ts';
import { type Connection, readSlice } from '../../graphql-server/connection.ts';
import { forbiddenError, graphqlError } from '../../graphql-server/errors.ts';
import { readId } from '../../graphql-server/ids.ts';
import { builder, ChannelEnum } from '../builder.ts';
import { connectionType, sliceArguments } from '../connection.ts';
import { idFilter } from '../filters.ts';
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
  if (typeof filter.language === 'string' && !languageCode.safeParse(filter.language).success) {
    throw graphqlError('BAD_REQUEST', 'filter.language must be a two-letter code of ISO 639-1.');
  }
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
  conversations: t.field({
    type: ConversationConnection,
    description:
      'The conversations that the viewer may see: all for admins, those of their groups for managers, their own for everybody.',
    args: { filter: t.arg({ type: ConversationFilterInput, description: 'Which ones.' }), ...sliceArguments(t.arg) },
    resolve: async (_root, { filter, ...slice }, { caller, services, load }): Promise<Connection<Conversation>> => {
      const filters = { ...readFilter(filter), reach: reachOf(caller) };
      const { conversationQuery } = services.engine;
      const page = await conversationQuery.slice(caller.accountId, filters, readSlice(slice));
      for (const row of page.rows) load.conversations.byId.prime(row.id, row);
      return { ...page, totalCount: () => conversationQuery.count(caller.accountId, filters) };
    },
  }),
}));
