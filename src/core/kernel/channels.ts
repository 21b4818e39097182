export const CHANNELS = ['chat', 'call', 'video'] as const;
export type Channel = (typeof CHANNELS)[number];

/** Something for each channel, such as a statement: channels are in the names of columns, which are no parameters. */
export function perChannel<T>(make: (channel: Channel) => T): Record<Channel, T> {
  return Object.fromEntries(CHANNELS.map((channel) => [channel, make(channel)])) as Record<Channel, T>;
}
