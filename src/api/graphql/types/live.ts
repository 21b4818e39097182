import { CHANNELS, type Channel } from '../../../core/kernel/channels.ts';
import { type BlockReason, channelLive, type LiveState } from '../../../core/live/capacity.ts';
import type { ChannelAvailability, SkillAvailability } from '../../../core/live/skill-availability.ts';
import { readId } from '../../graphql-server/ids.ts';
import { builder, wordsEnum } from '../builder.ts';
import { SkillRef } from './directory.ts';

export const REASONS: Record<BlockReason, string> = {
  OFFLINE: 'Not connected.',
  IN_GRACE: 'The connection was closed a moment ago and may come back.',
  NOT_ENABLED: 'Cannot process this channel.',
  NOT_AVAILABLE: 'Does not want conversations of this channel now.',
  SLOTS_FULL: 'All slots of this channel are in use.',
  ON_CALL: 'A running call blocks this channel.',
  ON_VIDEO: 'A running video blocks this channel.',
  ON_CHAT: 'A running chat blocks this channel.',
};

const BlockReasonEnum = wordsEnum('BlockReason', 'Why an operator is not given a conversation.', REASONS);

interface ChannelOfState {
  readonly state: LiveState;
  readonly channel: Channel;
}

const ChannelLiveRef = builder.objectRef<ChannelOfState>('ChannelLive').implement({
  description: 'The live state of an operator on one channel.',
  fields: (t) => ({
    enabled: t.boolean({
      description: 'Whether the operator can process this channel.',
      resolve: ({ state, channel }) => state[channel].enabled,
    }),
    available: t.boolean({
      description: 'The wish, as it was set.',
      resolve: ({ state, channel }) => state[channel].available,
    }),
    busy: t.boolean({
      description: 'Whether no further conversation fits.',
      resolve: ({ state, channel }) => channelLive(state, channel).busy,
    }),
    slotNumber: t.int({
      description: 'Slots in use: running conversations and open offers.',
      resolve: ({ state, channel }) => state[channel].slots,
    }),
    slotMaxNumber: t.int({ description: 'Slots at most.', resolve: ({ state, channel }) => state[channel].maximum }),
    routable: t.boolean({
      description: 'Whether a conversation would be given now: connected, enabled, available and not busy.',
      resolve: ({ state, channel }) => channelLive(state, channel).routable,
    }),
    blockedBy: t.field({
      type: [BlockReasonEnum],
      description: 'All that stands in the way; empty when routable.',
      resolve: ({ state, channel }) => [...channelLive(state, channel).blockedBy],
    }),
  }),
});

export const OperatorLiveRef = builder.objectRef<LiveState>('OperatorLive').implement({
  description: 'Whether an operator is there, and for what.',
  fields: (t) => ({
    connected: t.exposeBoolean('connected', { description: 'Whether a session of the operator has not ended.' }),
    ...Object.fromEntries(
      CHANNELS.map((channel) => [
        channel,
        t.field({
          type: ChannelLiveRef,
          description: `State on the channel ${channel}.`,
          resolve: (state) => ({ state, channel }),
        }),
      ]),
    ),
  }),
});

const ChannelAvailabilityRef = builder.objectRef<ChannelAvailability>('ChannelAvailability').implement({
  description: 'Whether anybody is free on a channel.',
  fields: (t) => ({
    isAvailable: t.exposeBoolean('isAvailable', { description: 'Whether somebody would be given a conversation now.' }),
    operatorsConnected: t.exposeInt('operatorsConnected', {
      description: 'Operators who could serve and are connected.',
    }),
    operatorsRoutable: t.exposeInt('operatorsRoutable', {
      description: 'Those of them who would be given a conversation now.',
    }),
    freeSlots: t.exposeInt('freeSlots', { description: 'Conversations that still fit.' }),
    waiting: t.exposeInt('waiting', { description: 'Conversations that wait.' }),
  }),
});

export const SkillAvailabilityRef = builder.objectRef<SkillAvailability>('SkillAvailability').implement({
  description: 'Is anyone free for this skill now? What a site asks before it shows a button.',
  fields: (t) =>
    Object.fromEntries(
      CHANNELS.map((channel) => [
        channel,
        t.field({
          type: ChannelAvailabilityRef,
          description: `On the channel ${channel}.`,
          resolve: (answer) => answer[channel],
        }),
      ]),
    ),
});

builder.objectField(SkillRef, 'availability', (t) =>
  t.field({
    type: SkillAvailabilityRef,
    description: 'Is anyone free for this skill now?',
    args: {
      websiteId: t.arg.id({ description: 'Only operators who work on this website.' }),
      language: t.arg.string({ description: 'Only operators who speak this language (ISO 639-1).' }),
    },
    resolve: (skill, { websiteId, language }, { load }) =>
      load.availability.load({
        skillId: skill.id,
        // An identifier that names nothing: nobody works there.
        websiteId: websiteId === null || websiteId === undefined ? undefined : (readId(websiteId) ?? 0),
        language: language ?? undefined,
      }),
  }),
);
