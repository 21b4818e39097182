import { join } from 'node:path';
import { CONNECTIONS, type Request, recordResponse, serializeRequest, singleReads } from '../cases.ts';
import { idlePopulation, WEBSITE_ID } from '../engine/population.ts';
import { prepareFilledFolder } from '../fill.ts';
import type { StreamResult } from '../load.ts';
import { type LoadGenerator, type Server, startService } from '../processes.ts';
import { watchProcessorTime } from '../processor-time.ts';
import { showProgress } from '../progress.ts';
import { median, NO_LIMIT } from '../ratio.ts';

/** `GET /visitor/widget`, which every page view of a website asks for, compared with the read of a single operator. */

/** All of them are connected. */
const OPERATOR_COUNTS = [10, 10_000];
const PATH = `/visitor/widget?website=${WEBSITE_ID}`;
/** The texts exist in this language, but no operator speaks it, so that all operators are searched. */
const UNSPOKEN_LANGUAGE = 'es';
/** The website's address in the filled databases. */
const BROWSER_HEADERS = {
  Origin: 'https://shop1.example.com',
  'Accept-Language': 'en-GB,en;q=0.8',
  'Accept-Encoding': 'gzip, deflate',
};

export interface WidgetBench {
  readonly cache: string;
  readonly folder: string;
  readonly generator: LoadGenerator;
  readonly plan: { readonly rounds: number; readonly roundMs: number };
  readonly profile: string | undefined;
}

export interface WidgetResult {
  readonly operators: number;
  readonly title: string;
  /** Whether the service should answer as many as single reads. */
  readonly hasGoal: boolean;
  readonly perSecond: number;
  readonly p99Ms: number;
  /** Compared with single reads in the same rounds. */
  readonly ratio: number;
  /** Requests per second with the fewest operators, divided by those with this number, in the same rounds. */
  readonly slowdown: number;
  /** Microseconds per request, and compared with single reads; undefined if the system does not report it. */
  readonly processorTime: { readonly microseconds: number; readonly ratio: number } | undefined;
  readonly generatorUtilization: number;
}

interface Variant {
  readonly title: string;
  readonly requests: readonly string[];
  readonly status: number;
  readonly hasGoal: boolean;
}

type Round = StreamResult & { readonly generatorUtilization: number; readonly microseconds: number | undefined };

/** Alternates between everything that is compared, so that other load on the machine affects all of it. */
export async function measureWidget({ cache, folder, generator, plan, profile }: WidgetBench): Promise<WidgetResult[]> {
  const subjects: { operators: number; service: Server; variants: Variant[]; rounds: Round[][] }[] = [];
  for (const operators of OPERATOR_COUNTS) {
    const filled = await prepareFilledFolder(cache, operators + 1, idlePopulation); // the admin is not connected
    const service = await startService(filled, join(folder, `widget-${operators}`), { profile });
    const variants = await prepareVariants(service, operators);
    subjects.push({ operators, service, variants, rounds: variants.map(() => []) });
  }
  for (let round = 0; round <= plan.rounds; round++) {
    showProgress(`widget: round ${round} of ${plan.rounds}`);
    for (const { service, variants, rounds } of subjects) {
      for (const [index, variant] of variants.entries()) {
        const result = await runRound(service, variant, generator, plan.roundMs);
        if (round > 0) rounds[index]?.push(result); // the first round warms up
      }
    }
  }
  for (const { service } of subjects) await service.stop();
  const [fewest] = subjects;
  return subjects.flatMap(({ operators, variants, rounds }) =>
    variants.map(({ title, hasGoal }, index) => {
      const own = rounds[index] as Round[];
      const compared = { single: rounds[0] as Round[], fewest: fewest?.rounds[index] as Round[] };
      return { operators, title, hasGoal, ...summarize(own, compared) };
    }),
  );
}

async function prepareVariants({ port }: Server, operators: number): Promise<Variant[]> {
  const plain: Request = { method: 'GET', path: `${PATH}&language=en`, headers: {} };
  const browser: Request = { method: 'GET', path: PATH, headers: BROWSER_HEADERS };
  const unspoken: Request = { ...plain, path: `${PATH}&language=${UNSPOKEN_LANGUAGE}` };
  const repeated = { ...browser, headers: { ...BROWSER_HEADERS, 'If-None-Match': await readEtag(port, browser) } };
  const toVariant = (title: string, request: Request, status = 200, hasGoal = true) => {
    return { title, requests: [serializeRequest(request)], status, hasGoal };
  };
  const reads = singleReads(operators + 1).map(serializeRequest);
  return [
    { title: 'REST: single operator', requests: reads, status: 200, hasGoal: false },
    toVariant('widget, 200', plain),
    toVariant('widget, 200, as a browser asks, gzip', browser),
    toVariant('widget, 304, as a browser asks', repeated, 304),
    toVariant('widget, 200, no operator speaks the language', unspoken, 200, false),
  ];
}

async function readEtag(port: number, request: Request): Promise<string> {
  const { headers } = await recordResponse(port, request);
  const at = headers.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'etag');
  if (at < 0) throw new Error(`${request.path} has no ETag.`);
  return headers[at + 1] as string;
}

async function runRound(
  { port, pid }: Server,
  { requests, status }: Variant,
  generator: LoadGenerator,
  milliseconds: number,
): Promise<Round> {
  const readProcessorTime = watchProcessorTime({ nodes: [pid], postgres: undefined });
  const streams = [{ requests, connections: CONNECTIONS, expected: [status] }];
  const load = { ports: [port], milliseconds, maxRequests: NO_LIMIT, streams };
  const { streams: results, generatorUtilization } = await generator.run(load);
  return { ...(results[0] as StreamResult), generatorUtilization, microseconds: readProcessorTime?.().nodes };
}

function summarize(own: readonly Round[], { single, fewest }: { single: readonly Round[]; fewest: readonly Round[] }) {
  const speedIn = (rounds: readonly Round[], index: number) => rounds[index]?.perSecond as number;
  const microseconds = divideTime(own);
  const ofSingle = divideTime(single);
  return {
    perSecond: median(own.map(({ perSecond }) => perSecond)),
    p99Ms: median(own.map(({ p99Ms }) => p99Ms)),
    ratio: median(own.map(({ perSecond }, index) => perSecond / speedIn(single, index))),
    slowdown: median(own.map(({ perSecond }, index) => speedIn(fewest, index) / perSecond)),
    processorTime:
      microseconds === undefined || ofSingle === undefined
        ? undefined
        : { microseconds, ratio: microseconds / ofSingle },
    generatorUtilization: median(own.map(({ generatorUtilization }) => generatorUtilization)),
  };
}

/** Microseconds per request, over all rounds: the system counts in steps of some milliseconds. */
function divideTime(rounds: readonly Round[]): number | undefined {
  if (rounds.some(({ microseconds }) => microseconds === undefined)) return undefined;
  const requests = rounds.reduce((total, round) => total + round.requests, 0);
  return rounds.reduce((total, round) => total + (round.microseconds ?? 0), 0) / requests;
}
