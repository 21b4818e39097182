import type { Database } from '../../storage/database.ts';
import { announce } from '../events/announce.ts';
import { type Caller, type Commit, requireAdmin, requireAdminRead } from '../kernel/caller.ts';
import { DomainError, unknownId } from '../kernel/errors.ts';
import { Listing } from '../kernel/listing.ts';
import type { Slice, SlicePage } from '../kernel/slice.ts';
import type { Delivery, DeliveryState } from './delivery.ts';
import {
  deleteExpiredDeliveries,
  isNotDelivered,
  releaseAll,
  releaseNext,
  reviveDeadLetters,
  toDelivery,
} from './delivery-store.ts';
import type { Webhook } from './webhook.ts';
import { readWebhookRow, toWebhook } from './webhook-store.ts';

const DAY_MS = 24 * 3600 * 1000;
const RETENTION_MS = { delivered: 7 * DAY_MS, dead: 30 * DAY_MS } as const;
const MAX_REPLAYED = 10_000;

export interface ReplayResult {
  readonly webhook: Webhook;
  readonly count: number;
}

/** Deliveries of a webhook, including dead letters, for admins. */
export class Deliveries {
  readonly #database: Database;
  readonly #list: Listing<'webhookDeliveries', Delivery>;

  constructor(database: Database) {
    this.#database = database;
    this.#list = new Listing(database, 'webhookDeliveries', toDelivery);
  }

  /** Returns undefined if the webhook does not exist. */
  async slice(
    caller: Caller,
    webhookId: number,
    state: DeliveryState | undefined,
    slice: Slice,
  ): Promise<SlicePage<Delivery> | undefined> {
    requireAdminRead(caller);
    if (!(await readWebhookRow(this.#database.read, caller.accountId, webhookId))) return undefined;
    return this.#list.slice(caller.accountId, this.#buildQuery(caller.accountId, webhookId, state), slice);
  }

  async count(caller: Caller, webhookId: number, state: DeliveryState | undefined): Promise<number> {
    requireAdminRead(caller);
    return this.#list.count(this.#buildQuery(caller.accountId, webhookId, state));
  }

  /** Counts pending and dead deliveries per webhook. */
  async countUndelivered(caller: Caller): Promise<Map<number, { pending: number; dead: number }>> {
    requireAdminRead(caller);
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

  /** Replays one dead letter, or the oldest 10,000 of a webhook. Each gets a new 24-hour retry window. */
  async replay(
    commit: Commit<ReplayResult>,
    caller: Caller,
    webhookId: number,
    deliveryId: number | undefined,
  ): Promise<ReplayResult> {
    requireAdmin(caller);
    const { accountId } = caller;
    return commit(async (tx) => {
      const webhook = await readWebhookRow(tx.db, accountId, webhookId);
      if (!webhook) throw unknownId('webhook', webhookId);
      const rows = await reviveDeadLetters(tx, { accountId, webhookId }, deliveryId, MAX_REPLAYED);
      if (deliveryId !== undefined && !rows[0]) await this.#throwNotReplayable(accountId, webhookId, deliveryId);
      if (rows.length > 1) await releaseAll(tx, { accountId, webhookId });
      else if (rows[0]) await releaseNext(tx, { accountId, webhookId, ...rows[0] });
      if (rows.length > 0) {
        const values = { replayed: rows.length, ...(deliveryId === undefined ? {} : { deliveryId }) };
        announce(tx, caller, 'webhook.updated', webhookId, { fields: ['deliveries'], values });
      }
      return { webhook: toWebhook(webhook), count: rows.length };
    });
  }

  /** Deletes deliveries that are past their retention. */
  async deleteExpired(): Promise<void> {
    for (const state of ['delivered', 'dead'] as const)
      await deleteExpiredDeliveries(this.#database, state, RETENTION_MS[state]);
  }

  #buildQuery(accountId: number, webhookId: number, state: DeliveryState | undefined) {
    const query = this.#database.read
      .selectFrom('webhookDeliveries')
      .where('accountId', '=', accountId)
      .where('webhookId', '=', webhookId)
      .where((eb) => this.#database.isWithinDeadline(eb.ref('id')));
    if (state === undefined) return query;
    const inState = query.where('state', '=', state);
    return state === 'delivered' ? inState : inState.where(isNotDelivered);
  }

  async #throwNotReplayable(accountId: number, webhookId: number, id: number): Promise<never> {
    const row = await this.#database.read
      .selectFrom('webhookDeliveries')
      .select('state')
      .where('accountId', '=', accountId)
      .where('webhookId', '=', webhookId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) throw unknownId('webhook_delivery', id);
    throw new DomainError('state', `The delivery is ${row.state}. Only dead deliveries can be replayed.`);
  }
}
