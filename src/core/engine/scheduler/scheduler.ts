import { type Kysely, sql } from 'kysely';
import type { Database, Transaction } from '../../../storage/database.ts';
import type { Tables } from '../../../storage/tables.ts';
import { type ActorContext, systemContext } from '../../kernel/caller.ts';
import { DESK_LEASE_SECONDS, GRACE_MS } from '../../live/leases.ts';
import { findLiveRow } from '../../live/live-store.ts';
import { notice, requeueAbandoned } from '../presence/presence.ts';
import { requireConversation } from '../records/conversation-store.ts';
import { expireOffer } from '../routing/offers.ts';
import { drainAccount, endPausesOf, MAX_DRAINED } from '../routing/queue.ts';

/** Who is away from a running conversation for so long loses it to the head of the queue. */
export const LOST_MS = 60_000;

/** So many of a kind are looked at in one round; the next round comes soon. */
const AT_ONCE = 200;

interface Due {
  readonly accountId: number;
  readonly id: number;
}

const now = sql<number>`now_ms()`;

/**
 * What is over. These run twice a second over all accounts, each by an index of nothing but what can be over; the constants
 * are literals, because an index of a part of a table is not used for a parameter.
 */
export const due = {
  waiting: (db: Kysely<Tables>) =>
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
      .limit(AT_ONCE),
  leases: (db: Kysely<Tables>) => operatorsBy(db, 'leaseUntil').where('leaseUntil', '>', sql.lit(0)),
  desks: (db: Kysely<Tables>) => operatorsBy(db, 'routableUntil').where('routableUntil', '>', sql.lit(0)),
  lost: (db: Kysely<Tables>) => operatorsBy(db, 'lostAt', LOST_MS),
  pauses: (db: Kysely<Tables>) =>
    db
      .selectFrom('offerPauses')
      .select(['accountId', 'operatorId as id'])
      .distinct()
      .where('until', '<=', now)
      .orderBy('operatorId')
      .limit(AT_ONCE),
};

/** Those for whom a moment is past, and so long ago. */
function operatorsBy(db: Kysely<Tables>, moment: 'leaseUntil' | 'routableUntil' | 'lostAt', agoMs = 0) {
  return db
    .selectFrom('operatorLive')
    .select(['accountId', 'operatorId as id'])
    .where(moment, '<=', sql<number>`now_ms() - ${sql.lit(agoMs)}`)
    .orderBy(moment)
    .orderBy('operatorId')
    .limit(AT_ONCE);
}

/**
 * Ends what is over by the database's clock. Every node does this, and nothing is done twice: each step looks again inside
 * its own transaction whether there is still something to do.
 */
export class Scheduler {
  readonly #database: Database;
  #isBlind = false;
  #sightSince = 0;
  #leasesHoldUntil = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * After a start, and after the database was away: nobody could renew a lease meanwhile, so none is ended until
   * everybody has had the time for it.
   */
  hold(): void {
    this.#isBlind = true;
  }

  /** One round; answers with how many things were over. */
  async tick(): Promise<number> {
    try {
      const time = await this.#now();
      if (this.#isBlind) {
        this.#sightSince = time;
        this.#leasesHoldUntil = time + DESK_LEASE_SECONDS * 1000;
      }
      this.#isBlind = false;
      const rounds = [
        await this.#endOffers(),
        time < this.#leasesHoldUntil ? 0 : await this.#endLeases(),
        await this.#giveUpLost(),
        await this.#endPauses(),
      ];
      return rounds.reduce((sum, count) => sum + count, 0);
    } catch (error) {
      this.#isBlind = true;
      throw error;
    }
  }

  /** The backstop: looks at everything that waits, whether or not anything is known to have changed. */
  async sweep(): Promise<number> {
    const accounts = await due.waiting(this.#database.read).execute();
    let given = 0;
    for (const { accountId } of accounts) {
      for (let more = true; more; ) {
        const found = await this.#database.transaction(
          (tx) => drainAccount(tx, systemContext(accountId), 'sweep'),
          accountId,
        );
        given += found;
        more = found >= MAX_DRAINED;
      }
    }
    return given;
  }

  async #now(): Promise<number> {
    return (await this.#database.read.selectNoFrom(now.as('time')).executeTakeFirstOrThrow()).time;
  }

  async #endOffers(): Promise<number> {
    return this.#each(await due.offers(this.#database.read).execute(), async (tx, by, id) => {
      const conversation = await requireConversation(tx, by.accountId, id);
      const until = conversation.offerUntil ?? 0;
      if (conversation.state !== 'offered' || until > tx.now) return;
      await expireOffer(tx, by, conversation, { couldAnswer: until > this.#sightSince + GRACE_MS });
    });
  }

  async #endLeases(): Promise<number> {
    const leases = await due.leases(this.#database.read).execute();
    const desks = await due.desks(this.#database.read).execute();
    return this.#each([...leases, ...desks], (tx, by, id) => notice(tx, by, id));
  }

  async #giveUpLost(): Promise<number> {
    return this.#each(await due.lost(this.#database.read).execute(), async (tx, by, id) => {
      const [row] = await tx.run(findLiveRow, { accountId: by.accountId, operatorId: id });
      if (row && row.lostAt !== null && row.lostAt <= tx.now - LOST_MS) await requeueAbandoned(tx, by, id);
    });
  }

  async #endPauses(): Promise<number> {
    return this.#each(await due.pauses(this.#database.read).execute(), endPausesOf);
  }

  async #each(
    found: readonly Due[],
    work: (tx: Transaction, context: ActorContext, id: number) => Promise<void>,
  ): Promise<number> {
    const outcomes = await Promise.allSettled(
      found.map(({ accountId, id }) =>
        this.#database.transaction((tx) => work(tx, systemContext(accountId), id), accountId),
      ),
    );
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason; // after all others had their turn
    return found.length;
  }
}
