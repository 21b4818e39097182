import type { FastifyReply } from 'fastify';
import type { LoginResult } from '../../core/access/login.ts';
import { TOKEN_TTL_SECONDS } from '../../core/access/tokens.ts';
import { toDomainError } from '../../core/kernel/errors.ts';
import type { Metrics } from '../http/metrics.ts';
import { OAuthError } from './parameters.ts';

/** Sets the headers itself, because a request can be rejected before any hook runs. */
export function sendJson(reply: FastifyReply, status: number, body: object): FastifyReply {
  return reply
    .code(status)
    .headers({ 'content-type': 'application/json', 'cache-control': 'no-store', pragma: 'no-cache' })
    .send(JSON.stringify(body));
}

/** Byte for byte the same for an unknown e-mail address. */
export const WRONG_PASSWORD = 'wrong e-mail or password';

export const USED_CODE = 'the code has expired or was already used';

/** After the right password. */
export const MFA_MESSAGES = {
  code_required: 'a code of the authenticator app, or a recovery code, is required',
  wrong_code: 'the code is wrong, has expired or was already used',
  set_up_required:
    'two-factor authentication is required and not set up: set it up in the browser, or use an API key instead',
} as const;

/** Returns the secret of the token or session, or fails with `invalid_grant` or `mfa_required`. */
export function requireGranted(metrics: Metrics, result: LoginResult, failureMessage: string): string {
  metrics.countLogin(result.kind === 'granted' || result.kind === 'code_required' ? result.kind : 'refused');
  if (result.kind === 'granted') return result.secret;
  if (result.kind === 'refused') throw new OAuthError(400, 'invalid_grant', failureMessage);
  throw new OAuthError(400, 'mfa_required', MFA_MESSAGES[result.kind]);
}

export function sendToken(reply: FastifyReply, token: string): FastifyReply {
  return sendJson(reply, 200, {
    access_token: token,
    expires_in: TOKEN_TTL_SECONDS,
    token_type: 'Bearer',
    refresh_token: 'none',
  });
}

export function countIfRateLimited<T>(metrics: Metrics, login: Promise<T>): Promise<T> {
  return login.catch((error) => {
    if (toDomainError(error)?.kind === 'limited') metrics.countLogin('limited');
    throw error;
  });
}
