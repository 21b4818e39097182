import type { FastifyInstance } from 'fastify';

const ALLOWED_METHODS = 'GET, HEAD, POST, PUT, DELETE, OPTIONS';
const ALLOWED_HEADERS = 'Authorization, Content-Type, Idempotency-Key, X-API-Key';
const EXPOSED_HEADERS = 'Deprecation, Idempotency-Replayed, Link, Location, Retry-After, Sunset, X-Request-Id';

/** Lets browser pages of the listed origins call the service. */
export function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const allowed = new Set(origins);
  app.addHook('onRequest', (request, reply, next) => {
    const { origin } = request.headers;
    reply.header('vary', 'Origin');
    if (origin !== undefined && allowed.has(origin)) {
      reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED_HEADERS });
      if (request.method === 'OPTIONS') {
        reply.headers({
          'access-control-allow-methods': ALLOWED_METHODS,
          'access-control-allow-headers': ALLOWED_HEADERS,
          'access-control-max-age': '600',
        });
      }
    }
    next();
  });
}
