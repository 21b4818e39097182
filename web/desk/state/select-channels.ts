import type { BlockReason, Channel, ChannelLive, DeskConversation, DeskState, OperatorLive } from './model.ts';
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
  readonly chatAndCall: boolean | null;
  readonly slots: Readonly<Record<Channel, number>>;
}

let last: (LiveParts & { readonly result: OperatorLive }) | undefined;

/**
 * The live state of the viewer with the slots that are in use now, and what they block. No event tells that a slot was
 * taken or freed, but the desk has every conversation and offer that holds one.
 */
export function selectLive(state: DeskState): OperatorLive {
  const { live, chatAndCall } = state.viewer;
  const slots = countHeldSlots(selectOffers(state), selectMine(state));
  // Every message changes a conversation, hardly any the slots.
  const isSame = last?.live === live && last.chatAndCall === chatAndCall;
  if (last && isSame && CHANNELS.every((channel) => last?.slots[channel] === slots[channel])) return last.result;
  const result = computeLive({ live, chatAndCall, slots });
  last = { live, chatAndCall, slots, result };
  return result;
}

function countHeldSlots(...lists: (readonly DeskConversation[])[]): Record<Channel, number> {
  const slots = { CHAT: 0, CALL: 0, VIDEO: 0 };
  for (const list of lists) for (const { channel } of list) slots[channel] += 1;
  return slots;
}

function computeLive(parts: LiveParts): OperatorLive {
  return {
    ...parts.live,
    chat: withSlots('CHAT', parts),
    call: withSlots('CALL', parts),
    video: withSlots('VIDEO', parts),
  };
}

function withSlots(channel: Channel, parts: LiveParts): ChannelLive {
  const live = getChannel(parts.live, channel);
  const busyReasons = listBusyReasons(channel, live.slotMaxNumber, parts);
  const blockedBy = [...live.blockedBy.filter((reason) => !BUSY_REASONS.includes(reason)), ...busyReasons];
  return {
    ...live,
    ...{ slotNumber: parts.slots[channel], blockedBy },
    ...{ busy: busyReasons.length > 0, routable: blockedBy.length === 0 },
  };
}

/** Those that follow from the slots in use. */
const BUSY_REASONS: readonly BlockReason[] = ['SLOTS_FULL', 'ON_CALL', 'ON_VIDEO', 'ON_CHAT'];

/** The rules of the service. */
function listBusyReasons(channel: Channel, maximum: number, { slots, chatAndCall }: LiveParts): BlockReason[] {
  const isExcludedByCall = channel === 'VIDEO' || (channel === 'CHAT' && !chatAndCall);
  const reasons = [
    slots[channel] >= maximum && 'SLOTS_FULL',
    slots.CALL > 0 && isExcludedByCall && 'ON_CALL',
    slots.VIDEO > 0 && channel !== 'VIDEO' && 'ON_VIDEO',
    slots.CHAT > 0 && channel === 'CALL' && !chatAndCall && 'ON_CHAT',
  ] as const;
  return reasons.filter((reason) => reason !== false);
}
