import type { FastifyInstance } from 'fastify';
import { forbidden } from '../../core/kernel/caller.ts';
import { readBearerToken } from '../http/bearer-token.ts';
import { removeCorsHeaders, setCorsHeaders } from '../http/cors.ts';
import { addVary } from '../http/vary.ts';
import type { VisitorGate } from './visitor-gate.ts';

/**
 * Allows the origins of the token's website and rejects all others. A preflight has neither token nor body, so the
 * origin of any website is allowed; the request that follows is checked against the website of its token.
 */
export function registerCors(app: FastifyInstance, gate: VisitorGate): void {
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    removeCorsHeaders(reply); // set by the CORS settings of the installation, which do not apply here
    addVary(reply, 'Origin');
    if (origin === undefined) return;
    const token = readBearerToken(request);
    const visitor = token === undefined ? undefined : await gate.authenticate(token, origin);
    const isAllowed = visitor === undefined ? await gate.isKnownOrigin(origin) : visitor !== 'wrong_origin';
    if (isAllowed) setCorsHeaders(request, reply, 'GET, POST, OPTIONS');
    else if (request.method !== 'OPTIONS') throw forbidden(); // a browser blocks a preflight without CORS headers
  });
}
