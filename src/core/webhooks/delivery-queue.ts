import { setImmediate } from 'node:timers/promises';
import { type SqlBool, sql } from 'kysely';
import type { Changes, Database, Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import { announce } from '../events/announce.ts';
import { systemContext } from '../kernel/caller.ts';
import type { DeliveredEvent } from './delivery.ts';
import { addDelivery } from './delivery-store.ts';
import { isSubscribedTo, TEST_EVENT } from './event-types.ts';
import { advancePosition } from './webhook-store.ts';

const BATCH_SIZE = 100;
/** Per webhook. Further events stay in the event log until deliveries have ended. */
const MAX_PENDING = 10_000;

interface LaggingWebhook {
  readonly accountId: number;
  readonly id: number;
  readonly position: number;
  readonly eventTypes: string;
}

const findLagging = prepare<object, LaggingWebhook>((db) =>
  db
    .selectFrom('webhooks as w')
    .innerJoin('accounts as a', 'a.id', 'w.accountId')
    .select(['w.accountId', 'w.id', 'w.position', 'w.eventTypes'])
    .where('w.state', '=', 'active')
    .whereRef('w.position', '<', 'a.eventPosition')
    .orderBy('w.accountId')
    .orderBy('w.id'),
);

/**
 * Turns the event log into deliveries. Each webhook has its own position in the log. The position advances in the
 * transaction that writes the deliveries, and only from its previous value, so no event is missed or duplicated,
 * with any number of nodes.
 */
export class DeliveryQueue {
  readonly #database: Database;
  /** Positions after events that did not match, in memory only: storing each one would cost a commit. */
  readonly #skipped = new Map<string, { fingerprint: string; position: number }>();

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Adds deliveries for new events. Returns whether there is more to read immediately. `savePositions` also stores
   * positions after skipped events.
   */
  async fill({ savePositions }: { savePositions: boolean }): Promise<boolean> {
    let hasMore = false;
    for (const webhook of await this.#database.run(findLagging, {})) {
      if (await this.#fillForWebhook(webhook, savePositions)) hasMore = true;
      await setImmediate(); // the embedded database is synchronous: let requests run in between
    }
    return hasMore;
  }

  async #fillForWebhook(webhook: LaggingWebhook, savePositions: boolean): Promise<boolean> {
    const from = this.#getPosition(webhook);
    const events = await this.#readEvents(webhook.accountId, from);
    const last = events.at(-1)?.position ?? from;
    const patterns = JSON.parse(webhook.eventTypes) as string[];
    const matching = events.filter((event) =>
      event.type === TEST_EVENT ? event.subjectId === webhook.id : isSubscribedTo(patterns, event.type),
    );
    const lastMissed = events[0] && events[0].position > from + 1 ? events[0].position - 1 : undefined;
    if (matching.length === 0 && lastMissed === undefined && !savePositions) {
      this.#skipped.set(toKey(webhook), { fingerprint: computeFingerprint(webhook), position: last });
      return events.length === BATCH_SIZE;
    }
    if (last === webhook.position) return false;
    if (matching.length > 0 && (await this.#isFull(webhook))) return false;
    const key = { accountId: webhook.accountId, webhookId: webhook.id };
    await this.#database.transaction(async (tx) => {
      if (!(await advancePosition(tx, key, { from: webhook.position, to: last }))) return;
      if (lastMissed !== undefined) announceMissedEvents(tx, webhook, from + 1, lastMissed);
      for (const event of matching) await addDelivery(tx, key, event);
    }, webhook.accountId);
    this.#skipped.delete(toKey(webhook));
    return events.length === BATCH_SIZE;
  }

  #getPosition(webhook: LaggingWebhook): number {
    const skipped = this.#skipped.get(toKey(webhook));
    return skipped?.fingerprint === computeFingerprint(webhook) ? skipped.position : webhook.position;
  }

  async #readEvents(accountId: number, after: number): Promise<DeliveredEvent[]> {
    const rows = await this.#database.read
      .selectFrom('events')
      .select(['accountId', 'position', 'type', 'at', 'subjectType', 'subjectId', 'actorType', 'actorId', 'changes'])
      .where('accountId', '=', accountId)
      .where('position', '>', after)
      .orderBy('position')
      .limit(BATCH_SIZE)
      .execute();
    return rows.map((row) => ({
      ...row,
      actorType: row.actorType as DeliveredEvent['actorType'],
      changes: JSON.parse(row.changes) as Changes,
    }));
  }

  async #isFull(webhook: LaggingWebhook): Promise<boolean> {
    const { count } = await this.#database.read
      .selectFrom((eb) =>
        eb
          .selectFrom('webhookDeliveries')
          .select('nextAt')
          .where('accountId', '=', webhook.accountId)
          .where('webhookId', '=', webhook.id)
          .where(sql<SqlBool>`state = 'pending'`)
          .limit(MAX_PENDING)
          .as('pending'),
      )
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    return count === MAX_PENDING;
  }
}

function toKey(webhook: LaggingWebhook): string {
  return `${webhook.accountId} ${webhook.id}`;
}

/**
 * Changes when the webhook's event types change or another node advances its position; skipped positions then expire.
 */
function computeFingerprint(webhook: LaggingWebhook): string {
  return `${webhook.position} ${webhook.eventTypes}`;
}

/** Announces events that a webhook missed because it was paused for longer than the event log is retained. */
function announceMissedEvents(tx: Transaction, webhook: LaggingWebhook, from: number, to: number): void {
  announce(tx, systemContext(webhook.accountId), 'webhook.updated', webhook.id, {
    fields: ['position'],
    values: { missedFrom: from, missedTo: to },
  });
}
