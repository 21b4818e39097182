import { setTimeout as wait } from 'node:timers/promises';
import type { HttpClient } from '../../simulate/http-client.ts';
import {
  acceptOffer,
  closeConversation,
  createVisitorClient,
  Desks,
  type Offer,
  sendMessage,
  startConversation,
} from './clients.ts';
import { operatorOf } from './population.ts';

/**
 * The time from a freed slot to the next offer on that desk, when all operators are busy and many conversations are
 * queued. Conversations end and start at a fixed rate, whether or not the service keeps up.
 */

export interface QueueJob {
  readonly kind: 'queue';
  readonly urls: readonly string[];
  readonly operators: readonly number[];
  /** The number of active conversations at the start; the others are queued. */
  readonly running: number;
  readonly perSecond: number;
  readonly milliseconds: number;
}

export interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

export interface QueueResult {
  readonly kind: 'queue';
  readonly perSecond: number;
  readonly count: number;
  /** Conversations that failed: the service did not keep up. */
  readonly failed: number;
  /** From the close request, and from its response. */
  readonly fromRequest: Latency;
  readonly fromResponse: Latency;
}

interface RunningConversation {
  readonly conversation: number;
  readonly operator: number;
  /** Prepared conversations belong to the visitor with the same number. */
  readonly visitor: number;
}

const SETTLE_MS = 3000;
const OFFER_TIMEOUT_MS = 10_000;

export async function runQueueJob(client: HttpClient, job: QueueJob): Promise<QueueResult> {
  const desks = new Desks();
  await desks.open(client, job.operators);
  await wait(SETTLE_MS);
  const running: RunningConversation[] = Array.from({ length: job.running }, (_, index) => ({
    ...{ conversation: index + 1, operator: operatorOf(index + 1), visitor: index + 1 },
  }));
  const visitorByConversation = new Map<number, number>();
  const offerWaiters = new Map<number, ((offer: Offer) => void)[]>();
  const failures: unknown[] = [];
  desks.onOffer = (offer) => {
    offerWaiters.get(offer.operator)?.shift()?.(offer);
    acceptOffer(desks.clientOf(offer.operator), offer.conversation)
      .then(() => {
        const { conversation, operator } = offer;
        running.push({ conversation, operator, visitor: visitorByConversation.get(conversation) ?? conversation });
      })
      .catch((error) => failures.push(error));
  };
  const fromRequest: number[] = [];
  const fromResponse: number[] = [];
  const replaceOne = async () => {
    const [chosen] = running.splice(Math.floor(Math.random() * running.length), 1);
    if (!chosen) throw new Error('No conversation is active.');
    const { conversation, operator } = chosen;
    const visitorClient = createVisitorClient(client, chosen.visitor);
    const desk = desks.clientOf(operator);
    for (const writer of [visitorClient, desk, visitorClient, desk]) await sendMessage(writer, conversation);
    const next = waitForNextOffer(offerWaiters, operator);
    const { requestedAt, at } = await closeConversation(desk, conversation);
    const offer = await next;
    fromRequest.push(offer.at - requestedAt);
    fromResponse.push(Math.max(0, offer.at - at));
    // Start a new one, so that the queue length stays the same.
    const started = await startConversation(visitorClient);
    visitorByConversation.set(started, chosen.visitor);
  };
  const startedAt = performance.now();
  const inFlight: Promise<void>[] = [];
  for (let at = 0; at < job.milliseconds; at += -Math.log(1 - Math.random()) * (1000 / job.perSecond)) {
    await wait(Math.max(0, startedAt + at - performance.now()));
    inFlight.push(replaceOne().catch((error) => void failures.push(error)));
  }
  await Promise.all(inFlight);
  const seconds = (performance.now() - startedAt) / 1000;
  await desks.close();
  const count = fromRequest.length;
  if (count === 0) throw failures[0] ?? new Error('Nothing was measured.');
  return {
    kind: 'queue',
    perSecond: count / seconds,
    count,
    failed: failures.length,
    fromRequest: toLatency(fromRequest),
    fromResponse: toLatency(fromResponse),
  };
}

function waitForNextOffer(offerWaiters: Map<number, ((offer: Offer) => void)[]>, operator: number): Promise<Offer> {
  return new Promise((resolve, reject) => {
    const timeout = setTimeout(
      () => reject(new Error(`Operator ${operator} did not get another offer.`)),
      OFFER_TIMEOUT_MS,
    );
    const waiters = offerWaiters.get(operator) ?? [];
    offerWaiters.set(operator, waiters);
    waiters.push((offer) => {
      clearTimeout(timeout);
      resolve(offer);
    });
  });
}

export function toLatency(values: readonly number[]): Latency {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    p50: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    most: sorted.at(-1) ?? 0,
  };
}
