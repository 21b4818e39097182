import type { KeptDecision, Preview } from '../../../core/engine/routing/explain.ts';
import { unknownId } from '../../../core/kernel/errors.ts';
import { requireSize } from '../../graphql-server/connection.ts';
import { forbiddenError } from '../../graphql-server/errors.ts';
import { readId } from '../../graphql-server/ids.ts';
import { builder, ChannelEnum } from '../builder.ts';
import type { Context } from '../context.ts';
import { requireLanguage } from '../filters.ts';
import { maySee } from './conversation.ts';
import { RoutingDecisionRef, RoutingPreviewRef } from './routing.ts';

const DEFAULT_DECISIONS = 50;
const MAX_DECISIONS = 100;

/** How conversations are given out is the business of those who manage. */
function requireManager({ caller: { accessLevel } }: Context): void {
  if (accessLevel !== 'admin' && accessLevel !== 'manager') throw forbiddenError();
}

builder.queryFields((t) => ({
  routingDecisions: t.field({
    type: [RoutingDecisionRef],
    nullable: true,
    description:
      'Every decision about a conversation, in order; null when there is no such conversation. For managers within their groups, and admins.',
    args: {
      conversationId: t.arg.id({ required: true, description: 'Which conversation.' }),
      after: t.arg.id({ description: 'Only decisions after this one.' }),
      first: t.arg.int({
        description: `How many: ${DEFAULT_DECISIONS} if nothing is said, ${MAX_DECISIONS} at most.`,
      }),
    },
    resolve: async (_root, { conversationId, after, first }, context): Promise<KeptDecision[] | null> => {
      requireManager(context);
      requireSize('first', first, MAX_DECISIONS);
      const { caller, load, services } = context;
      const conversation = await load.conversations.byId.load(readId(conversationId) ?? 0);
      if (!conversation) return null;
      if (!(await maySee(conversation, context))) throw forbiddenError();
      const window = { after: readId(after ?? '') ?? 0, limit: first ?? DEFAULT_DECISIONS };
      return services.engine.routingExplained.decisionsAbout(caller.accountId, conversation.id, window);
    },
  }),
  routingPreview: t.field({
    type: RoutingPreviewRef,
    nullable: true,
    description: 'The dry run: who would be given such a conversation now. Changes nothing. For managers and admins.',
    args: {
      websiteId: t.arg.id({ required: true, description: 'Where it begins.' }),
      channel: t.arg({ type: ChannelEnum, required: true, description: 'How it is held.' }),
      skillId: t.arg.id({ description: 'The skill that it asks for.' }),
      groupId: t.arg.id({ description: 'The group that it asks for.' }),
      language: t.arg.string({ required: true, description: 'Its language (ISO 639-1).' }),
    },
    resolve: async (_root, { channel, language, ...asked }, context): Promise<Preview> => {
      requireManager(context);
      requireLanguage('language', language);
      const { caller, services } = context;
      return services.engine.routingExplained.preview({
        accountId: caller.accountId,
        channel,
        language,
        websiteId: await existingId('website', asked.websiteId, context),
        skillId: asked.skillId ? await existingId('skill', asked.skillId, context) : null,
        groupId: asked.groupId ? await existingId('group', asked.groupId, context) : null,
      });
    },
  }),
}));

async function existingId(kind: 'website' | 'skill' | 'group', text: string, { load }: Context): Promise<number> {
  const found = await load[kind].load(readId(text) ?? 0);
  if (!found) throw unknownId(kind, text);
  return found.id;
}
