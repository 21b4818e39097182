import { setTimeout } from 'node:timers/promises';
import type { LoggedEvent } from '../../../core/events/event-log.ts';
import { asDomainError } from '../../../core/kernel/errors.ts';
import type { SkillAvailability } from '../../../core/live/skill-availability.ts';
import type { Operator } from '../../../core/operators/operator.ts';
import { graphqlError } from '../../graphql-server/errors.ts';
import { readId } from '../../graphql-server/ids.ts';
import { endable } from '../../graphql-server/streams.ts';
import { builder } from '../builder.ts';
import type { Context } from '../context.ts';
import { createLoaders } from '../loaders.ts';
import { SkillAvailabilityRef } from './live.ts';
import { OperatorRef } from './operator.ts';
import { OperatorFilterInput, readOperatorFilter } from './operator-filter.ts';

const MAX_TRIES = 20;
const RETRY_MS = 200;

/** Events after which an operator's live state may be another. */
const LIVE_EVENTS = new Set([
  'operator.connected',
  'operator.disconnected',
  'operator.availability_updated',
  'operator.updated',
  'operator.created',
]);

/** Those whose live state an event may have changed: its operator, and with a conversation those who get or lose a slot. */
function changedBy({ type, subjectId, changes: { values } }: LoggedEvent): number[] {
  if (LIVE_EVENTS.has(type)) return [subjectId];
  if (!type.startsWith('conversation.') || type === 'conversation.updated') return [];
  return [values.previousOperatorId, values.operatorId].filter((id) => typeof id === 'number');
}

/** Events after which the answer to "is anyone free?" may be another. */
const changesAvailability = (type: string) =>
  type.startsWith('operator.') || type.startsWith('conversation.') || type.startsWith('skill.');

builder.subscriptionFields((t) => ({
  operatorLive: t.field({
    type: OperatorRef,
    description: 'The operators whose live state changed, each as it is now.',
    args: { filter: t.arg({ type: OperatorFilterInput, description: 'Which operators.' }) },
    subscribe: (_root, { filter }, context) => {
      const filters = readOperatorFilter(filter, context.caller);
      return endable((signal) => changedOperators(context, filters, signal));
    },
    resolve: (operator) => operator,
  }),
  skillAvailability: t.field({
    type: SkillAvailabilityRef,
    description: 'Whether anyone is free for a skill: now, and whenever that changes.',
    args: { id: t.arg.id({ required: true, description: 'The skill.' }) },
    subscribe: (_root, { id }, context) => endable((signal) => changedAvailability(context, id, signal)),
    resolve: (availability) => availability,
  }),
}));

/**
 * One change makes all who watch with a filter read at once, more than are let in: the others come later. The waits grow, as a busy
 * machine needs longer for all of them.
 */
async function patiently<T>(read: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await read();
    } catch (error) {
      if (tries === MAX_TRIES || asDomainError(error)?.kind !== 'unavailable') throw error;
      await setTimeout(Math.random() * RETRY_MS * tries);
    }
  }
}

async function* changedOperators(
  context: Context,
  filters: ReturnType<typeof readOperatorFilter>,
  signal: AbortSignal,
): AsyncGenerator<Operator> {
  const { caller, services } = context;
  const start = await services.events.log.position(caller.accountId);
  for await (const events of services.events.log.follow(caller.accountId, start, signal)) {
    const changed = new Set<number>();
    for (const id of events.flatMap(changedBy)) {
      changed.delete(id); // in the order of their last changes
      changed.add(id);
    }
    if (changed.size === 0) continue;
    const meant = await patiently(() =>
      services.administration.operatorQuery.among(caller.accountId, [...changed], filters),
    );
    // What changed is read anew; what an earlier event made the loaders remember is over.
    context.load = createLoaders(caller, services);
    for (const operator of await context.load.operator.loadMany(meant)) {
      if (operator instanceof Error) throw operator;
      if (operator) yield operator;
    }
  }
}

async function* changedAvailability(
  { caller, services }: Context,
  text: string,
  signal: AbortSignal,
): AsyncGenerator<SkillAvailability> {
  const skillId = readId(text);
  const skill =
    skillId === undefined ? undefined : await services.administration.skills.find(caller.accountId, skillId);
  if (!skill) throw graphqlError('BAD_REQUEST', `Unknown 'skill' with 'id' ${text}.`);
  const start = await services.events.log.position(caller.accountId);
  let told = '';
  const since = async (position: number) => {
    const answer = await services.engine.skillAvailabilities.answerSince(caller.accountId, position, {
      skillId: skill.id,
    });
    const shown = JSON.stringify(answer);
    if (shown === told) return undefined;
    told = shown;
    return answer;
  };
  const first = await since(start);
  if (first) yield first;
  for await (const events of services.events.log.follow(caller.accountId, start, signal)) {
    const last = events.findLast((event) => changesAvailability(event.type));
    const answer = last && (await since(last.position));
    if (answer) yield answer;
  }
}
