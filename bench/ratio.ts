import { adminLoginRequest, CONNECTIONS, type RatioCase, recordResponse, serializeRequest } from './cases.ts';
import type { StreamResult } from './load.ts';
import { type LoadGenerator, type Server, startBareServer } from './processes.ts';
import { dividePerRequest, type ProcessorTime, sumTimes, watchProcessorTime } from './processor-time.ts';
import { showProgress } from './progress.ts';

/** Compares the service with a bare server that sends the same bytes. */

export const NO_LIMIT = 1_000_000;

export interface Comparison {
  /** Shown as progress. */
  readonly name: string;
  readonly size: number;
  /** The load is spread evenly over these nodes. */
  readonly nodes: readonly Server[];
  /** The main process of PostgreSQL, if the nodes use it. */
  readonly postgres?: number | undefined;
  /** The service with plain graphql-js execution, on the same data. */
  readonly plain?: Server | undefined;
  readonly generator: LoadGenerator;
  readonly folder: string;
  readonly plan: { readonly rounds: number; readonly roundMs: number };
}

export interface RatioResult {
  readonly title: string;
  readonly goal: number | undefined;
  readonly ratio: number;
  /** The speedup over plain execution, if compared. */
  readonly speedup: { readonly factor: number; readonly goal: number | undefined } | undefined;
  readonly servicePerSecond: number;
  readonly barePerSecond: number;
  readonly serviceMedianMs: number;
  readonly serviceP99Ms: number;
  /** Per request; undefined if the system does not report it. */
  readonly processorTime: ProcessorTime | undefined;
  /** The share of one processor that the generator used, with the bare server and with the service. */
  readonly generatorUtilization: number;
  readonly generatorUtilizationWithService: number;
}

/** Alternates between the service and the bare server, so that other load on the machine affects both. */
export async function measureRatio(
  comparison: Comparison,
  { title, goal, requests, plain }: RatioCase,
  token: string,
): Promise<RatioResult> {
  const { name, size, nodes, postgres, generator, folder, plan } = comparison;
  const requestList = requests(size, token);
  const responses = new Map();
  for (const [index, request] of requestList.entries()) {
    const key = `${request.method} ${request.path}`;
    const { port } = nodes[index % nodes.length] as Server;
    if (!responses.has(key)) responses.set(key, await recordResponse(port, request));
  }
  const bare = await startBareServer(responses, folder);
  const streams = [{ requests: requestList.map(serializeRequest), connections: CONNECTIONS, expected: [200] }];
  const load = async (servers: readonly Server[], milliseconds: number) => {
    const ports = servers.map(({ port }) => port);
    const { streams: results, generatorUtilization } = await generator.run({
      ...{ ports, milliseconds, maxRequests: NO_LIMIT, streams },
    });
    return { ...(results[0] as StreamResult), generatorUtilization };
  };
  const loadPlain = plain ? await preparePlainLoad(comparison, requests) : undefined;
  for (const servers of [[bare], nodes]) await load(servers, (plan.roundMs / 2) * servers.length);
  await loadPlain?.(plan.roundMs / 2);
  const rounds = [];
  for (let round = 1; round <= plan.rounds; round++) {
    showProgress(`${name}: ${title}: round ${round} of ${plan.rounds}`);
    const bareResult = await load([bare], plan.roundMs);
    const readProcessorTime = watchProcessorTime({ nodes: nodes.map(({ pid }) => pid), postgres });
    const serviceResult = await load(nodes, plan.roundMs);
    const processorTime = readProcessorTime?.();
    const plainResult = await loadPlain?.(plan.roundMs);
    rounds.push({
      ...{ bare: bareResult, service: serviceResult, processorTime },
      ratio: serviceResult.perSecond / bareResult.perSecond,
      speedup: plainResult && serviceResult.perSecond / plainResult.perSecond,
    });
  }
  await bare.stop();
  const times = rounds.flatMap(({ processorTime }) => processorTime ?? []);
  const requestCount = rounds.reduce((total, { service }) => total + service.requests, 0);
  return {
    title,
    goal,
    ratio: median(rounds.map(({ ratio }) => ratio)),
    speedup: loadPlain && plain && { factor: median(rounds.map(({ speedup }) => speedup ?? 0)), goal: plain.goal },
    servicePerSecond: median(rounds.map(({ service }) => service.perSecond)),
    barePerSecond: median(rounds.map((round) => round.bare.perSecond)),
    serviceMedianMs: median(rounds.map(({ service }) => service.medianMs)),
    serviceP99Ms: median(rounds.map(({ service }) => service.p99Ms)),
    processorTime: times.length === 0 ? undefined : dividePerRequest(sumTimes(times), requestCount),
    generatorUtilization: median(rounds.map((round) => round.bare.generatorUtilization)),
    generatorUtilizationWithService: median(rounds.map(({ service }) => service.generatorUtilization)),
  };
}

export async function logInAsAdmin({ port }: Server): Promise<string> {
  return JSON.parse((await recordResponse(port, adminLoginRequest())).body).access_token as string;
}

/** The same load on the service with plain execution, which needs its own admin token. */
async function preparePlainLoad({ plain, size, generator }: Comparison, requests: RatioCase['requests']) {
  if (!plain) return undefined;
  const plainRequests = requests(size, await logInAsAdmin(plain)).map(serializeRequest);
  const streams = [{ requests: plainRequests, connections: CONNECTIONS, expected: [200] }];
  return async (milliseconds: number) => {
    const result = await generator.run({ ports: [plain.port], milliseconds, maxRequests: NO_LIMIT, streams });
    return result.streams[0] as StreamResult;
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] as number;
}
