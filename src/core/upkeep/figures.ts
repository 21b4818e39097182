import { sql } from 'kysely';
import type { Database } from '../../storage/database.ts';

/** What the whole installation looks like now, over all accounts: for those who run it. */
export interface Figures {
  /** Conversations that wait, and since when the oldest of those in their turn does. */
  readonly queued: number;
  readonly oldestWaitMs: number;
  readonly offersOpen: number;
  readonly operatorsConnected: number;
  /** How long the oldest offer or lease is over without anybody having ended it. */
  readonly clockworkBehindMs: number;
  readonly deliveriesPending: number;
  /** How long the oldest delivery is due whose receiver did not ask for quiet. */
  readonly deliveryOverdueMs: number;
  readonly deadLetters: number;
  /** Events that active webhooks have not looked at yet. */
  readonly webhookEventsBehind: number;
  /** Positions given out in the logs of all accounts: grows by one with every event. */
  readonly eventPositions: number;
}

/** Counting stops here: who looks every few seconds must not cost more in a larger installation. */
export const MAX_COUNTED = 10_000;
/** So long an answer is good enough, also one that failed. */
const KEPT_MS = 5000;

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

const upTo = sql.lit(MAX_COUNTED);

/** One statement; each part reads an index of nothing but what it is about, or a small table. */
export const figuresQuery = sql<Row>`select now_ms() as now,
  (select count(*) from (select 1 as one from conversations where state = 'queued' limit ${upTo}) as found) as queued,
  (select min(queue_order) from (select queue_order from conversations
    where state = 'queued' and queue_order > 0 limit ${upTo}) as found) as first_queued,
  (select count(*) from (select 1 as one from conversations where state = 'offered' limit ${upTo}) as found) as offered,
  (select min(offer_until) from conversations where state = 'offered') as first_offer,
  (select min(lease_until) from operator_live where lease_until > 0) as first_lease,
  (select count(*) from (select 1 as one from operator_live
    where lease_until > 0 and lease_until > now_ms() limit ${upTo}) as found) as connected,
  (select count(*) from (select 1 as one from webhook_deliveries where state = 'pending' limit ${upTo}) as found) as pending,
  (select min((select min(d.next_at) from webhook_deliveries d
    where d.account_id = w.account_id and d.webhook_id = w.id and d.state = 'pending'))
    from webhooks w where w.state = 'active' and coalesce(w.wait_until, 0) <= now_ms()) as first_due,
  (select count(*) from (select 1 as one from webhook_deliveries
    where state <> 'delivered' and state = 'dead' limit ${upTo}) as found) as dead,
  (select coalesce(sum(a.event_position - w.position), 0)
    from webhooks w join accounts a on a.id = w.account_id where w.state = 'active') as behind,
  (select coalesce(sum(event_position), 0) from accounts) as positions`;

/** Reads the figures at most once in a few seconds, however many ask. */
export class InstallationFigures {
  readonly #database: Database;
  #latest: Promise<Figures> | undefined;
  #readAt = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  latest(now = performance.now()): Promise<Figures> {
    if (!this.#latest || now - this.#readAt >= KEPT_MS) {
      this.#readAt = now;
      this.#latest = this.#read();
    }
    return this.#latest;
  }

  async #read(): Promise<Figures> {
    const { rows } = await figuresQuery.execute(this.#database.read);
    const row = rows[0] as Row;
    const since = (moment: number | null) => Math.max(0, row.now - (moment ?? row.now));
    return {
      queued: row.queued,
      oldestWaitMs: since(row.firstQueued),
      offersOpen: row.offered,
      operatorsConnected: row.connected,
      clockworkBehindMs: Math.max(since(row.firstOffer), since(row.firstLease)),
      deliveriesPending: row.pending,
      deliveryOverdueMs: since(row.firstDue),
      deadLetters: row.dead,
      webhookEventsBehind: row.behind,
      eventPositions: row.positions,
    };
  }
}
