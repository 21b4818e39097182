import type { Selectable, Updateable } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';
import type { Tables } from '../../storage/tables.ts';
import { announce, changesBetween } from '../events/announce.ts';
import type { Caller } from '../kernel/caller.ts';
import { HIDDEN_FIELDS, type Webhook } from './webhook.ts';

type WebhookRow = Selectable<Tables['webhooks']>;

export interface HookName {
  readonly accountId: number;
  readonly webhookId: number;
}

/** How the receiver fares, as long as nothing fails. */
export const HEALTHY = { failingSince: null, failedInRow: 0, deadInRow: 0 } as const;

export type LockedWebhook = HookName & Pick<WebhookRow, keyof typeof HEALTHY>;

export function webhookOf(row: WebhookRow): Webhook {
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

/** The row of a hook, as the transaction sees it. */
export function readRow(db: Database['read'], accountId: number, id: number): Promise<WebhookRow | undefined> {
  return db
    .selectFrom('webhooks')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Writes the fields that can be changed, and announces those that did. */
export async function writeChanges(
  tx: Transaction,
  caller: Pick<Caller, 'accountId' | 'actor'>,
  before: Webhook,
  after: Webhook,
): Promise<void> {
  const changes = changesBetween(before, after, HIDDEN_FIELDS);
  if (changes.fields.length === 0) return;
  const { name, url, eventTypes, state, pausedBecause, failingSince } = after;
  const columns = { name, url, eventTypes: JSON.stringify(eventTypes), state, pausedBecause, failingSince };
  await updateWebhook(tx, { accountId: caller.accountId, webhookId: after.id }, columns);
  announce(tx, caller, 'webhook.updated', after.id, changes);
}

export async function insertWebhook(tx: Transaction, row: WebhookRow): Promise<void> {
  await tx.db.insertInto('webhooks').values(row).execute();
}

export async function updateWebhook(
  tx: Transaction,
  { accountId, webhookId }: HookName,
  columns: Updateable<Tables['webhooks']>,
): Promise<void> {
  await tx.db
    .updateTable('webhooks')
    .set(columns)
    .where('accountId', '=', accountId)
    .where('id', '=', webhookId)
    .execute();
}

export async function deleteWebhook(tx: Transaction, { accountId, webhookId }: HookName): Promise<void> {
  await tx.db.deleteFrom('webhooks').where('accountId', '=', accountId).where('id', '=', webhookId).execute();
}

/** A change of the deliveries of a hook locks its row first, so that nothing is released while something is added. */
export function lockWebhook(tx: Transaction, { accountId, webhookId }: HookName): Promise<LockedWebhook | undefined> {
  return tx.db
    .updateTable('webhooks')
    .set((eb) => ({ position: eb.ref('position') }))
    .where('accountId', '=', accountId)
    .where('id', '=', webhookId)
    .returning(['accountId', 'id as webhookId', 'failingSince', 'failedInRow', 'deadInRow'])
    .executeTakeFirst();
}

/** Moves a hook's place in the event log. False when another was there first, or the hook was paused or deleted meanwhile. */
export async function movePlace(
  tx: Transaction,
  { accountId, webhookId }: HookName,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<boolean> {
  const moved = await tx.db
    .updateTable('webhooks')
    .set({ position: to })
    .where('accountId', '=', accountId)
    .where('id', '=', webhookId)
    .where('position', '=', from)
    .where('state', '=', 'active')
    .returning('id')
    .executeTakeFirst();
  return moved !== undefined;
}

/** Up to here all active hooks of an account have read the event log; null without any. */
export async function lowestPlace(tx: Transaction, accountId: number): Promise<number | null> {
  const { position } = await tx.db
    .selectFrom('webhooks')
    .select((eb) => eb.fn.min('position').as('position'))
    .where('accountId', '=', accountId)
    .where('state', '=', 'active')
    .executeTakeFirstOrThrow();
  return position;
}
