import type { LiveChange } from '../../../core/live/live-history.ts';
import { type LiveHistoryRow, toPastLive } from '../../../core/live/live-history-reader.ts';
import type { Operator } from '../../../core/operators/operator.ts';
import { canRead } from '../../../core/operators/permissions.ts';
import { forbiddenError, graphqlError } from '../../graphql-server/errors.ts';
import { parseIdArgument } from '../../graphql-server/ids.ts';
import { builder, connectionField, connectionType, createEnum } from '../builder.ts';
import type { Context } from '../context.ts';
import { ActorRef, toActor } from './actor.ts';
import { type LiveView, OperatorLiveRef, toLiveProperties } from './live.ts';
import { OperatorRef } from './operator.ts';
import { toPeriod } from './statistics.ts';

const LiveChangeKindEnum = createEnum<LiveChange>('LiveChangeKind', 'The kind of live state change.', {
  connected: 'The first lease started.',
  disconnected: 'The last lease ended.',
  in_grace: 'The last connection was closed, and the grace period started.',
  returned: 'A connection was reopened within the grace period.',
  availability: 'The availability was changed.',
  settings: 'The operator was created or changed: channels, limits, skills, group, websites, languages.',
  slot_taken: 'A conversation was assigned or offered.',
  slot_freed: 'A conversation was closed, transferred or requeued.',
});

type LiveChangeRow = LiveHistoryRow & { readonly id: number };

const LiveChangeRef = builder.objectRef<LiveChangeRow>('LiveChange').implement({
  description: "A change to an operator's live state, and the state after it.",
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When the change was made.' }),
    kind: t.field({
      type: LiveChangeKindEnum,
      description: 'The kind of change.',
      resolve: (change) => change.kind as LiveChange,
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description:
        'The reason: the channel of a slot, `signed_off`, `taken_offline`, `lease_ended` or `missed_offers`.',
    }),
    actor: t.field({
      type: ActorRef,
      description: 'Who made the change.',
      resolve: toActor,
    }),
    live: t.field({
      type: OperatorLiveRef,
      description: 'The live state after the change.',
      resolve: (row) => toLiveProperties({ ...toPastLive(row), id: null }),
    }),
  }),
});

const LiveChangeConnection = connectionType('LiveChange', LiveChangeRef);

interface OperatorMoment {
  readonly operator: Operator;
  readonly live: LiveView | null;
}

const OperatorMomentRef = builder.objectRef<OperatorMoment>('OperatorMoment').implement({
  description: 'The live state of an operator at a time in the past.',
  fields: (t) => ({
    operator: t.expose('operator', { type: OperatorRef, description: 'The operator, in their current state.' }),
    live: t.field({
      type: OperatorLiveRef,
      nullable: true,
      description: 'The live state at that time. Null if the history does not go back that far.',
      resolve: ({ live }) => live && toLiveProperties(live),
    }),
  }),
});

const MAX_OPERATORS = 1000;

builder.queryFields((t) => ({
  liveHistory: connectionField(t, {
    type: LiveChangeConnection,
    nullable: true,
    description:
      "All changes to an operator's live state, newest first. Available to the operator, their managers and admins.",
    args: {
      operatorId: t.arg.id({ required: true, description: 'The operator.' }),
      from: t.arg({ type: 'DateTime', description: 'Only changes at this time or later.' }),
      to: t.arg({ type: 'DateTime', description: 'Only changes before this time.' }),
    },
    list: async (_root, { operatorId, from, to }, { caller, load, services: { engine } }) => {
      const operator = await load.operator.load(parseIdArgument(operatorId) ?? 0);
      if (!operator) return null;
      if (!canRead(caller, operator, 'details')) throw forbiddenError();
      const period = toPeriod({ from, to });
      return {
        slice: (slice) => engine.liveHistory.slice(caller.accountId, operator.id, period, slice),
        count: () => engine.liveHistory.count(caller.accountId, operator.id, period),
      };
    },
  }),
  liveAt: t.field({
    type: [OperatorMomentRef],
    nullable: true,
    description:
      'The live states at a time in the past. Operators see themselves, managers the operators they manage, admins all operators.',
    args: {
      time: t.arg({ type: 'DateTime', required: true, description: 'The time.' }),
      operatorIds: t.arg.idList({
        description: `The operators, at most ${MAX_OPERATORS}. Defaults to all operators that the viewer manages. Unknown identifiers are ignored.`,
      }),
    },
    resolve: async (_root, { time, operatorIds }, context): Promise<OperatorMoment[]> => {
      const operators = await selectOperators(operatorIds, context);
      const ids = operators.map(({ id }) => id);
      const { caller, services } = context;
      const states = await services.engine.liveHistory.readStatesAt(caller.accountId, ids, time.getTime());
      return operators.map((operator) => {
        const live = states.get(operator.id);
        return { operator, live: live ? { ...live, id: null } : null };
      });
    },
  }),
}));

/**
 * Loads the requested operators, who must all be readable, or by default the readable operators that the caller
 * manages.
 */
async function selectOperators(
  operatorIds: readonly string[] | null | undefined,
  context: Context,
): Promise<Operator[]> {
  const { caller, load } = context;
  checkOperatorCount(operatorIds ?? []);
  const operators = operatorIds
    ? await load.operator.loadAll(operatorIds.map((text) => parseIdArgument(text) ?? 0))
    : await loadManagedOperators(context);
  checkOperatorCount(operators);
  const readable = operators.filter((operator) => canRead(caller, operator, 'details'));
  if (operatorIds && readable.length < operators.length) throw forbiddenError();
  return readable;
}

function checkOperatorCount({ length }: readonly unknown[]): void {
  if (length > MAX_OPERATORS) {
    throw graphqlError('BAD_REQUEST', `operatorIds must have at most ${MAX_OPERATORS} items.`);
  }
}

async function loadManagedOperators({ caller, services, load }: Context): Promise<readonly Operator[]> {
  const { accountId, operatorId, accessLevel, managedGroups } = caller;
  if (accessLevel !== 'admin' && accessLevel !== 'manager')
    return operatorId === null ? [] : load.operator.loadAll([operatorId]);
  const filters = managedGroups === 'account' ? {} : { groupId: { kind: 'ids', ids: [...managedGroups] } as const };
  const slice = { limit: MAX_OPERATORS + 1, backwards: false };
  return (await services.administration.operatorQuery.slice(accountId, filters, slice)).rows;
}
