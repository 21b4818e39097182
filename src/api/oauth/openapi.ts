import { z } from 'zod';
import type {
  ZodOpenApiComponentsObject,
  ZodOpenApiHeaderObject,
  ZodOpenApiPathsObject,
  ZodOpenApiResponseObject,
} from 'zod-openapi';
import { TOKEN_SECONDS } from '../../core/access/tokens.ts';
import { headerRefs } from '../http/openapi.ts';

const TAG = 'Token';

const tokenRequest = z
  .object({
    grant_type: z.literal('password').meta({ description: 'The only grant that is supported.' }),
    username: z.string().min(1).max(1024).meta({ description: 'E-mail of the operator.' }),
    password: z.string().min(1).max(1024).meta({ description: 'Password of the operator.', format: 'password' }),
  })
  .meta({ id: 'TokenRequest', description: 'The password grant of RFC 6749. Each parameter may be sent once.' });

const token = z
  .object({
    access_token: z.string().meta({ description: 'The bearer token; it means nothing in itself.' }),
    expires_in: z.literal(TOKEN_SECONDS).meta({ description: 'Seconds that the token lives: 12 hours.' }),
    token_type: z.literal('Bearer').meta({ description: 'How to send it.' }),
    refresh_token: z.literal('none').meta({ description: 'There is no refresh: log in again.' }),
  })
  .meta({ id: 'Token', description: 'An access token.' });

const revokeRequest = z
  .object({ token: z.string().min(1).max(1024).meta({ description: 'The token to end.' }) })
  .meta({ id: 'RevokeRequest', description: 'A revocation by RFC 7009.' });

const oauthError = z
  .object({
    error: z.string().meta({ description: 'The error in one word.' }),
    error_description: z.string().meta({ description: 'The error in words.' }),
  })
  .meta({ id: 'OAuthError', description: 'An error in the form of RFC 6749.' });

const sessionRequest = z
  .object({ code: z.string().min(1).max(1024).meta({ description: 'The code, good once and for a minute.' }) })
  .meta({ id: 'SessionRequest', description: 'A code of a single sign-on.' });

const exampleToken = {
  access_token: 'nq8Zk0xJ4Qm1rT7vYb2cUe5fWh9gKiLsPdXoAjRtV6w',
  expires_in: TOKEN_SECONDS,
  token_type: 'Bearer',
  refresh_token: 'none',
};
const exampleCode = { code: 'T2m8Hq0sLw4Zx7Kc1Vb9Rf3Yd6Ng5Jp0Ae8Ui2Oo4Xk' };

const example = { grant_type: 'password', username: 'alice.martin@example.com', password: 'correct horse battery' };

const tokenPaths: ZodOpenApiPathsObject = {
  '/oauth2/token': {
    post: {
      operationId: 'create_token',
      tags: [TAG],
      summary: 'Exchange e-mail and password for a token',
      description:
        'Limits: 10 logins a minute for a user, 100 a minute for an address. Parameters come from the body alone; client credentials are ignored.',
      security: [],
      requestBody: form(tokenRequest, example),
      responses: {
        200: answer('The token.', token, exampleToken),
        400: failure('The request cannot be granted.', {
          invalid_grant: 'the e-mail and the password do not belong together',
          invalid_request: 'the parameter username is missing',
          unsupported_grant_type: 'only the grant type password is supported',
        }),
        429: failure('Too many logins.', { too_many_requests: 'Too many logins. Try again later.' }, 'Retry-After'),
        ...common(),
        ...withBody(),
      },
    },
  },
  '/oauth2/revoke': {
    post: {
      operationId: 'revoke_token',
      tags: [TAG],
      summary: 'End a token',
      description: 'Answers alike whether the token was there or not.',
      security: [],
      requestBody: form(revokeRequest, { token: 'nq8Zk0xJ4Qm1rT7vYb2cUe5fWh9gKiLsPdXoAjRtV6w' }),
      responses: {
        200: answer('The token is not valid, or not any more.', z.object({}).meta({ description: 'Nothing.' }), {}),
        400: failure('The request cannot be read.', { invalid_request: 'the parameter token is missing' }),
        ...common(),
        ...withBody(),
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
        200: answer(
          'The token is valid.',
          z.object({ authenticated: z.literal(true).meta({ description: 'The token is valid.' }) }),
          { authenticated: true },
        ),
        400: failure('The request cannot be read.', {
          invalid_request: 'The headers Host, Authorization and X-API-Key may be sent once.',
        }),
        401: failure(
          'There is no token, or it has ended.',
          { invalid_token: 'access token not valid' },
          'WWW-Authenticate',
        ),
        ...common('GET, HEAD'),
      },
    },
  },
};

const LANDING: ZodOpenApiHeaderObject = {
  description: 'The page, and the code behind `#code=`.',
  required: true,
  schema: { type: 'string', examples: ['/graphiql#code=T2m8Hq0sLw4Zx7Kc1Vb9Rf3Yd6Ng5Jp0Ae8Ui2Oo4Xk'] },
};

/** Single sign-on: a link for people, and what the page behind it does. */
const ssoPaths: ZodOpenApiPathsObject = {
  '/admin/login': {
    get: {
      operationId: 'single_sign_on',
      tags: [TAG],
      summary: 'Log in by a single sign-on key',
      description:
        'A link for people: it leads to a page that is logged in. The key is gone from the address at once; the page gets a code in its fragment (`#code=…`) and exchanges it at `/admin/session`. Counts for the login limit of the address. HEAD, and a browser that loads ahead of a click, start nothing: 204.',
      security: [],
      requestParams: {
        query: z.object({ key: z.string().meta({ description: 'The `sso_key` of an operator.' }) }),
      },
      responses: {
        204: { description: 'Nobody has clicked yet.', headers: headerRefs('X-Request-Id') },
        303: {
          description: 'The page, with a code in its fragment.',
          headers: { ...headerRefs('X-Request-Id'), Location: LANDING },
        },
        403: page('The key was replaced, or belongs to nobody.'),
        405: common('GET, HEAD')[405],
        429: page('Too many logins from this address.', 'Retry-After'),
        500: page('A fault of the service. It is in the log under the request id.'),
        503: page('The service cannot answer right now.', 'Retry-After'),
      },
    },
  },
  '/admin/session': {
    post: {
      operationId: 'create_session',
      tags: [TAG],
      summary: 'Exchange the code of a single sign-on for a token',
      description: 'For the page that a single sign-on leads to. A code is good once, for a minute.',
      security: [],
      requestBody: {
        ...form(sessionRequest, exampleCode),
        content: {
          ...form(sessionRequest, exampleCode).content,
          'application/json': { schema: sessionRequest, example: exampleCode },
        },
      },
      responses: {
        200: answer('The token.', token, exampleToken),
        400: failure('The code is worth nothing.', {
          invalid_grant: 'the code was used before, or is too old',
          invalid_request: 'the parameter code is missing',
        }),
        ...common(),
        ...withBody(),
      },
    },
  },
};

export const oauthPaths: ZodOpenApiPathsObject = { ...tokenPaths, ...ssoPaths };

export const oauthComponents = {
  headers: {
    'WWW-Authenticate': {
      description: 'The scheme that is asked for (RFC 6750).',
      required: true,
      schema: { type: 'string', examples: ['Bearer error="invalid_token"'] },
    },
  },
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer', description: 'A token of `/oauth2/token`.' },
  },
} satisfies ZodOpenApiComponentsObject;

export const oauthTags = [{ name: TAG, description: 'Tokens for people: log in, check, log out.' }];

function common(allowed = 'POST') {
  return {
    405: failure(
      'The address does not take this method.',
      { invalid_request: `this address takes ${allowed}` },
      'Allow',
    ),
    500: failure('A fault of the service. It is in the log under the request id.', { server_error: 'Internal error.' }),
    503: failure(
      'The service cannot answer right now.',
      { temporarily_unavailable: 'The service cannot answer right now. Nothing was changed.' },
      'Retry-After',
    ),
  };
}

function withBody() {
  return {
    413: failure('The body is larger than 1 MiB.', { invalid_request: 'The body is too large: at most 1 MiB.' }),
  };
}

function form(schema: z.ZodObject, value: object) {
  return {
    description: schema.meta()?.description ?? '',
    required: true,
    content: { 'application/x-www-form-urlencoded': { schema, example: value } },
  };
}

function answer(description: string, schema: z.ZodType, value: object): ZodOpenApiResponseObject {
  return {
    description,
    headers: headerRefs('X-Request-Id'),
    content: { 'application/json': { schema, example: value } },
  };
}

/** A page for people, in words. */
function page(description: string, ...headers: string[]): ZodOpenApiResponseObject {
  return {
    description,
    headers: headerRefs('X-Request-Id', ...headers),
    content: { 'text/html': { schema: { type: 'string' } } },
  };
}

/** An error answer with one example for each error. */
function failure(description: string, errors: Record<string, string>, ...headers: string[]): ZodOpenApiResponseObject {
  const examples = Object.entries(errors).map(([error, words]) => [
    error,
    { summary: error, value: { error, error_description: words } },
  ]);
  return {
    description,
    headers: headerRefs('X-Request-Id', ...headers),
    content: { 'application/json': { schema: oauthError, examples: Object.fromEntries(examples) } },
  };
}
