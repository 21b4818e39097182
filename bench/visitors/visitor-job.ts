import { setTimeout as wait } from 'node:timers/promises';
import type { HttpClient } from '../../simulate/http-client.ts';
import { now } from '../../simulate/journal.ts';
import {
  acceptOffer,
  createVisitorClient,
  Desks,
  readEventPosition,
  sendMessage,
  startConversation,
} from '../engine/clients.ts';
import { type Latency, toLatency } from '../engine/queue.ts';
import { type MeasuredProcess, readServiceMemory, type ServiceMemory } from './memory.ts';
import { type Page, VisitorSockets } from './open-sockets.ts';

/**
 * The memory of open visitor sockets, and then, with all of them open, the time from a visitor's message to its event
 * at the desk. Messages are sent at a fixed rate, whether or not the service keeps up.
 */

export interface VisitorJob {
  readonly kind: 'visitors';
  readonly urls: readonly string[];
  readonly service: MeasuredProcess;
  readonly operators: readonly number[];
  readonly visitors: number;
  readonly perSecond: number;
  readonly milliseconds: number;
}

export interface VisitorResult {
  readonly kind: 'visitors';
  readonly sockets: number;
  readonly before: ServiceMemory;
  readonly after: ServiceMemory;
  readonly perSecond: number;
  readonly count: number;
  /** Messages that were refused, or did not arrive in time. */
  readonly failed: number;
  /** From the request to the event at the desk. */
  readonly atDesk: Latency;
}

const CONCURRENCY = 16;
const SETTLE_MS = 3000;
const ARRIVAL_TIMEOUT_MS = 10_000;

export async function runVisitorJob(client: HttpClient, job: VisitorJob): Promise<VisitorResult> {
  const desks = new Desks();
  await desks.open(client, job.operators);
  const visitors = Array.from({ length: job.visitors }, (_, index) => index + 1);
  const pages = await startConversations(client, desks, visitors);
  await wait(SETTLE_MS);
  const before = await readServiceMemory(job.service);
  const sockets = new VisitorSockets();
  await runConcurrently(pages, (page) => sockets.open(client.url, page));
  await wait(SETTLE_MS);
  const after = await readServiceMemory(job.service);
  const messages = await measureMessages(client, desks, pages, job);
  if (sockets.lost > 0) throw new Error(`The service closed ${sockets.lost} sockets.`);
  await sockets.close();
  await desks.close();
  return { kind: 'visitors', sockets: pages.length, before, after, ...messages };
}

/** Every visitor gets an active conversation. */
export async function startConversations(
  client: HttpClient,
  desks: Desks,
  visitors: readonly number[],
): Promise<Page[]> {
  const count = visitors.length;
  let accepted = 0;
  const failures: unknown[] = [];
  desks.onOffer = ({ operator, conversation }) => {
    acceptOffer(desks.clientOf(operator), conversation).then(
      () => (accepted += 1),
      (error) => failures.push(error),
    );
  };
  const pages: Page[] = [];
  await runConcurrently(visitors, async (visitor) => {
    const api = createVisitorClient(client, visitor);
    const after = await readEventPosition(api);
    pages.push({ visitor, conversation: await startConversation(api), after });
  });
  const end = performance.now() + ARRIVAL_TIMEOUT_MS;
  while (accepted < count && performance.now() < end) await wait(20);
  if (accepted < count) throw failures[0] ?? new Error(`${count - accepted} conversations were not offered.`);
  return pages;
}

async function measureMessages(client: HttpClient, desks: Desks, pages: readonly Page[], job: VisitorJob) {
  const sentAt = new Map<string, number>();
  const latencies: number[] = [];
  desks.onMessage = ({ clientId, at }) => {
    const sent = sentAt.get(clientId);
    if (sent !== undefined && sentAt.delete(clientId)) latencies.push(at - sent);
  };
  const failures: unknown[] = [];
  const inFlight: Promise<void>[] = [];
  const startedAt = performance.now();
  for (let at = 0; at < job.milliseconds; at += -Math.log(1 - Math.random()) * (1000 / job.perSecond)) {
    await wait(Math.max(0, startedAt + at - performance.now()));
    const { visitor, conversation } = pages[inFlight.length % pages.length] as Page;
    const clientId = `bench desk ${inFlight.length}`;
    sentAt.set(clientId, now());
    const sending = sendMessage(createVisitorClient(client, visitor), conversation, clientId);
    inFlight.push(sending.catch((error) => void failures.push(error)));
  }
  const seconds = (performance.now() - startedAt) / 1000;
  await Promise.all(inFlight);
  const end = performance.now() + ARRIVAL_TIMEOUT_MS;
  while (sentAt.size > 0 && performance.now() < end) await wait(20);
  if (latencies.length === 0) throw failures[0] ?? new Error('No message arrived at a desk.');
  return {
    perSecond: inFlight.length / seconds,
    count: latencies.length,
    failed: sentAt.size,
    atDesk: toLatency(latencies),
  };
}

async function runConcurrently<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const remaining = items.values();
  const worker = async () => {
    for (const item of remaining) await work(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}
