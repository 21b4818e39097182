import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../../core/access/access.ts';
import type { LoginResult } from '../../core/access/login.ts';
import { TOKEN_TTL_SECONDS } from '../../core/access/tokens.ts';
import type { Administration } from '../../core/administration/administration.ts';
import type { Caller } from '../../core/kernel/caller.ts';
import type { Metrics } from '../http/metrics.ts';
import type { SessionCookie } from '../http/session-cookie.ts';
import { invalidRequest, readJson, readOptionalText, requireText } from './parameters.ts';
import { countIfRateLimited, requireGranted, sendJson, USED_CODE, WRONG_PASSWORD } from './token-response.ts';

export const SESSION_PATH = '/session';

export interface SessionOptions {
  readonly access: Access;
  readonly administration: Administration;
  readonly metrics: Metrics;
  readonly sessionCookie: SessionCookie;
}

/** The session of a browser: `GET` reads it, `POST` logs in, `DELETE` logs out. Only for the service's own pages. */
export function registerSession(app: FastifyInstance, options: SessionOptions): void {
  const { access, metrics, sessionCookie: cookie } = options;

  app.get(SESSION_PATH, async (request, reply) => {
    cookie.rejectOtherPage(request.raw);
    const secret = cookie.readSecret(request.raw);
    return sendSession(reply, options, secret);
  });

  app.post(SESSION_PATH, async (request, reply) => {
    cookie.requireOwnPage(request.raw);
    const secret = await logIn(request, access, metrics);
    // A value that someone else planted must not become the session of this operator.
    const previousSecret = cookie.readSecret(request.raw);
    if (previousSecret !== undefined) await access.sessions.endOwn(previousSecret, 'replaced', request.ip);
    reply.header('set-cookie', cookie.serialize(request.raw, secret, TOKEN_TTL_SECONDS));
    return sendSession(reply, options, secret);
  });

  app.delete(SESSION_PATH, async (request, reply) => {
    cookie.requireOwnPage(request.raw);
    const secret = cookie.readSecret(request.raw);
    if (secret !== undefined) await access.sessions.endOwn(secret, 'logged_out', request.ip);
    return reply
      .code(204)
      .headers({ 'cache-control': 'no-store', 'set-cookie': cookie.serialize(request.raw, undefined, 0) })
      .send();
  });
}

/** By password or by a single sign-on code. Returns the secret of the new session. */
async function logIn(request: FastifyRequest, access: Access, metrics: Metrics): Promise<string> {
  const body = readJson(request);
  const client = { address: request.ip, device: request.headers['user-agent'], use: 'session' } as const;
  if (body.ssoCode === undefined) {
    const code = readOptionalText(body, 'code');
    const credentials = { ...client, email: requireText(body, 'email'), password: requireText(body, 'password'), code };
    return requireGranted(metrics, await countIfRateLimited(metrics, access.login.logIn(credentials)), WRONG_PASSWORD);
  }
  if (body.email !== undefined || body.password !== undefined || body.code !== undefined)
    throw invalidRequest('send either email, password and code or ssoCode');
  const result: LoginResult = await access.singleSignOn.exchange(requireText(body, 'ssoCode'), client);
  return requireGranted(metrics, result, USED_CODE);
}

async function sendSession(
  reply: FastifyReply,
  options: SessionOptions,
  secret: string | undefined,
): Promise<FastifyReply> {
  const caller = secret === undefined ? undefined : await options.access.tokenCallers.findCaller(secret, 'session');
  const session = caller && (await describeSession(caller, options));
  return sendJson(reply, 200, session ?? { authenticated: false });
}

/** Returns undefined if the operator was deleted in the meantime. */
async function describeSession(caller: Caller, { access, administration }: SessionOptions) {
  const { accountId, operatorId, sessionExpiresAt, mustSetUpTwoFactor } = caller;
  if (operatorId === null || sessionExpiresAt === undefined) return undefined;
  const [[operator], account, { theme }] = await Promise.all([
    administration.operatorQuery.load(accountId, [operatorId]),
    access.accounts.find(accountId),
    administration.preferences.find(accountId, operatorId),
  ]);
  if (!operator || !account) return undefined;
  const { id, name, firstName, pseudo, email, roles, languageAdmin } = operator;
  return {
    authenticated: true,
    operator: { id: String(id), name, firstName, pseudo, email, roles, languageAdmin },
    accountId: String(accountId),
    accountName: account.name,
    theme: theme.toUpperCase(),
    expiresAt: new Date(sessionExpiresAt).toISOString(),
    mustSetUpTwoFactor,
  };
}
