import type { Selectable } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';
import type { Tables } from '../../storage/tables.ts';
import { announce, changesBetween } from '../events/announce.ts';
import type { Caller } from '../kernel/caller.ts';
import { HIDDEN_FIELDS, type Webhook } from './webhook.ts';

type WebhookRow = Selectable<Tables['webhooks']>;

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
  await tx.db
    .updateTable('webhooks')
    .set({ name, url, eventTypes: JSON.stringify(eventTypes), state, pausedBecause, failingSince })
    .where('accountId', '=', caller.accountId)
    .where('id', '=', after.id)
    .execute();
  announce(tx, caller, 'webhook.updated', after.id, changes);
}
