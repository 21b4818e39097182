import type { FastifyInstance } from 'fastify';
import { OAuthError, readJson, requireText } from './parameters.ts';
import type { SessionOptions } from './session.ts';
import { sendJson } from './token-response.ts';

export const PASSWORD_LINK_PATH = '/session/password-link';
export const PASSWORD_PATH = '/session/password';

/**
 * For the page that a link of `operatorInvite` opens: it reads the link, and sets the password with it. That does not log
 * in, because two-factor authentication must still be passed.
 */
export function registerPasswordLink(
  app: FastifyInstance,
  { administration: { passwordLinks }, sessionCookie }: Pick<SessionOptions, 'administration' | 'sessionCookie'>,
): void {
  app.post(PASSWORD_LINK_PATH, async (request, reply) => {
    sessionCookie.requireOwnPage(request.raw);
    const link = await passwordLinks.find(requireText(readJson(request), 'token'), request.ip);
    if (!link) throw invalidLink();
    const { email, name, firstName } = link.operator;
    const expiresAt = new Date(link.expiresAt).toISOString();
    return sendJson(reply, 200, { email, name: `${firstName} ${name}`.trim(), expiresAt });
  });

  app.post(PASSWORD_PATH, async (request, reply) => {
    sessionCookie.requireOwnPage(request.raw);
    const body = readJson(request);
    const token = requireText(body, 'token');
    // Not `requireText`: an empty or very long password breaks a rule of passwords, which the response names.
    const password = typeof body.password === 'string' ? body.password : requireText(body, 'password');
    if (!(await passwordLinks.setPassword(token, password, request.ip))) throw invalidLink();
    return reply.code(204).header('cache-control', 'no-store').send();
  });
}

/** The same for every reason: a guess must not learn that a link existed. */
function invalidLink(): OAuthError {
  return new OAuthError(400, 'invalid_grant', 'the link has expired, was replaced or was already used');
}
