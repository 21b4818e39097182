import { adminLogin, CONNECTIONS, type RatioCase, record, wire } from './cases.ts';
import type { StreamResult } from './load.ts';
import { type LoadGenerator, type Server, startBareServer } from './processes.ts';
import { each, type ProcessorTime, sum, watch } from './processor-time.ts';
import { progress } from './progress.ts';

/** The service against a bare server that sends the same bytes. */

export const NO_LIMIT = 1_000_000;

export interface Compared {
  /** For who looks on. */
  readonly name: string;
  readonly size: number;
  /** The load is spread evenly over these. */
  readonly nodes: readonly Server[];
  /** The first process of their PostgreSQL, if they have one. */
  readonly postgres?: number | undefined;
  /** The service with plain execution of GraphQL, on the same data. */
  readonly plain?: Server | undefined;
  readonly generator: LoadGenerator;
  readonly folder: string;
  readonly plan: { readonly rounds: number; readonly roundMs: number };
}

export interface RatioResult {
  readonly title: string;
  readonly goal: number | undefined;
  readonly ratio: number;
  /** How many times plain execution, where that is compared. */
  readonly timesPlain: { readonly times: number; readonly goal: number | undefined } | undefined;
  readonly servicePerSecond: number;
  readonly barePerSecond: number;
  readonly serviceMedianMs: number;
  readonly serviceP99Ms: number;
  /** Of one request; undefined where the system does not tell. */
  readonly processorTime: ProcessorTime | undefined;
  /** The share of one processor that the generator used, with the bare server and with the service. */
  readonly generatorBusy: number;
  readonly generatorBusyWithService: number;
}

/** The service and the bare server in turn; whatever else the machine does meets both. */
export async function measureRatio(
  compared: Compared,
  { title, goal, requests, plain }: RatioCase,
  token: string,
): Promise<RatioResult> {
  const { name, size, nodes, postgres, generator, folder, plan } = compared;
  const list = requests(size, token);
  const answers = new Map();
  for (const [index, request] of list.entries()) {
    const { port } = nodes[index % nodes.length] as Server;
    answers.set(`${request.method} ${request.path}`, await record(port, request));
  }
  const bare = await startBareServer(answers, folder);
  const streams = [{ requests: list.map(wire), connections: CONNECTIONS, expected: [200] }];
  const load = async (servers: readonly Server[], milliseconds: number) => {
    const ports = servers.map(({ port }) => port);
    const { streams: results, generatorBusy } = await generator.run({
      ...{ ports, milliseconds, mostRequests: NO_LIMIT, streams },
    });
    return { ...(results[0] as StreamResult), generatorBusy };
  };
  const other = plain ? await plainLoad(compared, requests) : undefined;
  for (const servers of [[bare], nodes]) await load(servers, (plan.roundMs / 2) * servers.length);
  await other?.(plan.roundMs / 2);
  const rounds = [];
  for (let round = 1; round <= plan.rounds; round++) {
    progress(`${name}: ${title}: round ${round} of ${plan.rounds}`);
    const ofBare = await load([bare], plan.roundMs);
    const used = watch({ nodes: nodes.map(({ pid }) => pid), postgres });
    const ofService = await load(nodes, plan.roundMs);
    const processorTime = used?.();
    const ofPlain = await other?.(plan.roundMs);
    rounds.push({
      ...{ bare: ofBare, service: ofService, processorTime },
      ratio: ofService.perSecond / ofBare.perSecond,
      timesPlain: ofPlain && ofService.perSecond / ofPlain.perSecond,
    });
  }
  await bare.stop();
  const times = rounds.flatMap(({ processorTime }) => processorTime ?? []);
  const asked = rounds.reduce((total, { service }) => total + service.requests, 0);
  return {
    title,
    goal,
    ratio: median(rounds.map(({ ratio }) => ratio)),
    timesPlain: other && plain && { times: median(rounds.map(({ timesPlain }) => timesPlain ?? 0)), goal: plain.goal },
    servicePerSecond: median(rounds.map(({ service }) => service.perSecond)),
    barePerSecond: median(rounds.map((round) => round.bare.perSecond)),
    serviceMedianMs: median(rounds.map(({ service }) => service.medianMs)),
    serviceP99Ms: median(rounds.map(({ service }) => service.p99Ms)),
    processorTime: times.length === 0 ? undefined : each(sum(times), asked),
    generatorBusy: median(rounds.map((round) => round.bare.generatorBusy)),
    generatorBusyWithService: median(rounds.map(({ service }) => service.generatorBusy)),
  };
}

export async function adminToken({ port }: Server): Promise<string> {
  return JSON.parse((await record(port, adminLogin())).body).access_token as string;
}

/** The same load on the service with plain execution, which has tokens of its own. */
async function plainLoad({ plain, size, generator }: Compared, requests: RatioCase['requests']) {
  if (!plain) return undefined;
  const own = requests(size, await adminToken(plain)).map(wire);
  const streams = [{ requests: own, connections: CONNECTIONS, expected: [200] }];
  return async (milliseconds: number) => {
    const result = await generator.run({ ports: [plain.port], milliseconds, mostRequests: NO_LIMIT, streams });
    return result.streams[0] as StreamResult;
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] as number;
}
