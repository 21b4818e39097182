import type { TreeNode } from '../../../core/directory/tree.ts';
import type { Obstacle } from '../../../core/engine/routing/choose-operator.ts';
import {
  MAX_TARGETS,
  type NodeTarget,
  type OperatorTarget,
  type TransferTargetList,
} from '../../../core/engine/routing/transfer-targets.ts';
import type { Operator } from '../../../core/operators/operator.ts';
import { canRead } from '../../../core/operators/permissions.ts';
import { forbiddenError } from '../../graphql-server/errors.ts';
import type { IdLoader } from '../../graphql-server/id-loader.ts';
import { parseIdArgument } from '../../graphql-server/ids.ts';
import { builder } from '../builder.ts';
import { loadInvolvement } from './conversation.ts';
import { GroupRef, SkillRef } from './directory.ts';
import { BlockReasonEnum } from './live.ts';
import { OperatorRef } from './operator.ts';
import { ObstacleEnum } from './routing.ts';

type TransferOperator = OperatorTarget & { readonly operator: Operator };
type TransferNode = NodeTarget & { readonly node: TreeNode };

/** What an expert cannot know about an operator: it is neither live state nor a membership. */
const PRIVATE_OBSTACLES: ReadonlySet<Obstacle> = new Set<Obstacle>(['OTHER_LANGUAGE', 'REFUSED_LATELY']);

const TransferOperatorRef = builder.objectRef<TransferOperator>('TransferOperator').implement({
  description: 'An operator who works on the website and the channel of a conversation.',
  fields: (t) => ({
    operator: t.expose('operator', { type: OperatorRef, description: 'The operator.' }),
    routable: t.exposeBoolean('routable', {
      description: 'Whether the conversation can be transferred to the operator now.',
    }),
    blockedBy: t.field({
      type: [BlockReasonEnum],
      description: 'The reasons why it cannot. Empty if routable.',
      resolve: ({ blockedBy }) => [...blockedBy],
    }),
    slotNumber: t.exposeInt('slotNumber', { description: 'The slots in use on the channel of the conversation.' }),
    slotMaxNumber: t.exposeInt('slotMaxNumber', { description: 'The maximum number of slots on that channel.' }),
    obstacles: t.field({
      type: [ObstacleEnum],
      description:
        'Everything that keeps routing from choosing the operator for this conversation: the reasons of `blockedBy`, and a skill, group or language that they do not have, or an offer that they refused. These do not prevent a transfer to the operator, so show them as a warning. Experts do not see the language and the refused offer.',
      resolve: ({ obstacles, operator }, _args, { caller }) =>
        obstacles.filter((obstacle) => canRead(caller, operator, 'names') || !PRIVATE_OBSTACLES.has(obstacle)),
    }),
  }),
});

const COUNT_DESCRIPTIONS = {
  operatorsConnected:
    'The number of its operators who are connected and serve the website, channel and language of the conversation, without the present operator.',
  operatorsRoutable: 'The number of those to whom the conversation could be offered now.',
};

const TransferGroupRef = builder.objectRef<TransferNode>('TransferGroup').implement({
  description: 'A group to which a conversation can be transferred.',
  fields: (t) => ({
    group: t.expose('node', { type: GroupRef, description: 'The group. Its subgroups count too.' }),
    operatorsConnected: t.exposeInt('operatorsConnected', { description: COUNT_DESCRIPTIONS.operatorsConnected }),
    operatorsRoutable: t.exposeInt('operatorsRoutable', { description: COUNT_DESCRIPTIONS.operatorsRoutable }),
  }),
});

const TransferSkillRef = builder.objectRef<TransferNode>('TransferSkill').implement({
  description: 'A skill to which a conversation can be transferred.',
  fields: (t) => ({
    skill: t.expose('node', { type: SkillRef, description: 'The skill. Its descendants count too.' }),
    operatorsConnected: t.exposeInt('operatorsConnected', { description: COUNT_DESCRIPTIONS.operatorsConnected }),
    operatorsRoutable: t.exposeInt('operatorsRoutable', { description: COUNT_DESCRIPTIONS.operatorsRoutable }),
  }),
});

/** Omits those that were deleted in the meantime. */
async function withObjects<T, Target>(
  targets: readonly Target[],
  getId: (target: Target) => number,
  loader: IdLoader<T>,
): Promise<(Target & { readonly object: T })[]> {
  const objects = await Promise.all(targets.map((target) => loader.load(getId(target))));
  return targets.flatMap((target, index) => {
    const object = objects[index];
    return object === undefined ? [] : [{ ...target, object }];
  });
}

const TransferTargetsRef = builder.objectRef<TransferTargetList>('TransferTargets').implement({
  description: `To whom a conversation can be transferred, at most ${MAX_TARGETS} of each kind: those who are free first, then by name. Empty unless the conversation is active.`,
  fields: (t) => ({
    operators: t.field({
      type: [TransferOperatorRef],
      description:
        'The operators who work on its website and channel, also those who are not connected, without the present operator and the viewer.',
      resolve: async ({ operators }, _args, { load }) =>
        (await withObjects(operators, (target) => target.operatorId, load.operator)).map(({ object, ...target }) => ({
          ...target,
          operator: object,
        })),
    }),
    groups: t.field({
      type: [TransferGroupRef],
      description: 'The groups with an operator who could serve the conversation, connected or not.',
      resolve: async ({ groups }, _args, { load }) =>
        (await withObjects(groups, ({ id }) => id, load.group)).map(({ object, ...rest }) => ({
          ...rest,
          node: object,
        })),
    }),
    skills: t.field({
      type: [TransferSkillRef],
      description: 'The skills with an operator who could serve the conversation, connected or not.',
      resolve: async ({ skills }, _args, { load }) =>
        (await withObjects(skills, ({ id }) => id, load.skill)).map(({ object, ...rest }) => ({
          ...rest,
          node: object,
        })),
    }),
  }),
});

builder.queryField('transferTargets', (t) =>
  t.field({
    type: TransferTargetsRef,
    nullable: true,
    description:
      'To whom an active conversation can be transferred, and who is free there now. Null if the conversation does not exist. Available to the operator who handles it, their managers and admins.',
    args: {
      conversationId: t.arg.id({ required: true, description: 'The conversation.' }),
      text: t.arg.string({
        description:
          'Only operators, groups and skills whose name contains this text, in upper or lower case. The name of an operator is also the pseudonym, and for experts nothing else.',
      }),
    },
    resolve: async (_root, { conversationId, text }, context): Promise<TransferTargetList | null> => {
      const { caller, load, services } = context;
      const conversation = await load.conversations.byId.load(parseIdArgument(conversationId) ?? 0);
      if (!conversation) return null;
      if ((await loadInvolvement(conversation, context)) === 'none') throw forbiddenError();
      return services.engine.transferTargets.find(conversation, {
        text: (text ?? '').trim(),
        usesNames: caller.accessLevel !== 'expert',
        viewerId: caller.operatorId,
      });
    },
  }),
);
