import type { Selectable, Updateable } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import type { Tables } from '../../storage/tables.ts';
import { announce, computeChanges } from '../events/announce.ts';
import type { ActorContext } from '../kernel/caller.ts';
import { HIDDEN_FIELDS, type Webhook } from './webhook.ts';

type WebhookRow = Selectable<Tables['webhooks']>;

export interface WebhookKey {
  readonly accountId: number;
  readonly webhookId: number;
}

export const NO_FAILURES = { failingSince: null, failedInRow: 0, deadInRow: 0 } as const;

export type LockedWebhook = WebhookKey & Pick<WebhookRow, keyof typeof NO_FAILURES>;

export function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    name: row.name,
    url: row.url,
    eventTypes: JSON.parse(row.eventTypes) as string[],
    state: row.state,
    pausedBecause: row.pausedBecause,
    failingSince: row.failingSince,
    previousSecretUntil: row.previousUntil,
    createdAt: row.createdAt,
  };
}

const findActive = prepare<object, { accountId: number }>((db) =>
  db.selectFrom('webhooks').select('accountId').distinct().where('state', '=', 'active'),
);

export async function findAccountsWithWebhooks(database: Pick<Database, 'run'>): Promise<ReadonlySet<number>> {
  return new Set((await database.run(findActive, {})).map(({ accountId }) => accountId));
}

export function readWebhookRow(db: Database['read'], accountId: number, id: number): Promise<WebhookRow | undefined> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Writes the editable fields, and announces the changed ones. */
export async function writeChanges(
  tx: Transaction,
  context: ActorContext,
  before: Webhook,
  after: Webhook,
): Promise<void> {
  const changes = computeChanges(before, after, HIDDEN_FIELDS);
  if (changes.fields.length === 0) return;
  const { name, url, eventTypes, state, pausedBecause, failingSince } = after;
  const columns = { name, url, eventTypes: JSON.stringify(eventTypes), state, pausedBecause, failingSince };
  await updateWebhook(tx, { accountId: context.accountId, webhookId: after.id }, columns);
  announce(tx, context, 'webhook.updated', after.id, changes);
}

export async function insertWebhook(tx: Transaction, row: WebhookRow): Promise<void> {
  await tx.db.insertInto('webhooks').values(row).execute();
}

export async function updateWebhook(
  tx: Transaction,
  { accountId, webhookId }: WebhookKey,
  columns: Updateable<Tables['webhooks']>,
): Promise<void> {
  await tx.db
    .updateTable('webhooks')
    .set(columns)
    .where('accountId', '=', accountId)
    .where('id', '=', webhookId)
    .execute();
}

export async function deleteWebhook(tx: Transaction, { accountId, webhookId }: WebhookKey): Promise<void> {
  await tx.db.deleteFrom('webhooks').where('accountId', '=', accountId).where('id', '=', webhookId).execute();
}

/** Call before changing a webhook's deliveries: its lock keeps one from being released while another is added. */
export function lockWebhook(tx: Transaction, { accountId, webhookId }: WebhookKey): Promise<LockedWebhook | undefined> {
  return tx.db
    .updateTable('webhooks')
    .set((eb) => ({ position: eb.ref('position') }))
    .where('accountId', '=', accountId)
    .where('id', '=', webhookId)
    .returning(['accountId', 'id as webhookId', 'failingSince', 'failedInRow', 'deadInRow'])
    .executeTakeFirst();
}

/** Advances the position in the log. Returns false if another node was first, or the webhook was paused or deleted. */
export async function advancePosition(
  tx: Transaction,
  { accountId, webhookId }: WebhookKey,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<boolean> {
  const updatedRow = await tx.db
    .updateTable('webhooks')
    .set({ position: to })
    .where('accountId', '=', accountId)
    .where('id', '=', webhookId)
    .where('position', '=', from)
    .where('state', '=', 'active')
    .returning('id')
    .executeTakeFirst();
  return updatedRow !== undefined;
}

/** Returns the position up to which all active webhooks have read the event log; null if there are none. */
export async function findLowestPosition(tx: Transaction, accountId: number): Promise<number | null> {
  const { position } = await tx.db
    .selectFrom('webhooks')
    .select((eb) => eb.fn.min('position').as('position'))
    .where('accountId', '=', accountId)
    .where('state', '=', 'active')
    .executeTakeFirstOrThrow();
  return position;
}
