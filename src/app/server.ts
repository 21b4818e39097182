import type { FastifyInstance } from 'fastify';
import { type Logger, pino } from 'pino';
import { registerGraphql } from '../api/graphql/http.ts';
import { fullReadSchema, schema } from '../api/graphql/schema.ts';
import { isSocketUrl, serveSockets } from '../api/graphql/websocket.ts';
import { OPERATION_LIMITS, type OperationLimits, OperationQueue } from '../api/graphql-server/operation-queue.ts';
import type { Sockets, SocketTimeouts } from '../api/graphql-server/sockets.ts';
import { TurnScheduler } from '../api/graphql-server/turns.ts';
import { createApp } from '../api/http/app.ts';
import { createSocketBaseUrlReader } from '../api/http/base-url.ts';
import { createClientAddressReader } from '../api/http/client-address.ts';
import { registerDatabaseMetrics } from '../api/http/database-metrics.ts';
import { registerInstallationMetrics } from '../api/http/installation-metrics.ts';
import { Metrics } from '../api/http/metrics.ts';
import { registerNodeMetrics } from '../api/http/node-metrics.ts';
import { registerOperations } from '../api/http/operations.ts';
import { QuickReads } from '../api/http/quick-reads.ts';
import { RequestOrigins } from '../api/http/request-origin.ts';
import { RouteTable } from '../api/http/route-table.ts';
import { createSecurityHeaders, type SecurityHeaders } from '../api/http/security-headers.ts';
import { SessionCookie } from '../api/http/session-cookie.ts';
import { closeWithin, drain } from '../api/http/shutdown.ts';
import { registerOAuth } from '../api/oauth/oauth.ts';
import { registerPages } from '../api/pages/pages.ts';
import { createFallbackHandlers, type Deprecation, REST_PREFIX, registerRest } from '../api/rest/rest.ts';
import { registerVisitor } from '../api/visitor/http.ts';
import { visitorSchema } from '../api/visitor/schema.ts';
import { isVisitorSocketUrl, serveVisitorSockets } from '../api/visitor/websocket.ts';
import type { Config } from '../config.ts';
import type { TransactInAccount } from '../core/kernel/caller.ts';
import {
  startFinishingMigrations,
  startHousekeeping,
  startScheduler,
  startWebhookDispatcher,
} from './background-jobs.ts';
import type { Installation } from './installation.ts';
import { logOutput } from './log-output.ts';
import { createOverloadPolicies } from './overload-policies.ts';
import { readTls } from './tls.ts';

export interface RunningServer {
  /** The public address, if it is configured; otherwise the local one. */
  readonly url: string;
  /** The address on which it listens. */
  readonly localUrl: string;
  readonly routes: RouteTable;
  /** Reports not ready, drains, finishes running requests, and closes the database. */
  stop(): Promise<void>;
}

const REST_DEPRECATED_SINCE = new Date('2026-11-15T00:00:00Z');
/** If no balancer has checked readiness for this long, there is none to drain for. */
const BALANCER_ACTIVE_MS = 60_000;

export interface StartOptions {
  /** Where the log goes; defaults to standard error. */
  readonly log?: { write(line: string): void };
  /** Runs after the port is bound and before the service is ready. */
  readonly prepare?: () => Promise<void>;
  /** Shorter in tests. */
  readonly socketTimeouts?: SocketTimeouts;
  /** False runs queries with plain graphql-js instead of graphql-jit, for comparison. */
  readonly compileQueries?: boolean;
  /** False in tests that run background work themselves. */
  readonly runJobs?: boolean;
}

interface ServerContext {
  readonly installation: Installation;
  readonly config: Config;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly readiness: { state: 'starting' | 'ready' | 'stopping'; lastCheckedAt: number };
}

export async function startServer(
  installation: Installation,
  config: Config,
  options: StartOptions = {},
): Promise<RunningServer> {
  const { log = logOutput, runJobs = true } = options;
  const logger = createLogger(config, log);
  const metrics = new Metrics();
  const readiness: ServerContext['readiness'] = { state: 'starting', lastCheckedAt: Number.NEGATIVE_INFINITY };
  const context: ServerContext = { installation, config, logger, metrics, readiness };
  const routes = new RouteTable();
  const quickReads = createQuickReads(context);
  const app = buildApp(context, routes, quickReads);
  const sockets = registerProtocols(app, context, options, quickReads);
  registerObservability(app, context);
  app.register(async (pages) => registerPages(pages, { publicUrl: config.SWITCHBOARD_PUBLIC_URL }));

  const stopJobs = runJobs ? startJobs(context) : async () => undefined;
  const url = await listen(app, config, options.prepare).catch(async (error) => {
    closeAll(sockets);
    await stopJobs();
    await app.close();
    throw error;
  });
  const allowPrivateHosts = config.SWITCHBOARD_WEBHOOK_PRIVATE === '1';
  const dispatcher = runJobs ? startWebhookDispatcher(installation, { logger, metrics, allowPrivateHosts }) : undefined;
  readiness.state = 'ready';
  logger.info({ url, migrated: installation.migrated }, 'listening');

  return {
    url: config.SWITCHBOARD_PUBLIC_URL?.replace(/\/$/, '') ?? url,
    localUrl: url,
    routes,
    stop: async () => {
      await announceStop(app, context);
      closeAll(sockets);
      const timeoutMs = config.SWITCHBOARD_STOP_TIMEOUT * 1000;
      await Promise.all([closeWithin(app, timeoutMs), dispatcher?.stop(timeoutMs)]);
      await stopJobs();
      await installation.database.close();
      logger.info('stopped');
    },
  };
}

/** JSON lines. URLs, headers and bodies are never logged: they may contain secrets. */
function createLogger(config: Config, output: { write(line: string): void }): Logger {
  return pino({ level: config.SWITCHBOARD_LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime }, output);
}

function createQuickReads({ config, logger, metrics }: ServerContext): QuickReads {
  return new QuickReads({
    logger,
    metrics,
    securityHeaders: getSecurityHeaders(config),
    corsOrigins: config.SWITCHBOARD_CORS_ORIGINS,
    compresses: config.SWITCHBOARD_COMPRESSION === '1',
  });
}

function buildApp(
  { config, logger, metrics }: ServerContext,
  routes: RouteTable,
  quickReads: QuickReads,
): FastifyInstance {
  const options = {
    routes,
    quickReads,
    logger,
    metrics,
    isWebSocketUrl: (url: string) => isSocketUrl(url) || isVisitorSocketUrl(url),
    trustedProxies: config.SWITCHBOARD_TRUSTED_PROXIES,
    corsOrigins: config.SWITCHBOARD_CORS_ORIGINS,
    compresses: config.SWITCHBOARD_COMPRESSION === '1',
    tls: readTls(config),
    securityHeaders: getSecurityHeaders(config),
    headersTimeoutMs: config.SWITCHBOARD_HEADERS_TIMEOUT * 1000,
    requestTimeoutMs: config.SWITCHBOARD_REQUEST_TIMEOUT * 1000,
    writeTimeoutMs: config.SWITCHBOARD_WRITE_TIMEOUT * 1000,
    burstMs: config.SWITCHBOARD_OVERLOAD_SECONDS * 1000,
    overloadPolicies: createOverloadPolicies(getDeprecation(config)),
  };
  return createApp(options, createFallbackHandlers(getDeprecation(config)));
}

function getSecurityHeaders({ SWITCHBOARD_TLS_CERT, SWITCHBOARD_HSTS }: Config): SecurityHeaders {
  return createSecurityHeaders(SWITCHBOARD_TLS_CERT === undefined ? undefined : SWITCHBOARD_HSTS);
}

function getDeprecation({ SWITCHBOARD_REST_SUNSET: sunset }: Config): Deprecation {
  return { deprecatedSince: REST_DEPRECATED_SINCE, sunset };
}

/** Registers the routes of every protocol. Returns the sockets to close on shutdown. */
function registerProtocols(
  app: FastifyInstance,
  { installation, config, logger, metrics }: ServerContext,
  { socketTimeouts, compileQueries = true }: StartOptions,
  quickReads: QuickReads,
): Sockets[] {
  const transactIn: TransactInAccount = (accountId) => (work) => installation.database.transaction(work, accountId);
  const restOptions = { ...installation, transactIn, quickReads, ...getDeprecation(config) };
  app.register(async (rest) => registerRest(rest, restOptions), { prefix: REST_PREFIX });
  const { access, administration } = installation;
  const origins = {
    corsOrigins: config.SWITCHBOARD_CORS_ORIGINS,
    publicUrl: config.SWITCHBOARD_PUBLIC_URL,
    trustedProxies: config.SWITCHBOARD_TRUSTED_PROXIES,
  };
  const sessionCookie = new SessionCookie(new RequestOrigins(origins));
  const oauthOptions = { access, administration, metrics, publicUrl: config.SWITCHBOARD_PUBLIC_URL, sessionCookie };
  app.register(async (oauth) => registerOAuth(oauth, oauthOptions));
  const scheduler = new TurnScheduler();
  const createQueue = (limits: OperationLimits) =>
    new OperationQueue(limits, scheduler, () => metrics.countRefusedOperation());
  const graphqlOptions = {
    ...{ schema, fullReadSchema, services: installation, transactIn, compileQueries },
    uploadTimeoutMs: config.SWITCHBOARD_UPLOAD_TIMEOUT * 1000,
    publicUrl: config.SWITCHBOARD_PUBLIC_URL,
    operations: createQueue(OPERATION_LIMITS.operator),
    sessionCookie,
  };
  app.register(async (graphql) => registerGraphql(graphql, graphqlOptions));
  const visitorOptions = {
    ...graphqlOptions,
    schema: visitorSchema,
    operations: createQueue(OPERATION_LIMITS.visitor),
  };
  app.register(async (visitor) => registerVisitor(visitor, visitorOptions));
  const readAddress = createClientAddressReader(config.SWITCHBOARD_TRUSTED_PROXIES);
  const readBaseUrl = createSocketBaseUrlReader(config.SWITCHBOARD_PUBLIC_URL, config.SWITCHBOARD_TRUSTED_PROXIES);
  const socketOptions = { logger, securityHeaders: getSecurityHeaders(config), readAddress };
  return [
    serveSockets(app.server, { ...graphqlOptions, ...socketOptions, readBaseUrl }, socketTimeouts),
    serveVisitorSockets(
      app.server,
      {
        ...visitorOptions,
        ...socketOptions,
        connectionsPerVisitor: config.SWITCHBOARD_VISITOR_SOCKETS,
        connectionsPerAddress: config.SWITCHBOARD_VISITOR_ADDRESS_SOCKETS,
      },
      socketTimeouts,
    ),
  ];
}

/** Metrics, liveness and readiness. */
function registerObservability(
  app: FastifyInstance,
  { installation, config, metrics, readiness }: ServerContext,
): void {
  const { database, upkeep } = installation;
  const ping = () => database.ping();
  registerInstallationMetrics(metrics.registry, () => upkeep.metrics.readLatest());
  registerNodeMetrics(metrics.registry, {
    server: app.server,
    isAcceptingTraffic: () => readiness.state === 'ready',
    ping,
  });
  const readUsage = database.getUsage?.bind(database);
  if (readUsage) registerDatabaseMetrics(metrics.registry, readUsage);
  const checkReady = async () => {
    readiness.lastCheckedAt = performance.now();
    if (readiness.state !== 'ready') throw new Error(`The service is ${readiness.state}.`);
    await ping();
  };
  const metricsToken = config.SWITCHBOARD_METRICS_TOKEN;
  app.register(async (operations) => registerOperations(operations, { metrics, metricsToken, checkReady }));
}

function startJobs({ installation, logger, metrics }: ServerContext): () => Promise<void> {
  const stopScheduler = startScheduler(installation, { logger, metrics });
  const stopHousekeeping = startHousekeeping(installation, logger);
  const stopMigrations = startFinishingMigrations(installation, logger);
  return async () => {
    await stopMigrations();
    await stopScheduler();
    await stopHousekeeping();
  };
}

async function listen(app: FastifyInstance, config: Config, prepare: StartOptions['prepare']): Promise<string> {
  const url = await app.listen({ port: config.PORT, host: config.HOST });
  await prepare?.();
  return url;
}

/** Keeps serving until load balancers have noticed, if there are any. */
async function announceStop(app: FastifyInstance, { config, logger, readiness }: ServerContext): Promise<void> {
  readiness.state = 'stopping';
  const isBehindBalancer = performance.now() - readiness.lastCheckedAt < BALANCER_ACTIVE_MS;
  logger.info({ drainMs: isBehindBalancer ? config.drainMs : 0 }, 'stopping');
  if (isBehindBalancer) await drain(app, config.drainMs);
}

function closeAll(sockets: readonly Sockets[]): void {
  for (const socket of sockets) socket.close();
}
