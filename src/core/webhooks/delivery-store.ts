import { setImmediate } from 'node:timers/promises';
import { type ExpressionBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';
import type { Tables } from '../../storage/tables.ts';
import { CLAIM_MS, type Delivery, eventIdOf } from './delivery.ts';

/** Said in the words of the partial indexes: a parameter would keep the database from using them. */
export const isPending = sql<SqlBool>`state = 'pending'`;
export const isNotDelivered = sql<SqlBool>`state <> 'delivered'`;

export interface HookName {
  readonly accountId: number;
  readonly webhookId: number;
}

export interface SubjectName extends HookName {
  readonly subjectType: string;
  readonly subjectId: number;
}

export function deliveryOf(row: Selectable<Tables['webhookDeliveries']>): Delivery {
  const { accountId, triedAt: _triedAt, ...shown } = row;
  return { ...shown, eventId: eventIdOf({ accountId, position: row.position }) };
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
export async function startAnew(tx: Transaction, { accountId, webhookId }: HookName): Promise<void> {
  await tx.db
    .updateTable('webhooks')
    .set({ failingSince: null, failedInRow: 0, deadInRow: 0, waitUntil: null })
    .where('accountId', '=', accountId)
    .where('id', '=', webhookId)
    .execute();
  await tx.db
    .updateTable('webhookDeliveries')
    .set({ attempts: 0, triedAt: null, nextAt: tx.now })
    .where('accountId', '=', accountId)
    .where('webhookId', '=', webhookId)
    .where(isPending)
    .where((eb) => isFree(eb, tx.now))
    .execute();
}

const FORGOTTEN_AT_ONCE = 500;

/** Forgets what has ended of a hook, a few at a time: others who write do not wait for it. */
export async function forgetEnded(database: Database, { accountId, webhookId }: HookName): Promise<void> {
  for (let number = FORGOTTEN_AT_ONCE; number === FORGOTTEN_AT_ONCE; ) {
    const rows = await database.read
      .selectFrom('webhookDeliveries')
      .select('id')
      .where('accountId', '=', accountId)
      .where('webhookId', '=', webhookId)
      .where('endedAt', 'is not', null)
      .limit(FORGOTTEN_AT_ONCE)
      .execute();
    number = rows.length;
    if (number === 0) return;
    const ids = rows.map((row) => row.id);
    await database.transaction(async ({ db }) => {
      await db.deleteFrom('webhookDeliveries').where('accountId', '=', accountId).where('id', 'in', ids).execute();
    });
    await setImmediate(); // requests want their turn
  }
}

/** Neither held back nor being sent now. */
function isFree(eb: ExpressionBuilder<Tables, 'webhookDeliveries'>, now: number) {
  return eb.or([eb('nextAt', '<=', now), eb('nextAt', '>', now + CLAIM_MS)]);
}
