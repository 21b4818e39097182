import type { FastifyReply } from 'fastify';
import { TOKEN_SECONDS } from '../../core/access/tokens.ts';
import { asDomainError } from '../../core/kernel/errors.ts';
import type { Metrics } from '../http/metrics.ts';
import { OAuthError } from './parameters.ts';

/** Every answer passes here, also to a request that was refused before any hook of ours ran. */
export function send(reply: FastifyReply, status: number, body: object): FastifyReply {
  return reply
    .code(status)
    .headers({ 'content-type': 'application/json', 'cache-control': 'no-store', pragma: 'no-cache' })
    .send(JSON.stringify(body));
}

/** Answers a login: with the token in the four fields of the contract, or with why there is none. */
export function answerLogin(
  reply: FastifyReply,
  metrics: Metrics,
  token: string | undefined,
  refusal: string,
): FastifyReply {
  metrics.login(token === undefined ? 'refused' : 'granted');
  if (token === undefined) throw new OAuthError(400, 'invalid_grant', refusal);
  return send(reply, 200, {
    access_token: token,
    expires_in: TOKEN_SECONDS,
    token_type: 'Bearer',
    refresh_token: 'none',
  });
}

/** Counts a login that is refused as one too many. */
export function countLimited<T>(metrics: Metrics, login: Promise<T>): Promise<T> {
  return login.catch((error) => {
    if (asDomainError(error)?.kind === 'limited') metrics.login('limited');
    throw error;
  });
}
