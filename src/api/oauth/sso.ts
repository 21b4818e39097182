import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SingleSignOn } from '../../core/access/single-sign-on.ts';
import { asDomainError } from '../../core/kernel/errors.ts';
import { type ErrorAnswer, errorHandler, STATUSES } from '../http/error-handler.ts';
import type { Metrics } from '../http/metrics.ts';
import { readCode } from './parameters.ts';
import { answerLogin, countLimited } from './token-answer.ts';

/** The page that a single sign-on leads to. It takes the code from its fragment, which no server and no log sees. */
const LANDING_PAGE = '/graphiql';

/**
 * Single sign-on: a link with the key of an operator leads to a page that is logged in. The key leaves the address at once: in
 * its place comes a code for one token.
 */
export function registerSso(app: FastifyInstance, singleSignOn: SingleSignOn, metrics: Metrics): void {
  app.route({
    method: 'GET',
    url: '/admin/login',
    errorHandler: refuse,
    handler: async (request, reply) => {
      reply.headers(HEADERS);
      // Whoever only looks, or loads ahead of a click, starts nothing.
      if (request.method === 'HEAD' || isLookAhead(request)) return reply.code(204).send();
      const code = await countLimited(metrics, singleSignOn.codeFor(keyIn(request), request.ip));
      if (code !== undefined) return reply.code(303).header('location', `${LANDING_PAGE}#code=${code}`).send();
      metrics.login('refused');
      return sendPage(reply, NOT_VALID);
    },
  });

  app.post('/admin/session', async (request, reply) => {
    const token = await singleSignOn.exchange(readCode(request));
    return answerLogin(reply, metrics, token, 'the code was used before, or is too old');
  });
}

const HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
};

interface ErrorPage extends ErrorAnswer {
  readonly title: string;
  readonly words: string;
}

const NOT_VALID = page(
  403,
  'This link does not log you in',
  'Its key was replaced, or belongs to nobody any more. Ask whoever gave it to you, or an admin, for a new one.',
);
const TOO_MANY = page(STATUSES.limited, 'Too many logins', 'Wait a minute and use the link again.');
const UNAVAILABLE = page(
  STATUSES.unavailable,
  'The service cannot answer right now',
  'Use the link again in a moment.',
);

/** Queries are not parsed before this: they may carry a key, as here. */
function keyIn(request: FastifyRequest): string {
  const [, query = ''] = request.url.split('?', 2);
  return new URLSearchParams(query).get('key') ?? '';
}

/** Browsers say so when nobody has clicked yet. */
function isLookAhead({ headers }: FastifyRequest): boolean {
  return ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].some((name) =>
    /prefetch|prerender|preview/i.test(String(headers[name] ?? '')),
  );
}

const refuse = errorHandler<ErrorPage>({
  render: (error) => {
    const known = asDomainError(error);
    const { retryAfterSeconds } = known?.details ?? {};
    return known && { ...(known.kind === 'limited' ? TOO_MANY : UNAVAILABLE), retryAfterSeconds };
  },
  renderFault: ({ id }) => page(500, 'The login failed', `A fault of the service. Its log has it under ${id}.`),
  send: sendPage,
});

function page(status: number, title: string, words: string): ErrorPage {
  return { status, title, words };
}

function sendPage(reply: FastifyReply, { status, title, words }: ErrorPage): FastifyReply {
  return reply
    .code(status)
    .headers({ ...HEADERS, 'content-type': 'text/html; charset=utf-8' })
    .send(`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title} · Switchboard</title>
    <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="/style.css" />
  </head>
  <body>
    <header>
      <div class="brand"><img src="/favicon.svg" alt="" />Switchboard</div>
      <h1>${title}</h1>
      <p class="lead">${words}</p>
    </header>
  </body>
</html>
`);
}
