import { z } from 'zod';
import type { ZodOpenApiComponentsObject, ZodOpenApiHeaderObject, ZodOpenApiPathsObject } from 'zod-openapi';
import { TOKEN_TTL_SECONDS } from '../../core/access/tokens.ts';
import { headerRefs } from '../http/openapi.ts';
import { buildMetadata, METADATA_PATH } from './metadata.ts';
import { bodyErrors, commonErrors, errorResponse, formBody, htmlResponse, jsonResponse } from './openapi-responses.ts';
import { sessionTags } from './openapi-session.ts';
import { MFA_MESSAGES } from './token-response.ts';

const TAG = 'Token';

const tokenRequest = z
  .object({
    grant_type: z.literal('password').meta({ description: 'The only supported grant type.' }),
    username: z.string().min(1).max(1024).meta({ description: 'E-mail address of the operator.' }),
    password: z.string().min(1).max(1024).meta({ description: 'Password of the operator.', format: 'password' }),
    otp: z.string().max(1024).optional().meta({
      description:
        'The current code of the authenticator app, or a recovery code. Required if the operator has set up two-factor authentication, ignored otherwise.',
    }),
  })
  .meta({ id: 'TokenRequest', description: 'The password grant of RFC 6749. Each parameter may be sent once.' });

const token = z
  .object({
    access_token: z.string().meta({ description: 'The opaque bearer token.' }),
    expires_in: z.literal(TOKEN_TTL_SECONDS).meta({ description: 'Lifetime of the token in seconds: 12 hours.' }),
    token_type: z.literal('Bearer').meta({ description: 'Always `Bearer`.' }),
    refresh_token: z.literal('none').meta({ description: 'Tokens cannot be refreshed: log in again.' }),
  })
  .meta({ id: 'Token', description: 'An access token.' });

const revokeRequest = z
  .object({ token: z.string().min(1).max(1024).meta({ description: 'The token to revoke.' }) })
  .meta({ id: 'RevokeRequest', description: 'A token revocation (RFC 7009).' });

const metadata = z
  .object({
    issuer: z.url().meta({ description: 'The public address of the service.' }),
    token_endpoint: z.url().meta({ description: 'Issues tokens.' }),
    revocation_endpoint: z.url().meta({ description: 'Revokes tokens (RFC 7009).' }),
    grant_types_supported: z.array(z.string()).meta({ description: 'Supported grant types.' }),
    response_types_supported: z
      .array(z.string())
      .meta({ description: 'Empty: there is no authorization endpoint. The standard requires the field.' }),
    token_endpoint_auth_methods_supported: z.array(z.string()).meta({
      description: 'How clients may identify themselves to `token_endpoint`. Client credentials are ignored.',
    }),
    revocation_endpoint_auth_methods_supported: z
      .array(z.string())
      .meta({ description: 'The same for `revocation_endpoint`.' }),
    service_documentation: z.url().meta({ description: 'This documentation.' }),
  })
  .meta({ id: 'AuthorizationServerMetadata', description: 'The token endpoints (RFC 8414).' });

const sessionRequest = z
  .object({ code: z.string().min(1).max(1024).meta({ description: 'The code. Valid once, for one minute.' }) })
  .meta({ id: 'SessionRequest', description: 'A single sign-on code.' });

const exampleToken = {
  access_token: 'nq8Zk0xJ4Qm1rT7vYb2cUe5fWh9gKiLsPdXoAjRtV6w',
  expires_in: TOKEN_TTL_SECONDS,
  token_type: 'Bearer',
  refresh_token: 'none',
};
const exampleCode = { code: 'T2m8Hq0sLw4Zx7Kc1Vb9Rf3Yd6Ng5Jp0Ae8Ui2Oo4Xk' };

const exampleLogin = {
  grant_type: 'password',
  username: 'alice.martin@example.com',
  password: 'correct horse battery',
};

const tokenPaths: ZodOpenApiPathsObject = {
  '/oauth2/token': {
    post: {
      operationId: 'create_token',
      tags: [TAG],
      summary: 'Exchange an e-mail address and password for a token',
      description:
        'Limits: 10 logins per minute per user, 100 per minute per IP address. Parameters are read from the body only; client credentials are ignored.',
      security: [],
      requestBody: formBody(tokenRequest, exampleLogin),
      responses: {
        200: jsonResponse('The token.', token, exampleToken),
        400: errorResponse('The request is not valid, or the credentials are wrong.', {
          invalid_grant: 'wrong e-mail or password',
          mfa_required: MFA_MESSAGES.code_required,
          invalid_request: 'the parameter username is missing',
          unsupported_grant_type: 'only the grant type password is supported',
        }),
        429: errorResponse(
          'Too many logins.',
          { too_many_requests: 'Too many logins. Try again later.' },
          'Retry-After',
        ),
        ...commonErrors(),
        ...bodyErrors(),
      },
    },
  },
  '/oauth2/revoke': {
    post: {
      operationId: 'revoke_token',
      tags: [TAG],
      summary: 'Revoke a token',
      description: 'The response is the same whether the token was valid or not.',
      security: [],
      requestBody: formBody(revokeRequest, { token: 'nq8Zk0xJ4Qm1rT7vYb2cUe5fWh9gKiLsPdXoAjRtV6w' }),
      responses: {
        200: jsonResponse('The token is no longer valid.', z.object({}).meta({ description: 'Empty.' }), {}),
        400: errorResponse('The request cannot be read.', { invalid_request: 'the parameter token is missing' }),
        ...commonErrors(),
        ...bodyErrors(),
      },
    },
  },
  [METADATA_PATH]: {
    get: {
      operationId: 'read_token_metadata',
      tags: [TAG],
      summary: 'Discover the token endpoints',
      description:
        'OAuth 2.0 Authorization Server Metadata (RFC 8414), for client libraries. The addresses start with `SWITCHBOARD_PUBLIC_URL` or, without that setting, with the host of the request. Can be cached for an hour, and read by pages of any origin.',
      security: [],
      responses: {
        200: jsonResponse('The metadata.', metadata, buildMetadata('https://switchboard.example.com')),
        ...commonErrors('GET, HEAD'),
      },
    },
  },
  '/_authenticated': {
    get: {
      operationId: 'check_token',
      tags: [TAG],
      summary: 'Check a token',
      description: 'Whether the bearer token of the request is valid.',
      security: [{ bearer: [] }],
      responses: {
        200: jsonResponse(
          'The token is valid.',
          z.object({ authenticated: z.literal(true).meta({ description: 'The token is valid.' }) }),
          { authenticated: true },
        ),
        400: errorResponse('The request cannot be read.', {
          invalid_request: 'The headers Host, Authorization and X-API-Key must not occur more than once.',
        }),
        401: errorResponse(
          'The token is missing, invalid or expired.',
          { invalid_token: 'access token not valid' },
          'WWW-Authenticate',
        ),
        ...commonErrors('GET, HEAD'),
      },
    },
  },
};

const LANDING_LOCATION: ZodOpenApiHeaderObject = {
  description: 'The page, with the code in its fragment (`#code=`).',
  required: true,
  schema: { type: 'string', examples: ['/login#code=T2m8Hq0sLw4Zx7Kc1Vb9Rf3Yd6Ng5Jp0Ae8Ui2Oo4Xk&to=%2Fdesk'] },
};

/** Single sign-on: the login link, and the request that its landing page makes. */
const ssoPaths: ZodOpenApiPathsObject = {
  '/admin/login': {
    get: {
      operationId: 'single_sign_on',
      tags: [TAG],
      summary: 'Log in with a single sign-on key',
      description:
        'A link that logs the operator in. It redirects immediately to a URL without the key; the page gets a code in its fragment (`#code=…`), exchanges it at `/session`, and leads on to `to`. Programs exchange the code at `/admin/session`. Counts towards the login limit of the IP address. HEAD requests and browser prefetches do not log in: 204.',
      security: [],
      requestParams: {
        query: z.object({
          key: z.string().meta({ description: 'The `sso_key` of an operator.' }),
          to: z.enum(['/desk', '/console']).optional().meta({ description: 'The page to open. Defaults to `/desk`.' }),
        }),
      },
      responses: {
        204: { description: 'A HEAD request or a prefetch: no login.', headers: headerRefs('X-Request-Id') },
        303: {
          description: 'Redirects to the page, with a code in its fragment.',
          headers: { ...headerRefs('X-Request-Id'), Location: LANDING_LOCATION },
        },
        400: htmlResponse('`to` is another address.'),
        403: htmlResponse('The key was rotated, or is unknown.'),
        405: commonErrors('GET, HEAD')[405],
        429: htmlResponse('Too many logins from this address.', 'Retry-After'),
        500: htmlResponse('Internal error, logged under the request id.'),
        503: htmlResponse('The service cannot answer right now.', 'Retry-After'),
      },
    },
  },
  '/admin/session': {
    post: {
      operationId: 'create_session',
      tags: [TAG],
      summary: 'Exchange a single sign-on code for a token',
      description:
        'Used by the page that the single sign-on link redirects to. A code is valid once, for one minute, unless the key is rotated or the operator gets a new password before.',
      security: [],
      requestBody: {
        ...formBody(sessionRequest, exampleCode),
        content: {
          ...formBody(sessionRequest, exampleCode).content,
          'application/json': { schema: sessionRequest, example: exampleCode },
        },
      },
      responses: {
        200: jsonResponse('The token.', token, exampleToken),
        400: errorResponse('The code is missing, expired or already used.', {
          invalid_grant: 'the code has expired or was already used',
          invalid_request: 'the parameter code is missing',
        }),
        ...commonErrors(),
        ...bodyErrors(),
      },
    },
  },
};

export const oauthPaths: ZodOpenApiPathsObject = { ...tokenPaths, ...ssoPaths };

export const oauthComponents = {
  headers: {
    'WWW-Authenticate': {
      description: 'The required authentication scheme (RFC 6750).',
      required: true,
      schema: { type: 'string', examples: ['Bearer error="invalid_token"'] },
    },
  },
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer', description: 'A token from `/oauth2/token`.' },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: 'switchboard',
      description:
        "The session of a browser, on requests of the service's own pages. Over HTTPS the name is `__Host-switchboard`.",
    },
  },
} satisfies ZodOpenApiComponentsObject;

export const oauthTags = [
  { name: TAG, description: 'Access tokens of operators: log in, check, log out.' },
  ...sessionTags,
];
