import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createDatabase,
  DATABASE_PREFIX,
  databaseUrlOf,
  dropDatabase,
  TEST_SECRET,
} from '../databases/postgres-database.ts';
import { findStablePort } from '../processes/ports.ts';
import type { Balancer, BalancerKind } from './balancer.ts';
import { balancersToTest, startBalancer } from './balancers.ts';
import { ClusterNode } from './cluster-node.ts';

/** Several real nodes behind a load balancer, on one PostgreSQL database of the test run. */
export interface Cluster {
  /** The load balancer's URL. */
  readonly url: string;
  readonly nodes: readonly ClusterNode[];
  readonly balancer: Balancer;
  readonly databaseUrl: string;
  /** Stops everything that it started. */
  stop(): Promise<void>;
}

export interface ClusterOptions {
  readonly nodes?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly balancer?: BalancerKind;
  /** Options of a single node. */
  readonly perNode?: (index: number) => NodeOptions;
}

export interface NodeOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly databaseUrl?: string;
  readonly args?: readonly string[];
  /** Flags for Node.js itself. */
  readonly execArgv?: readonly string[];
  /** A file that starts the service instead of `src/main.ts`. */
  readonly main?: string;
}

const NO_LIMITS = {
  SWITCHBOARD_VISITOR_SESSIONS_PER_MINUTE: '0',
  SWITCHBOARD_VISITOR_STARTS_PER_MINUTE: '0',
  SWITCHBOARD_VISITOR_ADDRESS_STARTS_PER_MINUTE: '0',
  SWITCHBOARD_VISITOR_MESSAGES_PER_MINUTE: '0',
};

export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-cluster-'));
  const databaseUrl = databaseUrlOf(`${DATABASE_PREFIX}cluster_${randomBytes(6).toString('hex')}`);
  await createDatabase(databaseUrl);
  const nodes: ClusterNode[] = [];
  let balancer: Balancer | undefined;
  // A test that is ended by a signal must not leave its processes behind; they end when this one exits.
  const exit = () => process.exit(1);
  process.once('SIGTERM', exit).once('SIGINT', exit);
  const stop = async () => {
    process.off('SIGTERM', exit).off('SIGINT', exit);
    await balancer?.stop();
    await Promise.all(nodes.map((node) => node.kill()));
    await dropDatabase(databaseUrl);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (let index = 0; index < (options.nodes ?? 3); index += 1) {
      const { env, args, main, execArgv, databaseUrl: ownDatabaseUrl } = options.perNode?.(index) ?? {};
      nodes.push(
        new ClusterNode(await findStablePort(), {
          folder,
          ...(args && { args }),
          ...(main && { main }),
          env: {
            DATABASE_URL: ownDatabaseUrl ?? databaseUrl,
            SWITCHBOARD_SECRET: TEST_SECRET,
            SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.1',
            SWITCHBOARD_LOG_LEVEL: 'warn',
            SWITCHBOARD_DRAIN_SECONDS: '0.5', // longer than the balancer needs to notice
            ...NO_LIMITS,
            ...(execArgv && { NODE_OPTIONS: execArgv.join(' ') }),
            ...options.env,
            ...env,
          },
        }),
      );
    }
    await Promise.all(nodes.map((node) => node.start()));
    const [kind = 'own'] = balancersToTest(false);
    balancer = await startBalancer(
      options.balancer ?? kind,
      nodes.map((node) => node.url),
    );
    return { url: balancer.url, nodes, balancer, databaseUrl, stop };
  } catch (error) {
    await stop().catch(() => undefined);
    throw error;
  }
}
