import type { HttpClient } from '../../simulate/http-client.ts';
import { acceptOffer, closeConversation, createVisitorClient, Desks, startConversation } from '../engine/clients.ts';
import { VISITOR_COUNT } from '../engine/population.ts';
import { Offers } from '../engine/throughput.ts';
import { dividePerRequest, type ProcessorTime, type WatchedProcesses, watchProcessorTime } from '../processor-time.ts';

/** Conversations that are started, accepted and closed: in one account, and in several, in alternating rounds. */

export interface DistanceJob {
  readonly kind: 'distance';
  readonly urls: readonly string[];
  readonly processes: WatchedProcesses;
  readonly accounts: number;
  readonly operators: readonly number[];
  /** Concurrent conversations in each account. */
  readonly concurrency: number;
  readonly rounds: number;
  readonly milliseconds: number;
}

export interface DistanceJobResult {
  readonly kind: 'distance';
  readonly rounds: readonly { readonly one: DistanceRound; readonly all: DistanceRound }[];
}

export interface DistanceRound {
  readonly perSecond: number;
  readonly medianMs: number;
  /** Per conversation; undefined if the system does not report it. */
  readonly processorTime: ProcessorTime | undefined;
}

/** The desks of an account. */
interface Office {
  readonly account: number;
  readonly desks: Desks;
  readonly offers: Offers;
}

export async function runDistanceJob(client: HttpClient, job: DistanceJob): Promise<DistanceJobResult> {
  const offices: Office[] = [];
  for (let account = 1; account <= job.accounts; account++) {
    const desks = new Desks(account);
    await desks.open(client, job.operators);
    offices.push({ account, desks, offers: new Offers(desks) });
  }
  const rounds = [];
  for (let round = 0; round <= job.rounds; round++) {
    const one = await runRound(client, offices.slice(0, 1), job);
    const all = await runRound(client, offices, job);
    if (round > 0) rounds.push({ one, all }); // the first round warms up
  }
  for (const { desks } of offices) await desks.close();
  return { kind: 'distance', rounds };
}

async function runRound(client: HttpClient, offices: readonly Office[], job: DistanceJob): Promise<DistanceRound> {
  const durations: number[] = [];
  const readProcessorTime = watchProcessorTime(job.processes);
  const startedAt = performance.now();
  const end = startedAt + job.milliseconds;
  // Each worker has its own visitors: a visitor has one conversation at a time.
  const visitorCount = VISITOR_COUNT - (VISITOR_COUNT % job.concurrency);
  const worker = async (office: Office, number: number) => {
    for (let visitor = number; performance.now() < end; visitor = (visitor + job.concurrency) % visitorCount) {
      const before = performance.now();
      await runConversation(client, office, 1 + visitor);
      durations.push(performance.now() - before);
    }
  };
  const numbers = Array.from({ length: job.concurrency }, (_, number) => number);
  await Promise.all(offices.flatMap((office) => numbers.map((number) => worker(office, number))));
  const seconds = (performance.now() - startedAt) / 1000;
  const processorTime = readProcessorTime?.();
  durations.sort((a, b) => a - b);
  return {
    perSecond: durations.length / seconds,
    medianMs: durations[Math.floor(durations.length / 2)] ?? 0,
    processorTime: processorTime && dividePerRequest(processorTime, durations.length),
  };
}

async function runConversation(
  client: HttpClient,
  { account, desks, offers }: Office,
  visitorId: number,
): Promise<void> {
  const conversation = await startConversation(createVisitorClient(client, visitorId, account));
  const desk = desks.clientOf(await offers.waitForOperator(conversation));
  await acceptOffer(desk, conversation);
  await closeConversation(desk, conversation);
}
