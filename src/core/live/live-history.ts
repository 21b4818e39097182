import { sql } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';
import { NO_FACTS, prepare } from '../../storage/prepared-statement.ts';
import { deleteInBatches } from '../kernel/batched-delete.ts';
import type { ActorContext } from '../kernel/caller.ts';

export type LiveChange =
  | 'connected'
  | 'disconnected'
  | 'in_grace'
  | 'returned'
  | 'availability'
  | 'settings'
  | 'slot_taken'
  | 'slot_freed';

const COPIED_COLUMNS = `chat_enabled, call_enabled, video_enabled, chat_available, call_available, video_available,
  chat_slots, call_slots, video_slots, chat_max_number, chat_and_call, chat_to_video,
  chat_priority, call_priority, video_priority, assigned_at, group_id, website_list, skill_list, language_list,
  pause_reason`;

export interface LiveHistoryEntry {
  readonly operatorId: number;
  readonly kind: LiveChange;
  readonly reason?: string | null;
  /** Defaults to now. */
  readonly at?: number;
}

interface LiveHistoryArguments extends Required<LiveHistoryEntry> {
  readonly accountId: number;
  readonly now: number;
  readonly actorType: string;
  readonly actorId: number | null;
}

const insertHistory = prepare<LiveHistoryArguments>(
  (db, args) => ({
    compile: () =>
      sql`insert into live_history (account_id, operator_id, version, at, kind, reason, actor_type, actor_id,
        connected, in_grace, after_decision, ${sql.raw(COPIED_COLUMNS)})
      select account_id, operator_id, version, ${args.at}, ${args.kind}, ${args.reason}, ${args.actorType}, ${args.actorId},
        case when lease_until > ${args.now} then 1 else 0 end,
        case when lease_until > ${args.now} and routable_until <= ${args.now} then 1 else 0 end,
        coalesce((select value from counters where account_id = ${args.accountId} and name = 'routing_decision'), 0),
        ${sql.raw(COPIED_COLUMNS)}
      from operator_live where account_id = ${args.accountId} and operator_id = ${args.operatorId}
      on conflict (account_id, operator_id, version) do nothing`.compile(db), // the change found nothing to change
  }),
  { writes: NO_FACTS },
);

/**
 * Copies the current live state to the history, with actor and reason. Only live-store.ts calls this, after
 * incrementing the version.
 */
export function appendLiveHistory(
  tx: Transaction,
  { accountId, actor }: ActorContext,
  { operatorId, kind, reason = null, at = tx.now }: LiveHistoryEntry,
): void {
  const actorColumns = { actorType: actor.type, actorId: actor.id };
  tx.send(insertHistory, { accountId, operatorId, at, now: tx.now, kind, reason, ...actorColumns });
}

export async function findLastChangeTime(
  tx: Transaction,
  { accountId }: ActorContext,
  operatorId: number,
): Promise<number> {
  const row = await tx.db
    .selectFrom('liveHistory')
    .select((eb) => eb.fn.max('at').as('last'))
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .executeTakeFirst();
  return row?.last ?? 0;
}

/**
 * Deletes rows older than the cutoff. Of each operator who still exists it retains the newest of them: the state at the
 * cutoff.
 */
export function deleteOldHistory(database: Database, retentionMs: number, signal?: AbortSignal): Promise<void> {
  const cutoff = sql`now_ms() - ${retentionMs}`;
  const where = sql`at < ${cutoff} and (
    exists (select 1 from live_history n where n.account_id = live_history.account_id
      and n.operator_id = live_history.operator_id and n.at < ${cutoff} and n.at >= live_history.at
      and (n.at > live_history.at or n.version > live_history.version))
    or not exists (select 1 from operators o
      where o.account_id = live_history.account_id and o.id = live_history.operator_id))`;
  return deleteInBatches(
    database,
    { table: 'live_history', key: ['account_id', 'operator_id', 'version'], where },
    signal,
  );
}
