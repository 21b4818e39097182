import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from '../../simulate/client.ts';
import { accept, close, Desks, type Offer, start, visitor, write } from './people.ts';
import { operatorOf } from './population.ts';

/**
 * How long it takes from a slot that becomes free to the next offer on that desk, where everybody is full and many wait.
 * Conversations end and begin at a given rate, whether or not the service keeps up.
 */

export interface DrainJob {
  readonly kind: 'drain';
  readonly urls: readonly string[];
  readonly operators: readonly number[];
  /** So many run at the beginning; the others wait. */
  readonly running: number;
  readonly perSecond: number;
  readonly milliseconds: number;
}

export interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
}

export interface DrainResult {
  readonly kind: 'drain';
  readonly perSecond: number;
  readonly count: number;
  /** Conversations that could not be held to their end: the service did not keep up. */
  readonly failed: number;
  /** From the request to close, and from its answer. */
  readonly fromAsked: Latency;
  readonly fromAnswered: Latency;
}

interface Running {
  readonly conversation: number;
  readonly operator: number;
  /** Who can write in it; those that were started here have their visitor, the others the one of the same number. */
  readonly visitor: number;
}

const SETTLE_MS = 3000;
const OFFERED_WITHIN_MS = 10_000;

export async function drain(client: Client, job: DrainJob): Promise<DrainResult> {
  const desks = new Desks();
  await desks.open(client, job.operators);
  await wait(SETTLE_MS);
  const running: Running[] = Array.from({ length: job.running }, (_, index) => ({
    ...{ conversation: index + 1, operator: operatorOf(index + 1), visitor: index + 1 },
  }));
  const visitors = new Map<number, number>();
  const awaited = new Map<number, ((offer: Offer) => void)[]>();
  const failures: unknown[] = [];
  desks.onOffer = (offer) => {
    awaited.get(offer.operator)?.shift()?.(offer);
    accept(desks.of(offer.operator), offer.conversation)
      .then(() => {
        const { conversation, operator } = offer;
        running.push({ conversation, operator, visitor: visitors.get(conversation) ?? conversation });
      })
      .catch((error) => failures.push(error));
  };
  const fromAsked: number[] = [];
  const fromAnswered: number[] = [];
  const one = async () => {
    const [chosen] = running.splice(Math.floor(Math.random() * running.length), 1);
    if (!chosen) throw new Error('Nothing runs any more.');
    const { conversation, operator } = chosen;
    const guest = visitor(client, chosen.visitor);
    const desk = desks.of(operator);
    for (const writer of [guest, desk, guest, desk]) await write(writer, conversation);
    const next = nextOffer(awaited, operator);
    const { askedAt, at } = await close(desk, conversation);
    const offer = await next;
    fromAsked.push(offer.at - askedAt);
    fromAnswered.push(Math.max(0, offer.at - at));
    // Another one comes, so that as many wait as before.
    const started = await start(guest);
    visitors.set(started, chosen.visitor);
  };
  const begin = performance.now();
  const under: Promise<void>[] = [];
  for (let at = 0; at < job.milliseconds; at += -Math.log(1 - Math.random()) * (1000 / job.perSecond)) {
    await wait(Math.max(0, begin + at - performance.now()));
    under.push(one().catch((error) => void failures.push(error)));
  }
  await Promise.all(under);
  const seconds = (performance.now() - begin) / 1000;
  await desks.close();
  const count = fromAsked.length;
  if (count === 0) throw failures[0] ?? new Error('Nothing was measured.');
  return {
    kind: 'drain',
    perSecond: count / seconds,
    count,
    failed: failures.length,
    fromAsked: latency(fromAsked),
    fromAnswered: latency(fromAnswered),
  };
}

function nextOffer(awaited: Map<number, ((offer: Offer) => void)[]>, operator: number): Promise<Offer> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`Operator ${operator} got no next offer.`)), OFFERED_WITHIN_MS);
    const list = awaited.get(operator) ?? [];
    awaited.set(operator, list);
    list.push((offer) => {
      clearTimeout(late);
      resolve(offer);
    });
  });
}

function latency(values: readonly number[]): Latency {
  const sorted = values.toSorted((a, b) => a - b);
  return {
    p50: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    most: sorted.at(-1) ?? 0,
  };
}
