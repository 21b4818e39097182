import type { LiveChanges } from '../../../core/engine/presence/live-service.ts';
import { CHANNELS, type Channel } from '../../../core/kernel/channels.ts';
import { type BlockReason, computeChannelLive, type LiveState } from '../../../core/live/capacity.ts';
import type { LiveChangeRecord } from '../../../core/live/live-change.ts';
import type { ChannelAvailability, SkillAvailability } from '../../../core/live/skill-availability.ts';
import { canRead } from '../../../core/operators/permissions.ts';
import { forbiddenError } from '../../graphql-server/errors.ts';
import { parseIdArgument } from '../../graphql-server/ids.ts';
import { builder, createEnum } from '../builder.ts';
import type { Context } from '../context.ts';
import { ActorRef } from './actor.ts';
import { SkillRef } from './directory.ts';

export const BLOCK_REASON_DESCRIPTIONS: Record<BlockReason, string> = {
  OFFLINE: 'Not connected.',
  IN_GRACE: 'The connection was closed, and the grace period has not ended.',
  NOT_ENABLED: 'The channel is not enabled for the operator.',
  NOT_AVAILABLE: 'The operator is not available on this channel.',
  SLOTS_FULL: 'All slots of this channel are in use.',
  ON_CALL: 'A call, active or offered, blocks this channel.',
  ON_VIDEO: 'A video, active or offered, blocks this channel.',
  ON_CHAT: 'A chat, active or offered, blocks this channel.',
};

const CHANGES_DESCRIPTION =
  'For the operator and those who may change them. Null in the past, and if the change was made by an earlier version.';

export const BlockReasonEnum = createEnum(
  'BlockReason',
  'A reason why an operator is not routable.',
  BLOCK_REASON_DESCRIPTIONS,
);

/** A live state now or in the past. */
export interface LiveView {
  /** The operator. Null for a state in the past. */
  readonly id: number | null;
  readonly state: LiveState;
  readonly pauseReason: string | null;
}

/** The properties have the names of the fields, so that compiled queries read them without calling a resolver. */
interface ChannelProperties {
  readonly operatorId: number | null;
  readonly channel: Channel;
  readonly enabled: boolean;
  readonly available: boolean;
  readonly busy: boolean;
  readonly slotNumber: number;
  readonly slotMaxNumber: number;
  readonly routable: boolean;
  readonly blockedBy: BlockReason[];
}

type LiveProperties = Pick<LiveView, 'id' | 'pauseReason'> & { readonly connected: boolean } & {
  readonly [channel in Channel]: ChannelProperties;
};

/** Live states are cached by version: what is computed from one is kept as long. */
const liveProperties = new WeakMap<LiveView, LiveProperties>();

export function toLiveProperties(view: LiveView): LiveProperties {
  const known = liveProperties.get(view);
  if (known) return known;
  const { id, state, pauseReason } = view;
  const toChannel = (channel: Channel): ChannelProperties => {
    const { enabled, available, slots, maximum } = state[channel];
    const { busy, routable, blockedBy } = computeChannelLive(state, channel);
    return {
      ...{ operatorId: id, channel, enabled, available, busy, slotNumber: slots, slotMaxNumber: maximum },
      ...{ routable, blockedBy: [...blockedBy] },
    };
  };
  const properties: LiveProperties = {
    ...{ id, pauseReason, connected: state.connected },
    ...{ chat: toChannel('chat'), call: toChannel('call'), video: toChannel('video') },
  };
  liveProperties.set(view, properties);
  return properties;
}

/** For the operator and for those who may change them. Null for a state in the past. */
async function loadChanges(id: number | null, { caller, load }: Context): Promise<LiveChanges | null> {
  const operator = id === null ? undefined : await load.operator.load(id);
  if (!operator) return null;
  if (!canRead(caller, operator, 'details')) throw forbiddenError();
  return (await load.liveChanges.load(operator.id)) ?? null;
}

const loadChannelChange = async ({ operatorId, channel }: ChannelProperties, context: Context) =>
  (await loadChanges(operatorId, context))?.[channel] ?? null;

const ChannelLiveRef = builder.objectRef<ChannelProperties>('ChannelLive').implement({
  description: 'The live state of an operator on one channel.',
  fields: (t) => ({
    enabled: t.exposeBoolean('enabled', { description: 'Whether the channel is enabled for the operator.' }),
    available: t.exposeBoolean('available', {
      description: 'Whether the operator has set themselves available on this channel.',
    }),
    busy: t.exposeBoolean('busy', {
      description: 'Whether the operator has no capacity for another conversation.',
    }),
    slotNumber: t.exposeInt('slotNumber', {
      description: 'The slots in use: active conversations and open offers.',
    }),
    slotMaxNumber: t.exposeInt('slotMaxNumber', { description: 'The maximum number of slots.' }),
    routable: t.exposeBoolean('routable', {
      description: 'Whether the operator can receive a conversation now: connected, enabled, available and not busy.',
    }),
    blockedBy: t.expose('blockedBy', {
      type: [BlockReasonEnum],
      description: 'The reasons why the operator is not routable. Empty if routable.',
    }),
    changedBy: t.field({
      type: ActorRef,
      nullable: true,
      description: `Who last turned the channel on or off. ${CHANGES_DESCRIPTION}`,
      resolve: async (channel, _args, context) => (await loadChannelChange(channel, context))?.by ?? null,
    }),
    changedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: `When the channel was last turned on or off. ${CHANGES_DESCRIPTION}`,
      resolve: async (channel, _args, context) => (await loadChannelChange(channel, context))?.at ?? null,
    }),
    changedReason: t.string({
      nullable: true,
      description: `Why the service turned the channel off: \`missed_offers\`. ${CHANGES_DESCRIPTION}`,
      resolve: async (channel, _args, context) => (await loadChannelChange(channel, context))?.reason ?? null,
    }),
  }),
});

const TakenOfflineRef = builder.objectRef<LiveChangeRecord>('TakenOffline').implement({
  description: 'Who took an operator offline. Only `operatorConnect` of the operator ends it.',
  fields: (t) => ({
    by: t.expose('by', { type: ActorRef, description: 'Who took the operator offline.' }),
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why, if known: `taken_offline`.' }),
  }),
});

export const OperatorLiveRef = builder.objectRef<LiveProperties>('OperatorLive').implement({
  description: 'The live state of an operator.',
  fields: (t) => ({
    connected: t.exposeBoolean('connected', {
      description: 'Whether the operator has a lease that has not ended.',
    }),
    pauseReason: t.exposeString('pauseReason', {
      nullable: true,
      description: 'Why the operator takes a pause. Null while they are available on a channel that is enabled.',
    }),
    takenOffline: t.field({
      type: TakenOfflineRef,
      nullable: true,
      description: `Who took the operator offline; null unless someone else did and the operator has not connected since. ${CHANGES_DESCRIPTION}`,
      resolve: async ({ id }, _args, context) => (await loadChanges(id, context))?.takenOffline ?? null,
    }),
    ...Object.fromEntries(
      CHANNELS.map((channel) => [
        channel,
        t.expose(channel, { type: ChannelLiveRef, description: `The live state on the ${channel} channel.` }),
      ]),
    ),
  }),
});

const ChannelAvailabilityRef = builder.objectRef<ChannelAvailability>('ChannelAvailability').implement({
  description: 'The availability of operators on a channel.',
  fields: (t) => ({
    isAvailable: t.exposeBoolean('isAvailable', { description: 'Whether an operator can receive a conversation now.' }),
    operatorsConnected: t.exposeInt('operatorsConnected', {
      description: 'The number of matching operators who are connected.',
    }),
    operatorsRoutable: t.exposeInt('operatorsRoutable', {
      description: 'The number of matching operators who can receive a conversation now.',
    }),
    freeSlots: t.exposeInt('freeSlots', { description: 'The number of free slots.' }),
    waiting: t.exposeInt('waiting', { description: 'The number of queued conversations that match.' }),
  }),
});

export const SkillAvailabilityRef = builder.objectRef<SkillAvailability>('SkillAvailability').implement({
  description:
    'Whether an operator is available for a skill right now, by channel. Check it before showing a contact button.',
  fields: (t) =>
    Object.fromEntries(
      CHANNELS.map((channel) => [
        channel,
        t.field({
          type: ChannelAvailabilityRef,
          description: `The availability on the ${channel} channel.`,
          resolve: (availability) => availability[channel],
        }),
      ]),
    ),
});

builder.objectField(SkillRef, 'availability', (t) =>
  t.field({
    type: SkillAvailabilityRef,
    description: 'Whether an operator is available for this skill right now.',
    args: {
      websiteId: t.arg.id({ description: 'Only operators assigned to this website.' }),
      language: t.arg.string({ description: 'Only operators who speak this language (ISO 639-1).' }),
    },
    resolve: (skill, { websiteId, language }, { load }) =>
      load.availability.load({
        skillId: skill.id,
        // No operator matches website 0.
        websiteId: websiteId === null || websiteId === undefined ? undefined : (parseIdArgument(websiteId) ?? 0),
        language: language ?? undefined,
      }),
  }),
);
