import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '../../test/support/databases/postgres-server.ts';
import {
  CONNECTIONS,
  get,
  getUncached,
  type Request,
  recordResponse,
  serializeRequest,
  singleReads,
} from '../cases.ts';
import { prepareFilledFolder } from '../fill.ts';
import type { StreamResult } from '../load.ts';
import { copyIntoPostgres, createEmptyDatabase, databaseUrl, SECRET } from '../nodes/databases.ts';
import { copyDatabase, type LoadGenerator, type Server, startNode, startService } from '../processes.ts';
import { dividePerRequest, type ProcessorTime, sumTimes, watchProcessorTime } from '../processor-time.ts';
import { showProgress } from '../progress.ts';
import { logInAsAdmin, median, NO_LIMIT } from '../ratio.ts';
import { PEERS } from './install.ts';
import { GRAPHQL_READS, jsonRest, parseRest, postgraphileGraphql, type RestRead, serviceGraphql } from './requests.ts';
import { readOperators, startJsonServer, startParseServer, startPostgraphile } from './servers.ts';

/** The service and programs for the same work, on the same data, in alternating rounds. */

const OPERATOR_COUNT = 1000;
const GRAPHQL_GOAL = 2.5;

export interface PeersBench {
  readonly cache: string;
  readonly folder: string;
  readonly generator: LoadGenerator;
  /** The folder of the installed peers. */
  readonly installed: string;
  readonly plan: { readonly rounds: number; readonly roundMs: number; readonly warmUpMs: number };
  readonly profile: string | undefined;
}

export interface PeerResult {
  readonly title: string;
  readonly peer: string;
  /** Of the service; json-server keeps its data in memory. */
  readonly database: 'PostgreSQL' | 'embedded';
  /** Requests per second of the service, divided by those of the peer. */
  readonly ratio: number;
  readonly goal: number | undefined;
  /** The processor time of a request to the peer, PostgreSQL included, divided by that of the service. */
  readonly processorRatio: number | undefined;
  readonly service: SideResult;
  readonly other: SideResult;
}

export interface SideResult {
  readonly perSecond: number;
  readonly medianMs: number;
  /** Per request, of the program and of PostgreSQL; undefined if the system does not report it. */
  readonly processorTime: ProcessorTime | undefined;
  readonly generatorUtilization: number;
}

interface Comparison extends Pick<PeerResult, 'title' | 'peer' | 'database' | 'goal'> {
  readonly service: Side;
  readonly other: Side;
}

interface Side {
  readonly server: Server;
  readonly requests: readonly Request[];
}

/** Calls `onResult` with all results so far after each comparison. */
export async function measurePeers(bench: PeersBench, onResult: (results: PeerResult[]) => void): Promise<void> {
  const { cache, folder, installed, profile } = bench;
  const filled = await prepareFilledFolder(cache, OPERATOR_COUNT);
  showProgress('starting PostgreSQL');
  const postgres = await startPostgres({ durable: true });
  await copyIntoPostgres(postgres, 'directory', copyDatabase(filled, join(folder, 'directory')));
  const database = databaseUrl(postgres.url, 'directory');
  showProgress('starting the service and its peers');
  const node = await startNode(database, join(folder, 'node'), { env: SECRET, profile });
  const embedded = await startService(filled, join(folder, 'embedded'), { profile });
  const rows = await readOperators(embedded);
  const postgraphile = await startPostgraphile(installed, database, folder);
  const jsonServer = await startJsonServer(installed, rows, folder);
  const parseDatabase = await createEmptyDatabase(postgres, 'parse');
  const parseServer = await startParseServer(installed, { rows, database: parseDatabase }, folder);
  const token = await logInAsAdmin(node);
  const comparisons: Comparison[] = [
    ...GRAPHQL_READS.map((read) => ({
      ...{ title: read.title, peer: nameOf('postgraphile'), database: 'PostgreSQL' as const, goal: GRAPHQL_GOAL },
      service: { server: node, requests: serviceGraphql(read, token) },
      other: { server: postgraphile, requests: postgraphileGraphql(read) },
    })),
    ...restReads().flatMap(({ title, read, requests }) => [
      {
        ...{ title, peer: nameOf('parse-server'), database: 'PostgreSQL' as const, goal: undefined },
        service: { server: node, requests },
        other: { server: parseServer, requests: parseRest(read, OPERATOR_COUNT) },
      },
      {
        ...{ title, peer: nameOf('json-server'), database: 'embedded' as const, goal: undefined },
        service: { server: embedded, requests },
        other: { server: jsonServer, requests: jsonRest(read, OPERATOR_COUNT) },
      },
    ]),
  ];
  const results: PeerResult[] = [];
  for (const comparison of comparisons) {
    await checkSameAnswer(comparison);
    results.push(await compare(bench, postgres, comparison));
    onResult(results);
  }
  for (const server of [node, embedded, postgraphile, jsonServer, parseServer]) await server.stop();
  await postgres.stop();
}

function nameOf(peer: keyof typeof PEERS): string {
  return `${peer} ${PEERS[peer]}`;
}

function restReads(): { title: string; read: RestRead; requests: Request[] }[] {
  return [
    { title: 'REST: single operator', read: 'single', requests: singleReads(OPERATOR_COUNT) },
    { title: 'REST: list of 20, with the total', read: 'list', requests: [get('/operator?full=1')] },
    { title: 'the same list, uncached', read: 'list', requests: [getUncached('/operator?full=1')] },
  ];
}

/** Both must answer with the same operators, in any order: a peer that answers less would look fast. */
async function checkSameAnswer({ title, peer, service, other }: Comparison): Promise<void> {
  const [ours, theirs] = await Promise.all(
    [service, other].map(async ({ server, requests }) => {
      const { body } = await recordResponse(server.port, requests[0] as Request);
      return [...body.matchAll(/"email":\s*"([^"]+)"/g)].map(([, email]) => email).sort();
    }),
  );
  if (!ours?.length || String(ours) !== String(theirs))
    throw new Error(`${title}: ${peer} did not answer with the same operators: ${theirs} instead of ${ours}`);
}

async function compare(
  { generator, plan }: PeersBench,
  postgres: PostgresServer,
  { title, peer, database, goal, service, other }: Comparison,
): Promise<PeerResult> {
  const load = async ({ server, requests }: Side, milliseconds: number) => {
    const readProcessorTime = watchProcessorTime({ nodes: [server.pid], postgres: postgres.pid });
    const streams = [{ requests: requests.map(serializeRequest), connections: CONNECTIONS, expected: [200] }];
    const request = { ports: [server.port], milliseconds, maxRequests: NO_LIMIT, streams };
    const { streams: results, generatorUtilization } = await generator.run(request);
    return { ...(results[0] as StreamResult), generatorUtilization, processorTime: readProcessorTime?.() };
  };
  const rounds = [];
  for (let round = 0; round <= plan.rounds; round++) {
    showProgress(`${title}, ${peer}: round ${round} of ${plan.rounds}`);
    const milliseconds = round === 0 ? plan.warmUpMs : plan.roundMs;
    // Each goes first in every other round: what it leaves to do in the background costs the next one.
    const [first, second] = round % 2 === 0 ? [service, other] : [other, service];
    const results = new Map([
      [first, await load(first, milliseconds)],
      [second, await load(second, milliseconds)],
    ]);
    if (round === 0) continue; // it only warms up
    rounds.push({ service: results.get(service) as Round, other: results.get(other) as Round });
  }
  const ours = summarize(rounds.map((round) => round.service));
  const theirs = summarize(rounds.map((round) => round.other));
  const [ourTime, theirTime] = [ours, theirs].map(({ processorTime }) => processorTime && sumOf(processorTime));
  return {
    ...{ title, peer, database, goal, service: ours, other: theirs },
    ratio: median(rounds.map((round) => round.service.perSecond / round.other.perSecond)),
    processorRatio: ourTime && theirTime ? theirTime / ourTime : undefined,
  };
}

type Round = StreamResult & {
  readonly generatorUtilization: number;
  readonly processorTime: ProcessorTime | undefined;
};

function sumOf({ nodes, postgres }: ProcessorTime): number {
  return nodes + postgres;
}

function summarize(rounds: readonly Round[]): SideResult {
  const times = rounds.flatMap(({ processorTime }) => processorTime ?? []);
  const requests = rounds.reduce((total, round) => total + round.requests, 0);
  return {
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    medianMs: median(rounds.map(({ medianMs }) => medianMs)),
    processorTime: times.length === 0 ? undefined : dividePerRequest(sumTimes(times), requests),
    generatorUtilization: median(rounds.map(({ generatorUtilization }) => generatorUtilization)),
  };
}
