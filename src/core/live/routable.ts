import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Channel } from '../kernel/channels.ts';

const column = (name: string) => sql.ref<number>(`live.${name}`);

/** Whatever other channels may not be doing meanwhile. */
const NOT_BLOCKED: Record<Channel, RawBuilder<SqlBool>> = {
  chat: sql`${column('videoSlots')} = 0 and (${column('callSlots')} = 0 or ${column('chatAndCall')} = 1)`,
  call: sql`${column('videoSlots')} = 0 and (${column('chatSlots')} = 0 or ${column('chatAndCall')} = 1)`,
  video: sql`${column('callSlots')} = 0`,
};

/**
 * `channelLive(…).routable` of capacity.ts for a row of the table `live`, where only the database can look at all rows or must
 * test and claim in one step. A test compares the two over every combination. The words are those of the indexes of
 * routable operators: in others they would not be used.
 */
export function isRoutable(channel: Channel): RawBuilder<SqlBool> {
  const maximum = channel === 'chat' ? column('chatMaxNumber') : sql.lit(1);
  return sql`(${column('routableUntil')} > 0 and ${column(`${channel}Enabled`)} = 1
    and ${column(`${channel}Available`)} = 1 and ${column(`${channel}Slots`)} < ${maximum} and ${NOT_BLOCKED[channel]}
    and ${column('routableUntil')} > now_ms())`;
}
