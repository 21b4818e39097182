import type { Installation } from '../app/installation.ts';
import type { Caller, Transact } from '../core/kernel/caller.ts';
import { parseId } from '../core/kernel/ids.ts';
import { validate } from '../core/kernel/validate.ts';
import { type Webhook, webhookCreate } from '../core/webhooks/webhook.ts';
import type { WebhookWithSecret } from '../core/webhooks/webhook-service.ts';
import { toCommandText } from './command-text.ts';
import { findCommandLineCaller, withInstallation } from './open.ts';
import { CommandFailed } from './report.ts';
import { formatTable, formatTime } from './table.ts';
import type { Terminal } from './terminal.ts';

interface AccountOption {
  readonly account?: number;
}

const MAX_LISTED_DEAD = 100;

interface WebhookContext {
  readonly console: Terminal['console'];
  readonly installation: Installation;
  readonly caller: Caller;
  readonly transact: Transact;
}

function withWebhooks(
  terminal: Terminal,
  options: AccountOption,
  work: (context: WebhookContext) => Promise<void>,
): Promise<void> {
  return withInstallation(terminal, async (installation) => {
    const caller = await findCommandLineCaller(terminal, installation, options.account);
    await work({
      console: terminal.console,
      installation,
      caller,
      transact: (change) => installation.database.transaction(change, caller.accountId),
    });
  });
}

export async function addWebhook(
  terminal: Terminal,
  options: AccountOption & { name: string; url: string; types?: string },
): Promise<void> {
  const eventTypes = (options.types ?? '')
    .split(',')
    .map((type) => type.trim())
    .filter((type) => type !== '');
  const input = validate(webhookCreate, { name: options.name, url: options.url, eventTypes });
  await withWebhooks(terminal, options, async ({ console, installation, caller, transact }) => {
    const created = await installation.webhooks.service.create(transact, caller, input);
    console.log(`Created webhook ${created.webhook.id}. ${formatSecret(created)}`);
  });
}

export async function listWebhooks(terminal: Terminal, options: AccountOption): Promise<void> {
  await withWebhooks(terminal, options, async ({ console, installation, caller }) => {
    const counts = await installation.webhooks.deliveries.countUndelivered(caller);
    const rows = (await installation.webhooks.service.list(caller)).map((webhook) => [
      String(webhook.id),
      webhook.name,
      webhook.url,
      webhook.eventTypes.join(',') || 'all',
      webhook.state,
      String(counts.get(webhook.id)?.pending ?? 0),
      String(counts.get(webhook.id)?.dead ?? 0),
      formatTime(webhook.failingSince),
      webhook.pausedBecause ?? '',
    ]);
    console.log(
      formatTable(['id', 'name', 'url', 'events', 'state', 'pending', 'dead', 'failing since', 'paused because'], rows),
    );
  });
}

export async function removeWebhook(terminal: Terminal, text: string, options: AccountOption): Promise<void> {
  const id = parseListedId(terminal, text);
  await withWebhooks(terminal, options, async ({ console, installation, caller, transact }) => {
    await installation.webhooks.service.delete(transact, caller, id);
    console.log(`Webhook ${id} is removed, with its pending events.`);
  });
}

export const pauseWebhook = (terminal: Terminal, text: string, options: AccountOption) =>
  setState(terminal, text, options, 'paused', 'is paused. Events are retained until it is resumed.');

export const resumeWebhook = (terminal: Terminal, text: string, options: AccountOption) =>
  setState(terminal, text, options, 'active', 'is active. It receives the events that it missed.');

async function setState(
  terminal: Terminal,
  text: string,
  options: AccountOption,
  state: Webhook['state'],
  message: string,
): Promise<void> {
  const id = parseListedId(terminal, text);
  await withWebhooks(terminal, options, async ({ console, installation, caller, transact }) => {
    await installation.webhooks.service.update(transact, caller, id, { state });
    console.log(`Webhook ${id} ${message}`);
  });
}

export async function rotateWebhook(terminal: Terminal, text: string, options: AccountOption): Promise<void> {
  const id = parseListedId(terminal, text);
  await withWebhooks(terminal, options, async ({ console, installation, caller, transact }) => {
    const rotated = await installation.webhooks.service.rotateSecret(transact, caller, id);
    console.log(
      `Until ${formatTime(rotated.webhook.previousSecretUntil)} (UTC) events are also signed with the old secret. ${formatSecret(rotated)}`,
    );
  });
}

/** Lists the newest dead letters of a webhook. */
export async function listDeadLetters(terminal: Terminal, text: string, options: AccountOption): Promise<void> {
  const id = parseListedId(terminal, text);
  await withWebhooks(terminal, options, async ({ console, installation, caller }) => {
    const slice = { limit: MAX_LISTED_DEAD, backwards: false };
    const page = await installation.webhooks.deliveries.slice(caller, id, 'dead', slice);
    if (!page) {
      const listCommand = toCommandText(terminal.env, 'webhook list');
      throw new CommandFailed(`There is no webhook ${id}. To list webhooks, run: ${listCommand}`);
    }
    const rows = page.rows.map((dead) => [
      String(dead.id),
      dead.eventId,
      dead.type,
      formatTime(dead.createdAt),
      String(dead.attempts),
      dead.lastStatus === null ? '-' : String(dead.lastStatus),
      dead.lastError ?? '',
    ]);
    console.log(formatTable(['id', 'event', 'type', 'created', 'attempts', 'status', 'error'], rows));
    if (page.hasNext) console.log(`Only the newest ${MAX_LISTED_DEAD} are shown.`);
  });
}

export async function replayDeadLetters(
  terminal: Terminal,
  text: string,
  deliveryText: string | undefined,
  options: AccountOption,
): Promise<void> {
  const id = parseListedId(terminal, text);
  const delivery = deliveryText === undefined ? undefined : parseListedId(terminal, deliveryText);
  await withWebhooks(terminal, options, async ({ console, installation, caller, transact }) => {
    const { count } = await installation.webhooks.deliveries.replay(transact, caller, id, delivery);
    console.log(`The running service will resend ${count} dead ${count === 1 ? 'letter' : 'letters'}.`);
  });
}

function formatSecret({ secret }: WebhookWithSecret): string {
  return `The secret, shown only once:\n\n  ${secret}\n`;
}

function parseListedId({ env }: Terminal, text: string): number {
  const id = parseId(text);
  if (id === undefined)
    throw new CommandFailed(`${text} is not a valid id. To list webhooks, run: ${toCommandText(env, 'webhook list')}`);
  return id;
}
