import type { FastifyInstance, FastifyReply } from 'fastify';
import { forbidden } from '../../core/kernel/caller.ts';
import { readBearerToken } from '../http/bearer-token.ts';
import type { VisitorGate } from './visitor-gate.ts';

const RESPONSE_HEADERS = ['access-control-allow-origin', 'access-control-expose-headers'] as const;
const PREFLIGHT_HEADERS = [
  'access-control-allow-methods',
  'access-control-allow-headers',
  'access-control-max-age',
] as const;

/**
 * Allows the origins of the token's website and rejects all others. A preflight has neither token nor body, so the
 * origin of any website is allowed; the request that follows is checked against the website of its token.
 */
export function registerCors(app: FastifyInstance, gate: VisitorGate): void {
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    removeCorsHeaders(reply); // set by the CORS settings of the installation, which do not apply here
    reply.header('vary', 'Origin');
    if (origin === undefined) return;
    const token = readBearerToken(request);
    const visitor = token === undefined ? undefined : await gate.authenticate(token, origin);
    const isAllowed = visitor === undefined ? await gate.isKnownOrigin(origin) : visitor !== 'wrong_origin';
    if (!isAllowed && request.method === 'OPTIONS') return; // without CORS headers, the browser blocks the request
    if (!isAllowed) throw forbidden();
    reply.headers({
      'access-control-allow-origin': origin,
      'access-control-expose-headers': 'Retry-After, X-Request-Id',
    });
    if (request.method !== 'OPTIONS') return;
    reply.headers({
      'access-control-allow-methods': 'GET, POST, OPTIONS',
      'access-control-allow-headers': 'Authorization, Content-Type',
      'access-control-max-age': '600',
    });
  });
}

export function removeCorsHeaders(reply: FastifyReply): void {
  for (const name of [...RESPONSE_HEADERS, ...PREFLIGHT_HEADERS]) reply.removeHeader(name);
}
