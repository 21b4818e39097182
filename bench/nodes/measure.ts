import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '../../test/support/databases/postgres-server.ts';
import { ENGINE } from '../cases.ts';
import { type Conversations, DESKS, measureConversations, WITHOUT_LIMITS } from '../engine/conversations.ts';
import { roomy } from '../engine/population.ts';
import { filledFolder } from '../fill.ts';
import { measurePostgres, measureSyncs, type PostgresCosts } from '../plain-costs.ts';
import { copyOf, type LoadGenerator, type Server, startNode, startService } from '../processes.ts';
import { progress } from '../progress.ts';
import { adminToken, measureRatio, type RatioResult } from '../ratio.ts';
import { ACCOUNTS, NODE_CASES, SEVERAL_ACCOUNTS, SIZE } from './cases.ts';
import { bringIn, freshCopy } from './databases.ts';
import { countRoundTrips } from './round-trips.ts';

/** The same cases on PostgreSQL with several nodes, and on the embedded database beside them. */

export interface NodesPlan {
  readonly cases: ReadonlySet<string>;
  /** How many nodes, in turn. */
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

/** Of one number of nodes; none for the embedded database. */
export interface SetupResult {
  readonly nodes: number | undefined;
  readonly ratios: readonly RatioResult[];
  readonly engine: Conversations | undefined;
}

export interface NodesResult {
  readonly postgres: PostgresCosts;
  /** Rows per second that SQLite itself stores, each synced to the disk before the next. */
  readonly syncedPerSecond: number;
  readonly setups: readonly SetupResult[];
  /** Of one request to the database, by the titles of the cases. */
  readonly roundTrips: Readonly<Record<string, number>>;
}

const AT_ONCE = [32, 96];
/** All nodes have the same; nothing here depends on it. */
const SECRET = { SWITCHBOARD_SECRET: 'the secret of the installations that are measured' };
const [DIRECTORY, CONVERSATIONS] = ['directory', 'conversations'];

/** Tells all that is measured so far, each time that there is more. */
export async function measureNodes(bench: NodesBench, tell: (soFar: NodesResult) => void): Promise<void> {
  const { cache, folder, plan } = bench;
  progress('starting PostgreSQL');
  const server = await startPostgres({ durable: true });
  const filled = {
    [DIRECTORY]: await filledFolder(cache, SIZE, SEVERAL_ACCOUNTS),
    [CONVERSATIONS]: await filledFolder(cache, DESKS + 1, roomy),
  };
  for (const [name, from] of Object.entries(filled)) {
    progress(`bringing the ${name} into PostgreSQL`);
    await bringIn(server, name, copyOf(from, join(folder, name)));
  }
  progress('what the databases cost by themselves');
  const postgres = await measurePostgres(server.url, plan.roundMs, [1, ACCOUNTS]);
  const syncedPerSecond = measureSyncs(folder, plan.roundMs);
  const setups: SetupResult[] = [];
  for (const nodes of [undefined, ...plan.nodes]) {
    const start = async (name: string, env: Readonly<Record<string, string>>): Promise<Server[]> => {
      const options = { profile: bench.profile, env: { ...SECRET, ...env } };
      const at = (number: number) => join(folder, `${name}-${number}`);
      if (nodes === undefined) return [await startService(filled[name] as string, at(0), options)];
      const address = await freshCopy(server, name);
      return Promise.all(Array.from({ length: nodes }, (_, index) => startNode(address, at(index), options)));
    };
    setups.push(await measureSetup(bench, nodes, server, start));
    tell({ postgres, syncedPerSecond, setups, roundTrips: {} });
  }
  tell({ postgres, syncedPerSecond, setups, roundTrips: await roundTripsOf(bench, server) });
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
  const cases = casesOf(plan);
  if (cases.length > 0) {
    const nodes = await start(DIRECTORY, {});
    const token = await adminToken(nodes[0] as Server);
    const compared = { name, size: SIZE, nodes, postgres, generator, folder, plan };
    for (const one of cases) ratios.push(await measureRatio(compared, one, token));
    await Promise.all(nodes.map((node) => node.stop()));
  }
  if (!plan.cases.has(ENGINE)) return { nodes: count, ratios, engine: undefined };
  const nodes = await start(CONVERSATIONS, WITHOUT_LIMITS);
  const engine = await measureConversations({
    ...{ nodes, postgres, folder, generator, atOnce: AT_ONCE, milliseconds: plan.runMs },
  });
  await Promise.all(nodes.map((node) => node.stop()));
  return { nodes: count, ratios, engine };
}

async function roundTripsOf({ folder, plan }: NodesBench, server: PostgresServer): Promise<Record<string, number>> {
  const cases = casesOf(plan);
  if (cases.length === 0) return {};
  const address = await freshCopy(server, DIRECTORY);
  return Object.fromEntries(await countRoundTrips(cases, address, join(folder, 'far'), SECRET));
}

function casesOf({ cases }: NodesPlan) {
  return NODE_CASES.filter(({ name }) => cases.has(name));
}
