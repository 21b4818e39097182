import { type Kysely, sql } from 'kysely';
import type { Transaction } from '../../../storage/database.ts';
import type { Tables } from '../../../storage/tables.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import { requireConversation } from '../records/conversation-store.ts';
import { addNotice } from '../records/message-store.ts';
import { closeConversation } from './conversation-service.ts';

/** Half a minute for each minute of the setting: the warning comes in the middle. */
const HALF_MINUTE_MS = sql.lit(30_000);

/**
 * The newest message of a person, or the warning that followed it. Other notices do not count: they show no activity.
 */
const newestMessage = (column: 'at' | 'notice_code') => sql`(select m.${sql.raw(column)} from messages m
  where m.account_id = c.account_id and m.conversation_id = c.id
  and (m.author_type <> 'notice' or m.notice_code = 'idle_warning') order by m.sequence desc limit 1)`;

/**
 * Selects running chats in which nothing has happened for half of the account's idle time: no message, no warning, no
 * new operator. The account of the others is not read.
 */
export function selectIdleChats(db: Kysely<Tables>) {
  return db
    .selectFrom('accounts')
    .innerJoin('conversations as c', 'c.accountId', 'accounts.id')
    .select([
      'c.accountId',
      'c.id',
      'accounts.idleMinutes',
      sql<number | null>`${newestMessage('at')}`.as('newestAt'),
      sql<string | null>`${newestMessage('notice_code')}`.as('noticeCode'),
    ])
    .where('accounts.idleMinutes', '>', 0)
    .where('c.state', '<>', sql.lit('closed')) // the condition of the index
    .where('c.state', '=', sql.lit('active'))
    .where('c.channel', '=', sql.lit('chat'))
    .where(sql<boolean>`coalesce(c.offered_at, 0) <= now_ms() - accounts.idle_minutes * ${HALF_MINUTE_MS}`)
    .where(sql<boolean>`coalesce(c.accepted_at, 0) <= now_ms() - accounts.idle_minutes * ${HALF_MINUTE_MS}`)
    .where(sql<boolean>`coalesce(${newestMessage('at')}, 0) <= now_ms() - accounts.idle_minutes * ${HALF_MINUTE_MS}`)
    .orderBy('c.accountId')
    .orderBy('c.id');
}

/** Warns both sides in an idle chat, and closes it when the warning had no effect. */
export async function processIdleChat(tx: Transaction, context: ActorContext, id: number): Promise<void> {
  const { accountId } = context;
  const idle = await selectIdleChats(tx.db)
    .where('c.accountId', '=', accountId)
    .where('c.id', '=', id)
    .executeTakeFirst();
  if (!idle) return;
  const conversation = await requireConversation(tx, accountId, id);
  // An operator who got the chat after the warning has not seen it in time.
  const isWarned = idle.noticeCode === 'idle_warning' && (idle.newestAt ?? 0) >= (conversation.offeredAt ?? 0);
  if (isWarned) {
    await closeConversation(tx, context, conversation, { closeReason: 'idle' });
    return;
  }
  const minutes = String(Math.ceil(idle.idleMinutes / 2));
  await addNotice(tx, context, conversation, { code: 'idle_warning', parameters: { minutes } });
}
