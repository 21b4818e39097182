import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addVary } from './vary.ts';

const EXPOSED_HEADERS =
  'Allow, Deprecation, ETag, Idempotency-Replayed, Link, Location, Retry-After, Sunset, WWW-Authenticate, X-Request-Id';
/** Two hours: no browser keeps a preflight longer than that, except Firefox. */
const PREFLIGHT_SECONDS = '7200';

/** Lets browser pages of the listed origins call the service. */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const allowed = new Set(origins);
  app.addHook('onRequest', (request, reply, next) => {
    const { origin } = request.headers;
    addVary(reply, 'Origin');
    if (origin !== undefined && allowed.has(origin))
      setCorsHeaders(request, reply, 'GET, HEAD, POST, PUT, DELETE, OPTIONS');
    next();
  });
}

/**
 * Lets the page that sent the request read the response. A preflight allows every header that it asks for: libraries
 * add their own (tracing, Apollo), and the origin is trusted. Credentials of the browser are never allowed.
 */
export function setCorsHeaders(request: FastifyRequest, reply: FastifyReply, methods: string): void {
  const { origin, 'access-control-request-headers': requestedHeaders } = request.headers;
  reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED_HEADERS });
  if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) return;
  addVary(reply, 'Access-Control-Request-Headers');
  reply.headers({ 'access-control-allow-methods': methods, 'access-control-max-age': PREFLIGHT_SECONDS });
  if (requestedHeaders !== undefined) reply.header('access-control-allow-headers', requestedHeaders);
}

export function removeCorsHeaders(reply: FastifyReply): void {
  for (const name of Object.keys(reply.getHeaders())) if (name.startsWith('access-control-')) reply.removeHeader(name);
}
