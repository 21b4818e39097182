import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '../../test/support/databases/postgres-server.ts';
import { availabilityWrites, serializeRequest } from '../cases.ts';
import { DESK_COUNT, NO_RATE_LIMITS, runJob } from '../engine/conversations.ts';
import { idlePopulation } from '../engine/population.ts';
import { measureSlotChanges, type SlotChangeResult } from '../engine/slot-changes.ts';
import { prepareFilledFolder } from '../fill.ts';
import type { StreamResult } from '../load.ts';
import { analyze, copyIntoPostgres, databaseUrl, SECRET } from '../nodes/databases.ts';
import { copyDatabase, type LoadGenerator, type Server, startNode, startService } from '../processes.ts';
import type { ProcessorTime } from '../processor-time.ts';
import { showProgress } from '../progress.ts';
import { median, NO_LIMIT } from '../ratio.ts';
import { countConversationTrips } from './conversation-trips.ts';
import type { DeskMemoryResult } from './desk-memory-job.ts';
import { measureDeskMemory } from './memory.ts';

/** The goals of speed and scale on PostgreSQL: one node against the embedded database, in alternating rounds. */

export const CONVERSATIONS_AT_ONCE = 32;
export const AVAILABILITY_CLIENTS = 64;
const OPERATOR_COUNT = 1000;

export interface GoalsBench {
  readonly cache: string;
  readonly folder: string;
  readonly generator: LoadGenerator;
  readonly plan: { readonly rounds: number; readonly runMs: number; readonly warmUpRounds: number };
  readonly profile: string | undefined;
}

/** Per second, on both databases. `ratio` is the median of the ratios of all rounds. */
export interface Compared {
  readonly ratio: number;
  readonly postgres: number;
  readonly embedded: number;
}

export interface GoalsResult {
  readonly conversations: Compared;
  /** Per request of a conversation; undefined if the system does not report it. */
  readonly processorTime: ProcessorTime | undefined;
  readonly availability: Compared;
  /** Of start, accept and close, including the authentication of the visitor and the operator. */
  readonly trips: number;
  readonly memory: DeskMemoryResult;
  readonly slotChanges: readonly SlotChangeResult[];
}

interface Databases {
  readonly embedded: Server;
  readonly node: Server;
}

export async function measureGoals(bench: GoalsBench): Promise<GoalsResult> {
  const { cache, folder } = bench;
  showProgress('goals: starting PostgreSQL');
  const postgres = await startPostgres({ durable: true });
  const filled = {
    conversations: await prepareFilledFolder(cache, DESK_COUNT + 1, idlePopulation),
    directory: await prepareFilledFolder(cache, OPERATOR_COUNT),
    trips: await prepareFilledFolder(cache, 2, idlePopulation),
    slots: await prepareFilledFolder(cache, OPERATOR_COUNT + 1, idlePopulation),
  };
  for (const [name, from] of Object.entries(filled))
    await copyIntoPostgres(postgres, name, copyDatabase(from, join(folder, name)));
  const withBoth = async <T>(name: 'conversations' | 'directory', measure: (databases: Databases) => Promise<T>) => {
    const options = { env: { ...SECRET, ...NO_RATE_LIMITS }, profile: bench.profile };
    const embedded = await startService(filled[name], join(folder, `${name}-embedded`), options);
    const node = await startNode(databaseUrl(postgres.url, name), join(folder, `${name}-node`), options);
    const result = await measure({ embedded, node });
    await Promise.all([embedded.stop(), node.stop()]);
    return result;
  };
  const conversations = await withBoth('conversations', (databases) =>
    compareConversations(databases, postgres, bench),
  );
  const availability = await withBoth('directory', (databases) => compareAvailability(databases, postgres, bench));
  const trips = await countConversationTrips(databaseUrl(postgres.url, 'trips'), folder);
  const slotChanges = await measureSlotChanges(
    { url: databaseUrl(postgres.url, 'slots'), secret: SECRET.SWITCHBOARD_SECRET, postgresPid: postgres.pid },
    bench.plan.rounds,
  );
  await postgres.stop();
  return { ...conversations, availability, trips, slotChanges, memory: await measureDeskMemory(cache, folder) };
}

async function compareConversations({ embedded, node }: Databases, postgres: PostgresServer, { plan }: GoalsBench) {
  const run = async ({ port, pid }: Server) => {
    const result = await runJob({
      ...{
        kind: 'throughput',
        urls: [`http://127.0.0.1:${port}`],
        processes: { nodes: [pid], postgres: postgres.pid },
      },
      operators: Array.from({ length: DESK_COUNT }, (_, index) => index + 2),
      ...{ concurrencies: [CONVERSATIONS_AT_ONCE], milliseconds: plan.runMs },
    });
    if (result.kind !== 'throughput') throw new Error('The generator returned the result of another job.');
    const [measured] = result.runs;
    if (!measured) throw new Error('Nothing was measured.');
    return measured;
  };
  const rounds = await alternate('conversations', plan, {
    embedded: () => run(embedded),
    node: () => run(node),
    prepare: () => analyze(databaseUrl(postgres.url, 'conversations')),
  });
  const times = rounds.flatMap((round) => round.node.processorTime ?? []);
  return {
    conversations: toCompared(
      rounds.map((round) => [round.node.conversationsPerSecond, round.embedded.conversationsPerSecond] as const),
    ),
    processorTime:
      times.length === 0
        ? undefined
        : { nodes: median(times.map((time) => time.nodes)), postgres: median(times.map((time) => time.postgres)) },
  };
}

/** All clients change operators of one account. */
async function compareAvailability(
  { embedded, node }: Databases,
  postgres: PostgresServer,
  { generator, plan }: GoalsBench,
): Promise<Compared> {
  const requests = availabilityWrites(OPERATOR_COUNT).map(serializeRequest);
  const streams = [{ requests, connections: AVAILABILITY_CLIENTS, expected: [200] }];
  const run = async ({ port }: Server) => {
    const load = { ports: [port], milliseconds: plan.runMs, maxRequests: NO_LIMIT, streams };
    return ((await generator.run(load)).streams[0] as StreamResult).perSecond;
  };
  const rounds = await alternate('availability', plan, {
    embedded: () => run(embedded),
    node: () => run(node),
    prepare: () => analyze(databaseUrl(postgres.url, 'directory')),
  });
  return toCompared(rounds.map((round) => [round.node, round.embedded]));
}

/** Rounds that warm up come first: V8 compiles what is run often, and PostgreSQL plans by the statistics of its tables. */
async function alternate<T>(
  title: string,
  { rounds, warmUpRounds }: GoalsBench['plan'],
  { embedded, node, prepare }: { embedded(): Promise<T>; node(): Promise<T>; prepare(): Promise<void> },
): Promise<{ readonly embedded: T; readonly node: T }[]> {
  const measured = [];
  for (let round = 1 - warmUpRounds; round <= rounds; round++) {
    showProgress(`goals: ${title}, ${round > 0 ? `round ${round} of ${rounds}` : 'warming up'}`);
    const result = { embedded: await embedded(), node: await node() };
    if (round > 0) measured.push(result);
    if (round === 0) await prepare();
  }
  return measured;
}

/** Pairs of PostgreSQL and embedded. */
function toCompared(pairs: readonly (readonly [number, number])[]): Compared {
  return {
    ratio: median(pairs.map(([postgres, embedded]) => postgres / embedded)),
    postgres: median(pairs.map(([postgres]) => postgres)),
    embedded: median(pairs.map(([, embedded]) => embedded)),
  };
}
