import type { Installation } from '../app/installation.ts';
import type { Caller, Transact } from '../core/kernel/caller.ts';
import { parseId } from '../core/kernel/ids.ts';
import { validate } from '../core/kernel/validate.ts';
import { type Webhook, webhookCreate } from '../core/webhooks/webhook.ts';
import type { NewSecret } from '../core/webhooks/webhook-service.ts';
import { commandLineCaller, withInstallation } from './open.ts';
import { CommandFailed } from './report.ts';
import { day, table } from './table.ts';
import type { Terminal } from './terminal.ts';

interface AccountOption {
  readonly account?: number;
}

const SHOWN_DEAD = 100;

interface Desk {
  readonly console: Terminal['console'];
  readonly installation: Installation;
  readonly caller: Caller;
  readonly transact: Transact;
}

/** Does something with the webhooks of the account that the command names. */
function atDesk(terminal: Terminal, options: AccountOption, work: (desk: Desk) => Promise<void>): Promise<void> {
  return withInstallation(terminal, async (installation) => {
    const caller = await commandLineCaller(installation, options.account);
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
  await atDesk(terminal, options, async ({ console, installation, caller, transact }) => {
    const made = await installation.webhooks.hooks.create(transact, caller, input);
    console.log(`Webhook ${made.webhook.id} is made. ${secretIn(made)}`);
  });
}

export async function listWebhooks(terminal: Terminal, options: AccountOption): Promise<void> {
  await atDesk(terminal, options, async ({ console, installation, caller }) => {
    const counts = await installation.webhooks.deliveries.openCounts(caller);
    const rows = (await installation.webhooks.hooks.list(caller)).map((hook) => [
      String(hook.id),
      hook.name,
      hook.url,
      hook.eventTypes.join(',') || 'all',
      hook.state,
      String(counts.get(hook.id)?.pending ?? 0),
      String(counts.get(hook.id)?.dead ?? 0),
      day(hook.failingSince),
      hook.pausedBecause ?? '',
    ]);
    console.log(table(['id', 'name', 'url', 'events', 'state', 'waiting', 'dead', 'failing since', 'why'], rows));
  });
}

export async function removeWebhook(terminal: Terminal, text: string, options: AccountOption): Promise<void> {
  const id = idIn(text);
  await atDesk(terminal, options, async ({ console, installation, caller, transact }) => {
    await installation.webhooks.hooks.remove(transact, caller, id);
    console.log(`Webhook ${id} is removed, with all that it had not been sent.`);
  });
}

export const pauseWebhook = (terminal: Terminal, text: string, options: AccountOption) =>
  setState(terminal, text, options, 'paused', 'is paused. Events wait until it is resumed.');

export const resumeWebhook = (terminal: Terminal, text: string, options: AccountOption) =>
  setState(terminal, text, options, 'active', 'is at work. It gets all that it missed.');

async function setState(
  terminal: Terminal,
  text: string,
  options: AccountOption,
  state: Webhook['state'],
  what: string,
): Promise<void> {
  const id = idIn(text);
  await atDesk(terminal, options, async ({ console, installation, caller, transact }) => {
    await installation.webhooks.hooks.update(transact, caller, id, { state });
    console.log(`Webhook ${id} ${what}`);
  });
}

export async function rotateWebhook(terminal: Terminal, text: string, options: AccountOption): Promise<void> {
  const id = idIn(text);
  await atDesk(terminal, options, async ({ console, installation, caller, transact }) => {
    const made = await installation.webhooks.hooks.rotateSecret(transact, caller, id);
    console.log(
      `Until ${day(made.webhook.previousSecretUntil)} (UTC) events are signed with the old secret too. ${secretIn(made)}`,
    );
  });
}

/** The newest dead letters of a webhook. */
export async function listDead(terminal: Terminal, text: string, options: AccountOption): Promise<void> {
  const id = idIn(text);
  await atDesk(terminal, options, async ({ console, installation, caller }) => {
    const slice = { limit: SHOWN_DEAD, backwards: false };
    const page = await installation.webhooks.deliveries.slice(caller, id, 'dead', slice);
    if (!page) throw new CommandFailed(`There is no webhook ${id}. The list: switchboard webhook list`);
    const rows = page.rows.map((dead) => [
      String(dead.id),
      dead.eventId,
      dead.type,
      day(dead.createdAt),
      String(dead.attempts),
      dead.lastStatus === null ? '-' : String(dead.lastStatus),
      dead.lastError ?? '',
    ]);
    console.log(table(['id', 'event', 'type', 'made', 'tries', 'status', 'error'], rows));
    if (page.hasNext) console.log(`These are the newest ${SHOWN_DEAD}; there are more.`);
  });
}

export async function replayDead(
  terminal: Terminal,
  text: string,
  deliveryText: string | undefined,
  options: AccountOption,
): Promise<void> {
  const id = idIn(text);
  const delivery = deliveryText === undefined ? undefined : idIn(deliveryText);
  await atDesk(terminal, options, async ({ console, installation, caller, transact }) => {
    const { count } = await installation.webhooks.deliveries.replay(transact, caller, id, delivery);
    console.log(`${count} dead ${count === 1 ? 'letter is' : 'letters are'} sent again by the running service.`);
  });
}

function secretIn({ secret }: NewSecret): string {
  return `The secret, shown this once:\n\n  ${secret}\n`;
}

function idIn(text: string): number {
  const id = parseId(text);
  if (id === undefined) throw new CommandFailed(`${text} is not a number of the list: switchboard webhook list`);
  return id;
}
