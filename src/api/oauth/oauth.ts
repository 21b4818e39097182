import type { FastifyInstance } from 'fastify';
import type { Access } from '../../core/access/access.ts';
import { asDomainError, type ErrorKind } from '../../core/kernel/errors.ts';
import { bearerToken } from '../http/bearer-token.ts';
import { type ErrorAnswer, errorHandler, STATUSES } from '../http/error-handler.ts';
import { asHttpError, HttpError } from '../http/http-error.ts';
import type { Metrics } from '../http/metrics.ts';
import { OAuthError, readParameters, required } from './parameters.ts';
import { registerSso } from './sso.ts';
import { answerLogin, countLimited, send } from './token-answer.ts';

/** Tokens for e-mail and password (RFC 6749) and for single sign-on, their revocation (RFC 7009), and the check of a token (RFC 6750). */
export function registerOAuth(app: FastifyInstance, access: Access, metrics: Metrics): void {
  const { login, tokens, viewers } = access;
  app.setErrorHandler(answerError);
  registerSso(app, access.singleSignOn, metrics);

  app.post('/oauth2/token', async (request, reply) => {
    const parameters = readParameters(request);
    const grant = required(parameters, 'grant_type');
    if (grant !== 'password')
      throw new OAuthError(400, 'unsupported_grant_type', 'only the grant type password is supported');
    const email = required(parameters, 'username');
    const password = required(parameters, 'password');
    const token = await countLimited(metrics, login.logIn({ email, password, address: request.ip }));
    return answerLogin(reply, metrics, token, 'the e-mail and the password do not belong together');
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

/** What the core can refuse here, in the words of RFC 6749. */
const CODES: Readonly<Record<ErrorKind, string>> = {
  invalid: 'invalid_request',
  forbidden: 'access_denied',
  unknown: 'invalid_request',
  conflict: 'invalid_request',
  state: 'invalid_request',
  limit: 'invalid_request',
  in_progress: 'invalid_request',
  other_request: 'invalid_request',
  limited: 'too_many_requests',
  unavailable: 'temporarily_unavailable',
  outcome_unknown: 'temporarily_unavailable',
};

const answerError = errorHandler<OAuthAnswer>({
  render: (error) => {
    if (error instanceof OAuthError) return error;
    const known = asDomainError(error);
    if (known) {
      const { kind, message, details } = known;
      return { status: STATUSES[kind], code: CODES[kind], message, retryAfterSeconds: details.retryAfterSeconds };
    }
    const http = asHttpError(error);
    return http && { status: http.status === 415 ? 400 : http.status, code: 'invalid_request', message: http.message };
  },
  renderFault: () => ({ status: 500, code: 'server_error', message: 'Internal error.' }),
  send: (reply, { status, code, message }) => send(reply, status, { error: code, error_description: message }),
});

interface OAuthAnswer extends ErrorAnswer {
  readonly code: string;
  readonly message: string;
}
