import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { buildOperator, getApiKey, SKILL_COUNT } from '../data.ts';
import type { Population } from '../fill.ts';
import type { Server } from '../processes.ts';
import { formatMs } from '../tables.ts';
import type { OverloadCase, OverloadRow } from './overload-case.ts';
import { withService } from './service.ts';

const SLOW_WEBHOOK_COUNT = 50;
const SLOW_ANSWER_MS = 1900;
const SILENT_ACCOUNT_COUNT = 60;
const EVENTS_PER_SECOND = 10;
const PHASE_MS = 5000;
const MAX_DELAY_MS = 250;
/** Not measured any longer. */
const LONGEST_MS = 8000;

const GOOD_ACCOUNT = 1;
const SLOW_ACCOUNT = 2;
const FIRST_SILENT_ACCOUNT = 3;

const ACCOUNTS: Population = { name: 'accounts', accounts: 2 + SILENT_ACCOUNT_COUNT, buildOperator };
const OPERATORS_PER_ACCOUNT = 100;

export const webhooks: OverloadCase = {
  title: `a webhook that answers, beside ${SLOW_WEBHOOK_COUNT} slow ones and ${SILENT_ACCOUNT_COUNT} accounts whose webhooks never answer`,
  run: () => {
    const population = { population: ACCOUNTS, operatorCount: OPERATORS_PER_ACCOUNT };
    return withService({ SWITCHBOARD_WEBHOOK_PRIVATE: '1' }, measure, population);
  },
};

async function measure(service: Server): Promise<readonly OverloadRow[]> {
  const arrivals = new Arrivals();
  const receivers = {
    good: await startReceiver((_, response) => void response.writeHead(204).end(), arrivals),
    slow: await startReceiver((_, response) => {
      setTimeout(() => response.writeHead(204).end(), SLOW_ANSWER_MS);
    }),
    silent: await startReceiver(() => undefined),
  };
  try {
    const goodId = await createWebhook(service, GOOD_ACCOUNT, receivers.good);
    const measureDelays = () => collectDelays(service, goodId, arrivals);
    const quiet = await measureDelays();
    for (let index = 0; index < SLOW_WEBHOOK_COUNT; index += 1)
      await createWebhook(service, SLOW_ACCOUNT, receivers.slow);
    const besideSlow = await measureWhile(measureDelays, () => changeSkills(service, [SLOW_ACCOUNT]));
    const silentAccounts = Array.from({ length: SILENT_ACCOUNT_COUNT }, (_, index) => FIRST_SILENT_ACCOUNT + index);
    for (const account of silentAccounts) await createWebhook(service, account, receivers.silent);
    const besideSilent = await measureWhile(measureDelays, () => changeSkills(service, silentAccounts));
    return [
      toRow(`events beside ${SLOW_WEBHOOK_COUNT} webhooks that answer after ${SLOW_ANSWER_MS} ms`, quiet, besideSlow),
      toRow(`events beside ${SILENT_ACCOUNT_COUNT} webhooks that never answer as well`, quiet, besideSilent),
    ];
  } finally {
    for (const server of Object.values(receivers)) {
      server.close();
      server.closeAllConnections();
    }
  }
}

function toRow(what: string, quiet: readonly number[], loaded: readonly number[]): OverloadRow {
  return {
    what: `${what}: until received, slowest, ms`,
    quiet: formatSlowest(quiet),
    loaded: formatSlowest(loaded),
    expected: `at most ${MAX_DELAY_MS}`,
    holds: Math.max(...loaded) <= MAX_DELAY_MS,
  };
}

function formatSlowest(delays: readonly number[]): string {
  const slowest = Math.max(...delays);
  return slowest >= LONGEST_MS ? `over ${formatMs(LONGEST_MS)}` : formatMs(slowest);
}

/** Measures while `load` runs again and again. */
async function measureWhile(measureDelays: () => Promise<number[]>, load: () => Promise<void>): Promise<number[]> {
  let isEnding = false;
  const loading = (async () => {
    while (!isEnding) await Promise.all([load(), wait(1000 / EVENTS_PER_SECOND)]);
  })();
  await wait(1000);
  const delays = await measureDelays();
  isEnding = true;
  await loading;
  return delays;
}

/** Sends a test event every quarter of a second, and returns how long each took to arrive, up to a maximum. */
async function collectDelays(service: Server, webhookId: string, arrivals: Arrivals): Promise<number[]> {
  const delays: Promise<number>[] = [];
  const end = performance.now() + PHASE_MS;
  while (performance.now() < end) {
    const start = performance.now();
    delays.push(Promise.race([arrivals.next().then((at) => at - start), wait(LONGEST_MS, LONGEST_MS)]));
    await runAs(service, GOOD_ACCOUNT, `mutation{webhookTest(input:{id:${webhookId}}){userErrors{message}}}`);
    await wait(250);
  }
  return Promise.all(delays);
}

let skillChanges = 0;

/** Changes one skill in each account: an event for every webhook. */
async function changeSkills(service: Server, accounts: readonly number[]): Promise<void> {
  skillChanges += 1;
  const id = 1 + (skillChanges % SKILL_COUNT);
  const query = `mutation{skillUpdate(input:{id:${id} name:"Skill ${id}, change ${skillChanges}"}){userErrors{message}}}`;
  for (const account of accounts) await runAs(service, account, query);
}

async function createWebhook(service: Server, account: number, receiver: HttpServer): Promise<string> {
  const { port } = receiver.address() as AddressInfo;
  const input = `{name:"Hook" url:"http://127.0.0.1:${port}/" eventTypes:["skill.*"]}`;
  const data = await runAs(service, account, `mutation{webhookCreate(input:${input}){webhook{id}}}`);
  return data.webhookCreate.webhook.id;
}

// biome-ignore lint/suspicious/noExplicitAny: the shape depends on the query
async function runAs(service: Server, account: number, query: string): Promise<any> {
  const response = await fetch(`http://127.0.0.1:${service.port}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': getApiKey(account) },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await response.json()) as { data?: unknown; errors?: unknown };
  if (errors !== undefined) throw new Error(`${query}: ${JSON.stringify(errors)}`);
  return data;
}

/** When requests arrive, in order. */
class Arrivals {
  readonly #waiting: ((at: number) => void)[] = [];

  next(): Promise<number> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  record(): void {
    this.#waiting.shift()?.(performance.now());
  }
}

async function startReceiver(
  respond: (request: IncomingMessage, response: ServerResponse) => void,
  arrivals?: Arrivals,
): Promise<HttpServer> {
  const server = createServer(async (request, response) => {
    arrivals?.record();
    await text(request).catch(() => '');
    respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
