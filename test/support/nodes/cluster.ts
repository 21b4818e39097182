import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressOf, dropDatabase, makeDatabase, PREFIX, SECRET } from '../databases/postgres-database.ts';
import { lastingPort } from '../processes/ports.ts';
import type { Balancer, BalancerKind } from './balancer.ts';
import { balancersToTry, startBalancer } from './balancers.ts';
import { ClusterNode } from './cluster-node.ts';

/** Several real nodes on a database of the PostgreSQL of the run, behind a load balancer. */
export interface Cluster {
  /** Of the load balancer. */
  readonly url: string;
  readonly nodes: readonly ClusterNode[];
  readonly balancer: Balancer;
  readonly databaseUrl: string;
  /** Ends everything that it started. */
  stop(): Promise<void>;
}

export interface ClusterOptions {
  readonly nodes?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly balancer?: BalancerKind;
  /** What one node has of its own: settings, its way to the database, how it is run. */
  readonly perNode?: (index: number) => NodeOptions;
}

export interface NodeOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly databaseUrl?: string;
  readonly args?: readonly string[];
  /** Flags for Node itself. */
  readonly execArgv?: readonly string[];
  /** Another file that starts the service, in the place of the program. */
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
  const databaseUrl = addressOf(`${PREFIX}cluster_${randomBytes(6).toString('hex')}`);
  await makeDatabase(databaseUrl);
  const nodes: ClusterNode[] = [];
  let balancer: Balancer | undefined;
  // A test that is ended by a signal must not leave its processes behind: they end in the exit of this one.
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
      const { env, args, main, execArgv, databaseUrl: own } = options.perNode?.(index) ?? {};
      nodes.push(
        new ClusterNode(await lastingPort(), {
          folder,
          ...(args && { args }),
          ...(main && { main }),
          env: {
            DATABASE_URL: own ?? databaseUrl,
            SWITCHBOARD_SECRET: SECRET,
            SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.1',
            SWITCHBOARD_LOG_LEVEL: 'warn',
            SWITCHBOARD_DRAIN_SECONDS: '0.5', // longer than the balancer takes to notice
            ...NO_LIMITS,
            ...(execArgv && { NODE_OPTIONS: execArgv.join(' ') }),
            ...options.env,
            ...env,
          },
        }),
      );
    }
    await Promise.all(nodes.map((node) => node.start()));
    const [kind = 'own'] = balancersToTry(false);
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
