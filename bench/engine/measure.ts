import { join } from 'node:path';
import { filledFolder } from '../fill.ts';
import { measureSyncs } from '../plain-costs.ts';
import { type LoadGenerator, memoryOf, startService } from '../processes.ts';
import { progress } from '../progress.ts';
import { type AssignmentResult, measureAssignment } from './assignment.ts';
import { type Conversations, DESKS, measureConversations, runJob, WITHOUT_LIMITS } from './conversations.ts';
import type { DrainResult } from './drain.ts';
import { crowded, roomy } from './population.ts';

/** The engine, end to end and in its heart. */

export interface EnginePlan {
  readonly rounds: number;
  readonly runMs: number;
  readonly drainMs: number;
}

export interface EngineResult extends Conversations {
  /** Rows per second that SQLite itself stores, each synced to the disk before the next. */
  readonly syncedPerSecond: number;
  readonly drain: DrainResult & {
    readonly operators: number;
    readonly waiting: number;
    readonly generatorBusy: number;
  };
  readonly memory: number | undefined;
  readonly assignment: readonly AssignmentResult[];
}

const AT_ONCE = [8, 32, 96];
const OPERATORS = 1000;
const WAITING = 10_000;
const RUNNING = OPERATORS * 3;

export interface Bench {
  readonly cache: string;
  readonly folder: string;
  readonly generator: LoadGenerator;
  readonly plan: EnginePlan;
  readonly profile: string | undefined;
}

export async function measureEngine(bench: Bench): Promise<EngineResult> {
  const { cache, folder, plan } = bench;
  const syncedPerSecond = measureSyncs(folder, plan.runMs);
  const whole = await measureThroughput(bench);
  const best = Math.max(...whole.runs.map((run) => run.conversationsPerSecond));
  const drained = await measureDrain(bench, best / 2);
  const assignment = await measureAssignment(cache, folder, plan.rounds);
  return { ...whole, ...drained, syncedPerSecond, assignment };
}

async function measureThroughput({ cache, folder, generator, plan, profile }: Bench) {
  const filled = await filledFolder(cache, DESKS + 1, roomy);
  const service = await startService(filled, join(folder, 'engine'), { env: WITHOUT_LIMITS, profile });
  const result = await measureConversations({
    ...{ nodes: [service], folder, generator, atOnce: AT_ONCE, milliseconds: plan.runMs },
  });
  await service.stop();
  return result;
}

async function measureDrain({ cache, folder, plan, profile }: Bench, perSecond: number) {
  const filled = await filledFolder(cache, OPERATORS + 1, crowded(WAITING));
  const service = await startService(filled, join(folder, 'drain'), { env: WITHOUT_LIMITS, profile });
  progress(`engine: from a free slot to the next offer, at ${perSecond.toFixed(0)} conversations per second`);
  const operators = Array.from({ length: OPERATORS }, (_, index) => index + 2);
  const urls = [`http://127.0.0.1:${service.port}`];
  const result = await runJob({
    ...{ kind: 'drain', urls, operators, running: RUNNING, perSecond, milliseconds: plan.drainMs },
  });
  if (result.kind !== 'drain') throw new Error('Another job was answered.');
  const memory = memoryOf(service.pid);
  await service.stop();
  return { drain: { ...result, operators: OPERATORS, waiting: WAITING }, memory };
}
