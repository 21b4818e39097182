import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../../core/access/access.ts';
import { asDomainError, type ErrorKind } from '../../core/kernel/errors.ts';
import { bearerToken } from '../http/bearer-token.ts';
import { asHttpError, HttpError } from '../http/http-error.ts';
import type { Metrics } from '../http/metrics.ts';
import { OAuthError, readParameters, required } from './parameters.ts';
import { registerSso } from './sso.ts';
import { send, sendToken } from './token-answer.ts';

/** Tokens for e-mail and password (RFC 6749) and for single sign-on, their revocation (RFC 7009), and the check of a token (RFC 6750). */
export function registerOAuth(app: FastifyInstance, access: Access, metrics: Metrics): void {
  const { login, tokens, viewers } = access;
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply));
  registerSso(app, access.singleSignOn, metrics);

  app.post('/oauth2/token', async (request, reply) => {
    const parameters = readParameters(request);
    const grant = required(parameters, 'grant_type');
    if (grant !== 'password')
      throw new OAuthError(400, 'unsupported_grant_type', 'only the grant type password is supported');
    const email = required(parameters, 'username');
    const password = required(parameters, 'password');
    const token = await login.logIn({ email, password, address: request.ip }).catch((error) => {
      if (asDomainError(error)?.kind === 'limited') metrics.login('limited');
      throw error;
    });
    metrics.login(token === undefined ? 'refused' : 'granted');
    if (token === undefined)
      throw new OAuthError(400, 'invalid_grant', 'the e-mail and the password do not belong together');
    return sendToken(reply, token);
  });

  app.post('/oauth2/revoke', async (request, reply) => {
    const token = required(readParameters(request), 'token');
    await tokens.revoke(token);
    viewers.forget(token);
    return send(reply, 200, {});
  });

  app.get('/_authenticated', async (request, reply) => {
    const token = bearerToken(request);
    const caller = token === undefined ? undefined : await viewers.of(token);
    if (caller) return send(reply, 200, { authenticated: true });
    reply.header('www-authenticate', token === undefined ? 'Bearer' : 'Bearer error="invalid_token"');
    throw new OAuthError(401, 'invalid_token', 'access token not valid');
  });

  for (const [url, allowed] of [
    ['/oauth2/token', 'POST'],
    ['/oauth2/revoke', 'POST'],
    ['/_authenticated', 'GET, HEAD'],
    ['/admin/login', 'GET, HEAD'],
    ['/admin/session', 'POST'],
  ] as const) {
    const others = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'].filter((method) => !allowed.includes(method));
    app.route({
      method: others as 'GET'[],
      url,
      handler: async (_request, reply) => {
        reply.header('allow', allowed);
        throw new HttpError(405, `this address takes ${allowed}`);
      },
    });
    app.options(url, async (_request, reply) => reply.code(204).header('allow', `${allowed}, OPTIONS`).send());
  }
}

/** Names of errors for what the core can refuse here. */
const KINDS: Record<ErrorKind, { status: number; error: string }> = {
  invalid: { status: 400, error: 'invalid_request' },
  forbidden: { status: 403, error: 'access_denied' },
  unknown: { status: 404, error: 'invalid_request' },
  conflict: { status: 409, error: 'invalid_request' },
  state: { status: 409, error: 'invalid_request' },
  limit: { status: 409, error: 'invalid_request' },
  in_progress: { status: 409, error: 'invalid_request' },
  other_request: { status: 422, error: 'invalid_request' },
  limited: { status: 429, error: 'too_many_requests' },
  unavailable: { status: 503, error: 'temporarily_unavailable' },
  outcome_unknown: { status: 503, error: 'temporarily_unavailable' },
};

function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof OAuthError) return sendError(reply, error.status, error.code, error.message);
  const known = asDomainError(error);
  if (known) {
    const { retryAfterSeconds } = known.details;
    if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
    const { status, error: code } = KINDS[known.kind];
    return sendError(reply, status, code, known.message);
  }
  const http = asHttpError(error);
  if (http) return sendError(reply, http.status === 415 ? 400 : http.status, 'invalid_request', http.message);
  request.log.error({ err: error, reqId: request.id }, 'request failed');
  return sendError(reply, 500, 'server_error', 'Internal error.');
}

function sendError(reply: FastifyReply, status: number, error: string, description: string): FastifyReply {
  return send(reply, status, { error, error_description: description });
}
