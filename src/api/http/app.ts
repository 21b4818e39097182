import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Logger } from 'pino';
import { allowOrigins } from './cors.ts';
import type { ErrorHandler } from './error-handler.ts';
import { HttpError, httpError } from './http-error.ts';
import type { Metrics } from './metrics.ts';
import { answerSocketError, type RenderSocketError } from './socket-errors.ts';

export interface HttpOptions {
  /** Whether an address speaks websockets. */
  isSocketAddress(url: string): boolean;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly trustedProxies: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  /** How long the headers, and all of a request, may take to arrive. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
}

/** The form of answers outside of every protocol. */
export interface DefaultAnswers {
  readonly error: ErrorHandler;
  readonly socketError: RenderSocketError;
}

const MAX_BODY_BYTES = 1024 * 1024;

/** The server as all protocols share it: limits, deadlines, request ids, logs and numbers. */
export function createApp(options: HttpOptions, answers: DefaultAnswers): FastifyInstance {
  const { headersTimeoutMs, requestTimeoutMs } = options;
  const server = {
    requireHostHeader: false,
    // Everywhere else an offer to upgrade is declined by answering the request.
    shouldUpgradeCallback: (request: IncomingMessage) => options.isSocketAddress(request.url ?? ''),
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1000, headersTimeoutMs / 2),
  };
  const app = fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }), // `observe` logs in its own way
    childLoggerFactory: (logger) => logger, // our lines name their request themselves
    genReqId: requestId,
    requestIdHeader: false,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: requestTimeoutMs,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    forceCloseConnections: 'idle',
    return503OnClosing: false, // what still arrives on an open connection is answered as ever, and the connection closed
    rewriteUrl: (request) => originForm(request),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 4096, querystringParser: () => ({}) },
    clientErrorHandler: (error, socket) => {
      const status = answerSocketError(error, socket, answers.socketError);
      if (status !== undefined) options.metrics.limitHit(status);
    },
    frameworkErrors: (error, request, reply) => answers.error(error, request as FastifyRequest, reply as FastifyReply),
    ...(options.tls ? { https: { ...options.tls, ...server } } : { http: server }),
  }) as unknown as FastifyInstance;

  // Left alone, Node would hang up on the one and answer the other without a body.
  app.server.on('connect', (_request, socket) =>
    answerSocketError(new Error('no proxy'), socket as Socket, answers.socketError),
  );
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', (request, reply, next) => {
    reply.header('x-request-id', request.id);
    next(headerProblem(request.raw));
  });
  app.setErrorHandler(answers.error);
  app.setNotFoundHandler((request, reply) => answers.error(httpError(404), request, reply));
  allowOrigins(app, options.corsOrigins);
  observe(app, options);
  return app as unknown as FastifyInstance;
}

const node = randomBytes(4).toString('hex');
let requests = 0;

/** Unique on this node while it runs, and short. */
function requestId(): string {
  requests += 1;
  return `${node}-${requests.toString(36)}`;
}

/** A proxy may send the whole address as target; only its path counts. */
function originForm(request: IncomingMessage): string {
  const target = request.url ?? '/';
  if (target.startsWith('/')) return target;
  const url = URL.parse(target);
  return url ? url.pathname + url.search : `/${target}`;
}

/** Headers that decide who is asking and where must stand once: two readers could otherwise read different ones. */
function headerProblem({ rawHeaders, httpVersion }: IncomingMessage): Error | undefined {
  let hosts = 0;
  let authorizations = 0;
  let keys = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    else if (name.length === 13 && name.toLowerCase() === 'authorization') authorizations += 1;
    else if (name.length === 9 && name.toLowerCase() === 'x-api-key') keys += 1;
  }
  if (hosts > 1 || authorizations > 1 || keys > 1) {
    return new HttpError(400, 'The headers Host, Authorization and X-API-Key may be sent once.');
  }
  if (hosts === 0 && httpVersion === '1.1') return new HttpError(400, 'The header Host is missing.');
  return undefined;
}

/**
 * Counts and logs every answer by its route, never by its address: an address may carry a key. Reads that went well are
 * many and say little; they are logged at the level debug.
 */
function observe(app: FastifyInstance, { metrics, logger }: HttpOptions): void {
  app.addHook('onRoute', (route) => {
    const methods = [route.method].flat();
    const count = new Map(methods.map((method) => [method, metrics.route(method, route.url)]));
    const own = (request: FastifyRequest, reply: FastifyReply, next: () => void) => {
      count.get(request.method)?.(reply.statusCode, reply.elapsedTime / 1000);
      metrics.limitHit(reply.statusCode);
      logAnswer(logger, request, reply, route.url);
      next();
    };
    route.onResponse = [own, ...[route.onResponse ?? []].flat()];
  });
  const countUnknown = metrics.route('any', 'unknown');
  app.addHook('onResponse', (request, reply, next) => {
    if (request.is404) {
      countUnknown(reply.statusCode, reply.elapsedTime / 1000);
      logAnswer(logger, request, reply, 'unknown');
    }
    next();
  });
}

function logAnswer(logger: Logger, request: FastifyRequest, reply: FastifyReply, route: string): void {
  const { method } = request;
  const quiet = reply.statusCode < 400 && (method === 'GET' || method === 'HEAD');
  if (quiet && !logger.isLevelEnabled('debug')) return;
  const { accountId, actor } = (request as Partial<FastifyRequest>).caller ?? {};
  const line = {
    reqId: request.id,
    method,
    route,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
    ...(accountId === undefined ? {} : { account: accountId, actor: { type: actor?.type, id: actor?.id } }),
  };
  logger[quiet ? 'debug' : 'info'](line, 'answered');
}
