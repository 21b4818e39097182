import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '../../test/support/databases/postgres-server.ts';
import { ENGINE_CASE } from '../cases.ts';
import { measurePostgres, measureSyncedWrites, type PostgresCosts } from '../database-costs.ts';
import { type ConversationsResult, DESK_COUNT, measureConversations, NO_RATE_LIMITS } from '../engine/conversations.ts';
import { idlePopulation } from '../engine/population.ts';
import { prepareFilledFolder } from '../fill.ts';
import { copyDatabase, type LoadGenerator, type Server, startNode, startService } from '../processes.ts';
import { showProgress } from '../progress.ts';
import { logInAsAdmin, measureRatio, type RatioResult } from '../ratio.ts';
import { ACCOUNT_COUNT, ACCOUNTS_POPULATION, NODE_CASES, OPERATORS_PER_ACCOUNT } from './cases.ts';
import { copyIntoPostgres, recreateCopy, SECRET } from './databases.ts';
import { countRoundTrips } from './round-trips.ts';

/** The same cases on PostgreSQL with several nodes, and on the embedded database for comparison. */

export interface NodesPlan {
  readonly cases: ReadonlySet<string>;
  /** Numbers of nodes, measured one after the other. */
  readonly nodes: readonly number[];
  readonly rounds: number;
  readonly roundMs: number;
  readonly runMs: number;
}

export interface NodesBench {
  readonly cache: string;
  readonly folder: string;
  readonly generator: LoadGenerator;
  readonly plan: NodesPlan;
  readonly profile: string | undefined;
}

/** `nodes` is undefined for the embedded database. */
export interface SetupResult {
  readonly nodes: number | undefined;
  readonly ratios: readonly RatioResult[];
  readonly engine: ConversationsResult | undefined;
}

export interface NodesResult {
  readonly postgres: PostgresCosts;
  /** Rows per second that SQLite alone stores, each synced to disk before the next. */
  readonly syncedPerSecond: number;
  readonly setups: readonly SetupResult[];
  /** Database round trips of one request, by case title. */
  readonly roundTrips: Readonly<Record<string, number>>;
}

const CONCURRENCIES = [32, 96];
const [DIRECTORY, CONVERSATIONS] = ['directory', 'conversations'];

/** Calls `onResult` with all results so far after each setup. */
export async function measureNodes(bench: NodesBench, onResult: (result: NodesResult) => void): Promise<void> {
  const { cache, folder, plan } = bench;
  showProgress('starting PostgreSQL');
  const server = await startPostgres({ durable: true });
  const filled = {
    [DIRECTORY]: await prepareFilledFolder(cache, OPERATORS_PER_ACCOUNT, ACCOUNTS_POPULATION),
    [CONVERSATIONS]: await prepareFilledFolder(cache, DESK_COUNT + 1, idlePopulation),
  };
  for (const [name, from] of Object.entries(filled)) {
    showProgress(`copying the ${name} database into PostgreSQL`);
    await copyIntoPostgres(server, name, copyDatabase(from, join(folder, name)));
  }
  showProgress('costs of the databases alone');
  const postgres = await measurePostgres(server.url, plan.roundMs, [1, ACCOUNT_COUNT]);
  const syncedPerSecond = measureSyncedWrites(folder, plan.roundMs);
  const setups: SetupResult[] = [];
  for (const nodes of [undefined, ...plan.nodes]) {
    const start = async (name: string, env: Readonly<Record<string, string>>): Promise<Server[]> => {
      const options = { profile: bench.profile, env: { ...SECRET, ...env } };
      const folderOf = (number: number) => join(folder, `${name}-${number}`);
      if (nodes === undefined) return [await startService(filled[name] as string, folderOf(0), options)];
      const address = await recreateCopy(server, name);
      return Promise.all(Array.from({ length: nodes }, (_, index) => startNode(address, folderOf(index), options)));
    };
    setups.push(await measureSetup(bench, nodes, server, start));
    onResult({ postgres, syncedPerSecond, setups, roundTrips: {} });
  }
  onResult({ postgres, syncedPerSecond, setups, roundTrips: await measureRoundTrips(bench, server) });
  await server.stop();
}

async function measureSetup(
  { folder, generator, plan }: NodesBench,
  count: number | undefined,
  server: PostgresServer,
  start: (name: string, env: Readonly<Record<string, string>>) => Promise<Server[]>,
): Promise<SetupResult> {
  const name = count === undefined ? 'embedded' : `PostgreSQL, nodes: ${count}`;
  const postgres = count === undefined ? undefined : server.pid;
  const ratios: RatioResult[] = [];
  const cases = selectCases(plan);
  if (cases.length > 0) {
    const nodes = await start(DIRECTORY, {});
    const token = await logInAsAdmin(nodes[0] as Server);
    const compared = { name, size: OPERATORS_PER_ACCOUNT, nodes, postgres, generator, folder, plan };
    for (const ratioCase of cases) ratios.push(await measureRatio(compared, ratioCase, token));
    await Promise.all(nodes.map((node) => node.stop()));
  }
  if (!plan.cases.has(ENGINE_CASE)) return { nodes: count, ratios, engine: undefined };
  const nodes = await start(CONVERSATIONS, NO_RATE_LIMITS);
  const engine = await measureConversations({
    ...{ nodes, postgres, folder, generator, concurrencies: CONCURRENCIES, milliseconds: plan.runMs },
  });
  await Promise.all(nodes.map((node) => node.stop()));
  return { nodes: count, ratios, engine };
}

async function measureRoundTrips(
  { folder, plan }: NodesBench,
  server: PostgresServer,
): Promise<Record<string, number>> {
  const cases = selectCases(plan);
  if (cases.length === 0) return {};
  const address = await recreateCopy(server, DIRECTORY);
  return Object.fromEntries(await countRoundTrips(cases, address, join(folder, 'far'), SECRET));
}

function selectCases({ cases }: NodesPlan) {
  return NODE_CASES.filter(({ name }) => cases.has(name));
}
