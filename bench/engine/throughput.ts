import type { HttpClient } from '../../simulate/http-client.ts';
import { dividePerRequest, type ProcessorTime, type WatchedProcesses, watchProcessorTime } from '../processor-time.ts';
import {
  acceptOffer,
  closeConversation,
  createVisitorClient,
  Desks,
  sendMessage,
  startConversation,
} from './clients.ts';
import { VISITOR_COUNT } from './population.ts';

/** Complete conversations per second: started, assigned, accepted, four messages, closed. */

export interface ThroughputJob {
  readonly kind: 'throughput';
  /** Operators and visitors are spread over these nodes. */
  readonly urls: readonly string[];
  readonly processes: WatchedProcesses;
  readonly operators: readonly number[];
  /** Numbers of concurrent conversations. */
  readonly concurrencies: readonly number[];
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
    /** Per request; undefined if the system does not report it. */
    readonly processorTime: ProcessorTime | undefined;
  }[];
}

/** Start, accept, four messages, close. */
const REQUESTS_PER_CONVERSATION = 7;
const OFFER_TIMEOUT_MS = 10_000;

export async function runThroughput(client: HttpClient, job: ThroughputJob): Promise<ThroughputResult> {
  const desks = new Desks();
  await desks.open(client, job.operators);
  const offers = new Offers(desks);
  const runs = [];
  // Warm up with the highest concurrency: the service accepts new connections one by one.
  for (const concurrency of [Math.max(...job.concurrencies), ...job.concurrencies]) {
    const durations: number[] = [];
    const readProcessorTime = watchProcessorTime(job.processes);
    const startedAt = performance.now();
    const end = startedAt + job.milliseconds;
    const worker = async (_: unknown, number: number) => {
      for (
        let id = 1 + number;
        performance.now() < end;
        id = id + concurrency <= VISITOR_COUNT ? id + concurrency : 1 + number
      ) {
        const before = performance.now();
        await runConversation(client, desks, offers, id);
        durations.push(performance.now() - before);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    const seconds = (performance.now() - startedAt) / 1000;
    const processorTime = readProcessorTime?.();
    durations.sort((a, b) => a - b);
    runs.push({
      atOnce: concurrency,
      conversationsPerSecond: durations.length / seconds,
      requestsPerSecond: (durations.length * REQUESTS_PER_CONVERSATION) / seconds,
      medianMs: durations[Math.floor(durations.length * 0.5)] ?? 0,
      p99Ms: durations[Math.floor(durations.length * 0.99)] ?? 0,
      processorTime: processorTime && dividePerRequest(processorTime, durations.length * REQUESTS_PER_CONVERSATION),
    });
  }
  await desks.close();
  return { kind: 'throughput', runs: runs.slice(1) };
}

async function runConversation(client: HttpClient, desks: Desks, offers: Offers, visitorId: number): Promise<void> {
  const visitorClient = createVisitorClient(client, visitorId);
  const conversation = await startConversation(visitorClient);
  const desk = desks.clientOf(await offers.waitForOperator(conversation));
  await acceptOffer(desk, conversation);
  for (const writer of [visitorClient, desk, visitorClient, desk]) await sendMessage(writer, conversation);
  await closeConversation(desk, conversation);
}

/** The operator of each offer. An offer can arrive before the response to the start. */
export class Offers {
  readonly #received = new Map<number, number>();
  readonly #waiters = new Map<number, (operator: number) => void>();

  constructor(desks: Desks) {
    desks.onOffer = ({ conversation, operator }) => {
      const waiter = this.#waiters.get(conversation);
      this.#waiters.delete(conversation);
      if (waiter) waiter(operator);
      else this.#received.set(conversation, operator);
    };
  }

  waitForOperator(conversation: number): Promise<number> {
    const operator = this.#received.get(conversation);
    this.#received.delete(conversation);
    if (operator !== undefined) return Promise.resolve(operator);
    return new Promise((resolve, reject) => {
      const timeout = setTimeout(
        () => reject(new Error(`Conversation ${conversation} was not offered.`)),
        OFFER_TIMEOUT_MS,
      );
      this.#waiters.set(conversation, (offeredTo) => {
        clearTimeout(timeout);
        resolve(offeredTo);
      });
    });
  }
}
