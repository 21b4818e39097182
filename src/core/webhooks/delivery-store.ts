import { type ExpressionBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import type { Tables } from '../../storage/tables.ts';
import { deleteInBatches } from '../kernel/batched-delete.ts';
import type { AccountContext } from '../kernel/caller.ts';
import { nextId } from '../kernel/ids.ts';
import { bodyOf, CLAIM_MS, type DeliveredEvent, type Delivery, eventIdOf } from './delivery.ts';
import { HEALTHY, type HookName, updateWebhook } from './webhook-store.ts';

type DeliveryRow = Selectable<Tables['webhookDeliveries']>;

/** Said in the words of the partial indexes: a parameter would keep the database from using them. */
export const isPending = sql<SqlBool>`state = 'pending'`;
export const isNotDelivered = sql<SqlBool>`state <> 'delivered'`;

export interface SubjectName extends HookName {
  readonly subjectType: string;
  readonly subjectId: number;
}

export function deliveryOf(row: DeliveryRow): Delivery {
  const { accountId, triedAt: _triedAt, ...shown } = row;
  return { ...shown, eventId: eventIdOf({ accountId, position: row.position }) };
}

type NewDelivery = Pick<DeliveryRow, 'id' | 'position' | 'type' | 'body'> & SubjectName & { readonly now: number };

/** One that has an earlier one of its subject before it gets no time: it is held back until that has ended. */
const insert = prepare<NewDelivery>((db, { now, ...row }) =>
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
  { accountId, webhookId }: HookName,
  event: DeliveredEvent,
): Promise<void> {
  const { position, type, subjectType, subjectId } = event;
  const id = await nextId(tx, accountId, 'webhook_delivery');
  const row = { accountId, id, webhookId, position, type, subjectType, subjectId, body: bodyOf(event), now: tx.now };
  await tx.run(insert, row);
}

/** Keeps others from sending a delivery for some time; undefined when another was faster. */
export function claim(tx: Transaction, { accountId }: AccountContext, id: number) {
  return tx.db
    .updateTable('webhookDeliveries')
    .set((eb) => ({
      nextAt: tx.now + CLAIM_MS,
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
 * Writes down what came of a try. False when it was decided already: by a later try, unless the receiver has the delivery
 * now, which counts whoever made it.
 */
export async function recordTry(
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

/** Dead letters become pending anew, held back: one, or the oldest of the hook. Answers with their subjects. */
export function revive(tx: Transaction, { accountId, webhookId }: HookName, one: number | undefined, limit: number) {
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
      return one === undefined ? dead.orderBy('id').limit(limit) : dead.where('id', '=', one);
    })
    .returning(['subjectType', 'subjectId'])
    .execute();
}

/** Sends on the next of a subject, if it was held back: the first that is pending is always on its way. */
export async function releaseNext(tx: Transaction, subject: SubjectName): Promise<void> {
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

/** The same for every subject of a hook. */
export async function releaseAll(tx: Transaction, { accountId, webhookId }: HookName): Promise<void> {
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
 * The receiver is back: what failed first while it was away is sent now. What failed before that, while others went through, has a
 * trouble of its own and keeps its waits.
 */
export async function bringForward(
  tx: Transaction,
  { accountId, webhookId }: HookName,
  awaySince: number,
): Promise<void> {
  await tx.db
    .updateTable('webhookDeliveries')
    .set({ nextAt: tx.now })
    .where('accountId', '=', accountId)
    .where('webhookId', '=', webhookId)
    .where(isPending)
    .where('triedAt', '>=', awaySince)
    .where('nextAt', '>', tx.now + CLAIM_MS) // nobody is sending these now
    .execute();
}

/** Begins anew with all that waits: 24 hours again for each. */
export async function startAnew(tx: Transaction, hook: HookName): Promise<void> {
  const { accountId, webhookId } = hook;
  await updateWebhook(tx, hook, { ...HEALTHY, waitUntil: null });
  await tx.db
    .updateTable('webhookDeliveries')
    .set({ attempts: 0, triedAt: null, nextAt: tx.now })
    .where('accountId', '=', accountId)
    .where('webhookId', '=', webhookId)
    .where(isPending)
    .where((eb) => isFree(eb, tx.now))
    .execute();
}

/** Forgets what has ended of a hook. */
export function forgetEnded(database: Database, { accountId, webhookId }: HookName): Promise<void> {
  const where = sql`account_id = ${accountId} and webhook_id = ${webhookId} and ended_at is not null`;
  return deleteInBatches(database, { table: 'webhook_deliveries', key: ['account_id', 'id'], where });
}

/** Forgets what ended in a state longer ago than it is kept. */
export function forgetOld(database: Database, state: 'delivered' | 'dead', keptMs: number): Promise<void> {
  const where = sql`state = ${state} and ended_at < now_ms() - ${keptMs}`;
  return deleteInBatches(database, { table: 'webhook_deliveries', key: ['account_id', 'id'], where });
}

export async function deleteDeliveriesOf(tx: Transaction, { accountId, webhookId }: HookName): Promise<void> {
  await tx.db
    .deleteFrom('webhookDeliveries')
    .where('accountId', '=', accountId)
    .where('webhookId', '=', webhookId)
    .execute();
}

/** Neither held back nor being sent now. */
function isFree(eb: ExpressionBuilder<Tables, 'webhookDeliveries'>, now: number) {
  return eb.or([eb('nextAt', '<=', now), eb('nextAt', '>', now + CLAIM_MS)]);
}
