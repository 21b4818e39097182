import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
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
import { Writes } from '../api/rest/write.ts';
import { registerVisitor } from '../api/visitor/http.ts';
import { visitorSchema } from '../api/visitor/schema.ts';
import { isVisitorSocketAddress, serveVisitorSockets } from '../api/visitor/websocket.ts';
import { type Config, ConfigError } from '../config.ts';
import type { TransactIn } from '../core/kernel/caller.ts';
import { InstallationFigures } from '../core/upkeep/figures.ts';
import { WebhookDispatcher } from '../core/webhooks/dispatcher.ts';
import { HttpSender } from '../core/webhooks/http-sender.ts';
import type { Installation } from './installation.ts';
import { logOutput } from './log-output.ts';

export interface RunningServer {
  /** Where it listens. */
  readonly url: string;
  /** What it answers. */
  readonly routes: RouteTable;
  /** Says that it is not ready, serves until balancers have noticed, finishes what runs, and closes the database. */
  stop(): Promise<void>;
}

const REST_DEPRECATED_SINCE = new Date('2026-11-15T00:00:00Z');
const HOUSEKEEPING_MS = 60_000;
const KEY_USE_MS = 10_000;
const RETENTION_MS = 600_000;
const TICK_MS = 500;
const SWEEP_MS = 10_000;
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
  app.register(
    async (rest) =>
      registerRest(rest, {
        ...installation,
        writes: new Writes(transactIn, installation.idempotency),
        ...deprecation,
      }),
    { prefix: '/api/2' },
  );
  app.register(async (oauth) => registerOAuth(oauth, { ...installation, metrics }));
  const graphqlParts = {
    schema,
    services: installation,
    viewers: installation.viewers,
    idempotency: installation.idempotency,
    transactIn,
    compileQueries,
  };
  app.register(async (graphql) => registerGraphql(graphql, graphqlParts));
  const addressOf = addressReader(config.SWITCHBOARD_TRUSTED_PROXIES);
  const visitorParts = { schema: visitorSchema, services: installation, transactIn, compileQueries };
  app.register(async (visitor) => registerVisitor(visitor, visitorParts));
  const sockets = [
    serveSockets(app.server, { ...graphqlParts, logger, addressOf }, patience),
    serveVisitorSockets(app.server, { ...visitorParts, logger, addressOf }, patience),
  ];
  const { database } = installation;
  const figures = new InstallationFigures(database);
  showFigures(metrics.registry, () => figures.latest());
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

  const stopClockwork = runsByItself ? runClockwork(installation, { logger, metrics }) : async () => undefined;
  const stopHousekeeping = runsByItself ? keepHouse(installation, logger) : async () => undefined;
  const start = async () => {
    const listensAt = await app.listen({ port: config.PORT, host: config.HOST });
    await prepare?.();
    return listensAt;
  };
  const url = await start().catch(async (error) => {
    for (const each of sockets) each.close();
    await stopClockwork();
    await stopHousekeeping();
    await app.close();
    throw error;
  });
  const dispatcher = runsByItself ? sendWebhooks(installation, config, { logger, metrics }) : undefined;
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
      await stopClockwork();
      await stopHousekeeping();
      await installation.database.close();
      logger.info('stopped');
    },
  };
}

function sendWebhooks(
  { database, webhooks }: Installation,
  config: Config,
  { logger, metrics }: { logger: Logger; metrics: Metrics },
): WebhookDispatcher {
  const dispatcher = new WebhookDispatcher({
    database,
    webhooks,
    sender: new HttpSender({ allowPrivate: config.SWITCHBOARD_WEBHOOK_PRIVATE === '1' }),
    onResult: (result) => metrics.webhookSent(result),
    onError: (error) => logger.warn({ err: error }, 'sending webhooks failed; it is tried again'),
  });
  dispatcher.start();
  return dispatcher;
}

/** JSON lines. Addresses, headers and bodies are never logged: they may carry secrets. */
function createLogger(config: Config, output: { write(line: string): void }): Logger {
  return pino({ level: config.SWITCHBOARD_LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime }, output);
}

function readTls({ SWITCHBOARD_TLS_CERT: cert, SWITCHBOARD_TLS_KEY: key }: Config) {
  if (!cert || !key) return undefined;
  const tls = { cert: readFileSync(cert), key: readFileSync(key) };
  try {
    createSecureContext(tls); // what is wrong with the files is said in words, not by a failure deep in the server
  } catch (error) {
    throw new ConfigError([
      `SWITCHBOARD_TLS_CERT and SWITCHBOARD_TLS_KEY cannot be used together: ${(error as Error).message}.`,
    ]);
  }
  return tls;
}

/** Ends what is over by time, a round after the other; a failed round is logged and the next one comes. */
function runClockwork(
  { clockwork }: Installation,
  { logger, metrics }: { logger: Logger; metrics: Metrics },
): () => Promise<void> {
  let running: Promise<void> | undefined;
  let nextSweep = performance.now() + SWEEP_MS;
  const round = async () => {
    await clockwork.tick();
    if (performance.now() < nextSweep) return;
    nextSweep = performance.now() + SWEEP_MS;
    const found = await clockwork.sweep();
    metrics.sweepFound(found);
    if (found > 0) logger.warn({ found }, 'the sweep found conversations that could have been given out before');
  };
  clockwork.hold();
  const start = () => {
    running ??= round()
      .then(
        () => metrics.clockworkRound('done'),
        (error) => {
          metrics.clockworkRound('failed');
          logger.warn({ err: error }, 'a round of the clockwork failed; it is tried again');
        },
      )
      .finally(() => {
        running = undefined;
      });
  };
  start(); // from here on it is known how long nobody looked
  const timer = setInterval(start, TICK_MS).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}

/** Forgets what has passed, and writes down when keys were used. */
function keepHouse(installation: Installation, logger: Logger): () => Promise<void> {
  const { apiKeys, restUsage, tokens, singleSignOn, visitorSessions, limits, idempotency, deliveries, retention } =
    installation;
  const attempt = (what: string, work: () => Promise<void>) =>
    work().catch((error) => logger.warn({ err: error }, `${what} failed; it is tried again`));
  const recordUse = async () => {
    await attempt('recording the use of keys', () => apiKeys.recordUse());
    await attempt('recording the use of REST', () => restUsage.record());
  };
  const use = setInterval(recordUse, KEY_USE_MS);
  const clean = setInterval(() => {
    for (const subject of [tokens, singleSignOn, visitorSessions, limits, idempotency, deliveries]) {
      attempt('cleaning up', () => subject.clean());
    }
  }, HOUSEKEEPING_MS);
  const ending = new AbortController();
  let forgetting: Promise<void> | undefined;
  const forget = setInterval(() => {
    forgetting ??= attempt('forgetting what is old', () => retention.clean(ending.signal)).finally(() => {
      forgetting = undefined;
    });
  }, RETENTION_MS);
  for (const timer of [use, clean, forget]) timer.unref();
  return async () => {
    for (const timer of [use, clean, forget]) clearInterval(timer);
    ending.abort();
    await forgetting;
    await recordUse();
  };
}
