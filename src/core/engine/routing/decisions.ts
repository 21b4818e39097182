import { type Selectable, sql } from 'kysely';
import type { Database, Transaction } from '../../../storage/database.ts';
import { NO_FACTS, prepare } from '../../../storage/prepared-statement.ts';
import type { Tables } from '../../../storage/tables.ts';
import { deleteInBatches } from '../../kernel/batched-delete.ts';
import type { ActorContext } from '../../kernel/caller.ts';
import { sendNextId } from '../../kernel/ids.ts';
import type { RankedCandidate } from './choose-operator.ts';
import type { ExclusionCounts } from './exclusions.ts';
import type { RoutingNeed } from './needs.ts';

/** What triggered routing for a conversation. */
export type RoutingCause =
  | 'started'
  | 'slot_freed'
  | 'declined'
  | 'timed_out'
  | 'withdrawn'
  | 'operator_lost'
  | 'connected'
  | 'available'
  | 'operator_changed'
  | 'directory_changed'
  | 'pause_ended'
  | 'visitor_returned'
  | 'sweep'
  | 'transfer'
  | 'take'
  | 'escalation';

export interface RoutingDecision {
  readonly conversationId: number;
  readonly cause: RoutingCause;
  /** Null when no operator was found. */
  readonly operatorId: number | null;
  readonly forced: boolean;
  readonly ranked: readonly RankedCandidate[];
  readonly excluded: ExclusionCounts;
}

const COUNTER = 'routing_decision';

/** The identifier is the value of the counter, so that no round trip is needed to read it first. */
const insertDecision = prepare<Omit<Selectable<Tables['routingDecisions']>, 'id'>>(
  (db, row) => ({
    compile: () =>
      sql`insert into routing_decisions
        (account_id, id, conversation_id, at, cause, operator_id, forced, need, ranked, excluded, actor_type, actor_id)
      select account_id, value, cast(${row.conversationId} as bigint), cast(${row.at} as bigint), ${row.cause},
        cast(${row.operatorId} as bigint), cast(${row.forced} as integer), ${row.need}, ${row.ranked}, ${row.excluded},
        ${row.actorType}, cast(${row.actorId} as bigint)
      from counters where account_id = ${row.accountId} and name = ${sql.lit(COUNTER)}`.compile(db),
  }),
  { writes: NO_FACTS },
);

/**
 * Stores the chosen operator, the best candidates with their criteria, and how many operators each obstacle excluded.
 */
export function storeDecision(
  tx: Transaction,
  context: ActorContext,
  need: RoutingNeed,
  decision: RoutingDecision,
): void {
  const { accountId, actor } = context;
  const { channel, websiteId, skillId, groupId, language } = need;
  sendNextId(tx, accountId, COUNTER);
  tx.send(insertDecision, {
    accountId,
    conversationId: decision.conversationId,
    at: tx.now,
    cause: decision.cause,
    operatorId: decision.operatorId,
    forced: Number(decision.forced),
    need: JSON.stringify({ channel, websiteId, skillId, groupId, language }),
    ranked: JSON.stringify(decision.ranked),
    excluded: JSON.stringify(decision.excluded),
    actorType: actor.type,
    actorId: actor.id,
  });
}

export function deleteOldDecisions(database: Database, retentionMs: number, signal?: AbortSignal): Promise<void> {
  const where = sql`at < now_ms() - ${retentionMs}`;
  return deleteInBatches(database, { table: 'routing_decisions', key: ['account_id', 'id'], where }, signal);
}
