import { type Logger, pino } from 'pino';
import { registerGraphql } from '../api/graphql/http.ts';
import { schema } from '../api/graphql/schema.ts';
import { isSocketAddress, serveSockets } from '../api/graphql/websocket.ts';
import type { Patience } from '../api/graphql-server/sockets.ts';
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
import { failure, sendError } from '../api/rest/envelope.ts';
import { INTERNAL, restError } from '../api/rest/errors.ts';
import { registerRest, restHeaders } from '../api/rest/rest.ts';
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

/** Where all parts are wired. */
export async function startServer(
  installation: Installation,
  config: Config,
  { log = logOutput, prepare, patience, compileQueries = true, runsByItself = true }: StartOptions = {},
): Promise<RunningServer> {
  const logger = createLogger(config, log);
  const metrics = new Metrics();
  const deprecation = { deprecatedSince: REST_DEPRECATED_SINCE, sunset: config.SWITCHBOARD_REST_SUNSET };
  const headersOfRest = restHeaders(deprecation);
  const transactIn: TransactIn = (accountId) => (work) => installation.database.transaction(work, accountId);
  let state: 'starting' | 'ready' | 'stopping' = 'starting';
  let lastAsked = Number.NEGATIVE_INFINITY;
  const app = createApp(
    {
      logger,
      metrics,
      isSocketAddress: (address) => isSocketAddress(address) || isVisitorSocketAddress(address),
      trustedProxies: config.SWITCHBOARD_TRUSTED_PROXIES,
      corsOrigins: config.SWITCHBOARD_CORS_ORIGINS,
      tls: readTls(config),
      headersTimeoutMs: config.SWITCHBOARD_HEADERS_TIMEOUT * 1000,
      requestTimeoutMs: config.SWITCHBOARD_REQUEST_TIMEOUT * 1000,
    },
    {
      error: (error, request, reply) => {
        const known = restError(error);
        if (!known) request.log.error({ err: error, reqId: request.id }, 'request failed');
        if (request.url.startsWith('/api/2')) reply.headers(headersOfRest);
        sendError(reply, known ?? INTERNAL);
      },
      socketError: (status, message) => failure({ status, metaStatus: 'fail', message }),
    },
  );

  const routes = new RouteTable();
  app.addHook('onRoute', (route) => routes.add(route));
  app.register(async (rest) => registerRest(rest, { ...installation, transactIn, ...deprecation }), {
    prefix: '/api/2',
  });
  app.register(async (oauth) => registerOAuth(oauth, installation.access, metrics));
  const graphqlParts = { schema, services: installation, transactIn, compileQueries };
  app.register(async (graphql) => registerGraphql(graphql, graphqlParts));
  const addressOf = addressReader(config.SWITCHBOARD_TRUSTED_PROXIES);
  const visitorParts = { schema: visitorSchema, services: installation, transactIn, compileQueries };
  app.register(async (visitor) => registerVisitor(visitor, visitorParts));
  const sockets = [
    serveSockets(app.server, { ...graphqlParts, logger, addressOf }, patience),
    serveVisitorSockets(app.server, { ...visitorParts, logger, addressOf }, patience),
  ];
  const { database } = installation;
  showFigures(metrics.registry, () => installation.upkeep.figures.latest());
  showNode(metrics.registry, {
    server: app.server,
    isOpen: () => state === 'ready',
    ping: () => database.ping(),
  });
  const use = database.use?.bind(database);
  if (use) showDatabaseUse(metrics.registry, use);
  app.register(async (operations) =>
    registerOperations(operations, {
      metrics,
      metricsToken: config.SWITCHBOARD_METRICS_TOKEN,
      checkReady: async () => {
        lastAsked = performance.now();
        if (state !== 'ready') throw new Error(`The service is ${state}.`);
        await installation.database.ping();
      },
    }),
  );
  app.register(async (pages) => registerPages(pages, { publicUrl: config.SWITCHBOARD_PUBLIC_URL }));

  const stopScheduler = runsByItself ? runScheduler(installation, { logger, metrics }) : async () => undefined;
  const stopHousekeeping = runsByItself ? keepHouse(installation, logger) : async () => undefined;
  const start = async () => {
    const listensAt = await app.listen({ port: config.PORT, host: config.HOST });
    await prepare?.();
    return listensAt;
  };
  const url = await start().catch(async (error) => {
    for (const each of sockets) each.close();
    await stopScheduler();
    await stopHousekeeping();
    await app.close();
    throw error;
  });
  const allowPrivate = config.SWITCHBOARD_WEBHOOK_PRIVATE === '1';
  const dispatcher = runsByItself ? sendWebhooks(installation, { logger, metrics, allowPrivate }) : undefined;
  state = 'ready';
  logger.info({ url, migrated: installation.migrated }, 'listening');

  return {
    url: config.SWITCHBOARD_PUBLIC_URL?.replace(/\/$/, '') ?? url,
    routes,
    stop: async () => {
      state = 'stopping';
      const isWatched = performance.now() - lastAsked < ASKED_WITHIN_MS;
      logger.info({ drainMs: isWatched ? config.drainMs : 0 }, 'stopping');
      if (isWatched) await drain(app, config.drainMs);
      for (const each of sockets) each.close();
      const patienceMs = config.SWITCHBOARD_STOP_TIMEOUT * 1000;
      await Promise.all([closeWithin(app, patienceMs), dispatcher?.stop(patienceMs)]);
      await stopScheduler();
      await stopHousekeeping();
      await installation.database.close();
      logger.info('stopped');
    },
  };
}

/** JSON lines. Addresses, headers and bodies are never logged: they may carry secrets. */
function createLogger(config: Config, output: { write(line: string): void }): Logger {
  return pino({ level: config.SWITCHBOARD_LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime }, output);
}
