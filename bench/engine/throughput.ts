import type { Client } from '../../simulate/client.ts';
import { each, type ProcessorTime, type Watched, watch } from '../processor-time.ts';
import { accept, close, Desks, start, visitor, write } from './people.ts';
import { VISITORS } from './population.ts';

/** How many whole conversations per second: started, assigned, accepted, four messages, closed. */

export interface ThroughputJob {
  readonly kind: 'throughput';
  /** The nodes, over which everybody is spread. */
  readonly urls: readonly string[];
  readonly watched: Watched;
  readonly operators: readonly number[];
  /** Conversations at the same time. */
  readonly atOnce: readonly number[];
  readonly milliseconds: number;
}

export interface ThroughputResult {
  readonly kind: 'throughput';
  readonly runs: readonly {
    readonly atOnce: number;
    readonly conversationsPerSecond: number;
    readonly requestsPerSecond: number;
    readonly medianMs: number;
    readonly p99Ms: number;
    /** Of one request; undefined where the system does not tell. */
    readonly processorTime: ProcessorTime | undefined;
  }[];
}

/** Of one conversation: start, accept, four messages, close. */
const REQUESTS = 7;
const OFFERED_WITHIN_MS = 10_000;

export async function throughput(client: Client, job: ThroughputJob): Promise<ThroughputResult> {
  const desks = new Desks();
  await desks.open(client, job.operators);
  const offers = new Offers(desks);
  const runs = [];
  // First with the most, to warm up: a service takes new connections one by one.
  for (const atOnce of [Math.max(...job.atOnce), ...job.atOnce]) {
    const taken: number[] = [];
    const used = watch(job.watched);
    const begin = performance.now();
    const end = begin + job.milliseconds;
    const worker = async (_: unknown, number: number) => {
      for (let id = 1 + number; performance.now() < end; id = id + atOnce <= VISITORS ? id + atOnce : 1 + number) {
        const before = performance.now();
        await converse(client, desks, offers, id);
        taken.push(performance.now() - before);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    const seconds = (performance.now() - begin) / 1000;
    const processorTime = used?.();
    taken.sort((a, b) => a - b);
    runs.push({
      atOnce,
      conversationsPerSecond: taken.length / seconds,
      requestsPerSecond: (taken.length * REQUESTS) / seconds,
      medianMs: taken[Math.floor(taken.length * 0.5)] ?? 0,
      p99Ms: taken[Math.floor(taken.length * 0.99)] ?? 0,
      processorTime: processorTime && each(processorTime, taken.length * REQUESTS),
    });
  }
  await desks.close();
  return { kind: 'throughput', runs: runs.slice(1) };
}

async function converse(client: Client, desks: Desks, offers: Offers, visitorId: number): Promise<void> {
  const guest = visitor(client, visitorId);
  const conversation = await start(guest);
  const operator = desks.of(await offers.of(conversation));
  await accept(operator, conversation);
  for (const writer of [guest, operator, guest, operator]) await write(writer, conversation);
  await close(operator, conversation);
}

/** Which desk was offered what; an offer may come before the answer to the start. */
class Offers {
  readonly #come = new Map<number, number>();
  readonly #awaited = new Map<number, (operator: number) => void>();

  constructor(desks: Desks) {
    desks.onOffer = ({ conversation, operator }) => {
      const tell = this.#awaited.get(conversation);
      this.#awaited.delete(conversation);
      if (tell) tell(operator);
      else this.#come.set(conversation, operator);
    };
  }

  of(conversation: number): Promise<number> {
    const operator = this.#come.get(conversation);
    this.#come.delete(conversation);
    if (operator !== undefined) return Promise.resolve(operator);
    return new Promise((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Error(`Conversation ${conversation} was not offered.`)),
        OFFERED_WITHIN_MS,
      );
      this.#awaited.set(conversation, (who) => {
        clearTimeout(late);
        resolve(who);
      });
    });
  }
}
