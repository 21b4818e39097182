import type { Channel } from '../kernel/channels.ts';

export interface ChannelState {
  readonly enabled: boolean;
  /** The operator's wish, as it was set. */
  readonly available: boolean;
  /** Running conversations and offers that wait for an answer. */
  readonly slots: number;
  readonly maximum: number;
}

/** All that decides whether an operator can take a conversation now. */
export type LiveState = {
  readonly connected: boolean;
  /** Connected only by a session that was closed a moment ago: a reloaded page comes back, a closed one does not. */
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
 * The one definition of busy and routable. A call or a video blocks call and video; a call blocks chat and a chat
 * blocks call, unless the operator does both at once; a video blocks chat (the chat that it came from keeps its slot).
 */
export function channelLive(state: LiveState, channel: Channel): ChannelLive {
  const own = state[channel];
  const busyBecause: BlockReason[] = [];
  if (own.slots >= own.maximum) busyBecause.push('SLOTS_FULL');
  if (state.call.slots > 0 && (channel === 'video' || (channel === 'chat' && !state.chatAndCall))) {
    busyBecause.push('ON_CALL');
  }
  if (state.video.slots > 0 && channel !== 'video') busyBecause.push('ON_VIDEO');
  if (state.chat.slots > 0 && channel === 'call' && !state.chatAndCall) busyBecause.push('ON_CHAT');

  const blockedBy: BlockReason[] = [];
  if (!state.connected) blockedBy.push('OFFLINE');
  if (state.connected && state.inGrace) blockedBy.push('IN_GRACE');
  if (!own.enabled) blockedBy.push('NOT_ENABLED');
  if (!own.available) blockedBy.push('NOT_AVAILABLE');
  blockedBy.push(...busyBecause);
  return { busy: busyBecause.length > 0, routable: blockedBy.length === 0, blockedBy };
}
