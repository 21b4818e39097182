import type { Channel, ChannelLive, DeskConversation, DeskState, OperatorLive } from './model.ts';
import { selectMine, selectOffers } from './select-conversations.ts';

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

interface LiveParts {
  readonly live: OperatorLive;
  readonly offers: readonly DeskConversation[];
  readonly mine: readonly DeskConversation[];
}

let last: (LiveParts & { readonly result: OperatorLive }) | undefined;

/**
 * The live state of the viewer with the slots that are in use now. No event tells that a slot was taken or freed, but
 * the desk has every conversation and offer that holds one.
 */
export function selectLive(state: DeskState): OperatorLive {
  const parts = { live: state.viewer.live, offers: selectOffers(state), mine: selectMine(state) };
  if (last && last.live === parts.live && last.offers === parts.offers && last.mine === parts.mine) return last.result;
  const result = computeLive(parts);
  last = { ...parts, result };
  return result;
}

function computeLive({ live, offers, mine }: LiveParts): OperatorLive {
  const held = [...offers, ...mine];
  const count = (channel: Channel) => held.filter((each) => each.channel === channel).length;
  return {
    ...live,
    chat: withSlots(live.chat, count('CHAT')),
    call: withSlots(live.call, count('CALL')),
    video: withSlots(live.video, count('VIDEO')),
  };
}

function withSlots(live: ChannelLive, slotNumber: number): ChannelLive {
  const isFull = slotNumber >= live.slotMaxNumber;
  const others = live.blockedBy.filter((reason) => reason !== 'SLOTS_FULL');
  const blockedBy = isFull ? [...others, 'SLOTS_FULL' as const] : others;
  const isBlocked = others.some((reason) => reason.startsWith('ON_'));
  return { ...live, slotNumber, blockedBy, busy: isFull || isBlocked, routable: blockedBy.length === 0 };
}
