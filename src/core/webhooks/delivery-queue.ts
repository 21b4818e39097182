import { setImmediate } from 'node:timers/promises';
import { type SqlBool, sql } from 'kysely';
import type { Changes, Database, Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import { announce } from '../events/announce.ts';
import { systemContext } from '../kernel/caller.ts';
import type { DeliveredEvent } from './delivery.ts';
import { addDelivery } from './delivery-store.ts';
import { isSubscribedTo, TEST_EVENT } from './event-types.ts';
import { LastTurns } from './turns.ts';
import { advancePosition } from './webhook-store.ts';

const BATCH_SIZE = 100;
/** Then due deliveries are sent before more are added, so that a burst of one account does not delay the others. */
const MAX_ADDED_AT_ONCE = 200;
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

/** The next events of a webhook. */
interface EventBatch {
  readonly webhook: LaggingWebhook;
  /** The position before and after the batch. */
  readonly from: number;
  readonly to: number;
  readonly matching: readonly DeliveredEvent[];
  /** The last event that the log no longer has. */
  readonly lastMissed: number | undefined;
  readonly hasMore: boolean;
}

/**
 * Turns the event log into deliveries. Each webhook has its own position in the log. The position advances in the
 * transaction that writes the deliveries, and only from its previous value, so no event is missed or duplicated,
 * with any number of nodes.
 */
export class DeliveryQueue {
  readonly #database: Database;
  /** Positions after events that did not match, in memory only: storing each one would cost a commit. */
  readonly #skipped = new Map<string, { fingerprint: string; position: number }>();
  readonly #lastTurns = new LastTurns();

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Adds deliveries for new events. Returns whether there is more to read immediately. `savePositions` also stores
   * positions after skipped events. Accounts take turns: a burst of one does not delay the others.
   */
  async fill({ savePositions }: { savePositions: boolean }): Promise<boolean> {
    let hasMore = false;
    let addedCount = 0;
    const byAccount = Map.groupBy(await this.#database.run(findLagging, {}), ({ accountId }) => accountId);
    for (const [accountId, webhooks] of this.#lastTurns.sortByWait([...byAccount], ([id]) => [String(id)])) {
      if (addedCount >= MAX_ADDED_AT_ONCE) return true;
      this.#lastTurns.record([String(accountId)]);
      const read = await this.#readBatches(webhooks);
      hasMore ||= read.hasMore;
      addedCount += await this.#store(accountId, read.batches, savePositions);
      await setImmediate(); // the embedded database is synchronous: let requests run in between
    }
    return hasMore;
  }

  /** Reads the next events of webhooks, those first that waited longest, until there are enough deliveries to add. */
  async #readBatches(webhooks: readonly LaggingWebhook[]): Promise<{ batches: EventBatch[]; hasMore: boolean }> {
    const batches: EventBatch[] = [];
    let matchingCount = 0;
    let hasMore = false;
    for (const webhook of this.#lastTurns.sortByWait(webhooks, (each) => [toKey(each)])) {
      if (matchingCount >= MAX_ADDED_AT_ONCE) return { batches, hasMore: true };
      this.#lastTurns.record([toKey(webhook)]);
      const batch = await this.#readBatch(webhook);
      if (batch.matching.length > 0 && (await this.#isFull(webhook))) continue;
      matchingCount += batch.matching.length;
      hasMore ||= batch.hasMore;
      batches.push(batch);
    }
    return { batches, hasMore };
  }

  async #readBatch(webhook: LaggingWebhook): Promise<EventBatch> {
    const from = this.#getPosition(webhook);
    const events = await this.#readEvents(webhook.accountId, from);
    const patterns = JSON.parse(webhook.eventTypes) as string[];
    return {
      webhook,
      from,
      to: events.at(-1)?.position ?? from,
      matching: events.filter((event) =>
        event.type === TEST_EVENT ? event.subjectId === webhook.id : isSubscribedTo(patterns, event.type),
      ),
      lastMissed: events[0] && events[0].position > from + 1 ? events[0].position - 1 : undefined,
      hasMore: events.length === BATCH_SIZE,
    };
  }

  /** Adds the deliveries of an account in one transaction. Returns their number. */
  async #store(accountId: number, batches: readonly EventBatch[], savePositions: boolean): Promise<number> {
    const isSkipped = ({ matching, lastMissed }: EventBatch) => matching.length === 0 && lastMissed === undefined;
    for (const { webhook, to } of batches.filter(isSkipped))
      this.#skipped.set(toKey(webhook), { fingerprint: computeFingerprint(webhook), position: to });
    const stored = batches.filter(
      (batch) => !isSkipped(batch) || (savePositions && batch.to !== batch.webhook.position),
    );
    if (stored.length === 0) return 0;
    await this.#database.transaction(async (tx) => {
      for (const batch of stored) await storeBatch(tx, batch);
    }, accountId);
    for (const { webhook } of stored) this.#skipped.delete(toKey(webhook));
    return stored.reduce((sum, { matching }) => sum + matching.length, 0);
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

async function storeBatch(tx: Transaction, { webhook, from, to, matching, lastMissed }: EventBatch): Promise<void> {
  const key = { accountId: webhook.accountId, webhookId: webhook.id };
  if (!(await advancePosition(tx, key, { from: webhook.position, to }))) return;
  if (lastMissed !== undefined) announceMissedEvents(tx, webhook, from + 1, lastMissed);
  for (const event of matching) await addDelivery(tx, key, event);
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
