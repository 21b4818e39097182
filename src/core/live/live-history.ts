import { sql } from 'kysely';
import type { Actor, Transaction } from '../../storage/database.ts';
import { hotStatement } from '../../storage/prepared-statement.ts';

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

interface HistoryArguments {
  readonly accountId: number;
  readonly operatorId: number;
  readonly at: number;
  readonly now: number;
  readonly kind: LiveChange;
  readonly reason: string | null;
  readonly actorType: string;
  readonly actorId: number | null;
}

const insertHistory = hotStatement<HistoryArguments>((db, given) => ({
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

/**
 * Keeps the present row of an operator's live state for ever, with who changed it and why. Called after a change that made
 * the row's version grow. `at` is the moment of the change, where that is not the present one.
 */
export async function keepLiveHistory(
  tx: Transaction,
  { accountId, actor }: { readonly accountId: number; readonly actor: Actor },
  operatorId: number,
  change: { readonly kind: LiveChange; readonly reason?: string | null; readonly at?: number },
): Promise<void> {
  tx.send(insertHistory, {
    accountId,
    operatorId,
    at: change.at ?? tx.now,
    now: tx.now,
    kind: change.kind,
    reason: change.reason ?? null,
    actorType: actor.type,
    actorId: actor.id,
  });
}
