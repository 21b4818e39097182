import type { LampState } from '../../../shared/components/lamp-state.ts';
import type { Channel, ChannelLive, Connection, OperatorLive } from '../../state/model.ts';
import { listChannels } from '../../state/select-channels.ts';

/** What the lamp in the header shows: the viewer as the routing sees them. */
export function findPresence(live: OperatorLive, connection: Connection): LampState {
  if (connection.kind === 'lost') return 'reconnecting';
  if (!live.connected) return 'offline';
  const channels = listChannels(live).map((each) => each.live);
  if (channels.some((channel) => channel.routable)) return 'available';
  return channels.some((channel) => channel.available) ? 'busy' : 'pause';
}

/** The offers among the slots in use. They are counted by who shows them: the service counts both together. */
export function countHeld(offers: readonly { readonly channel: Channel }[], channel: Channel): number {
  return offers.filter((offer) => offer.channel === channel).length;
}

/** All channels of the viewer, on or off. */
export function setAllChannels(live: OperatorLive, isOn: boolean): Partial<Record<Lowercase<Channel>, boolean>> {
  return Object.fromEntries(listChannels(live).map(({ channel }) => [channel.toLowerCase(), isOn]));
}

/** The channel takes no conversation: what of it the switch beside it does not say already. */
export function listObstacles({ blockedBy, available }: ChannelLive): ChannelLive['blockedBy'] {
  return available ? blockedBy : [];
}
