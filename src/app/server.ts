import type { FastifyInstance } from 'fastify';
import { type Logger, pino } from 'pino';
import { registerGraphql } from '../api/graphql/http.ts';
import { schema } from '../api/graphql/schema.ts';
import { isSocketAddress, serveSockets } from '../api/graphql/websocket.ts';
import type { Patience, Sockets } from '../api/graphql-server/sockets.ts';
import { createApp } from '../api/http/app.ts';
import { showDatabaseUse } from '../api/http/database-metrics.ts';
import { showFigures } from '../api/http/installation-metrics.ts';
import { Metrics } from '../api/http/metrics.ts';
import { showNode } from '../api/http/node-metrics.ts';
import { registerOperations } from '../api/http/operations.ts';
import { addressReader } from '../api/http/peer-address.ts';
import { RouteTable } from '../api/http/route-table.ts';
import { closeWithin, drain } from '../api/http/stopping.ts';
import { registerOAuth } from '../api/oauth/oauth.ts';
import { registerPages } from '../api/pages/pages.ts';
import { type Deprecation, defaultAnswers, REST_PREFIX, registerRest } from '../api/rest/rest.ts';
import { registerVisitor } from '../api/visitor/http.ts';
import { visitorSchema } from '../api/visitor/schema.ts';
import { isVisitorSocketAddress, serveVisitorSockets } from '../api/visitor/websocket.ts';
import type { Config } from '../config.ts';
import type { TransactIn } from '../core/kernel/caller.ts';
import { keepHouse, runScheduler, sendWebhooks } from './background-jobs.ts';
import type { Installation } from './installation.ts';
import { logOutput } from './log-output.ts';
import { readTls } from './tls.ts';

export interface RunningServer {
  /** Where it listens. */
  readonly url: string;
  /** What it answers. */
  readonly routes: RouteTable;
  /** Says that it is not ready, serves until balancers have noticed, finishes what runs, and closes the database. */
  stop(): Promise<void>;
}

const REST_DEPRECATED_SINCE = new Date('2026-11-15T00:00:00Z');
/** A balancer that did not ask for so long does not ask. */
const ASKED_WITHIN_MS = 60_000;

export interface StartOptions {
  /** Where the log goes; defaults to standard error. */
  readonly log?: { write(line: string): void };
  /** What must be done before the service is ready, once its port is taken. */
  readonly prepare?: () => Promise<void>;
  /** How long sockets are waited for; tests have less of it. */
  readonly patience?: Patience;
  /** False runs every query by plain graphql-js, to compare with. */
  readonly compileQueries?: boolean;
  /** False where a test carries out by hand what is due: nothing happens but what is asked for. */
  readonly runsByItself?: boolean;
}

/** What the steps of a start share. */
interface Parts {
  readonly installation: Installation;
  readonly config: Config;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly readiness: { state: 'starting' | 'ready' | 'stopping'; lastAsked: number };
}

/** Where all parts are wired. */
export async function startServer(
  installation: Installation,
  config: Config,
  options: StartOptions = {},
): Promise<RunningServer> {
  const { log = logOutput, runsByItself = true } = options;
  const logger = createLogger(config, log);
  const metrics = new Metrics();
  const readiness: Parts['readiness'] = { state: 'starting', lastAsked: Number.NEGATIVE_INFINITY };
  const parts: Parts = { installation, config, logger, metrics, readiness };
  const app = openApp(parts);
  const routes = new RouteTable();
  app.addHook('onRoute', (route) => routes.add(route));
  const sockets = registerProtocols(app, parts, options);
  showState(app, parts);
  app.register(async (pages) => registerPages(pages, { publicUrl: config.SWITCHBOARD_PUBLIC_URL }));

  const stopJobs = runsByItself ? startJobs(parts) : async () => undefined;
  const url = await listen(app, config, options.prepare).catch(async (error) => {
    closeAll(sockets);
    await stopJobs();
    await app.close();
    throw error;
  });
  const allowPrivate = config.SWITCHBOARD_WEBHOOK_PRIVATE === '1';
  const dispatcher = runsByItself ? sendWebhooks(installation, { logger, metrics, allowPrivate }) : undefined;
  readiness.state = 'ready';
  logger.info({ url, migrated: installation.migrated }, 'listening');

  return {
    url: config.SWITCHBOARD_PUBLIC_URL?.replace(/\/$/, '') ?? url,
    routes,
    stop: async () => {
      await announceStop(app, parts);
      closeAll(sockets);
      const patienceMs = config.SWITCHBOARD_STOP_TIMEOUT * 1000;
      await Promise.all([closeWithin(app, patienceMs), dispatcher?.stop(patienceMs)]);
      await stopJobs();
      await installation.database.close();
      logger.info('stopped');
    },
  };
}

/** JSON lines. Addresses, headers and bodies are never logged: they may carry secrets. */
function createLogger(config: Config, output: { write(line: string): void }): Logger {
  return pino({ level: config.SWITCHBOARD_LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime }, output);
}

function openApp({ config, logger, metrics }: Parts): FastifyInstance {
  const options = {
    logger,
    metrics,
    isSocketAddress: (address: string) => isSocketAddress(address) || isVisitorSocketAddress(address),
    trustedProxies: config.SWITCHBOARD_TRUSTED_PROXIES,
    corsOrigins: config.SWITCHBOARD_CORS_ORIGINS,
    tls: readTls(config),
    headersTimeoutMs: config.SWITCHBOARD_HEADERS_TIMEOUT * 1000,
    requestTimeoutMs: config.SWITCHBOARD_REQUEST_TIMEOUT * 1000,
  };
  return createApp(options, defaultAnswers(deprecationOf(config)));
}

function deprecationOf({ SWITCHBOARD_REST_SUNSET: sunset }: Config): Deprecation {
  return { deprecatedSince: REST_DEPRECATED_SINCE, sunset };
}

/** Every protocol at its addresses. Returns the sockets to close at the end. */
function registerProtocols(
  app: FastifyInstance,
  { installation, config, logger, metrics }: Parts,
  { patience, compileQueries = true }: StartOptions,
): Sockets[] {
  const transactIn: TransactIn = (accountId) => (work) => installation.database.transaction(work, accountId);
  const restParts = { ...installation, transactIn, ...deprecationOf(config) };
  app.register(async (rest) => registerRest(rest, restParts), { prefix: REST_PREFIX });
  app.register(async (oauth) => registerOAuth(oauth, installation.access, metrics));
  const graphqlParts = { schema, services: installation, transactIn, compileQueries };
  app.register(async (graphql) => registerGraphql(graphql, graphqlParts));
  const visitorParts = { ...graphqlParts, schema: visitorSchema };
  app.register(async (visitor) => registerVisitor(visitor, visitorParts));
  const addressOf = addressReader(config.SWITCHBOARD_TRUSTED_PROXIES);
  return [
    serveSockets(app.server, { ...graphqlParts, logger, addressOf }, patience),
    serveVisitorSockets(app.server, { ...visitorParts, logger, addressOf }, patience),
  ];
}

/** What those who run the service see: its numbers, and whether it is alive and ready. */
function showState(app: FastifyInstance, { installation, config, metrics, readiness }: Parts): void {
  const { database, upkeep } = installation;
  const ping = () => database.ping();
  showFigures(metrics.registry, () => upkeep.figures.latest());
  showNode(metrics.registry, { server: app.server, isOpen: () => readiness.state === 'ready', ping });
  const use = database.use?.bind(database);
  if (use) showDatabaseUse(metrics.registry, use);
  const checkReady = async () => {
    readiness.lastAsked = performance.now();
    if (readiness.state !== 'ready') throw new Error(`The service is ${readiness.state}.`);
    await ping();
  };
  const metricsToken = config.SWITCHBOARD_METRICS_TOKEN;
  app.register(async (operations) => registerOperations(operations, { metrics, metricsToken, checkReady }));
}

function startJobs({ installation, logger, metrics }: Parts): () => Promise<void> {
  const stopScheduler = runScheduler(installation, { logger, metrics });
  const stopHousekeeping = keepHouse(installation, logger);
  return async () => {
    await stopScheduler();
    await stopHousekeeping();
  };
}

async function listen(app: FastifyInstance, config: Config, prepare: StartOptions['prepare']): Promise<string> {
  const listensAt = await app.listen({ port: config.PORT, host: config.HOST });
  await prepare?.();
  return listensAt;
}

/** Where a balancer asks, requests are answered until it has noticed. */
async function announceStop(app: FastifyInstance, { config, logger, readiness }: Parts): Promise<void> {
  readiness.state = 'stopping';
  const isWatched = performance.now() - readiness.lastAsked < ASKED_WITHIN_MS;
  logger.info({ drainMs: isWatched ? config.drainMs : 0 }, 'stopping');
  if (isWatched) await drain(app, config.drainMs);
}

function closeAll(sockets: readonly Sockets[]): void {
  for (const each of sockets) each.close();
}
