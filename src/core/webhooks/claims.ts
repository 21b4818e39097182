import { type Kysely, type SqlBool, sql } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
import type { Tables } from '../../storage/tables.ts';
import { claimDelivery, isPending, type SubjectKey } from './delivery-store.ts';
import type { WebhookKey } from './webhook-store.ts';

/** A delivery that this node has claimed, with its URL and signing secrets. */
export interface ClaimedDelivery extends SubjectKey {
  readonly id: number;
  readonly position: number;
  readonly body: string;
  /** How often it was claimed, including this time: a later claim has a higher number. */
  readonly attempts: number;
  readonly triedAt: number;
  /** Database time of the claim. */
  readonly now: number;
  readonly url: string;
  readonly secret: string;
  readonly previousSecret: string | null;
  readonly previousUntil: number | null;
}

export interface DueWebhook extends WebhookKey {
  readonly isFailing: boolean;
  /** Scheme, name and port of the receiver. */
  readonly host: string;
}

/** Active webhooks that have a due delivery. */
export function selectDueWebhooks(db: Kysely<Tables>) {
  return db
    .selectFrom('webhooks as w')
    .select(['w.accountId', 'w.id as webhookId', 'w.failingSince', 'w.url'])
    .where('w.state', '=', 'active')
    .where((eb) => eb.or([eb('w.waitUntil', 'is', null), eb('w.waitUntil', '<=', eb.fn<number>('now_ms', []))]))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('webhookDeliveries as d')
          .select('d.id')
          .whereRef('d.accountId', '=', 'w.accountId')
          .whereRef('d.webhookId', '=', 'w.id')
          .where(({ eb: inner }) => inner('d.nextAt', '<=', inner.fn<number>('now_ms', [])))
          .where(sql<SqlBool>`d.state = 'pending'`),
      ),
    )
    .orderBy('w.accountId')
    .orderBy('w.id');
}

/** The due deliveries of a webhook, those first that waited longest. */
export function selectDueDeliveries(db: Kysely<Tables>, { accountId, webhookId }: WebhookKey, now: number) {
  return db
    .selectFrom('webhookDeliveries')
    .select('id')
    .where('accountId', '=', accountId)
    .where('webhookId', '=', webhookId)
    .where(isPending)
    .where('nextAt', '<=', now)
    .orderBy('nextAt')
    .orderBy('position');
}

const findDue = prepare<object, WebhookKey & { failingSince: number | null; url: string }>(selectDueWebhooks);

/** Claims due deliveries so that two nodes never send the same one concurrently. */
export class Claims {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Finds active webhooks that have a due delivery. */
  async findDueWebhooks(): Promise<DueWebhook[]> {
    const rows = await this.#database.run(findDue, {});
    return rows.map(({ failingSince, url, ...webhook }) => ({
      ...webhook,
      isFailing: failingSince !== null,
      host: new URL(url).origin,
    }));
  }

  /** Claims up to `limit` deliveries of each webhook of an account. */
  claim(accountId: number, webhooks: readonly { webhookId: number; limit: number }[]): Promise<ClaimedDelivery[]> {
    return this.#database.transaction(async (tx) => {
      const claimed: ClaimedDelivery[] = [];
      for (const { webhookId, limit } of webhooks)
        claimed.push(...(await claimForWebhook(tx, { accountId, webhookId }, limit)));
      return claimed;
    }, accountId);
  }
}

async function claimForWebhook(
  tx: Transaction,
  { accountId, webhookId }: WebhookKey,
  limit: number,
): Promise<ClaimedDelivery[]> {
  const webhook = await tx.db
    .selectFrom('webhooks')
    .select(['url', 'secret', 'previousSecret', 'previousUntil'])
    .where('accountId', '=', accountId)
    .where('id', '=', webhookId)
    .where('state', '=', 'active')
    .executeTakeFirst();
  if (!webhook) return [];
  const due = await selectDueDeliveries(tx.db, { accountId, webhookId }, tx.now).limit(limit).execute();
  const claimed: ClaimedDelivery[] = [];
  for (const { id } of due) {
    const row = await claimDelivery(tx, { accountId }, id);
    if (row)
      claimed.push({ ...row, ...webhook, accountId, webhookId, id, triedAt: row.triedAt ?? tx.now, now: tx.now });
  }
  return claimed;
}
