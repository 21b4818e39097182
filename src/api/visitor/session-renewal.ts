import type { FastifyInstance } from 'fastify';
import type { VisitorPresence } from '../../core/engine/presence/visitor-presence.ts';
import { forbidden } from '../../core/kernel/caller.ts';
import { MAX_SESSION_DAYS } from '../../core/visitors/visitor-sessions.ts';
import type { Visitors } from '../../core/visitors/visitors.ts';
import { graphqlError, unauthenticatedError } from '../graphql-server/errors.ts';
import { sendUnauthenticated } from '../graphql-server/http.ts';
import { readCredential } from '../http/credential.ts';
import { rejectOtherMethods } from '../http/methods.ts';
import { sendSession } from './session.ts';
import type { VisitorGate } from './visitor-gate.ts';

export const RENEW_PATH = '/visitor/session/renew';

const TOO_OLD_MESSAGE = `The session is older than ${MAX_SESSION_DAYS} days and cannot be renewed. Open a new one.`;

/** `POST /visitor/session/renew` exchanges a visitor's token for a new one of the same session. */
export function registerSessionRenewal(
  app: FastifyInstance,
  { sessions, limits }: Pick<Visitors, 'sessions' | 'limits'>,
  gate: VisitorGate,
  presence: VisitorPresence,
): void {
  app.post(RENEW_PATH, async (request, reply) => {
    const credential = readCredential(request, false);
    const visitor = credential && (await gate.authenticate(credential.secret, request.headers.origin));
    if (visitor === 'wrong_origin') throw forbidden();
    if (!visitor) return sendUnauthenticated(reply, credential, unauthenticatedError(credential, false));
    presence.noteRequest(visitor);
    await limits.admitRenewal(visitor, request.ip);
    const renewed = await sessions.renew(credential.secret, visitor);
    if (renewed === 'not_valid') return sendUnauthenticated(reply, credential, unauthenticatedError(credential, false));
    if (renewed === 'too_old')
      return sendUnauthenticated(reply, credential, graphqlError('UNAUTHENTICATED', TOO_OLD_MESSAGE));
    return sendSession(reply, renewed);
  });

  rejectOtherMethods(app, RENEW_PATH, 'POST, OPTIONS', 'Method not allowed: use POST.');
}
