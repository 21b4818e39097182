import type { FastifyReply } from 'fastify';
import { TOKEN_SECONDS } from '../../core/access/tokens.ts';

/** Every answer passes here, also to a request that was refused before any hook of ours ran. */
export function send(reply: FastifyReply, status: number, body: object): FastifyReply {
  return reply
    .code(status)
    .headers({ 'content-type': 'application/json', 'cache-control': 'no-store', pragma: 'no-cache' })
    .send(JSON.stringify(body));
}

/** A token in the four fields of the contract. */
export function sendToken(reply: FastifyReply, token: string): FastifyReply {
  return send(reply, 200, {
    access_token: token,
    expires_in: TOKEN_SECONDS,
    token_type: 'Bearer',
    refresh_token: 'none',
  });
}
