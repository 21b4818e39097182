import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, LogController } from 'fastify';
import type { Logger } from 'pino';
import { compressResponses } from './compression.ts';
import { allowOrigins } from './cors.ts';
import type { ErrorHandler } from './error-handler.ts';
import { findHeaderError } from './header-errors.ts';
import { httpError } from './http-error.ts';
import { findMethodError, sendAllowedMethods } from './methods.ts';
import type { Metrics } from './metrics.ts';
import { OverloadProtection } from './overload/overload.ts';
import { registerOverloadMetrics } from './overload/overload-metrics.ts';
import type { PathPolicy } from './overload/request-class.ts';
import { serveInOrder } from './pipelining.ts';
import type { QuickReads } from './quick-reads.ts';
import { nextRequestId } from './request-id.ts';
import type { RouteTable } from './route-table.ts';
import type { SecurityHeaders } from './security-headers.ts';
import { isExempted } from './slow-bodies.ts';
import { type RenderSocketError, sendSocketError } from './socket-errors.ts';
import { disconnectStuckClients } from './write-timeout.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by protocols whose reads are not `GET` requests. */
    isRead: boolean;
  }
}

export interface HttpOptions {
  isWebSocketUrl(url: string): boolean;
  /** Gets every route of the server. */
  readonly routes: RouteTable;
  readonly quickReads: QuickReads;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly trustedProxies: readonly string[];
  readonly corsOrigins: readonly string[];
  /** Whether responses are compressed for clients that ask for it. */
  readonly compresses: boolean;
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | undefined;
  /** The header `Strict-Transport-Security`, sent only with TLS. */
  /** On every response. */
  readonly securityHeaders: SecurityHeaders;
  /** Deadline for receiving the headers; `requestTimeoutMs` is that for the whole request. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** After this time without progress a client is disconnected that does not read its response. */
  readonly writeTimeoutMs: number;
  /** How long requests may wait in a burst; after that the service is overloaded. */
  readonly burstMs: number;
  readonly overloadPolicies: readonly PathPolicy[];
}

/** For requests that no protocol handles. */
export interface FallbackHandlers {
  readonly handleError: ErrorHandler;
  readonly renderSocketError: RenderSocketError;
}

const MAX_BODY_BYTES = 1024 * 1024;

/** The server that all protocols share: limits, deadlines, request ids, logs and metrics. */
export function createApp(options: HttpOptions, fallback: FallbackHandlers): FastifyInstance {
  const { headersTimeoutMs, requestTimeoutMs, securityHeaders } = options;
  const socketErrors = { render: fallback.renderSocketError, securityHeaders };
  const overload = new OverloadProtection(options);
  registerOverloadMetrics(options.metrics.registry, overload);
  const serverOptions = {
    requireHostHeader: false,
    // Any other URL ignores the upgrade and is served as a plain request.
    shouldUpgradeCallback: (request: IncomingMessage) => overload.canUpgrade(request),
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1000, headersTimeoutMs / 2),
  };
  const app = fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }), // `observeResponses` logs instead
    childLoggerFactory: (logger) => logger, // log lines set `reqId` explicitly
    genReqId: nextRequestId,
    requestIdHeader: false,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: requestTimeoutMs,
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    forceCloseConnections: 'idle',
    return503OnClosing: false, // while draining, requests on open connections are served normally
    rewriteUrl: (request) => toOriginForm(request),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 4096, querystringParser: () => ({}) },
    clientErrorHandler: (error, socket) => {
      if (isExempted(error, socket)) return;
      const status = sendSocketError(error, socket, socketErrors);
      if (status !== undefined) options.metrics.countLimitHit(status);
    },
    frameworkErrors: (error, request, reply) =>
      fallback.handleError(error, request as FastifyRequest, (reply as FastifyReply).headers(securityHeaders)),
    ...(options.tls ? { https: { ...options.tls, ...serverOptions } } : { http: serverOptions }),
  }) as unknown as FastifyInstance;

  // By default Node closes the socket on CONNECT, and answers an unknown `Expect` without a body.
  app.server.on('connect', (_request, socket) =>
    sendSocketError(new Error('no proxy'), socket as Socket, socketErrors),
  );
  options.quickReads.serveFirst(app.server);
  overload.protect(app.server);
  serveInOrder(app.server);
  disconnectStuckClients(app.server, options.writeTimeoutMs);
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));

  app.addHook('onRoute', (route) => options.routes.add(route));
  app.decorateRequest('isRead', false);
  app.removeAllContentTypeParsers();
  // By name it is found without parsing the header.
  app.addContentTypeParser(['application/json', '*'], { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  app.addHook('onRequest', (request, reply, next) => {
    reply.header('x-request-id', request.id).headers(securityHeaders);
    // Undefined if the client has left. Node remembers it from the first read, so handlers can rely on `request.ip`.
    if (request.socket.remoteAddress === undefined) reply.code(499).send();
    else next(findMethodError(request.method) ?? findHeaderError(request.raw));
  });
  app.setErrorHandler(fallback.handleError);
  app.setNotFoundHandler(
    (request, reply) =>
      sendAllowedMethods(options.routes, request, reply) ?? fallback.handleError(httpError(404), request, reply),
  );
  allowOrigins(app, options.corsOrigins);
  if (options.compresses) compressResponses(app);
  observeResponses(app, options);
  return app as unknown as FastifyInstance;
}

/** Proxies may send an absolute URL as the request target; only its path and query are used. */
function toOriginForm(request: IncomingMessage): string {
  const target = request.url ?? '/';
  if (target.startsWith('/')) return target;
  const url = URL.parse(target);
  return url ? url.pathname + url.search : `/${target}`;
}

/**
 * Counts and logs every response by route, never by URL: a URL may contain a key. Successful reads are frequent and
 * carry little information, so they are logged at debug level.
 */
function observeResponses(app: FastifyInstance, { metrics, logger }: HttpOptions): void {
  app.addHook('onRoute', (route) => {
    const methods = [route.method].flat();
    const observers = new Map(methods.map((method) => [method, metrics.createRouteObserver(method, route.url)]));
    const observeResponse = (request: FastifyRequest, reply: FastifyReply, next: () => void) => {
      observers.get(request.method)?.(reply.statusCode, reply.elapsedTime / 1000);
      metrics.countLimitHit(reply.statusCode);
      logResponse(logger, request, reply, route.url);
      next();
    };
    route.onResponse = [observeResponse, ...[route.onResponse ?? []].flat()];
  });
  const observeUnknown = metrics.createRouteObserver('any', 'unknown');
  app.addHook('onResponse', (request, reply, next) => {
    if (request.is404) {
      observeUnknown(reply.statusCode, reply.elapsedTime / 1000);
      logResponse(logger, request, reply, 'unknown');
    }
    next();
  });
}

function logResponse(logger: Logger, request: FastifyRequest, reply: FastifyReply, route: string): void {
  const { method } = request;
  const isRead = request.isRead || method === 'GET' || method === 'HEAD';
  const isSuccessfulRead = reply.statusCode < 400 && isRead;
  if (isSuccessfulRead && !logger.isLevelEnabled('debug')) return;
  const { accountId, actor } = (request as Partial<FastifyRequest>).caller ?? {};
  const fields = {
    reqId: request.id,
    method,
    route,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
    ...(accountId === undefined ? {} : { account: accountId, actor: { type: actor?.type, id: actor?.id } }),
  };
  logger[isSuccessfulRead ? 'debug' : 'info'](fields, 'request completed');
}
