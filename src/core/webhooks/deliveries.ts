import type { Database } from '../../storage/database.ts';
import { announce } from '../events/announce.ts';
import { type Caller, type Commit, requireAdmin } from '../kernel/caller.ts';
import { DomainError, unknownId } from '../kernel/errors.ts';
import { Listing } from '../kernel/listing.ts';
import type { Slice, SlicePage } from '../kernel/slice.ts';
import type { Delivery, DeliveryState } from './delivery.ts';
import { deliveryOf, forgetOld, isNotDelivered, releaseAll, releaseNext, revive } from './delivery-store.ts';
import type { Webhook } from './webhook.ts';
import { readRow, webhookOf } from './webhook-store.ts';

const DAY_MS = 24 * 3600 * 1000;
const KEPT_MS = { delivered: 7 * DAY_MS, dead: 30 * DAY_MS } as const;
const MAX_REPLAYED = 10_000;

export interface Replayed {
  readonly webhook: Webhook;
  readonly count: number;
}

/** What became of the events of a hook, and the dead letters among them, for admins. */
export class Deliveries {
  readonly #database: Database;
  readonly #list: Listing<'webhookDeliveries', Delivery>;

  constructor(database: Database) {
    this.#database = database;
    this.#list = new Listing(database, 'webhookDeliveries', deliveryOf);
  }

  /** Undefined where there is no such hook. */
  async slice(
    caller: Caller,
    webhookId: number,
    state: DeliveryState | undefined,
    slice: Slice,
  ): Promise<SlicePage<Delivery> | undefined> {
    requireAdmin(caller);
    if (!(await readRow(this.#database.read, caller.accountId, webhookId))) return undefined;
    return this.#list.slice(caller.accountId, this.#of(caller.accountId, webhookId, state), slice);
  }

  async count(caller: Caller, webhookId: number, state: DeliveryState | undefined): Promise<number> {
    requireAdmin(caller);
    return this.#list.count(this.#of(caller.accountId, webhookId, state));
  }

  /** How many wait and how many are dead, by hook. */
  async openCounts(caller: Caller): Promise<Map<number, { pending: number; dead: number }>> {
    requireAdmin(caller);
    const rows = await this.#database.read
      .selectFrom('webhookDeliveries')
      .select((eb) => ['webhookId', 'state', eb.fn.countAll<number>().as('count')])
      .where('accountId', '=', caller.accountId)
      .where(isNotDelivered)
      .groupBy(['webhookId', 'state'])
      .execute();
    const counts = new Map<number, { pending: number; dead: number }>();
    for (const { webhookId, state, count } of rows) {
      counts.set(webhookId, { ...(counts.get(webhookId) ?? { pending: 0, dead: 0 }), [state]: count });
    }
    return counts;
  }

  /** Sends a dead letter again, or all of a hook, the oldest first, 10,000 at a time. Each has its 24 hours anew. */
  async replay(
    commit: Commit<Replayed>,
    caller: Caller,
    webhookId: number,
    deliveryId: number | undefined,
  ): Promise<Replayed> {
    requireAdmin(caller);
    const { accountId } = caller;
    return commit(async (tx) => {
      const hook = await readRow(tx.db, accountId, webhookId);
      if (!hook) throw unknownId('webhook', webhookId);
      const rows = await revive(tx, { accountId, webhookId }, deliveryId, MAX_REPLAYED);
      if (deliveryId !== undefined && !rows[0]) await this.#refuse(accountId, webhookId, deliveryId);
      if (rows.length > 1) await releaseAll(tx, { accountId, webhookId });
      else if (rows[0]) await releaseNext(tx, { accountId, webhookId, ...rows[0] });
      if (rows.length > 0) {
        const values = { replayed: rows.length, ...(deliveryId === undefined ? {} : { deliveryId }) };
        announce(tx, caller, 'webhook.updated', webhookId, { fields: ['deliveries'], values });
      }
      return { webhook: webhookOf(hook), count: rows.length };
    });
  }

  /** Forgets what ended long ago. */
  async clean(): Promise<void> {
    for (const state of ['delivered', 'dead'] as const) await forgetOld(this.#database, state, KEPT_MS[state]);
  }

  #of(accountId: number, webhookId: number, state: DeliveryState | undefined) {
    const query = this.#database.read
      .selectFrom('webhookDeliveries')
      .where('accountId', '=', accountId)
      .where('webhookId', '=', webhookId)
      .where((eb) => this.#database.withinDeadline(eb.ref('id')));
    if (state === undefined) return query;
    const own = query.where('state', '=', state);
    return state === 'delivered' ? own : own.where(isNotDelivered);
  }

  async #refuse(accountId: number, webhookId: number, id: number): Promise<never> {
    const row = await this.#database.read
      .selectFrom('webhookDeliveries')
      .select('state')
      .where('accountId', '=', accountId)
      .where('webhookId', '=', webhookId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw unknownId('webhook_delivery', id);
    throw new DomainError('state', `The delivery is ${row.state}. Only dead ones can be sent again.`);
  }
}
