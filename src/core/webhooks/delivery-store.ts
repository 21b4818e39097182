import { type ExpressionBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import type { Tables } from '../../storage/tables.ts';
import { deleteInBatches } from '../kernel/batched-delete.ts';
import type { AccountContext } from '../kernel/caller.ts';
import { nextId } from '../kernel/ids.ts';
import { buildBody, CLAIM_TTL_MS, type DeliveredEvent, type Delivery, toEventId } from './delivery.ts';
import { NO_FAILURES, updateWebhook, type WebhookKey } from './webhook-store.ts';

type DeliveryRow = Selectable<Tables['webhookDeliveries']>;

/** Literals that match the partial indexes: with a parameter the database could not use them. */
export const isPending = sql<SqlBool>`state = 'pending'`;
export const isNotDelivered = sql<SqlBool>`state <> 'delivered'`;

export interface SubjectKey extends WebhookKey {
  readonly subjectType: string;
  readonly subjectId: number;
}

export function toDelivery(row: DeliveryRow): Delivery {
  const { accountId, triedAt: _triedAt, ...visible } = row;
  return { ...visible, eventId: toEventId({ accountId, position: row.position }) };
}

type NewDelivery = Pick<DeliveryRow, 'id' | 'position' | 'type' | 'body'> & SubjectKey & { readonly now: number };

/** `nextAt` is null while an earlier delivery of the same subject is pending: this one is held back until it ends. */
const insertDelivery = prepare<NewDelivery>((db, { now, ...row }) =>
  db.insertInto('webhookDeliveries').values((eb) => ({
    ...row,
    state: 'pending',
    attempts: 0,
    nextAt: eb
      .case()
      .when(
        eb.exists(
          eb
            .selectFrom('webhookDeliveries')
            .select('id')
            .where('accountId', '=', row.accountId)
            .where('webhookId', '=', row.webhookId)
            .where('subjectType', '=', row.subjectType)
            .where('subjectId', '=', row.subjectId)
            .where(isPending),
        ),
      )
      .then(null)
      .else(eb.cast<number>(now, 'bigint'))
      .end(),
    triedAt: null,
    createdAt: now,
    endedAt: null,
    lastStatus: null,
    lastError: null,
  })),
);

export async function addDelivery(
  tx: Transaction,
  { accountId, webhookId }: WebhookKey,
  event: DeliveredEvent,
): Promise<void> {
  const { position, type, subjectType, subjectId } = event;
  const id = await nextId(tx, accountId, 'webhook_delivery');
  const row = { accountId, id, webhookId, position, type, subjectType, subjectId, body: buildBody(event), now: tx.now };
  await tx.run(insertDelivery, row);
}

/** Claims a delivery for `CLAIM_TTL_MS`; undefined if another node was first. */
export function claimDelivery(tx: Transaction, { accountId }: AccountContext, id: number) {
  return tx.db
    .updateTable('webhookDeliveries')
    .set((eb) => ({
      nextAt: tx.now + CLAIM_TTL_MS,
      attempts: eb('attempts', '+', 1),
      triedAt: eb.fn.coalesce('triedAt', eb.val(tx.now)),
    }))
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where('nextAt', '<=', tx.now)
    .returning(['position', 'body', 'subjectType', 'subjectId', 'attempts', 'triedAt'])
    .executeTakeFirst();
}

/**
 * Records the result of an attempt. Returns false if the delivery has already ended or a later attempt has claimed it;
 * a success always counts, whichever attempt it came from.
 */
export async function recordAttempt(
  tx: Transaction,
  { accountId, id, attempts }: Pick<DeliveryRow, 'accountId' | 'id' | 'attempts'>,
  columns: Partial<DeliveryRow>,
): Promise<boolean> {
  let query = tx.db
    .updateTable('webhookDeliveries')
    .set(columns)
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .where('state', '=', 'pending');
  if (columns.state !== 'delivered') query = query.where('attempts', '=', attempts);
  return (await query.returning('id').executeTakeFirst()) !== undefined;
}

/** Makes one dead letter, or the oldest of the webhook, pending and held back. Returns their subjects. */
export function reviveDeadLetters(
  tx: Transaction,
  { accountId, webhookId }: WebhookKey,
  deliveryId: number | undefined,
  limit: number,
) {
  return tx.db
    .updateTable('webhookDeliveries')
    .set({ state: 'pending', attempts: 0, triedAt: null, nextAt: null, endedAt: null })
    .where('accountId', '=', accountId)
    .where('id', 'in', (eb) => {
      const dead = eb
        .selectFrom('webhookDeliveries')
        .select('id')
        .where('accountId', '=', accountId)
        .where('webhookId', '=', webhookId)
        .where('state', '=', 'dead')
        .where(isNotDelivered);
      return deliveryId === undefined ? dead.orderBy('id').limit(limit) : dead.where('id', '=', deliveryId);
    })
    .returning(['subjectType', 'subjectId'])
    .execute();
}

/** Makes the first pending delivery of a subject due if it was held back. */
export async function releaseNext(tx: Transaction, subject: SubjectKey): Promise<void> {
  const { accountId, webhookId, subjectType, subjectId } = subject;
  await tx.db
    .updateTable('webhookDeliveries')
    .set({ nextAt: tx.now })
    .where('accountId', '=', accountId)
    .where('id', '=', (eb) =>
      eb
        .selectFrom('webhookDeliveries')
        .select('id')
        .where('accountId', '=', accountId)
        .where('webhookId', '=', webhookId)
        .where('subjectType', '=', subjectType)
        .where('subjectId', '=', subjectId)
        .where(isPending)
        .orderBy('position')
        .limit(1),
    )
    .where('nextAt', 'is', null)
    .execute();
}

/** Like `releaseNext`, for every subject of a webhook. */
export async function releaseAll(tx: Transaction, { accountId, webhookId }: WebhookKey): Promise<void> {
  await tx.db
    .updateTable('webhookDeliveries as later')
    .set({ nextAt: tx.now })
    .where('later.accountId', '=', accountId)
    .where('later.webhookId', '=', webhookId)
    .where(sql<SqlBool>`later.state = 'pending'`)
    .where('later.nextAt', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('webhookDeliveries as earlier')
            .select('earlier.id')
            .where('earlier.accountId', '=', accountId)
            .where('earlier.webhookId', '=', webhookId)
            .whereRef('earlier.subjectType', '=', 'later.subjectType')
            .whereRef('earlier.subjectId', '=', 'later.subjectId')
            .whereRef('earlier.position', '<', 'later.position')
            .where(sql<SqlBool>`earlier.state = 'pending'`),
        ),
      ),
    )
    .execute();
}

/**
 * After a receiver has recovered, makes deliveries due that were first attempted during the outage. Older ones failed
 * while others succeeded, so they keep their backoff.
 */
export async function retryFailedNow(
  tx: Transaction,
  { accountId, webhookId }: WebhookKey,
  failingSince: number,
): Promise<void> {
  await tx.db
    .updateTable('webhookDeliveries')
    .set({ nextAt: tx.now })
    .where('accountId', '=', accountId)
    .where('webhookId', '=', webhookId)
    .where(isPending)
    .where('triedAt', '>=', failingSince)
    .where('nextAt', '>', tx.now + CLAIM_TTL_MS) // not claimed
    .execute();
}

/** Makes all unclaimed pending deliveries due, each with a new 24-hour retry window. */
export async function restartDeliveries(tx: Transaction, webhook: WebhookKey): Promise<void> {
  const { accountId, webhookId } = webhook;
  await updateWebhook(tx, webhook, { ...NO_FAILURES, waitUntil: null });
  await tx.db
    .updateTable('webhookDeliveries')
    .set({ attempts: 0, triedAt: null, nextAt: tx.now })
    .where('accountId', '=', accountId)
    .where('webhookId', '=', webhookId)
    .where(isPending)
    .where((eb) => buildUnclaimedCondition(eb, tx.now))
    .execute();
}

export function deleteEndedDeliveries(database: Database, { accountId, webhookId }: WebhookKey): Promise<void> {
  const where = sql`account_id = ${accountId} and webhook_id = ${webhookId} and ended_at is not null`;
  return deleteInBatches(database, { table: 'webhook_deliveries', key: ['account_id', 'id'], where });
}

export function deleteExpiredDeliveries(
  database: Database,
  state: 'delivered' | 'dead',
  retentionMs: number,
): Promise<void> {
  const where = sql`state = ${state} and ended_at < now_ms() - ${retentionMs}`;
  return deleteInBatches(database, { table: 'webhook_deliveries', key: ['account_id', 'id'], where });
}

export async function deleteDeliveries(tx: Transaction, { accountId, webhookId }: WebhookKey): Promise<void> {
  await tx.db
    .deleteFrom('webhookDeliveries')
    .where('accountId', '=', accountId)
    .where('webhookId', '=', webhookId)
    .execute();
}

/** Matches deliveries that are neither held back nor being sent. */
function buildUnclaimedCondition(eb: ExpressionBuilder<Tables, 'webhookDeliveries'>, now: number) {
  return eb.or([eb('nextAt', '<=', now), eb('nextAt', '>', now + CLAIM_TTL_MS)]);
}
