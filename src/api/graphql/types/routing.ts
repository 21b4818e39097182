import type { Obstacle, RankedCandidate } from '../../../core/engine/routing/choose-operator.ts';
import type { Cause } from '../../../core/engine/routing/decisions.ts';
import type { KeptDecision, Preview } from '../../../core/engine/routing/explain.ts';
import type { Asked } from '../../../core/engine/routing/needs.ts';
import type { Operator } from '../../../core/operators/operator.ts';
import { canRead } from '../../../core/operators/permissions.ts';
import { forbiddenError } from '../../graphql-server/errors.ts';
import { readId } from '../../graphql-server/ids.ts';
import { loadOrNull } from '../../graphql-server/loaders.ts';
import { builder, ChannelEnum, wordsEnum } from '../builder.ts';
import type { Context } from '../context.ts';
import { ActorRef, actorOf } from './actor.ts';
import { GroupRef, SkillRef, WebsiteRef } from './directory.ts';
import { REASONS } from './live.ts';
import { OperatorRef } from './operator.ts';

const ObstacleEnum = wordsEnum<Obstacle>('Obstacle', 'What keeps a conversation from an operator.', {
  ...REASONS,
  OTHER_WEBSITE: 'Does not work on its website.',
  LACKS_SKILL: 'Does not hold the skill that it asks for, nor one under it.',
  OTHER_GROUP: 'Is not in the group that it asks for, nor in one under it.',
  OTHER_LANGUAGE: 'Does not speak its language.',
  REFUSED_LATELY: 'Declined or missed this conversation, or passed it on, less than a minute before.',
});

const CauseEnum = wordsEnum<Cause>('RoutingCause', 'What made routing look at a conversation.', {
  started: 'It began.',
  slot_freed: 'A slot became free.',
  declined: 'An offer was declined.',
  timed_out: 'An offer was not answered in time.',
  withdrawn: 'Whoever it was offered to went offline.',
  operator_lost: 'Whoever had it did not come back.',
  connected: 'An operator connected.',
  available: 'An operator became available.',
  operator_changed: 'An operator was changed: limits, skills, groups, websites, languages.',
  directory_changed: 'Skills, groups or websites were changed.',
  pause_ended: 'Somebody who had declined may be asked again.',
  sweep: 'The regular look at everything that waits.',
  transfer: 'It was passed on.',
  take: 'A manager gave it to somebody.',
  escalation: 'A chat became a video.',
});

const RoutingNeedRef = builder.objectRef<Asked>('RoutingNeed').implement({
  description: 'What a conversation asks for.',
  fields: (t) => ({
    channel: t.expose('channel', { type: ChannelEnum, description: 'How it is held.' }),
    website: t.field({
      type: WebsiteRef,
      nullable: true,
      description: 'The website, if it still is one.',
      resolve: ({ websiteId }, _args, { load }) => loadOrNull(load.website, websiteId),
    }),
    skill: t.field({
      type: SkillRef,
      nullable: true,
      description: 'The skill.',
      resolve: ({ skillId }, _args, { load }) => loadOrNull(load.skill, skillId),
    }),
    group: t.field({
      type: GroupRef,
      nullable: true,
      description: 'The group.',
      resolve: ({ groupId }, _args, { load }) => loadOrNull(load.group, groupId),
    }),
    language: t.exposeString('language', { description: 'The language (ISO 639-1).' }),
  }),
});

const RankedOperatorRef = builder.objectRef<RankedCandidate>('RankedOperator').implement({
  description: 'Somebody who could be given a conversation, with all that decides over the order.',
  fields: (t) => ({
    operator: t.field({
      type: OperatorRef,
      nullable: true,
      description: 'Who, if they are still there.',
      resolve: ({ operatorId }, _args, { load }) => loadOrNull(load.operator, operatorId),
    }),
    servedLast: t.exposeBoolean('servedLast', { description: 'First: was the last to serve this visitor.' }),
    priority: t.int({
      nullable: true,
      description: "Second: the priority on the channel. Readable by whoever may read the operator's own.",
      resolve: async ({ operatorId, priority }, _args, { caller, load }) => {
        const operator = await load.operator.load(operatorId);
        if (operator ? !canRead(caller, operator, 'details') : caller.accessLevel !== 'admin') throw forbiddenError();
        return priority;
      },
    }),
    share: t.exposeFloat('share', { description: 'Third: the share of slots in use, the smallest first.' }),
    assignedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Fourth: when a conversation was last given to them, the longest ago first; null for never.',
      resolve: ({ assignedAt }) => assignedAt || null,
    }),
  }),
});

interface Excluded {
  readonly reason: Obstacle;
  readonly count: number;
}

const ExclusionRef = builder.objectRef<Excluded>('RoutingExclusion').implement({
  description:
    'How many operators an obstacle kept away. Websites, skills and groups count over everybody, the rest over those who are connected; whoever meets several is counted for each.',
  fields: (t) => ({
    reason: t.expose('reason', { type: ObstacleEnum, description: 'The obstacle.' }),
    count: t.exposeInt('count', { description: 'How many.' }),
  }),
});

const excludedOf = ({ excluded }: Pick<Preview, 'excluded'>) =>
  Object.entries(excluded).map(([reason, count]) => ({ reason: reason as Obstacle, count }));

const WHY_NOT =
  'What kept it from an operator; empty for the eligible, null for somebody of whom nothing is known then. For whoever may read the details of the operator.';

async function readableOperator(text: string, { caller, load }: Context): Promise<Operator | undefined> {
  const operator = await load.operator.load(readId(text) ?? 0);
  if (operator && !canRead(caller, operator, 'details')) throw forbiddenError();
  return operator;
}

export const RoutingDecisionRef = builder.objectRef<KeptDecision>('RoutingDecision').implement({
  description: 'Who was given a conversation and why, as it was decided.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Identifier, in the order of the decisions.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    cause: t.expose('cause', { type: CauseEnum, description: 'What made routing look.' }),
    operator: t.field({
      type: OperatorRef,
      nullable: true,
      description: 'Who was chosen; null when nobody was free.',
      resolve: ({ operatorId }, _args, { load }) => loadOrNull(load.operator, operatorId),
    }),
    forced: t.exposeBoolean('forced', { description: 'Whether somebody put it through in spite of all limits.' }),
    actor: t.field({
      type: ActorRef,
      description: 'Whose action brought it about.',
      resolve: actorOf,
    }),
    need: t.expose('asked', { type: RoutingNeedRef, description: 'What was asked for.' }),
    ranked: t.field({
      type: [RankedOperatorRef],
      description: 'The best 20 of those who could be asked, in their order; empty where somebody was named.',
      resolve: ({ ranked }) => [...ranked],
    }),
    excluded: t.field({ type: [ExclusionRef], description: 'What kept the others away.', resolve: excludedOf }),
    whyNot: t.field({
      type: [ObstacleEnum],
      nullable: true,
      description: `${WHY_NOT} Recomputed from the history of their live state.`,
      args: { operatorId: t.arg.id({ required: true, description: 'Which operator.' }) },
      resolve: async (decision, { operatorId }, context) => {
        const operator = await readableOperator(operatorId, context);
        return (operator && (await context.services.engine.routingExplained.whyNot(decision, operator.id))) ?? null;
      },
    }),
  }),
});

export const RoutingPreviewRef = builder.objectRef<Preview>('RoutingPreview').implement({
  description: 'Who would be given a conversation now.',
  fields: (t) => ({
    need: t.expose('asked', { type: RoutingNeedRef, description: 'What is asked for.' }),
    ranked: t.field({
      type: [RankedOperatorRef],
      description: 'The best 20 of those who could be asked, in their order.',
      resolve: ({ ranked }) => [...ranked],
    }),
    excluded: t.field({ type: [ExclusionRef], description: 'What keeps the others away.', resolve: excludedOf }),
    whyNot: t.field({
      type: [ObstacleEnum],
      nullable: true,
      description: WHY_NOT,
      args: { operatorId: t.arg.id({ required: true, description: 'Which operator.' }) },
      resolve: async ({ asked }, { operatorId }, context) => {
        const operator = await readableOperator(operatorId, context);
        return (operator && (await context.services.engine.routingExplained.whyNotNow(asked, operator.id))) ?? null;
      },
    }),
  }),
});
