import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Channel } from '../operators/operator.ts';

const column = (name: string) => sql.ref<number>(`live.${name}`);

/** What else keeps a channel busy, beside its own slots. */
const BLOCKED: Record<Channel, RawBuilder<SqlBool>> = {
  chat: sql`((${column('callSlots')} > 0 and ${column('chatAndCall')} = 0) or ${column('videoSlots')} > 0)`,
  call: sql`(${column('videoSlots')} > 0 or (${column('chatSlots')} > 0 and ${column('chatAndCall')} = 0))`,
  video: sql`(${column('callSlots')} > 0)`,
};

/**
 * `channelLive(…).routable` of capacity.ts for a row of the table `live`, where only the database can look at all rows.
 * A test compares the two over every combination.
 */
export function isRoutable(channel: Channel): RawBuilder<SqlBool> {
  const maximum = channel === 'chat' ? column('chatMaxNumber') : sql.lit(1);
  return sql`(${column('leaseUntil')} > now_ms() and ${column(`${channel}Enabled`)} = 1
    and ${column(`${channel}Available`)} = 1 and ${column(`${channel}Slots`)} < ${maximum} and not ${BLOCKED[channel]})`;
}
