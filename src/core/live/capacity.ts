import type { Channel } from '../kernel/channels.ts';

export interface ChannelState {
  readonly enabled: boolean;
  /** Whether the operator has set themselves available. */
  readonly available: boolean;
  /** Active conversations and pending offers. */
  readonly slots: number;
  readonly maximum: number;
}

/** Everything that decides whether an operator can take a conversation now. */
export type LiveState = {
  readonly connected: boolean;
  /**
   * Connected only by a lease whose connection closed moments ago: a reloaded page reconnects, a closed one does not.
   */
  readonly inGrace: boolean;
  readonly chatAndCall: boolean;
} & {
  readonly [channel in Channel]: ChannelState;
};

export type BlockReason =
  | 'OFFLINE'
  | 'IN_GRACE'
  | 'NOT_ENABLED'
  | 'NOT_AVAILABLE'
  | 'SLOTS_FULL'
  | 'ON_CALL'
  | 'ON_VIDEO'
  | 'ON_CHAT';

export interface ChannelLive {
  readonly busy: boolean;
  readonly routable: boolean;
  readonly blockedBy: readonly BlockReason[];
}

/**
 * The only definition of busy and routable. A call or a video blocks call and video; a call blocks chat and a chat
 * blocks call, unless the operator handles both concurrently; a video blocks chat (the chat it was escalated from
 * retains its slot).
 */
export function computeChannelLive(state: LiveState, channel: Channel): ChannelLive {
  const channelState = state[channel];
  const busyReasons: BlockReason[] = [];
  if (channelState.slots >= channelState.maximum) busyReasons.push('SLOTS_FULL');
  if (state.call.slots > 0 && (channel === 'video' || (channel === 'chat' && !state.chatAndCall))) {
    busyReasons.push('ON_CALL');
  }
  if (state.video.slots > 0 && channel !== 'video') busyReasons.push('ON_VIDEO');
  if (state.chat.slots > 0 && channel === 'call' && !state.chatAndCall) busyReasons.push('ON_CHAT');

  const blockedBy: BlockReason[] = [];
  if (!state.connected) blockedBy.push('OFFLINE');
  if (state.connected && state.inGrace) blockedBy.push('IN_GRACE');
  if (!channelState.enabled) blockedBy.push('NOT_ENABLED');
  if (!channelState.available) blockedBy.push('NOT_AVAILABLE');
  blockedBy.push(...busyReasons);
  return { busy: busyReasons.length > 0, routable: blockedBy.length === 0, blockedBy };
}
