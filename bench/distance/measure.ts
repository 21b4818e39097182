import { join } from 'node:path';
import { startPostgres } from '../../test/support/databases/postgres-server.ts';
import { measureRoundTripMs } from '../database-costs.ts';
import { NO_RATE_LIMITS, runJob } from '../engine/conversations.ts';
import { idlePopulation } from '../engine/population.ts';
import { type Population, prepareFilledFolder } from '../fill.ts';
import { copyIntoPostgres, databaseUrl, SECRET } from '../nodes/databases.ts';
import { copyDatabase, startNode } from '../processes.ts';
import { showProgress } from '../progress.ts';
import { startDelayProxy } from './delay-proxy.ts';
import type { DistanceRound } from './distance-job.ts';

/** Conversations on one node whose database is some milliseconds away. */

export const ACCOUNT_COUNT = 8;
export const DISTANCE_MS = 5;
const DESK_COUNT = 20;
const CONCURRENCY_PER_ACCOUNT = 32;
const POPULATION: Population = { ...idlePopulation, name: 'engine-accounts', accounts: ACCOUNT_COUNT };
const DATABASE = 'distance';

export interface DistanceBench {
  readonly cache: string;
  readonly folder: string;
  readonly plan: { readonly rounds: number; readonly runMs: number };
  readonly profile: string | undefined;
}

export interface DistanceResult {
  /** Of a `select 1` through the proxy, and without it. */
  readonly roundTripMs: number;
  readonly nearRoundTripMs: number;
  readonly rounds: readonly { readonly one: DistanceRound; readonly all: DistanceRound }[];
  readonly generatorUtilization: number;
  /** The share of one processor that the proxy used. */
  readonly proxyUtilization: number;
}

export async function measureDistance({ cache, folder, plan, profile }: DistanceBench): Promise<DistanceResult> {
  const filled = await prepareFilledFolder(cache, DESK_COUNT + 1, POPULATION);
  showProgress('distance: starting PostgreSQL');
  const postgres = await startPostgres({ durable: true });
  await copyIntoPostgres(postgres, DATABASE, copyDatabase(filled, join(folder, DATABASE)));
  const near = databaseUrl(postgres.url, DATABASE);
  const proxy = await startDelayProxy(near, DISTANCE_MS);
  const nearRoundTripMs = await measureRoundTripMs(near, plan.runMs / 2);
  const roundTripMs = await measureRoundTripMs(proxy.url, plan.runMs / 2);
  const node = await startNode(proxy.url, join(folder, 'far'), { env: { ...SECRET, ...NO_RATE_LIMITS }, profile });
  showProgress(`distance: conversations in one account and in ${ACCOUNT_COUNT}, rounds: ${plan.rounds}`);
  const usedBefore = process.cpuUsage();
  const startedAt = performance.now();
  const result = await runJob({
    ...{ kind: 'distance', urls: [`http://127.0.0.1:${node.port}`] },
    processes: { nodes: [node.pid], postgres: postgres.pid },
    ...{ accounts: ACCOUNT_COUNT, operators: Array.from({ length: DESK_COUNT }, (_, index) => index + 2) },
    ...{ concurrency: CONCURRENCY_PER_ACCOUNT, rounds: plan.rounds, milliseconds: plan.runMs },
  });
  if (result.kind !== 'distance') throw new Error('The generator returned the result of another job.');
  const used = process.cpuUsage(usedBefore);
  const proxyUtilization = (used.user + used.system) / 1000 / (performance.now() - startedAt);
  await node.stop();
  await proxy.close();
  await postgres.stop();
  const { rounds, generatorUtilization } = result;
  return { roundTripMs, nearRoundTripMs, rounds, generatorUtilization, proxyUtilization };
}
