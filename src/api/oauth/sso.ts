import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SingleSignOn } from '../../core/access/single-sign-on.ts';
import { toDomainError } from '../../core/kernel/errors.ts';
import { createErrorHandler, type ErrorResponse, STATUSES } from '../http/error-handler.ts';
import type { Metrics } from '../http/metrics.ts';
import { readCode } from './parameters.ts';
import { countIfRateLimited, requireGranted, sendToken, USED_CODE } from './token-response.ts';

/** The page that the link redirects to. It reads the code from its fragment, which never reaches a server or a log. */
const LOGIN_PAGE = '/login';
/** The pages that a link can lead to: never any other address. */
const DEFAULT_DESTINATION = '/desk';
const DESTINATIONS: readonly string[] = [DEFAULT_DESTINATION, '/console'];

/**
 * Single sign-on: a link with an operator's key opens a page with the operator logged in. The redirect replaces the
 * key in the URL with a code for one token.
 */
export function registerSso(app: FastifyInstance, singleSignOn: SingleSignOn, metrics: Metrics): void {
  app.route({
    method: 'GET',
    url: '/admin/login',
    errorHandler: handleError,
    handler: async (request, reply) => {
      reply.headers(PAGE_HEADERS);
      // HEAD requests and prefetches must not log in.
      if (request.method === 'HEAD' || isPrefetch(request)) return reply.code(204).send();
      const destination = readDestination(request);
      if (destination === undefined) return sendPage(reply, WRONG_DESTINATION);
      const code = await countIfRateLimited(metrics, singleSignOn.issueCode(readKey(request), request.ip));
      const fragment = code && new URLSearchParams({ code, to: destination });
      if (fragment) return reply.code(303).header('location', `${LOGIN_PAGE}#${fragment}`).send();
      metrics.countLogin('refused');
      return sendPage(reply, INVALID_KEY);
    },
  });

  app.post('/admin/session', async (request, reply) => {
    const client = { address: request.ip, device: request.headers['user-agent'] };
    const result = await singleSignOn.exchange(readCode(request), client);
    return sendToken(reply, requireGranted(metrics, result, USED_CODE));
  });
}

const PAGE_HEADERS = {
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'content-security-policy':
    "default-src 'none'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
};

/** For programs and for browsers without scripts. Other browsers go on to the log-in page, which says it in their language. */
interface ErrorPage extends ErrorResponse {
  readonly title: string;
  readonly text: string;
  /** What the log-in page says. Without it, the browser stays here. */
  readonly reason?: 'linkInvalid' | 'linkWrong' | 'linkLimited' | 'linkUnavailable';
}

const INVALID_KEY = errorPage(
  403,
  'This login link is not valid',
  'Its key was replaced, or the operator no longer exists. Ask an admin for a new link.',
  'linkInvalid',
);
const WRONG_DESTINATION = errorPage(
  400,
  'This login link does not lead to a page of Switchboard',
  `It can lead to ${DESTINATIONS.join(' or ')}. Ask an admin for a new link.`,
  'linkWrong',
);
const TOO_MANY_LOGINS = errorPage(
  STATUSES.limited,
  'Too many logins',
  'Wait a minute and try the link again.',
  'linkLimited',
);
const UNAVAILABLE = errorPage(
  STATUSES.unavailable,
  'The service cannot answer right now',
  'Try the link again in a moment.',
  'linkUnavailable',
);

/** Parsed here and not by the framework, because the query string contains a key. */
function readKey(request: FastifyRequest): string {
  return readQuery(request).get('key') ?? '';
}

/** Undefined if it is not one of the known pages. */
function readDestination(request: FastifyRequest): string | undefined {
  const [destination = DEFAULT_DESTINATION, ...others] = readQuery(request).getAll('to');
  return others.length === 0 && DESTINATIONS.includes(destination) ? destination : undefined;
}

function readQuery({ url }: FastifyRequest): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start + 1));
}

/** Browsers mark requests that they make before the user clicks. */
function isPrefetch({ headers }: FastifyRequest): boolean {
  return ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].some((name) =>
    /prefetch|prerender|preview/i.test(String(headers[name] ?? '')),
  );
}

const handleError = createErrorHandler<ErrorPage>({
  render: (error) => {
    const domainError = toDomainError(error);
    const { retryAfterSeconds } = domainError?.details ?? {};
    return domainError && { ...(domainError.kind === 'limited' ? TOO_MANY_LOGINS : UNAVAILABLE), retryAfterSeconds };
  },
  renderInternalError: ({ id }) =>
    errorPage(500, 'The login failed', `Internal error. The server log has the details under ${id}.`),
  send: sendPage,
});

function errorPage(status: number, title: string, text: string, reason?: ErrorPage['reason']): ErrorPage {
  return { status, title, text, ...(reason && { reason }) };
}

function sendPage(reply: FastifyReply, { status, title, text, reason }: ErrorPage): FastifyReply {
  return reply
    .code(status)
    .headers({ ...PAGE_HEADERS, 'content-type': 'text/html; charset=utf-8' })
    .send(`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title} · Switchboard</title>
    <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
    ${reason === undefined ? '' : `<meta http-equiv="refresh" content="0; url=${LOGIN_PAGE}?reason=${reason}" />`}
  </head>
  <body>
    <h1>${title}</h1>
    <p>${text}</p>
    <p><a href="${LOGIN_PAGE}">Log in</a></p>
  </body>
</html>
`);
}
