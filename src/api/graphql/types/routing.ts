import type { Obstacle, RankedCandidate } from '../../../core/engine/routing/choose-operator.ts';
import type { RoutingCause } from '../../../core/engine/routing/decisions.ts';
import type { RoutingPreview, StoredDecision } from '../../../core/engine/routing/explain.ts';
import type { RoutingNeed } from '../../../core/engine/routing/needs.ts';
import { isManager } from '../../../core/kernel/caller.ts';
import type { Operator } from '../../../core/operators/operator.ts';
import { canRead } from '../../../core/operators/permissions.ts';
import { forbiddenError } from '../../graphql-server/errors.ts';
import { parseIdArgument } from '../../graphql-server/ids.ts';
import { loadOrNull } from '../../graphql-server/loaders.ts';
import { builder, ChannelEnum, createEnum } from '../builder.ts';
import type { Context } from '../context.ts';
import { ActorRef, toActor } from './actor.ts';
import { GroupRef, SkillRef, WebsiteRef } from './directory.ts';
import { BLOCK_REASON_DESCRIPTIONS } from './live.ts';
import { OperatorRef } from './operator.ts';

export const ObstacleEnum = createEnum<Obstacle>(
  'Obstacle',
  'A reason why an operator is not eligible for a conversation.',
  {
    ...BLOCK_REASON_DESCRIPTIONS,
    OTHER_WEBSITE: 'The operator is not assigned to the website.',
    LACKS_SKILL: 'The operator has neither the requested skill nor one of its descendants.',
    OTHER_GROUP: 'The operator is neither in the requested group nor in one of its descendants.',
    OTHER_LANGUAGE: 'The operator does not speak the requested language.',
    REFUSED_LATELY: 'The operator declined, missed or transferred this conversation less than 60 seconds earlier.',
  },
);

const CauseEnum = createEnum<RoutingCause>('RoutingCause', 'The trigger of a routing decision.', {
  started: 'The conversation was started.',
  slot_freed: 'A slot became free.',
  declined: 'An offer was declined.',
  timed_out: 'An offer was not answered in time.',
  withdrawn: 'The operator to whom it was offered went offline, or the visitor left.',
  operator_lost: 'The operator who handled it did not reconnect in time.',
  connected: 'An operator connected.',
  available: 'An operator became available.',
  operator_changed: 'An operator was changed: limits, skills, group, websites, languages.',
  directory_changed: 'Skills, groups or websites were changed.',
  pause_ended: 'The offer pause of an operator ended.',
  visitor_returned: 'The visitor, who had left, came back.',
  sweep: 'The periodic check of the queue.',
  transfer: 'The conversation was transferred.',
  take: 'A manager assigned the conversation to an operator, or the operator took it.',
  escalation: 'A chat was escalated to video.',
});

const RoutingNeedRef = builder.objectRef<RoutingNeed>('RoutingNeed').implement({
  description: 'The requirements of a conversation.',
  fields: (t) => ({
    channel: t.expose('channel', { type: ChannelEnum, description: 'The channel.' }),
    website: t.field({
      type: WebsiteRef,
      nullable: true,
      description: 'The website. Null if it was deleted.',
      resolve: ({ websiteId }, _args, { load }) => loadOrNull(load.website, websiteId),
    }),
    skill: t.field({
      type: SkillRef,
      nullable: true,
      description: 'The requested skill.',
      resolve: ({ skillId }, _args, { load }) => loadOrNull(load.skill, skillId),
    }),
    group: t.field({
      type: GroupRef,
      nullable: true,
      description: 'The requested group.',
      resolve: ({ groupId }, _args, { load }) => loadOrNull(load.group, groupId),
    }),
    language: t.exposeString('language', { description: 'The requested language (ISO 639-1).' }),
  }),
});

const RankedOperatorRef = builder.objectRef<RankedCandidate>('RankedOperator').implement({
  description: 'An eligible operator, with the ranking criteria in order of importance.',
  fields: (t) => ({
    operator: t.field({
      type: OperatorRef,
      nullable: true,
      description: 'The operator. Null if they were deleted.',
      resolve: ({ operatorId }, _args, { load }) => loadOrNull(load.operator, operatorId),
    }),
    servedLast: t.exposeBoolean('servedLast', {
      description: 'First criterion: whether the operator was the last to serve this visitor.',
    }),
    priority: t.int({
      nullable: true,
      description:
        "Second criterion: the priority on the channel. Available to viewers who can read the operator's details.",
      resolve: async ({ operatorId, priority }, _args, { caller, load }) => {
        const operator = await load.operator.load(operatorId);
        if (operator ? !canRead(caller, operator, 'details') : caller.accessLevel !== 'admin') throw forbiddenError();
        return priority;
      },
    }),
    share: t.exposeFloat('share', { description: 'Third criterion: the share of slots in use, lowest first.' }),
    assignedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'Fourth criterion: when a conversation was last assigned to the operator, oldest first. Null if never. Operators read only their own.',
      resolve: ({ operatorId, assignedAt }, _args, { caller }) => {
        if (!isManager(caller) && operatorId !== caller.operatorId) throw forbiddenError();
        return assignedAt || null;
      },
    }),
  }),
});

interface Exclusion {
  readonly reason: Obstacle;
  readonly count: number;
}

const ExclusionRef = builder.objectRef<Exclusion>('RoutingExclusion').implement({
  description:
    'The number of operators that an obstacle excluded. Website, skill and group obstacles count all operators, the others only connected ones. An operator with several obstacles is counted for each.',
  fields: (t) => ({
    reason: t.expose('reason', { type: ObstacleEnum, description: 'The obstacle.' }),
    count: t.exposeInt('count', { description: 'The number of operators.' }),
  }),
});

const toExclusions = ({ excluded }: Pick<RoutingPreview, 'excluded'>) =>
  Object.entries(excluded).map(([reason, count]) => ({ reason: reason as Obstacle, count }));

const WHY_NOT_DESCRIPTION =
  "The obstacles of an operator. Empty if the operator was eligible, null if their state at that time is unknown. Available to viewers who can read the operator's details.";

async function findReadableOperator(text: string, { caller, load }: Context): Promise<Operator | undefined> {
  const operator = await load.operator.load(parseIdArgument(text) ?? 0);
  if (operator && !canRead(caller, operator, 'details')) throw forbiddenError();
  return operator;
}

export const RoutingDecisionRef = builder.objectRef<StoredDecision>('RoutingDecision').implement({
  description: 'A routing decision: which operator was chosen for a conversation, and why.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The identifier of the decision. Later decisions have higher identifiers.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When the decision was made.' }),
    cause: t.expose('cause', { type: CauseEnum, description: 'The trigger of the decision.' }),
    operator: t.field({
      type: OperatorRef,
      nullable: true,
      description: 'The chosen operator. Null if no operator was eligible.',
      resolve: ({ operatorId }, _args, { load }) => loadOrNull(load.operator, operatorId),
    }),
    forced: t.exposeBoolean('forced', {
      description: 'Whether the decision was forced, regardless of presence and capacity.',
    }),
    actor: t.field({
      type: ActorRef,
      description:
        'The actor whose action triggered the decision. Operators who are not managers get the identifiers of operators only.',
      resolve: (decision, _args, { caller }) => {
        const actor = toActor(decision);
        // A transfer says who transferred it: the operator of the conversation works with them.
        return isManager(caller) || actor.type === 'operator' ? actor : { type: actor.type, id: null };
      },
    }),
    need: t.expose('need', { type: RoutingNeedRef, description: 'The requirements of the conversation.' }),
    ranked: t.field({
      type: [RankedOperatorRef],
      description: 'The best 20 eligible operators, in ranking order. Empty if the operator was named explicitly.',
      resolve: ({ ranked }) => [...ranked],
    }),
    excluded: t.field({
      type: [ExclusionRef],
      description: 'The obstacles of the operators who were not eligible.',
      resolve: toExclusions,
    }),
    whyNot: t.field({
      type: [ObstacleEnum],
      nullable: true,
      description: `${WHY_NOT_DESCRIPTION} Recomputed from the live history.`,
      args: { operatorId: t.arg.id({ required: true, description: 'The operator.' }) },
      resolve: async (decision, { operatorId }, context) => {
        const operator = await findReadableOperator(operatorId, context);
        return (
          (operator && (await context.services.engine.routingExplainer.findPastObstacles(decision, operator.id))) ??
          null
        );
      },
    }),
  }),
});

export const RoutingPreviewRef = builder.objectRef<RoutingPreview>('RoutingPreview').implement({
  description: 'The operators to whom a conversation would be offered now.',
  fields: (t) => ({
    need: t.expose('need', { type: RoutingNeedRef, description: 'The requirements of the conversation.' }),
    ranked: t.field({
      type: [RankedOperatorRef],
      description: 'The best 20 eligible operators, in ranking order.',
      resolve: ({ ranked }) => [...ranked],
    }),
    excluded: t.field({
      type: [ExclusionRef],
      description: 'The obstacles of the operators who are not eligible.',
      resolve: toExclusions,
    }),
    whyNot: t.field({
      type: [ObstacleEnum],
      nullable: true,
      description: WHY_NOT_DESCRIPTION,
      args: { operatorId: t.arg.id({ required: true, description: 'The operator.' }) },
      resolve: async ({ need }, { operatorId }, context) => {
        const operator = await findReadableOperator(operatorId, context);
        return (
          (operator && (await context.services.engine.routingExplainer.findCurrentObstacles(need, operator.id))) ?? null
        );
      },
    }),
  }),
});
