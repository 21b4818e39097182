import { sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { FIRST_ABSENT_ORDER } from '../engine/records/queue-order.ts';

/** The current state of the whole installation, over all accounts. */
export interface InstallationMetrics {
  readonly queued: number;
  /** Ignores conversations that were requeued at the head or whose visitor is absent. */
  readonly oldestWaitMs: number;
  readonly offersOpen: number;
  readonly operatorsConnected: number;
  /** How long ago the oldest offer or lease expired that the scheduler has not ended yet. */
  readonly schedulerLagMs: number;
  readonly deliveriesPending: number;
  /** How long the oldest delivery has been overdue, without receivers that asked to retry later. */
  readonly deliveryOverdueMs: number;
  readonly deadLetters: number;
  /** Events that active webhooks have not processed yet. */
  readonly webhookEventsBehind: number;
  /** Sum of the log positions of all accounts: grows by one with every event. */
  readonly eventPositions: number;
}

/** Counting stops here: a frequent scrape must not cost more in a larger installation. */
export const MAX_COUNT = 10_000;
/** Applies to failed reads too. */
const CACHE_TTL_MS = 5000;

interface Row {
  readonly now: number;
  readonly queued: number;
  readonly firstQueued: number | null;
  readonly offered: number;
  readonly firstOffer: number | null;
  readonly firstLease: number | null;
  readonly connected: number;
  readonly pending: number;
  readonly firstDue: number | null;
  readonly dead: number;
  readonly behind: number;
  readonly positions: number;
}

const MAX_COUNT_LITERAL = sql.lit(MAX_COUNT);

/** One statement; each part reads a partial index or a small table. */
export const metricsQuery = sql<Row>`select now_ms() as now,
  (select count(*) from (select 1 as one from conversations where state = 'queued' limit ${MAX_COUNT_LITERAL}) as found) as queued,
  (select min(queue_order) from (select queue_order from conversations
    where state = 'queued' and queue_order > 0 and queue_order < ${sql.lit(FIRST_ABSENT_ORDER)} limit ${MAX_COUNT_LITERAL}) as found) as first_queued,
  (select count(*) from (select 1 as one from conversations where state = 'offered' limit ${MAX_COUNT_LITERAL}) as found) as offered,
  (select min(offer_until) from conversations where state = 'offered') as first_offer,
  (select min(lease_until) from operator_live where lease_until > 0) as first_lease,
  (select count(*) from (select 1 as one from operator_live
    where lease_until > 0 and lease_until > now_ms() limit ${MAX_COUNT_LITERAL}) as found) as connected,
  (select count(*) from (select 1 as one from webhook_deliveries where state = 'pending' limit ${MAX_COUNT_LITERAL}) as found) as pending,
  (select min((select min(d.next_at) from webhook_deliveries d
    where d.account_id = w.account_id and d.webhook_id = w.id and d.state = 'pending'))
    from webhooks w where w.state = 'active' and coalesce(w.wait_until, 0) <= now_ms()) as first_due,
  (select count(*) from (select 1 as one from webhook_deliveries
    where state <> 'delivered' and state = 'dead' limit ${MAX_COUNT_LITERAL}) as found) as dead,
  (select coalesce(sum(a.event_position - w.position), 0)
    from webhooks w join accounts a on a.id = w.account_id where w.state = 'active') as behind,
  (select coalesce(sum(event_position), 0) from accounts) as positions`;

/** Reads the metrics at most once per `CACHE_TTL_MS`. */
export class InstallationMetricsReader {
  readonly #database: Database;
  #latest: Promise<InstallationMetrics> | undefined;
  #readAt = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  readLatest(now = performance.now()): Promise<InstallationMetrics> {
    if (!this.#latest || now - this.#readAt >= CACHE_TTL_MS) {
      this.#readAt = now;
      this.#latest = this.#read();
    }
    return this.#latest;
  }

  async #read(): Promise<InstallationMetrics> {
    const { rows } = await metricsQuery.execute(this.#database.read);
    const row = rows[0] as Row;
    const elapsedSince = (time: number | null) => Math.max(0, row.now - (time ?? row.now));
    return {
      queued: row.queued,
      oldestWaitMs: elapsedSince(row.firstQueued),
      offersOpen: row.offered,
      operatorsConnected: row.connected,
      schedulerLagMs: Math.max(elapsedSince(row.firstOffer), elapsedSince(row.firstLease)),
      deliveriesPending: row.pending,
      deliveryOverdueMs: elapsedSince(row.firstDue),
      deadLetters: row.dead,
      webhookEventsBehind: row.behind,
      eventPositions: row.positions,
    };
  }
}
