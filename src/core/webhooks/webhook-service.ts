import type { Database, Transaction } from '../../storage/database.ts';
import { type InstallationSecrets, randomSecret } from '../access/secrets.ts';
import { announce, changesBetween } from '../events/announce.ts';
import { type Caller, type Commit, requireAdmin } from '../kernel/caller.ts';
import { DomainError, invalidField, unknownId } from '../kernel/errors.ts';
import { nextId } from '../kernel/ids.ts';
import { deleteDeliveriesOf, forgetEnded, startAnew } from './delivery-store.ts';
import { TEST_EVENT } from './event-types.ts';
import { namesPrivateHost } from './private-networks.ts';
import { HIDDEN_FIELDS, type Webhook, type WebhookCreate, type WebhookUpdate } from './webhook.ts';
import { deleteWebhook, insertWebhook, readRow, updateWebhook, webhookOf, writeChanges } from './webhook-store.ts';

const MAX_WEBHOOKS = 100;
const BOTH_SECRETS_MS = 24 * 3600 * 1000;
const BY_HAND = 'paused by hand';

/** A hook and its secret, which is shown this once: it is null when a request is repeated. */
export interface NewSecret {
  readonly webhook: Webhook;
  readonly secret: string | null;
}

export interface WebhookParts {
  readonly database: Database;
  readonly secrets: InstallationSecrets;
  /** Whether events may be sent into private networks. */
  readonly allowPrivate: boolean;
}

/** Where events are sent, for admins. The sending is in dispatcher.ts. */
export class WebhookService {
  readonly #database: Database;
  readonly #secrets: InstallationSecrets;
  readonly #allowPrivate: boolean;

  constructor({ database, secrets, allowPrivate }: WebhookParts) {
    this.#database = database;
    this.#secrets = secrets;
    this.#allowPrivate = allowPrivate;
  }

  async list(caller: Caller): Promise<Webhook[]> {
    requireAdmin(caller);
    const rows = await this.#database.read
      .selectFrom('webhooks')
      .selectAll()
      .where('accountId', '=', caller.accountId)
      .orderBy('id')
      .execute();
    return rows.map(webhookOf);
  }

  async find(caller: Caller, id: number): Promise<Webhook | undefined> {
    requireAdmin(caller);
    const row = await readRow(this.#database.read, caller.accountId, id);
    return row && webhookOf(row);
  }

  /** The hook gets what happens from now on, its own creation first. */
  async create(commit: Commit<NewSecret>, caller: Caller, input: WebhookCreate): Promise<NewSecret> {
    requireAdmin(caller);
    this.#refusePrivate(input.url);
    return commit(async (tx) => {
      const { accountId } = caller;
      await refuseTooMany(tx, accountId);
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
      const secret = newSecret();
      const { previousSecretUntil, ...columns } = webhook;
      await insertWebhook(tx, {
        ...columns,
        accountId,
        eventTypes: JSON.stringify(webhook.eventTypes),
        secret: this.#secrets.seal(secret, placeOf(accountId, id)),
        previousSecret: null,
        previousUntil: previousSecretUntil,
        position: account.eventPosition,
        failedInRow: 0,
        deadInRow: 0,
        waitUntil: null,
      });
      announce(tx, caller, 'webhook.created', id, changesBetween({}, webhook, HIDDEN_FIELDS));
      return { webhook, secret };
    });
  }

  /** A hook that is resumed, or gets another address, begins anew with all that waits. */
  async update(commit: Commit<Webhook>, caller: Caller, id: number, input: WebhookUpdate): Promise<Webhook> {
    requireAdmin(caller);
    if (input.url !== undefined) this.#refusePrivate(input.url);
    return commit(async (tx) => {
      const before = webhookOf(await existingRow(tx, caller.accountId, id));
      const state = input.state ?? before.state;
      const resumed = before.state === 'paused' && state === 'active';
      const moved = input.url !== undefined && input.url !== before.url;
      const after: Webhook = {
        ...before,
        name: input.name ?? before.name,
        url: input.url ?? before.url,
        eventTypes: input.eventTypes ?? before.eventTypes,
        state,
        pausedBecause: state === 'active' ? null : (before.pausedBecause ?? BY_HAND),
        failingSince: resumed || moved ? null : before.failingSince,
      };
      await writeChanges(tx, caller, before, after);
      if (resumed || moved) await startAnew(tx, { accountId: caller.accountId, webhookId: id });
      return after;
    });
  }

  /** All its deliveries are gone with it. Those that have ended may be many, and are taken away before, a few at a time. */
  async remove(commit: Commit<Webhook>, caller: Caller, id: number): Promise<Webhook> {
    requireAdmin(caller);
    const hook = { accountId: caller.accountId, webhookId: id };
    await forgetEnded(this.#database, hook);
    return commit(async (tx) => {
      const row = await existingRow(tx, caller.accountId, id);
      await deleteDeliveriesOf(tx, hook);
      await deleteWebhook(tx, hook);
      announce(tx, caller, 'webhook.deleted', id);
      return webhookOf(row);
    });
  }

  /** Makes a new secret. For a day events are signed with the old one too, so that the receiver can change at leisure. */
  async rotateSecret(commit: Commit<NewSecret>, caller: Caller, id: number): Promise<NewSecret> {
    requireAdmin(caller);
    return commit(async (tx) => {
      const { accountId } = caller;
      const row = await existingRow(tx, accountId, id);
      const secret = newSecret();
      const previousUntil = tx.now + BOTH_SECRETS_MS;
      const sealed = this.#secrets.seal(secret, placeOf(accountId, id));
      const columns = { secret: sealed, previousSecret: row.secret, previousUntil };
      await updateWebhook(tx, { accountId, webhookId: id }, columns);
      announce(tx, caller, 'webhook.updated', id, { fields: ['secret'], values: {} });
      return { webhook: webhookOf({ ...row, previousUntil }), secret };
    });
  }

  /** Sends an event to this hook alone, whatever it asked for, in the way of all events. */
  async test(commit: Commit<Webhook>, caller: Caller, id: number): Promise<Webhook> {
    requireAdmin(caller);
    return commit(async (tx) => {
      const webhook = webhookOf(await existingRow(tx, caller.accountId, id));
      if (webhook.state === 'paused') throw new DomainError('state', 'The webhook is paused. Resume it first.');
      announce(tx, caller, TEST_EVENT, id);
      return webhook;
    });
  }

  /** The secrets that sign now, the newest first; none when they cannot be read with the installation's secret. */
  signingSecrets(hook: SealedSecrets, now: number): string[] {
    const place = placeOf(hook.accountId, hook.webhookId);
    const newest = this.#secrets.unseal(hook.secret, place);
    if (newest === undefined) return [];
    const isRotated = hook.previousSecret !== null && now < (hook.previousUntil ?? 0);
    const previous = isRotated ? this.#secrets.unseal(hook.previousSecret as string, place) : undefined;
    return previous === undefined ? [newest] : [newest, previous];
  }

  /** A mistake is told at once; what the name leads to is looked at when it is connected to. */
  #refusePrivate(address: string): void {
    if (!this.#allowPrivate && namesPrivateHost(new URL(address))) {
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

function newSecret(): string {
  return `sbw_${randomSecret()}`;
}

/** The place for which the secrets of a webhook are sealed. */
export function placeOf(accountId: number, id: number): string {
  return `webhook ${accountId} ${id}`;
}

async function existingRow(tx: Transaction, accountId: number, id: number) {
  const row = await readRow(tx.db, accountId, id);
  if (!row) throw unknownId('webhook', id);
  return row;
}

async function refuseTooMany(tx: Transaction, accountId: number): Promise<void> {
  const { count } = await tx.db
    .selectFrom('webhooks')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('accountId', '=', accountId)
    .executeTakeFirstOrThrow();
  if (count >= MAX_WEBHOOKS) {
    throw new DomainError('limit', `There are ${count} webhooks already: an account can have ${MAX_WEBHOOKS}.`);
  }
}
