import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { password } from '../../core/access/password-rules.ts';
import { headerRefs } from '../http/openapi.ts';
import { bodyErrors, commonErrors, errorResponse, jsonResponse } from './openapi-responses.ts';
import { otherPage, SESSION_TAG } from './openapi-session.ts';
import { PASSWORD_LINK_PATH, PASSWORD_PATH } from './password-link.ts';
import { SESSION_OPTIONS_PATH } from './session-options.ts';

const token = z.string().min(1).max(1024).meta({ description: 'The token, from the fragment of the link.' });
const EXAMPLE_TOKEN = 'T2m8Hq0sLw4Zx7Kc1Vb9Rf3Yd6Ng5Jp0Ae8Ui2Oo4Xk';

const linkRequest = z.object({ token }).meta({ id: 'PasswordLinkRequest', description: 'The token of a link.' });

const passwordRequest = z
  .object({ token, password: password.meta({ description: 'The new password.', format: 'password' }) })
  .meta({ id: 'PasswordRequest', description: 'The token of a link, and the new password.' });

const link = z
  .object({
    email: z.string().meta({ description: 'E-mail address of the operator.' }),
    name: z.string().meta({ description: 'First and last name of the operator.' }),
    expiresAt: z.iso.datetime().meta({ description: 'When the link ends.' }),
  })
  .meta({ id: 'PasswordLink', description: 'Whose password the link sets.' });

const options = z
  .object({
    accountName: z
      .string()
      .nullable()
      .meta({ description: 'Name of the account; null if the installation has several.' }),
    signOnUrl: z.string().nullable().meta({ description: "The account's own sign-on page, if it has one." }),
  })
  .meta({ id: 'SessionOptions', description: 'What the log-in page shows.' });

const INVALID_LINK = { invalid_grant: 'the link has expired, was replaced or was already used' };
const LIMITED = errorResponse(
  'Too many attempts from this IP address.',
  { too_many_requests: 'Too many logins. Try again later.' },
  'Retry-After',
);

export const passwordLinkPaths: ZodOpenApiPathsObject = {
  [SESSION_OPTIONS_PATH]: {
    get: {
      operationId: 'read_session_options',
      tags: [SESSION_TAG],
      summary: 'Read what the log-in page shows',
      description: 'Without a query: for an installation with one account.',
      security: [],
      requestParams: {
        query: z.object({ account: z.string().optional().meta({ description: 'Identifier of the account.' }) }),
      },
      responses: {
        200: jsonResponse('What the log-in page shows.', options, {
          accountName: 'Example',
          signOnUrl: 'https://portal.example.com/chat',
        }),
        ...commonErrors('GET, HEAD'),
      },
    },
  },
  [PASSWORD_LINK_PATH]: {
    post: {
      operationId: 'read_password_link',
      tags: [SESSION_TAG],
      summary: 'Read a link to set a password',
      description: 'Does not use up the link. Counts towards the login limit of the IP address.',
      security: [],
      requestBody: jsonBody(linkRequest, { token: EXAMPLE_TOKEN }),
      responses: {
        200: jsonResponse('Whose password the link sets.', link, {
          email: 'alice.martin@example.com',
          name: 'Alice Martin',
          expiresAt: '2026-11-18T21:00:00.000Z',
        }),
        400: errorResponse('The link cannot be used.', {
          ...INVALID_LINK,
          invalid_request: 'the parameter token is missing',
        }),
        403: otherPage(),
        429: LIMITED,
        ...commonErrors(),
        ...bodyErrors(),
      },
    },
  },
  [PASSWORD_PATH]: {
    post: {
      operationId: 'set_password',
      tags: [SESSION_TAG],
      summary: 'Set a password with a link',
      description:
        'Uses up the link, and ends all sessions and tokens of the operator. Does not log in. A password that is not accepted leaves the link valid; `reason` names the broken rule: `too_short`, `too_long`, `too_common` or `invalid_characters`. Counts towards the login limit of the IP address.',
      security: [],
      requestBody: jsonBody(passwordRequest, { token: EXAMPLE_TOKEN, password: 'correct horse battery' }),
      responses: {
        204: { description: 'The password is set.', headers: headerRefs('X-Request-Id') },
        400: errorResponse('The link cannot be used, or the password is not accepted.', {
          ...INVALID_LINK,
          invalid_request: 'password must have at least 10 characters',
        }),
        403: otherPage(),
        429: LIMITED,
        ...commonErrors(),
        ...bodyErrors(),
      },
    },
  },
};

function jsonBody(schema: z.ZodObject, value: object) {
  return {
    description: schema.meta()?.description ?? '',
    required: true,
    content: { 'application/json': { schema, example: value } },
  };
}
