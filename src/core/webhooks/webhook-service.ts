import type { Database, Transaction } from '../../storage/database.ts';
import { generateSecret, type InstallationSecrets } from '../access/secrets.ts';
import { announce, computeChanges } from '../events/announce.ts';
import { type Caller, type Commit, requireAdmin, requireAdminRead } from '../kernel/caller.ts';
import { DomainError, invalidField, unknownId } from '../kernel/errors.ts';
import { nextId } from '../kernel/ids.ts';
import { deleteDeliveries, deleteEndedDeliveries, restartDeliveries } from './delivery-store.ts';
import { TEST_EVENT } from './event-types.ts';
import { hasPrivateHost } from './private-networks.ts';
import { HIDDEN_FIELDS, type Webhook, type WebhookCreate, type WebhookUpdate } from './webhook.ts';
import {
  deleteWebhook,
  insertWebhook,
  readWebhookRow,
  toWebhook,
  updateWebhook,
  writeChanges,
} from './webhook-store.ts';

const MAX_WEBHOOKS = 100;
const PREVIOUS_SECRET_TTL_MS = 24 * 3600 * 1000;
const PAUSED_BY_HAND = 'paused by hand';

/** A webhook and its new secret, which is shown only once: null if the request is repeated. */
export interface WebhookWithSecret {
  readonly webhook: Webhook;
  readonly secret: string | null;
}

export interface WebhookServiceOptions {
  readonly database: Database;
  readonly secrets: InstallationSecrets;
  /** Whether events may be sent to private networks. */
  readonly allowPrivateHosts: boolean;
}

/** Manages webhooks, for admins. Sending is in dispatcher.ts. */
export class WebhookService {
  readonly #database: Database;
  readonly #secrets: InstallationSecrets;
  readonly #allowPrivateHosts: boolean;

  constructor({ database, secrets, allowPrivateHosts }: WebhookServiceOptions) {
    this.#database = database;
    this.#secrets = secrets;
    this.#allowPrivateHosts = allowPrivateHosts;
  }

  async list(caller: Caller): Promise<Webhook[]> {
    requireAdminRead(caller);
    const rows = await this.#database.read
      .selectFrom('webhooks')
      .selectAll()
      .where('accountId', '=', caller.accountId)
      .orderBy('id')
      .execute();
    return rows.map(toWebhook);
  }

  async find(caller: Caller, id: number): Promise<Webhook | undefined> {
    requireAdminRead(caller);
    const row = await readWebhookRow(this.#database.read, caller.accountId, id);
    return row && toWebhook(row);
  }

  /** Creates a webhook. It receives events from now on, starting with its own creation. */
  async create(commit: Commit<WebhookWithSecret>, caller: Caller, input: WebhookCreate): Promise<WebhookWithSecret> {
    requireAdmin(caller);
    this.#requireAllowedUrl(input.url);
    return commit(async (tx) => {
      const { accountId } = caller;
      await requireBelowLimit(tx, accountId);
      const account = await tx.db
        .selectFrom('accounts')
        .select('eventPosition')
        .where('id', '=', accountId)
        .executeTakeFirstOrThrow();
      const id = await nextId(tx, accountId, 'webhook');
      const webhook: Webhook = {
        id,
        name: input.name,
        url: input.url,
        eventTypes: input.eventTypes ?? [],
        state: 'active',
        pausedBecause: null,
        failingSince: null,
        previousSecretUntil: null,
        createdAt: tx.now,
      };
      const secret = generateWebhookSecret();
      const { previousSecretUntil, ...columns } = webhook;
      await insertWebhook(tx, {
        ...columns,
        accountId,
        eventTypes: JSON.stringify(webhook.eventTypes),
        secret: this.#secrets.seal(secret, sealContextFor(accountId, id)),
        previousSecret: null,
        previousUntil: previousSecretUntil,
        position: account.eventPosition,
        failedInRow: 0,
        deadInRow: 0,
        waitUntil: null,
      });
      announce(tx, caller, 'webhook.created', id, computeChanges({}, webhook, HIDDEN_FIELDS));
      return { webhook, secret };
    });
  }

  /** Resuming a webhook or changing its URL restarts its pending deliveries. */
  async update(commit: Commit<Webhook>, caller: Caller, id: number, input: WebhookUpdate): Promise<Webhook> {
    requireAdmin(caller);
    if (input.url !== undefined) this.#requireAllowedUrl(input.url);
    return commit(async (tx) => {
      const before = toWebhook(await requireWebhookRow(tx, caller.accountId, id));
      const state = input.state ?? before.state;
      const isResumed = before.state === 'paused' && state === 'active';
      const hasNewUrl = input.url !== undefined && input.url !== before.url;
      const after: Webhook = {
        ...before,
        name: input.name ?? before.name,
        url: input.url ?? before.url,
        eventTypes: input.eventTypes ?? before.eventTypes,
        state,
        pausedBecause: state === 'active' ? null : (before.pausedBecause ?? PAUSED_BY_HAND),
        failingSince: isResumed || hasNewUrl ? null : before.failingSince,
      };
      await writeChanges(tx, caller, before, after);
      if (isResumed || hasNewUrl) await restartDeliveries(tx, { accountId: caller.accountId, webhookId: id });
      return after;
    });
  }

  /** Also deletes its deliveries. Many of them may have ended: these are deleted in batches first. */
  async delete(commit: Commit<Webhook>, caller: Caller, id: number): Promise<Webhook> {
    requireAdmin(caller);
    const webhook = { accountId: caller.accountId, webhookId: id };
    await deleteEndedDeliveries(this.#database, webhook);
    return commit(async (tx) => {
      const row = await requireWebhookRow(tx, caller.accountId, id);
      await deleteDeliveries(tx, webhook);
      await deleteWebhook(tx, webhook);
      announce(tx, caller, 'webhook.deleted', id);
      return toWebhook(row);
    });
  }

  /** Replaces the secret. For a day, events are also signed with the previous one, so that the receiver can switch. */
  async rotateSecret(commit: Commit<WebhookWithSecret>, caller: Caller, id: number): Promise<WebhookWithSecret> {
    requireAdmin(caller);
    return commit(async (tx) => {
      const { accountId } = caller;
      const row = await requireWebhookRow(tx, accountId, id);
      const secret = generateWebhookSecret();
      const previousUntil = tx.now + PREVIOUS_SECRET_TTL_MS;
      const sealed = this.#secrets.seal(secret, sealContextFor(accountId, id));
      const columns = { secret: sealed, previousSecret: row.secret, previousUntil };
      await updateWebhook(tx, { accountId, webhookId: id }, columns);
      announce(tx, caller, 'webhook.updated', id, { fields: ['secret'], values: {} });
      return { webhook: toWebhook({ ...row, previousUntil }), secret };
    });
  }

  /** Sends a test event to this webhook only, whatever its event types. */
  async test(commit: Commit<Webhook>, caller: Caller, id: number): Promise<Webhook> {
    requireAdmin(caller);
    return commit(async (tx) => {
      const webhook = toWebhook(await requireWebhookRow(tx, caller.accountId, id));
      if (webhook.state === 'paused') throw new DomainError('state', 'The webhook is paused. Resume it first.');
      announce(tx, caller, TEST_EVENT, id);
      return webhook;
    });
  }

  /** Returns the current signing secrets, newest first; empty if the installation secret cannot decrypt them. */
  getSigningSecrets(webhook: SealedSecrets, now: number): string[] {
    const context = sealContextFor(webhook.accountId, webhook.webhookId);
    const newest = this.#secrets.unseal(webhook.secret, context);
    if (newest === undefined) return [];
    const isRotated = webhook.previousSecret !== null && now < (webhook.previousUntil ?? 0);
    const previous = isRotated ? this.#secrets.unseal(webhook.previousSecret as string, context) : undefined;
    return previous === undefined ? [newest] : [newest, previous];
  }

  /** Reports obvious mistakes early; host names are checked when connecting. */
  #requireAllowedUrl(url: string): void {
    if (!this.#allowPrivateHosts && hasPrivateHost(new URL(url))) {
      throw invalidField('url', 'must not be in a private or local network (see SWITCHBOARD_WEBHOOK_PRIVATE)');
    }
  }
}

export interface SealedSecrets {
  readonly accountId: number;
  readonly webhookId: number;
  readonly secret: string;
  readonly previousSecret: string | null;
  readonly previousUntil: number | null;
}

function generateWebhookSecret(): string {
  return `sbw_${generateSecret()}`;
}

/** Binds the sealed secrets of a webhook to its row. */
export function sealContextFor(accountId: number, id: number): string {
  return `webhook ${accountId} ${id}`;
}

async function requireWebhookRow(tx: Transaction, accountId: number, id: number) {
  const row = await readWebhookRow(tx.db, accountId, id);
  if (!row) throw unknownId('webhook', id);
  return row;
}

async function requireBelowLimit(tx: Transaction, accountId: number): Promise<void> {
  const { count } = await tx.db
    .selectFrom('webhooks')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('accountId', '=', accountId)
    .executeTakeFirstOrThrow();
  if (count >= MAX_WEBHOOKS) {
    throw new DomainError('limit', `The account already has ${count} webhooks; the limit is ${MAX_WEBHOOKS}.`);
  }
}
