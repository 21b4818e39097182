import { setTimeout } from 'node:timers/promises';
import type { LoggedEvent } from '../../../core/events/event-log.ts';
import { toDomainError } from '../../../core/kernel/errors.ts';
import type { SkillAvailability } from '../../../core/live/skill-availability.ts';
import type { Operator } from '../../../core/operators/operator.ts';
import { graphqlError } from '../../graphql-server/errors.ts';
import { parseIdArgument } from '../../graphql-server/ids.ts';
import { createAbortableStream } from '../../graphql-server/streams.ts';
import { builder } from '../builder.ts';
import type { Context } from '../context.ts';
import { createLoaders } from '../loaders.ts';
import { SkillAvailabilityRef } from './live.ts';
import { OperatorRef } from './operator.ts';
import { OperatorFilterInput, toOperatorFilters } from './operator-filter.ts';

const MAX_ATTEMPTS = 20;
const RETRY_DELAY_MS = 200;

const LIVE_EVENTS = new Set([
  'operator.connected',
  'operator.disconnected',
  'operator.availability_updated',
  'operator.updated',
  'operator.created',
]);

/**
 * Finds the operators whose live state may have changed: the subject, or operators who gained or lost a conversation.
 */
function findAffectedOperatorIds({ type, subjectId, changes: { values } }: LoggedEvent): number[] {
  if (LIVE_EVENTS.has(type)) return [subjectId];
  if (!type.startsWith('conversation.') || type === 'conversation.updated') return [];
  return [values.previousOperatorId, values.operatorId].filter((id) => typeof id === 'number');
}

const affectsAvailability = (type: string) =>
  type.startsWith('operator.') || type.startsWith('conversation.') || type.startsWith('skill.');

builder.subscriptionFields((t) => ({
  operatorLive: t.field({
    type: OperatorRef,
    description: 'Operators whose live state has changed, with their current state.',
    args: { filter: t.arg({ type: OperatorFilterInput, description: 'Filters for the operators.' }) },
    subscribe: (_root, { filter }, context) => {
      const filters = toOperatorFilters(filter, context.caller);
      return createAbortableStream((signal) => streamChangedOperators(context, filters, signal));
    },
    resolve: (operator) => operator,
  }),
  skillAvailability: t.field({
    type: SkillAvailabilityRef,
    description: 'Whether an operator is available for a skill: the current state, then every change.',
    args: { id: t.arg.id({ required: true, description: 'The skill.' }) },
    subscribe: (_root, { id }, context) => createAbortableStream((signal) => streamAvailability(context, id, signal)),
    resolve: (availability) => availability,
  }),
}));

/**
 * One change makes all filtered subscriptions read at the same time, which may exceed the limit of concurrent reads.
 * The delays grow, because a busy machine takes longer to serve all of them.
 */
async function retryWhileUnavailable<T>(read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || toDomainError(error)?.kind !== 'unavailable') throw error;
      await setTimeout(Math.random() * RETRY_DELAY_MS * attempt);
    }
  }
}

async function* streamChangedOperators(
  context: Context,
  filters: ReturnType<typeof toOperatorFilters>,
  signal: AbortSignal,
): AsyncGenerator<Operator> {
  const { caller, services } = context;
  const start = await services.events.log.readPosition(caller.accountId);
  for await (const events of services.events.log.follow(caller.accountId, start, signal)) {
    const changedIds = new Set<number>();
    for (const id of events.flatMap(findAffectedOperatorIds)) {
      changedIds.delete(id); // keeps the order of the last changes
      changedIds.add(id);
    }
    if (changedIds.size === 0) continue;
    const matchingIds = await retryWhileUnavailable(() =>
      services.administration.operatorQuery.filterIds(caller.accountId, [...changedIds], filters),
    );
    // Cached rows may be outdated.
    context.load = createLoaders(caller, services, context.turns);
    yield* await context.load.operator.loadAll(matchingIds);
  }
}

async function* streamAvailability(
  { caller, services }: Context,
  text: string,
  signal: AbortSignal,
): AsyncGenerator<SkillAvailability> {
  const skillId = parseIdArgument(text);
  const skill =
    skillId === undefined ? undefined : await services.administration.skills.find(caller.accountId, skillId);
  if (!skill) throw graphqlError('BAD_REQUEST', `Unknown 'skill' with 'id' ${text}.`);
  const start = await services.events.log.readPosition(caller.accountId);
  let lastSent = '';
  const readIfChanged = async (position: number) => {
    const availability = await services.engine.skillAvailabilities.readSince(caller.accountId, position, {
      skillId: skill.id,
    });
    const serialized = JSON.stringify(availability);
    if (serialized === lastSent) return undefined;
    lastSent = serialized;
    return availability;
  };
  const first = await readIfChanged(start);
  if (first) yield first;
  for await (const events of services.events.log.follow(caller.accountId, start, signal)) {
    const last = events.findLast((event) => affectsAvailability(event.type));
    const availability = last && (await readIfChanged(last.position));
    if (availability) yield availability;
  }
}
