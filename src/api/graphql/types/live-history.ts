import type { LiveState } from '../../../core/live/capacity.ts';
import type { LiveChange } from '../../../core/live/live-history.ts';
import { type LiveMoment, stateOf } from '../../../core/live/live-past.ts';
import type { Operator } from '../../../core/operators/operator.ts';
import { canRead } from '../../../core/operators/permissions.ts';
import { forbiddenError, graphqlError } from '../../graphql-server/errors.ts';
import { readId } from '../../graphql-server/ids.ts';
import { builder, connectionField, connectionType, wordsEnum } from '../builder.ts';
import type { Context } from '../context.ts';
import { existing } from '../loaders.ts';
import { ActorRef, actorOf } from './actor.ts';
import { OperatorLiveRef } from './live.ts';
import { OperatorRef } from './operator.ts';
import { readPeriod } from './statistics.ts';

const LiveChangeKindEnum = wordsEnum<LiveChange>('LiveChangeKind', 'What changed a live state.', {
  connected: 'The first session began.',
  disconnected: 'The last session ended.',
  in_grace: 'The last connection was closed and may come back.',
  returned: 'A connection came back in time.',
  availability: 'A wish was set.',
  settings: 'The operator was made or changed: channels, limits, skills, groups, websites, languages.',
  slot_taken: 'A conversation was given or offered.',
  slot_freed: 'A conversation ended, or went to somebody else.',
});

type Change = LiveMoment & { readonly id: number };

const LiveChangeRef = builder.objectRef<Change>('LiveChange').implement({
  description: 'A change of the live state of an operator: who, when, why, and what was true from then on.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    kind: t.field({ type: LiveChangeKindEnum, description: 'What.', resolve: (change) => change.kind as LiveChange }),
    reason: t.exposeString('reason', {
      nullable: true,
      description:
        'Why, in a word: the channel of a slot, `signed_off`, `taken_offline`, `lease_ended`, `missed_offers`.',
    }),
    actor: t.field({
      type: ActorRef,
      description: 'Who.',
      resolve: actorOf,
    }),
    live: t.field({ type: OperatorLiveRef, description: 'What was true from then on.', resolve: stateOf }),
  }),
});

const LiveChangeConnection = connectionType('LiveChange', LiveChangeRef);

interface Moment {
  readonly operator: Operator;
  readonly live: LiveState | null;
}

const OperatorMomentRef = builder.objectRef<Moment>('OperatorMoment').implement({
  description: 'An operator at a moment of the past.',
  fields: (t) => ({
    operator: t.expose('operator', { type: OperatorRef, description: 'Who, as they are now.' }),
    live: t.expose('live', {
      type: OperatorLiveRef,
      nullable: true,
      description: 'What was true of them then; null when nothing is known so long ago.',
    }),
  }),
});

const MAX_MOMENTS = 1000;

builder.queryFields((t) => ({
  liveHistory: connectionField(t, {
    type: LiveChangeConnection,
    nullable: true,
    description:
      'Every change of the live state of an operator, newest first. For the operator, their managers, and admins.',
    args: {
      operatorId: t.arg.id({ required: true, description: 'Whose.' }),
      from: t.arg({ type: 'DateTime', description: 'Only changes at this moment or later.' }),
      to: t.arg({ type: 'DateTime', description: 'Only changes before this moment.' }),
    },
    list: async (_root, { operatorId, from, to }, { caller, load, services: { engine } }) => {
      const operator = await load.operator.load(readId(operatorId) ?? 0);
      if (!operator) return null;
      if (!canRead(caller, operator, 'details')) throw forbiddenError();
      const period = readPeriod({ from, to });
      return {
        slice: (slice) => engine.livePast.slice(caller.accountId, operator.id, period, slice),
        count: () => engine.livePast.count(caller.accountId, operator.id, period),
      };
    },
  }),
  liveAt: t.field({
    type: [OperatorMomentRef],
    nullable: true,
    description:
      'The live states of a moment of the past. Operators see themselves, managers those whom they manage, admins everybody.',
    args: {
      time: t.arg({ type: 'DateTime', required: true, description: 'Which moment.' }),
      operatorIds: t.arg.idList({
        description: `Whose, ${MAX_MOMENTS} at most; all that the viewer manages if nothing is said. Unknown ones are left out.`,
      }),
    },
    resolve: async (_root, { time, operatorIds }, context): Promise<Moment[]> => {
      const operators = await meantOperators(operatorIds, context);
      const ids = operators.map(({ id }) => id);
      const { caller, services } = context;
      const states = await services.engine.livePast.at(caller.accountId, ids, time.getTime());
      return operators.map((operator) => ({ operator, live: states.get(operator.id) ?? null }));
    },
  }),
}));

/** Whoever is named and may not be read makes the whole question FORBIDDEN; of all others, those who may. */
async function meantOperators(given: readonly string[] | null | undefined, context: Context): Promise<Operator[]> {
  const { caller, load } = context;
  refuseTooMany(given ?? []);
  const found = given
    ? existing(await load.operator.loadMany(given.map((text) => readId(text) ?? 0)))
    : await withinReach(context);
  refuseTooMany(found);
  const readable = found.filter((operator) => canRead(caller, operator, 'details'));
  if (given && readable.length < found.length) throw forbiddenError();
  return readable;
}

function refuseTooMany({ length }: readonly unknown[]): void {
  if (length > MAX_MOMENTS) {
    throw graphqlError('BAD_REQUEST', `operatorIds must name ${MAX_MOMENTS} operators at most.`);
  }
}

async function withinReach({ caller, services, load }: Context): Promise<readonly Operator[]> {
  const { accountId, operatorId, accessLevel, managedGroups } = caller;
  if (accessLevel !== 'admin' && accessLevel !== 'manager')
    return operatorId === null ? [] : existing([await load.operator.load(operatorId)]);
  const filters = managedGroups === 'account' ? {} : { groupId: { kind: 'ids', ids: [...managedGroups] } as const };
  const slice = { limit: MAX_MOMENTS + 1, backwards: false };
  return (await services.administration.operatorQuery.slice(accountId, filters, slice)).rows;
}
