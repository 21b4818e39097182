import { type SqlBool, sql } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';
import { prepare } from '../../storage/prepared-statement.ts';
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
}

const findDue = prepare<object, WebhookKey & { failingSince: number | null }>((db) =>
  db
    .selectFrom('webhooks as w')
    .select(['w.accountId', 'w.id as webhookId', 'w.failingSince'])
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
    .orderBy('w.id'),
);

/** Claims due deliveries so that two nodes never send the same one concurrently. */
export class Claims {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Finds active webhooks that have a due delivery. */
  async findDueWebhooks(): Promise<DueWebhook[]> {
    const rows = await this.#database.run(findDue, {});
    return rows.map(({ failingSince, ...webhook }) => ({ ...webhook, isFailing: failingSince !== null }));
  }

  /**
   * Claims up to `laneCount` deliveries per webhook, one transaction per account so that nodes do not block each other.
   */
  async claim(webhooks: readonly (WebhookKey & { readonly laneCount: number })[]): Promise<ClaimedDelivery[]> {
    const claimed: ClaimedDelivery[] = [];
    for (const [accountId, accountWebhooks] of Map.groupBy(webhooks, (webhook) => webhook.accountId)) {
      const batch = await this.#database.transaction(async (tx) => {
        const deliveries: ClaimedDelivery[] = [];
        for (const webhook of accountWebhooks)
          deliveries.push(...(await claimForWebhook(tx, webhook, webhook.laneCount)));
        return deliveries;
      }, accountId);
      claimed.push(...batch);
    }
    return claimed;
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
  const due = await tx.db
    .selectFrom('webhookDeliveries')
    .select('id')
    .where('accountId', '=', accountId)
    .where('webhookId', '=', webhookId)
    .where(isPending)
    .where('nextAt', '<=', tx.now)
    .orderBy('nextAt')
    .orderBy('position')
    .limit(limit)
    .execute();
  const claimed: ClaimedDelivery[] = [];
  for (const { id } of due) {
    const row = await claimDelivery(tx, { accountId }, id);
    if (row)
      claimed.push({ ...row, ...webhook, accountId, webhookId, id, triedAt: row.triedAt ?? tx.now, now: tx.now });
  }
  return claimed;
}
