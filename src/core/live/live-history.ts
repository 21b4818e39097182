import { sql } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import { deleteInBatches } from '../kernel/batched-delete.ts';
import type { ActorContext } from '../kernel/caller.ts';

/** What changed a live state. */
export type LiveChange =
  | 'connected'
  | 'disconnected'
  | 'in_grace'
  | 'returned'
  | 'availability'
  | 'settings'
  | 'slot_taken'
  | 'slot_freed';

const COPIED = `chat_enabled, call_enabled, video_enabled, chat_available, call_available, video_available,
  chat_slots, call_slots, video_slots, chat_max_number, chat_and_call, chat_to_video,
  chat_priority, call_priority, video_priority, assigned_at, group_id, website_list, skill_list, language_list`;

export interface HistoryEntry {
  readonly operatorId: number;
  readonly kind: LiveChange;
  readonly reason?: string | null;
  /** The moment of the change, where that is not the present one. */
  readonly at?: number;
}

interface HistoryArguments extends Required<HistoryEntry> {
  readonly accountId: number;
  readonly now: number;
  readonly actorType: string;
  readonly actorId: number | null;
}

const insertHistory = prepare<HistoryArguments>((db, given) => ({
  compile: () =>
    sql`insert into live_history (account_id, operator_id, version, at, kind, reason, actor_type, actor_id,
        connected, in_grace, after_decision, ${sql.raw(COPIED)})
      select account_id, operator_id, version, ${given.at}, ${given.kind}, ${given.reason}, ${given.actorType}, ${given.actorId},
        case when lease_until > ${given.now} then 1 else 0 end,
        case when lease_until > ${given.now} and routable_until <= ${given.now} then 1 else 0 end,
        coalesce((select value from counters where account_id = ${given.accountId} and name = 'routing_decision'), 0),
        ${sql.raw(COPIED)}
      from operator_live where account_id = ${given.accountId} and operator_id = ${given.operatorId}`.compile(db),
}));

/** Keeps the present row of an operator's live state, with who changed it and why: for live-store.ts, after its version grew. */
export function keepLiveHistory(
  tx: Transaction,
  { accountId, actor }: ActorContext,
  { operatorId, kind, reason = null, at = tx.now }: HistoryEntry,
): void {
  const by = { actorType: actor.type, actorId: actor.id };
  tx.send(insertHistory, { accountId, operatorId, at, now: tx.now, kind, reason, ...by });
}

export async function lastChangeAt(tx: Transaction, { accountId }: ActorContext, operatorId: number): Promise<number> {
  const row = await tx.db
    .selectFrom('liveHistory')
    .select((eb) => eb.fn.max('at').as('last'))
    .where('accountId', '=', accountId)
    .where('operatorId', '=', operatorId)
    .executeTakeFirst();
  return row?.last ?? 0;
}

/** Deletes what is older than it is kept. Of every operator the last row before that stays: it says what was true then. */
export function deleteOldHistory(database: Database, keptMs: number, signal?: AbortSignal): Promise<void> {
  const cut = sql`now_ms() - ${keptMs}`;
  const where = sql`at < ${cut} and (
    exists (select 1 from live_history n where n.account_id = live_history.account_id
      and n.operator_id = live_history.operator_id and n.at < ${cut} and n.at >= live_history.at
      and (n.at > live_history.at or n.version > live_history.version))
    or not exists (select 1 from operators o
      where o.account_id = live_history.account_id and o.id = live_history.operator_id))`;
  return deleteInBatches(
    database,
    { table: 'live_history', key: ['account_id', 'operator_id', 'version'], where },
    signal,
  );
}
