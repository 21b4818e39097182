import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Channel } from '../kernel/channels.ts';

const column = (name: string) => sql.ref<number>(`live.${name}`);

const NOT_BLOCKED_BY_OTHER_CHANNELS: Record<Channel, RawBuilder<SqlBool>> = {
  chat: sql`${column('videoSlots')} = 0 and (${column('callSlots')} = 0 or ${column('chatAndCall')} = 1)`,
  call: sql`${column('videoSlots')} = 0 and (${column('chatSlots')} = 0 or ${column('chatAndCall')} = 1)`,
  video: sql`${column('callSlots')} = 0`,
};

/**
 * `computeChannelLive(…).routable` of capacity.ts as a condition on the table alias `live`, for searching many rows or
 * for checking and claiming in one statement. A test compares both for every combination. The SQL must match the
 * conditions of the partial indexes on routable operators, or the database does not use them.
 */
export function buildRoutableCondition(channel: Channel, now: Expression<number> = sql`now_ms()`): RawBuilder<SqlBool> {
  const maximum = channel === 'chat' ? column('chatMaxNumber') : sql.lit(1);
  return sql`(${column('routableUntil')} > 0 and ${column(`${channel}Enabled`)} = 1
    and ${column(`${channel}Available`)} = 1 and ${column(`${channel}Slots`)} < ${maximum} and ${NOT_BLOCKED_BY_OTHER_CHANNELS[channel]}
    and ${column('routableUntil')} > ${now})`;
}
