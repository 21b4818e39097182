import type { FastifyInstance, FastifyReply } from 'fastify';
import { forbidden } from '../../core/kernel/caller.ts';
import { bearerToken } from '../http/bearer-token.ts';
import type { VisitorGate } from './visitor-gate.ts';

const OF_ALL_ANSWERS = ['access-control-allow-origin', 'access-control-expose-headers'] as const;
const OF_PREFLIGHTS = [
  'access-control-allow-methods',
  'access-control-allow-headers',
  'access-control-max-age',
] as const;

/**
 * Pages of a website's origins may call; those of others are refused. Before a website is known (a preflight carries
 * neither token nor body) the origin must be that of any website, and what follows is looked at closely.
 */
export function allowPages(app: FastifyInstance, gate: VisitorGate): void {
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    forbidPage(reply); // what the installation allows its own pages is another matter
    reply.header('vary', 'Origin');
    if (origin === undefined) return;
    const token = bearerToken(request);
    const visitor = token === undefined ? undefined : await gate.visitorOf(token, origin);
    const allowed = visitor === undefined ? await gate.knows(origin) : visitor !== 'elsewhere';
    if (!allowed && request.method === 'OPTIONS') return; // an answer without a permission is a no
    if (!allowed) throw forbidden();
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

/** Takes every permission back. */
export function forbidPage(reply: FastifyReply): void {
  for (const name of [...OF_ALL_ANSWERS, ...OF_PREFLIGHTS]) reply.removeHeader(name);
}
