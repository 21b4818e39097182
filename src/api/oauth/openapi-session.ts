import { z } from 'zod';
import type { ZodOpenApiPathsObject, ZodOpenApiResponseObject } from 'zod-openapi';
import { TOKEN_TTL_SECONDS } from '../../core/access/tokens.ts';
import { headerRefs } from '../http/openapi.ts';
import { bodyErrors, commonErrors, errorResponse, jsonResponse } from './openapi-responses.ts';
import { MFA_MESSAGES } from './token-response.ts';

export const SESSION_TAG = 'Session';
const ALLOWED = 'GET, HEAD, POST, DELETE';

export const sessionTags = [
  {
    name: SESSION_TAG,
    description:
      "Sessions of browsers, for the service's own pages: the secret is in a cookie that scripts cannot read. Programs use tokens or API keys.",
  },
];

const logInRequest = z
  .union([
    z.object({
      email: z.string().min(1).max(1024).meta({ description: 'E-mail address of the operator.' }),
      password: z.string().min(1).max(1024).meta({ description: 'Password of the operator.', format: 'password' }),
      code: z.string().max(1024).optional().meta({
        description:
          'The current code of the authenticator app, or a recovery code. Required if the operator has set up two-factor authentication, ignored otherwise.',
      }),
    }),
    z.object({
      ssoCode: z.string().min(1).max(1024).meta({ description: 'A single sign-on code: valid once, for one minute.' }),
    }),
  ])
  .meta({ id: 'LogInRequest', description: 'An e-mail address and a password, or a single sign-on code.' });

const noSession = z
  .object({ authenticated: z.literal(false).meta({ description: 'No operator is logged in.' }) })
  .meta({ id: 'NoSession', description: 'The browser has no session, or it has ended.' });

const session = z
  .object({
    authenticated: z.literal(true).meta({ description: 'The session is valid.' }),
    operator: z
      .object({
        id: z.string().meta({ description: 'Identifier.' }),
        name: z.string().meta({ description: 'Last name.' }),
        firstName: z.string().meta({ description: 'First name.' }),
        pseudo: z.string().meta({ description: 'The name that visitors see.' }),
        email: z.string().meta({ description: 'E-mail address.' }),
        roles: z.array(z.string()).meta({ description: 'Roles.' }),
        languageAdmin: z.string().meta({ description: 'Language of the pages.' }),
      })
      .meta({ description: 'Who is logged in.' }),
    accountId: z.string().meta({ description: 'Identifier of the account.' }),
    accountName: z.string().meta({ description: 'Name of the account.' }),
    theme: z.enum(['SYSTEM', 'LIGHT', 'DARK']).meta({ description: 'Theme of the pages.' }),
    expiresAt: z.iso.datetime().meta({ description: 'When the session ends: 12 hours after the login.' }),
    mustSetUpTwoFactor: z
      .boolean()
      .meta({ description: 'Whether the session can do nothing but set up two-factor authentication.' }),
  })
  .meta({ id: 'Session', description: 'The session of a browser.' });

const exampleSession = {
  authenticated: true,
  operator: {
    id: '12',
    name: 'Martin',
    firstName: 'Alice',
    pseudo: 'Alice',
    email: 'alice.martin@example.com',
    roles: ['operator'],
    languageAdmin: 'en',
  },
  accountId: '1',
  accountName: 'Example',
  theme: 'SYSTEM',
  expiresAt: '2026-11-18T21:00:00.000Z',
  mustSetUpTwoFactor: false,
};

export const sessionPaths: ZodOpenApiPathsObject = {
  '/session': {
    get: {
      operationId: 'read_session',
      tags: [SESSION_TAG],
      summary: 'Read the session of the browser',
      description: 'Who is logged in. The cookie is only read, never extended.',
      security: [{ session: [] }, {}],
      responses: {
        200: jsonResponse('The session, or that there is none.', z.union([session, noSession]), exampleSession),
        403: otherPage(),
        ...commonErrors(ALLOWED),
      },
    },
    post: {
      operationId: 'log_in',
      tags: [SESSION_TAG],
      summary: 'Log in with a browser',
      description: `Sets the cookie for ${TOKEN_TTL_SECONDS} seconds. Always makes a new session, and ends the one that the browser had. Counts towards the same limits as \`/oauth2/token\`.`,
      security: [],
      requestBody: {
        description: 'How the operator logs in.',
        required: true,
        content: {
          'application/json': {
            schema: logInRequest,
            example: { email: 'alice.martin@example.com', password: 'correct horse battery' },
          },
        },
      },
      responses: {
        200: withCookie(jsonResponse('The new session.', session, exampleSession)),
        400: errorResponse('The request is not valid, or the credentials are wrong.', {
          invalid_grant: 'wrong e-mail or password',
          mfa_required: MFA_MESSAGES.code_required,
          invalid_request: 'the body must be application/json',
        }),
        403: otherPage(),
        429: errorResponse(
          'Too many logins.',
          { too_many_requests: 'Too many logins. Try again later.' },
          'Retry-After',
        ),
        ...commonErrors(ALLOWED),
        ...bodyErrors(),
      },
    },
    delete: {
      operationId: 'log_out',
      tags: [SESSION_TAG],
      summary: 'Log out with a browser',
      description: 'Ends the session on all nodes within a second, and deletes the cookie. Can be repeated.',
      security: [{ session: [] }, {}],
      responses: {
        204: withCookie({ description: 'The browser has no session any more.', headers: headerRefs('X-Request-Id') }),
        403: otherPage(),
        ...commonErrors(ALLOWED),
      },
    },
  },
};

export function otherPage(): ZodOpenApiResponseObject {
  return errorResponse("The request does not come from one of the service's own pages.", {
    access_denied: 'A browser session is accepted only from pages of this service.',
  });
}

function withCookie(response: ZodOpenApiResponseObject): ZodOpenApiResponseObject {
  const cookie =
    'switchboard=T2m8Hq0sLw4Zx7Kc1Vb9Rf3Yd6Ng5Jp0Ae8Ui2Oo4Xk; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict';
  return {
    ...response,
    headers: {
      ...response.headers,
      'Set-Cookie': {
        description: 'The cookie; over HTTPS its name is `__Host-switchboard`, with `Secure`.',
        required: true,
        schema: { type: 'string', examples: [cookie] },
      },
    },
  };
}
