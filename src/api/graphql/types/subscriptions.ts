import type { SkillAvailability } from '../../../core/availability/skill-availability.ts';
import type { Operator } from '../../../core/operators/operator.ts';
import { builder } from '../builder.ts';
import type { Context } from '../context.ts';
import { graphqlError } from '../errors.ts';
import { readId } from '../ids.ts';
import { createLoaders } from '../loaders.ts';
import { SkillAvailabilityRef } from './live.ts';
import { OperatorRef } from './operator.ts';
import { OperatorFilterInput, readOperatorFilter } from './operator-filter.ts';

/** Events after which an operator's live state may be another. */
const LIVE_EVENTS = new Set([
  'operator.connected',
  'operator.disconnected',
  'operator.availability_updated',
  'operator.updated',
  'operator.created',
]);

/** Events after which the answer to "is anyone free?" may be another. */
const changesAvailability = (type: string) =>
  type.startsWith('operator.') || type.startsWith('conversation.') || type.startsWith('skill.');

builder.subscriptionFields((t) => ({
  operatorLive: t.field({
    type: OperatorRef,
    description: 'The operators whose live state changed, each as it is now.',
    args: { filter: t.arg({ type: OperatorFilterInput, description: 'Which operators.' }) },
    subscribe: (_root, { filter }, context) => changedOperators(context, readOperatorFilter(filter, context.caller)),
    resolve: (operator) => operator,
  }),
  skillAvailability: t.field({
    type: SkillAvailabilityRef,
    description: 'Whether anyone is free for a skill: now, and whenever that changes.',
    args: { id: t.arg.id({ required: true, description: 'The skill.' }) },
    subscribe: (_root, { id }, context) => changedAvailability(context, id),
    resolve: (availability) => availability,
  }),
}));

async function* changedOperators(
  context: Context,
  filters: ReturnType<typeof readOperatorFilter>,
): AsyncGenerator<Operator> {
  const { caller, services, signal } = context;
  const start = await services.events.position(caller.accountId);
  for await (const events of services.events.follow(caller.accountId, start, signal)) {
    const ids = new Set(events.filter((event) => LIVE_EVENTS.has(event.type)).map((event) => event.subjectId));
    if (ids.size === 0) continue;
    const slice = { limit: ids.size, backwards: false };
    const named = { ...filters, id: { kind: 'ids', ids: [...ids] } } as const;
    const { rows } = await services.operators.slices.ofAccount(caller.accountId, named, slice);
    // What changed is read anew; what an earlier event made the loaders remember is over.
    context.load = createLoaders(caller, services);
    for (const operator of await services.operators.load(caller.accountId, rows)) yield operator;
  }
}

async function* changedAvailability(context: Context, text: string): AsyncGenerator<SkillAvailability> {
  const { caller, services, signal } = context;
  const skillId = readId(text);
  const skill = skillId === undefined ? undefined : await services.skills.find(caller.accountId, skillId);
  if (!skill) throw graphqlError('BAD_REQUEST', `Unknown 'skill' with 'id' ${text}.`);
  const start = await services.events.position(caller.accountId);
  let last = '';
  const current = async () => {
    const [answer] = await services.skillAvailabilities.answer(caller.accountId, [{ skillId: skill.id }]);
    const shown = JSON.stringify(answer);
    if (shown === last) return undefined;
    last = shown;
    return answer;
  };
  const first = await current();
  if (first) yield first;
  for await (const events of services.events.follow(caller.accountId, start, signal)) {
    const answer = events.some((event) => changesAvailability(event.type)) ? await current() : undefined;
    if (answer) yield answer;
  }
}
