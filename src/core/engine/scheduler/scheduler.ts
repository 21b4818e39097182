import { type Kysely, sql } from 'kysely';
import type { Database, Transaction } from '../../../storage/database.ts';
import type { Tables } from '../../../storage/tables.ts';
import { type ActorContext, systemContext } from '../../kernel/caller.ts';
import { DESK_LEASE_SECONDS, GRACE_PERIOD_MS } from '../../live/leases.ts';
import { findLiveRow } from '../../live/live-store.ts';
import { endAbandoned, loadUpgradeEnd } from '../conversations/abandoned.ts';
import { processIdleChat, selectIdleChats } from '../conversations/idle.ts';
import { endUnservable } from '../conversations/unservable.ts';
import { expireLeases, requeueAbandoned } from '../presence/presence.ts';
import type { VisitorPresence } from '../presence/visitor-presence.ts';
import { requireConversation } from '../records/conversation-store.ts';
import { selectAbandonedConversations } from '../records/visitor-presence-store.ts';
import { expireOffer } from '../routing/offers.ts';
import { endOperatorPauses, MAX_ROUTED_PER_TRANSACTION, routeAccountQueue } from '../routing/queue.ts';

/** Active conversations of an operator who is offline for this long return to the head of the queue. */
export const LOST_OPERATOR_TIMEOUT_MS = 60_000;

/** Per kind of due item. */
const MAX_PER_ROUND = 200;
const MAX_ROUNDS = 10;

interface DueItem {
  readonly accountId: number;
  readonly id: number;
}

const now = sql<number>`now_ms()`;

/**
 * Queries for due items. They run twice a second over all accounts, each on a partial index. Constants are literals,
 * because the database does not use a partial index for a parameter.
 */
export const dueQueries = {
  accountsWithQueue: (db: Kysely<Tables>) =>
    db
      .selectFrom('conversations')
      .select('accountId')
      .distinct()
      .where('state', '=', sql.lit('queued'))
      .orderBy('accountId'),
  offers: (db: Kysely<Tables>) =>
    db
      .selectFrom('conversations')
      .select(['accountId', 'id'])
      .where('state', '=', sql.lit('offered'))
      .where('offerUntil', '<=', now)
      .orderBy('offerUntil')
      .orderBy('id')
      .limit(MAX_PER_ROUND),
  leases: (db: Kysely<Tables>) => selectDueOperators(db, 'leaseUntil').where('leaseUntil', '>', sql.lit(0)),
  desks: (db: Kysely<Tables>) => selectDueOperators(db, 'routableUntil').where('routableUntil', '>', sql.lit(0)),
  lostOperators: (db: Kysely<Tables>) => selectDueOperators(db, 'lostAt', LOST_OPERATOR_TIMEOUT_MS),
  pauses: (db: Kysely<Tables>) =>
    db
      .selectFrom('offerPauses')
      .select(['accountId', 'operatorId as id'])
      .distinct()
      .where('until', '<=', now)
      .orderBy('operatorId')
      .limit(MAX_PER_ROUND),
};

/** Operators for whom the time in `column` passed at least `agoMs` ago. */
function selectDueOperators(db: Kysely<Tables>, column: 'leaseUntil' | 'routableUntil' | 'lostAt', agoMs = 0) {
  return db
    .selectFrom('operatorLive')
    .select(['accountId', 'operatorId as id'])
    .where(column, '<=', sql<number>`now_ms() - ${sql.lit(agoMs)}`)
    .orderBy(column)
    .orderBy('operatorId')
    .limit(MAX_PER_ROUND);
}

/**
 * Ends offers, leases and pauses by the database's clock. Every node does this, and nothing is done twice: each step
 * checks again inside its transaction whether it is still due.
 */
export class Scheduler {
  readonly #database: Database;
  readonly #visitorPresence: VisitorPresence;
  #isHoldRequested = false;
  #resumedAt = 0;
  #time = 0;
  #holdLeasesUntil = 0;
  #upgradeEnd: number | undefined;

  constructor(database: Database, visitorPresence: VisitorPresence) {
    this.#database = database;
    this.#visitorPresence = visitorPresence;
  }

  /**
   * Call after a start, and after the database was unavailable: no lease could be renewed in that time, so none is
   * ended
   * until desks have had time to renew. Nor do offers that expire soon afterwards count as missed.
   */
  holdLeases(): void {
    this.#isHoldRequested = true;
  }

  /** Runs one round; returns how many due items were processed. */
  async tick(): Promise<number> {
    try {
      const time = await this.#readTime();
      this.#time = time;
      if (this.#isHoldRequested) {
        this.#resumedAt = time;
        this.#holdLeasesUntil = time + DESK_LEASE_SECONDS * 1000;
      }
      this.#isHoldRequested = false;
      const counts = [
        await this.#expireOffers(),
        time < this.#holdLeasesUntil ? 0 : await this.#expireLeases(),
        await this.#requeueAbandoned(),
        await this.#endPauses(),
      ];
      return counts.reduce((sum, count) => sum + count, 0);
    } catch (error) {
      this.#isHoldRequested = true;
      throw error;
    }
  }

  /**
   * The backstop: routes the queues of all accounts, in case routing missed a change, and ends conversations that no
   * operator can serve. Returns how many conversations were assigned.
   */
  async sweep(): Promise<number> {
    const accounts = await dueQueries.accountsWithQueue(this.#database.read).execute();
    let assigned = 0;
    for (const { accountId } of accounts) {
      for (let more = true; more; ) {
        const count = await this.#database.transaction(async (tx) => {
          const context = systemContext(accountId);
          const routed = await routeAccountQueue(tx, context, 'sweep');
          if (routed < MAX_ROUTED_PER_TRANSACTION) await endUnservable(tx, context);
          return routed;
        }, accountId);
        assigned += count;
        more = count >= MAX_ROUTED_PER_TRANSACTION;
      }
    }
    return assigned;
  }

  /**
   * Notices visitors who left or came back, and ends the conversations of those who stay away. Like leases, nothing
   * ends until visitors have had time to renew their presence. Returns how many conversations were ended.
   */
  async watchVisitors(): Promise<number> {
    if (this.#isHolding()) return 0;
    for (let round = 0; round < MAX_ROUNDS && (await this.#visitorPresence.settle()) >= MAX_PER_ROUND; round += 1);
    if (await this.#isUpgrading()) return 0;
    const abandoned = await selectAbandonedConversations(this.#database.read).limit(MAX_PER_ROUND).execute();
    return this.#processEach(abandoned, endAbandoned);
  }

  /** Warns in idle chats and closes them, as accounts have chosen. Returns how many chats were idle. */
  async watchIdleChats(): Promise<number> {
    if (this.#isHolding()) return 0;
    const idle = await selectIdleChats(this.#database.read).limit(MAX_PER_ROUND).execute();
    return this.#processEach(idle, processIdleChat);
  }

  /** During an upgrade, nodes of the previous version renew no presence: their visitors only seem to be absent. */
  async #isUpgrading(): Promise<boolean> {
    this.#upgradeEnd ??= await loadUpgradeEnd(this.#database);
    return this.#upgradeEnd > 0 && (await this.#readTime()) < this.#upgradeEnd;
  }

  /** As of the last round: the checks of visitors follow one. */
  #isHolding(): boolean {
    return this.#isHoldRequested || this.#time < this.#holdLeasesUntil;
  }

  async #readTime(): Promise<number> {
    return (await this.#database.read.selectNoFrom(now.as('time')).executeTakeFirstOrThrow()).time;
  }

  async #expireOffers(): Promise<number> {
    return this.#processEach(await dueQueries.offers(this.#database.read).execute(), async (tx, context, id) => {
      const conversation = await requireConversation(tx, context.accountId, id);
      const until = conversation.offerUntil ?? 0;
      if (conversation.state !== 'offered' || until > tx.now) return;
      await expireOffer(tx, context, conversation, { couldAnswer: until > this.#resumedAt + GRACE_PERIOD_MS });
    });
  }

  async #expireLeases(): Promise<number> {
    const leases = await dueQueries.leases(this.#database.read).execute();
    const desks = await dueQueries.desks(this.#database.read).execute();
    return this.#processEach([...leases, ...desks], (tx, context, id) => expireLeases(tx, context, id));
  }

  async #requeueAbandoned(): Promise<number> {
    return this.#processEach(await dueQueries.lostOperators(this.#database.read).execute(), async (tx, context, id) => {
      const [row] = await tx.run(findLiveRow, { accountId: context.accountId, operatorId: id });
      if (row && row.lostAt !== null && row.lostAt <= tx.now - LOST_OPERATOR_TIMEOUT_MS)
        await requeueAbandoned(tx, context, id);
    });
  }

  async #endPauses(): Promise<number> {
    return this.#processEach(await dueQueries.pauses(this.#database.read).execute(), endOperatorPauses);
  }

  async #processEach(
    items: readonly DueItem[],
    work: (tx: Transaction, context: ActorContext, id: number) => Promise<void>,
  ): Promise<number> {
    const outcomes = await Promise.allSettled(
      items.map(({ accountId, id }) =>
        this.#database.transaction((tx) => work(tx, systemContext(accountId), id), accountId),
      ),
    );
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason; // after all others were processed
    return items.length;
  }
}
