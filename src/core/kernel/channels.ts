export const CHANNELS = ['chat', 'call', 'video'] as const;
export type Channel = (typeof CHANNELS)[number];

/** Builds one value per channel, such as a statement: channels are part of column names, which cannot be parameters. */
export function perChannel<T>(make: (channel: Channel) => T): Record<Channel, T> {
  return Object.fromEntries(CHANNELS.map((channel) => [channel, make(channel)])) as Record<Channel, T>;
}
