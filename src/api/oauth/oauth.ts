import type { FastifyInstance } from 'fastify';
import { type ErrorKind, toDomainError } from '../../core/kernel/errors.ts';
import { readBearerToken } from '../http/bearer-token.ts';
import { createErrorHandler, type ErrorResponse, STATUSES } from '../http/error-handler.ts';
import { toHttpError } from '../http/http-error.ts';
import { rejectOtherMethods } from '../http/methods.ts';
import { METADATA_PATH, registerMetadata } from './metadata.ts';
import { OAuthError, readOptionalParameter, readParameters, requireParameter } from './parameters.ts';
import { PASSWORD_LINK_PATH, PASSWORD_PATH, registerPasswordLink } from './password-link.ts';
import { registerSession, SESSION_PATH, type SessionOptions } from './session.ts';
import { registerSessionOptions, SESSION_OPTIONS_PATH } from './session-options.ts';
import { registerSso } from './sso.ts';
import { countIfRateLimited, requireGranted, sendJson, sendToken, WRONG_PASSWORD } from './token-response.ts';

export interface OAuthOptions extends SessionOptions {
  /** The public address of the service, if configured. */
  readonly publicUrl: string | undefined;
}

/**
 * Login by password (RFC 6749) and by single sign-on, sessions of browsers, links to set a password, token revocation
 * (RFC 7009), token check (RFC 6750) and the metadata of these endpoints (RFC 8414).
 */
export function registerOAuth(app: FastifyInstance, options: OAuthOptions): void {
  const { access, metrics, publicUrl } = options;
  const { login, tokens, tokenCallers } = access;
  app.setErrorHandler(handleError);
  registerMetadata(app, publicUrl);
  registerSso(app, access.singleSignOn, metrics);
  registerSession(app, options);
  registerSessionOptions(app, access.accounts);
  registerPasswordLink(app, options);

  app.post('/oauth2/token', async (request, reply) => {
    const parameters = readParameters(request);
    const grantType = requireParameter(parameters, 'grant_type');
    if (grantType !== 'password')
      throw new OAuthError(400, 'unsupported_grant_type', 'only the grant type password is supported');
    const email = requireParameter(parameters, 'username');
    const password = requireParameter(parameters, 'password');
    const client = { address: request.ip, device: request.headers['user-agent'] };
    const credentials = { ...client, email, password, code: readOptionalParameter(parameters, 'otp') };
    const result = await countIfRateLimited(metrics, login.logIn(credentials));
    return sendToken(reply, requireGranted(metrics, result, WRONG_PASSWORD));
  });

  app.post('/oauth2/revoke', async (request, reply) => {
    const token = requireParameter(readParameters(request), 'token');
    await tokens.revoke(token);
    tokenCallers.evict(token);
    return sendJson(reply, 200, {});
  });

  app.get('/_authenticated', async (request, reply) => {
    const token = readBearerToken(request);
    const caller = token === undefined ? undefined : await tokenCallers.findCaller(token);
    if (caller) return sendJson(reply, 200, { authenticated: true });
    reply.header('www-authenticate', token === undefined ? 'Bearer' : 'Bearer error="invalid_token"');
    throw new OAuthError(401, 'invalid_token', 'access token not valid');
  });

  for (const [url, allowed] of [
    ['/oauth2/token', 'POST'],
    ['/oauth2/revoke', 'POST'],
    [METADATA_PATH, 'GET, HEAD'],
    ['/_authenticated', 'GET, HEAD'],
    ['/admin/login', 'GET, HEAD'],
    ['/admin/session', 'POST'],
    [SESSION_PATH, 'GET, HEAD, POST, DELETE'],
    [SESSION_OPTIONS_PATH, 'GET, HEAD'],
    [PASSWORD_LINK_PATH, 'POST'],
    [PASSWORD_PATH, 'POST'],
  ] as const) {
    rejectOtherMethods(app, url, allowed, `method not allowed; allowed methods: ${allowed}`);
  }
}

/** The OAuth error code of each kind of error. */
const ERROR_CODES: Readonly<Record<ErrorKind, string>> = {
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

const handleError = createErrorHandler<OAuthErrorResponse>({
  render: (error) => {
    if (error instanceof OAuthError) return error;
    const domainError = toDomainError(error);
    if (domainError) {
      const { kind, details } = domainError;
      const [problem] = details.problems ?? [];
      const message = problem ? `${problem.path.join('.')} ${problem.rule}` : domainError.message;
      const { retryAfterSeconds } = details;
      return { status: STATUSES[kind], code: ERROR_CODES[kind], message, reason: problem?.reason, retryAfterSeconds };
    }
    const httpError = toHttpError(error);
    return (
      httpError && {
        status: httpError.status === 415 ? 400 : httpError.status,
        code: 'invalid_request',
        message: httpError.message,
      }
    );
  },
  renderInternalError: () => ({ status: 500, code: 'server_error', message: 'Internal error.' }),
  send: (reply, { status, code, message, reason }) =>
    sendJson(reply, status, { error: code, error_description: message, reason }),
});

/** The body of a response that says so. */
export function renderUnavailable(message: string): string {
  return JSON.stringify({ error: ERROR_CODES.unavailable, error_description: message });
}

interface OAuthErrorResponse extends ErrorResponse {
  readonly code: string;
  readonly message: string;
  /** The broken rule, for programs. */
  readonly reason?: string | undefined;
}
