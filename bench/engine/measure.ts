import { join } from 'node:path';
import { measureSyncedWrites } from '../database-costs.ts';
import { prepareFilledFolder } from '../fill.ts';
import { copyDatabase, type LoadGenerator, readMemoryMb, startService } from '../processes.ts';
import { showProgress } from '../progress.ts';
import { type AssignmentResult, measureAssignment } from './assignment.ts';
import { type ConversationsResult, DESK_COUNT, measureConversations, NO_RATE_LIMITS, runJob } from './conversations.ts';
import { createFullPopulation, idlePopulation } from './population.ts';
import type { QueueResult } from './queue.ts';
import { measureSlotChanges, type SlotChangeResult } from './slot-changes.ts';

/** Engine benchmarks: complete conversations, the queue, and a single assignment. */

export interface EnginePlan {
  readonly rounds: number;
  readonly runMs: number;
  readonly queueMs: number;
}

export interface EngineResult extends ConversationsResult {
  /** Rows per second that SQLite alone stores, each synced to disk before the next. */
  readonly syncedPerSecond: number;
  readonly queue: QueueResult & {
    readonly operators: number;
    readonly waiting: number;
    readonly generatorUtilization: number;
  };
  readonly memory: number | undefined;
  readonly assignment: readonly AssignmentResult[];
  readonly slotChanges: readonly SlotChangeResult[];
}

const CONCURRENCIES = [8, 32, 96];
const OPERATOR_COUNT = 1000;
const QUEUED_COUNT = 10_000;
const RUNNING_COUNT = OPERATOR_COUNT * 3;

export interface EngineBench {
  readonly cache: string;
  readonly folder: string;
  readonly generator: LoadGenerator;
  readonly plan: EnginePlan;
  readonly profile: string | undefined;
}

export async function measureEngine(bench: EngineBench): Promise<EngineResult> {
  const { cache, folder, plan } = bench;
  const syncedPerSecond = measureSyncedWrites(folder, plan.runMs);
  const throughput = await measureThroughput(bench);
  const best = Math.max(...throughput.runs.map((run) => run.conversationsPerSecond));
  const queueResult = await measureQueue(bench, best / 2);
  const assignment = await measureAssignment(cache, folder, plan.rounds);
  const filled = await prepareFilledFolder(cache, OPERATOR_COUNT + 1, idlePopulation);
  const file = copyDatabase(filled, join(folder, 'slot-changes'));
  const slotChanges = await measureSlotChanges({ url: `sqlite:${file}`, secret: 'x'.repeat(32) }, plan.rounds);
  return { ...throughput, ...queueResult, syncedPerSecond, assignment, slotChanges };
}

async function measureThroughput({ cache, folder, generator, plan, profile }: EngineBench) {
  const filled = await prepareFilledFolder(cache, DESK_COUNT + 1, idlePopulation);
  const service = await startService(filled, join(folder, 'engine'), { env: NO_RATE_LIMITS, profile });
  const result = await measureConversations({
    ...{ nodes: [service], folder, generator, concurrencies: CONCURRENCIES, milliseconds: plan.runMs },
  });
  await service.stop();
  return result;
}

async function measureQueue({ cache, folder, plan, profile }: EngineBench, perSecond: number) {
  const filled = await prepareFilledFolder(cache, OPERATOR_COUNT + 1, createFullPopulation(QUEUED_COUNT));
  const service = await startService(filled, join(folder, 'queue'), { env: NO_RATE_LIMITS, profile });
  showProgress(`engine: from a free slot to the next offer, at ${perSecond.toFixed(0)} conversations per second`);
  const operators = Array.from({ length: OPERATOR_COUNT }, (_, index) => index + 2);
  const urls = [`http://127.0.0.1:${service.port}`];
  const result = await runJob({
    ...{ kind: 'queue', urls, operators, running: RUNNING_COUNT, perSecond, milliseconds: plan.queueMs },
  });
  if (result.kind !== 'queue') throw new Error('The generator returned the result of another job.');
  const memory = readMemoryMb(service.pid);
  await service.stop();
  return { queue: { ...result, operators: OPERATOR_COUNT, waiting: QUEUED_COUNT }, memory };
}
