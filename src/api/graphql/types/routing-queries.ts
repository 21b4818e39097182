import type { RoutingPreview, StoredDecision } from '../../../core/engine/routing/explain.ts';
import { unknownId } from '../../../core/kernel/errors.ts';
import { requireSize } from '../../graphql-server/connection.ts';
import { forbiddenError } from '../../graphql-server/errors.ts';
import { parseIdArgument } from '../../graphql-server/ids.ts';
import { builder, ChannelEnum } from '../builder.ts';
import type { Context } from '../context.ts';
import { requireLanguageCode } from '../filters.ts';
import { loadInvolvement } from './conversation.ts';
import { RoutingDecisionRef, RoutingPreviewRef } from './routing.ts';

const DEFAULT_DECISIONS = 50;
const MAX_DECISIONS = 100;

function requireManager({ caller: { accessLevel } }: Context): void {
  if (accessLevel !== 'admin' && accessLevel !== 'manager') throw forbiddenError();
}

builder.queryFields((t) => ({
  routingDecisions: t.field({
    type: [RoutingDecisionRef],
    nullable: true,
    description:
      'The routing decisions about a conversation, oldest first. Null if the conversation does not exist. Available to admins, to managers within their groups, and to the operator who has the conversation; not to experts.',
    args: {
      conversationId: t.arg.id({ required: true, description: 'The conversation.' }),
      after: t.arg.id({ description: 'Returns the decisions after this one.' }),
      first: t.arg.int({
        description: `Returns the first _n_ decisions. Defaults to ${DEFAULT_DECISIONS}, at most ${MAX_DECISIONS}.`,
      }),
    },
    resolve: async (_root, { conversationId, after, first }, context): Promise<StoredDecision[] | null> => {
      if (context.caller.accessLevel === 'expert') throw forbiddenError();
      requireSize('first', first, MAX_DECISIONS);
      const { caller, load, services } = context;
      const conversation = await load.conversations.byId.load(parseIdArgument(conversationId) ?? 0);
      if (!conversation) return null;
      if ((await loadInvolvement(conversation, context)) === 'none') throw forbiddenError();
      const window = { after: parseIdArgument(after ?? '') ?? 0, limit: first ?? DEFAULT_DECISIONS };
      return services.engine.routingExplainer.listDecisions(caller.accountId, conversation.id, window);
    },
  }),
  routingPreview: t.field({
    type: RoutingPreviewRef,
    nullable: true,
    description:
      'A dry run of routing: ranks the operators for a hypothetical conversation. Changes nothing. Managers and admins only.',
    args: {
      websiteId: t.arg.id({ required: true, description: 'The website.' }),
      channel: t.arg({ type: ChannelEnum, required: true, description: 'The channel.' }),
      skillId: t.arg.id({ description: 'The requested skill.' }),
      groupId: t.arg.id({ description: 'The requested group.' }),
      language: t.arg.string({ required: true, description: 'The requested language (ISO 639-1).' }),
    },
    resolve: async (_root, { channel, language, ...ids }, context): Promise<RoutingPreview> => {
      requireManager(context);
      requireLanguageCode('language', language);
      const { caller, services } = context;
      return services.engine.routingExplainer.preview({
        accountId: caller.accountId,
        channel,
        language,
        websiteId: await requireExistingId('website', ids.websiteId, context),
        skillId: ids.skillId ? await requireExistingId('skill', ids.skillId, context) : null,
        groupId: ids.groupId ? await requireExistingId('group', ids.groupId, context) : null,
      });
    },
  }),
}));

async function requireExistingId(
  kind: 'website' | 'skill' | 'group',
  text: string,
  { load }: Context,
): Promise<number> {
  const found = await load[kind].load(parseIdArgument(text) ?? 0);
  if (!found) throw unknownId(kind, text);
  return found.id;
}
