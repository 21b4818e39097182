import type { Channel, ChannelLive, OperatorLive } from './model.ts';

export const CHANNELS = ['CHAT', 'CALL', 'VIDEO'] as const satisfies readonly Channel[];

export interface ChannelSummary {
  readonly channel: Channel;
  readonly live: ChannelLive;
}

/** The channels that the operator can serve at all. */
export function listChannels(live: OperatorLive): ChannelSummary[] {
  return CHANNELS.map((channel) => ({ channel, live: getChannel(live, channel) })).filter(
    (summary) => summary.live.enabled,
  );
}

export function getChannel(live: OperatorLive, channel: Channel): ChannelLive {
  const names = { CHAT: 'chat', CALL: 'call', VIDEO: 'video' } as const;
  return live[names[channel]];
}

export interface SlotUse {
  readonly used: number;
  readonly total: number;
}

/** Slots of all channels that the operator can serve. */
export function countSlots(live: OperatorLive): SlotUse {
  return listChannels(live).reduce(
    (sum, { live: { slotNumber, slotMaxNumber } }) => ({
      used: sum.used + slotNumber,
      total: sum.total + slotMaxNumber,
    }),
    { used: 0, total: 0 },
  );
}
