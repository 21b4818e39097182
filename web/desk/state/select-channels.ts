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
  readonly slots: Readonly<Record<Channel, number>>;
}

let last: (LiveParts & { readonly result: OperatorLive }) | undefined;

/**
 * The live state of the viewer with the slots that are in use now. No event tells that a slot was taken or freed, but
 * the desk has every conversation and offer that holds one.
 */
export function selectLive(state: DeskState): OperatorLive {
  const { live } = state.viewer;
  const slots = countHeldSlots(selectOffers(state), selectMine(state));
  // Every message changes a conversation, hardly any the slots.
  if (last?.live === live && CHANNELS.every((channel) => last?.slots[channel] === slots[channel])) return last.result;
  const result = computeLive({ live, slots });
  last = { live, slots, result };
  return result;
}

function countHeldSlots(...lists: (readonly DeskConversation[])[]): Record<Channel, number> {
  const slots = { CHAT: 0, CALL: 0, VIDEO: 0 };
  for (const list of lists) for (const { channel } of list) slots[channel] += 1;
  return slots;
}

function computeLive({ live, slots }: LiveParts): OperatorLive {
  return {
    ...live,
    chat: withSlots(live.chat, slots.CHAT),
    call: withSlots(live.call, slots.CALL),
    video: withSlots(live.video, slots.VIDEO),
  };
}

function withSlots(live: ChannelLive, slotNumber: number): ChannelLive {
  const isFull = slotNumber >= live.slotMaxNumber;
  const others = live.blockedBy.filter((reason) => reason !== 'SLOTS_FULL');
  const blockedBy = isFull ? [...others, 'SLOTS_FULL' as const] : others;
  const isBlocked = others.some((reason) => reason.startsWith('ON_'));
  return { ...live, slotNumber, blockedBy, busy: isFull || isBlocked, routable: blockedBy.length === 0 };
}
