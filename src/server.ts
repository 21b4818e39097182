import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { type Logger, pino } from 'pino';
import { createApp } from './api/http/app.ts';
import { Metrics } from './api/http/metrics.ts';
import { registerOAuth } from './api/oauth/oauth.ts';
import { registerOperations } from './api/operations.ts';
import { registerPages } from './api/pages/pages.ts';
import { failure, sendError } from './api/rest/envelope.ts';
import { INTERNAL, restError } from './api/rest/errors.ts';
import { registerRest } from './api/rest/rest.ts';
import { Writes } from './api/rest/write.ts';
import type { Config } from './config.ts';
import type { Installation } from './installation.ts';
import { noteServer } from './server-lock.ts';

export interface RunningServer {
  /** Where it listens. */
  readonly url: string;
  /** Stops taking requests, finishes those that run, and closes the database. */
  stop(): Promise<void>;
}

const REST_DEPRECATED_SINCE = new Date('2026-11-15T00:00:00Z');
const HOUSEKEEPING_MS = 60_000;
const KEY_USE_MS = 10_000;

/** Where all parts are wired. */
export async function startServer(installation: Installation, config: Config): Promise<RunningServer> {
  const logger = createLogger(config);
  const metrics = new Metrics();
  let draining = false;
  const app = createApp(
    {
      logger,
      metrics,
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
        sendError(reply, known ?? INTERNAL);
      },
      socketError: (status, message) => failure({ status, metaStatus: 'fail', message }),
    },
  );

  app.register(
    async (rest) =>
      registerRest(rest, {
        ...installation,
        writes: new Writes((work) => installation.database.transaction(work), installation.idempotency),
        deprecatedSince: REST_DEPRECATED_SINCE,
        sunset: config.SWITCHBOARD_REST_SUNSET,
      }),
    { prefix: '/api/2' },
  );
  app.register(async (oauth) => registerOAuth(oauth, { ...installation, metrics }));
  app.register(async (operations) =>
    registerOperations(operations, {
      metrics,
      metricsToken: config.SWITCHBOARD_METRICS_TOKEN,
      checkReady: async () => {
        if (draining) throw new Error('The service is stopping.');
        await installation.database.ping();
      },
    }),
  );
  app.register(async (pages) => registerPages(pages));

  const stopHousekeeping = keepHouse(installation, logger);
  const url = await app.listen({ port: config.PORT, host: config.HOST });
  const forgetServer = noteServer(config.databaseFile);
  logger.info({ url, migrated: installation.migrated }, 'listening');

  return {
    url: config.SWITCHBOARD_PUBLIC_URL?.replace(/\/$/, '') ?? url,
    stop: async () => {
      draining = true;
      logger.info('stopping');
      await closeWithin(app, config.SWITCHBOARD_STOP_TIMEOUT * 1000);
      await stopHousekeeping();
      await installation.database.close();
      forgetServer();
      logger.info('stopped');
    },
  };
}

/** JSON lines on standard error. Addresses, headers and bodies are never logged: they may carry secrets. */
function createLogger(config: Config): Logger {
  return pino(
    { level: config.SWITCHBOARD_LOG_LEVEL, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination(2),
  );
}

function readTls({ SWITCHBOARD_TLS_CERT: cert, SWITCHBOARD_TLS_KEY: key }: Config) {
  return cert && key ? { cert: readFileSync(cert), key: readFileSync(key) } : undefined;
}

/** Requests that still run at the end of the time are cut off: a stop always ends. */
async function closeWithin(app: FastifyInstance, milliseconds: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), milliseconds);
  await app.close();
  clearTimeout(timer);
}

/** Forgets what has passed, and writes down when keys were used. */
function keepHouse(installation: Installation, logger: Logger): () => Promise<void> {
  const { apiKeys, tokens, limits, idempotency } = installation;
  const attempt = (what: string, work: () => Promise<void>) =>
    work().catch((error) => logger.warn({ err: error }, `${what} failed; it is tried again`));
  const use = setInterval(() => attempt('recording the use of keys', () => apiKeys.recordUse()), KEY_USE_MS);
  const clean = setInterval(() => {
    for (const subject of [tokens, limits, idempotency]) attempt('cleaning up', () => subject.clean());
  }, HOUSEKEEPING_MS);
  use.unref();
  clean.unref();
  return async () => {
    clearInterval(use);
    clearInterval(clean);
    await attempt('recording the use of keys', () => apiKeys.recordUse());
  };
}
