import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { failureEnvelope } from '../rest/openapi/envelope-schemas.ts';
import { attachmentPaths } from './openapi-attachment-paths.ts';
import { failure, GRAPHQL, graphqlErrors, jsonResponse } from './openapi-responses.ts';

const OPERATIONS = 'Operations';

export const otherTags = [
  { name: GRAPHQL, description: 'The successor of the REST interface, and the entry of visitors.' },
  { name: OPERATIONS, description: 'For load balancers and monitoring.' },
];

const graphqlRequest = z
  .object({
    query: z.string().meta({ description: 'The document.' }),
    operationName: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'The operation to run, if there are several.' }),
    variables: z
      .record(z.string(), z.unknown())
      .nullable()
      .optional()
      .meta({ description: 'The values of the variables.' }),
  })
  .meta({ id: 'GraphqlRequest', description: 'A request of GraphQL over HTTP.' });

const graphqlResult = z
  .looseObject({
    data: z
      .record(z.string(), z.unknown())
      .nullable()
      .optional()
      .meta({ description: 'The result; absent if the operation did not run.' }),
    errors: graphqlErrors.optional(),
  })
  .meta({ id: 'GraphqlResult', description: 'The result of an operation.' });

const sessionRequest = z
  .looseObject({
    websiteId: z.int().meta({ description: 'The website that the visitor is on.' }),
    accountId: z.int().optional().meta({ description: 'The account of the website; 1 by default.' }),
    language: z.string().optional().meta({ description: 'The language of the visitor (ISO 639-1).' }),
    externalId: z.string().optional().meta({ description: "The website's own identifier of the visitor." }),
    signature: z
      .string()
      .optional()
      .meta({ description: "HMAC-SHA256 of `externalId` with the website's secret: identifies a returning visitor." }),
    identity: z
      .string()
      .optional()
      .meta({ description: "A JWT (HS256) by the website's secret, instead of `externalId` and `signature`." }),
    context: z
      .looseObject({})
      .optional()
      .meta({ description: 'Page, time zone and custom fields, as the input of the mutation `visitorContext`.' }),
  })
  .meta({ id: 'VisitorSessionRequest', description: 'A new visitor session; also fields of the visitor.' });

const session = z
  .object({
    token: z.string().meta({ description: 'The bearer token for `/visitor/graphql`.' }),
    expiresIn: z.int().meta({ description: 'Lifetime of the token in seconds.' }),
    visitorId: z.string().meta({ description: 'The public identifier of the visitor.' }),
  })
  .meta({ id: 'VisitorSession', description: 'A visitor session.' });

const widgetQuery = z.object({
  website: z.int().meta({ description: 'The website.', example: 1 }),
  account: z.int().optional().meta({ description: 'The account of the website; 1 by default.', example: 1 }),
  language: z.string().optional().meta({ description: 'The language of the texts (ISO 639-1).', example: 'fr' }),
});

const widget = z
  .looseObject({
    language: z.string().meta({ description: 'The language of the texts.' }),
    isOpen: z.boolean().meta({ description: 'Whether visitors can start conversations now, by the opening hours.' }),
    opensAt: z.string().nullable().meta({ description: 'The next opening, if the website is closed.' }),
    channels: z.array(z.looseObject({})).meta({ description: 'The channels on offer, each with its availability.' }),
    texts: z.record(z.string(), z.string()).meta({ description: 'All texts by key.' }),
  })
  .meta({ id: 'VisitorWidget', description: 'What a page needs to show the widget; also its settings.' });

const status = (value: string) =>
  z.object({ status: z.literal(value).meta({ description: 'The state of the service.' }) });

const METHOD_NOT_ALLOWED = jsonResponse('The method is not allowed here.', failureEnvelope, {
  example: { meta: { status: 'fail', message: 'The method POST is not allowed here.' } },
  headers: ['Allow'],
});

/** `/graphql`, the endpoints of visitors and the health checks. GraphQL documents itself; see the schema. */
export const otherPaths: ZodOpenApiPathsObject = {
  '/graphql': {
    post: {
      operationId: 'run_graphql',
      tags: [GRAPHQL],
      summary: 'Run a GraphQL operation',
      description:
        'Queries and mutations; subscriptions use WebSockets (`graphql-transport-ws`) at the same path. [GraphiQL](/graphiql) shows the schema.',
      security: [{ bearer: [] }, { keyHeader: [] }],
      requestBody: {
        description: 'The operation.',
        required: true,
        content: { 'application/json': { schema: graphqlRequest, example: { query: '{ account { id } }' } } },
      },
      responses: {
        200: jsonResponse('The result.', graphqlResult, { example: { data: { account: { id: '1' } } } }),
        400: failure('The request or the document is not valid.'),
        401: failure('The credential is missing or not valid.', 'WWW-Authenticate'),
        405: failure('The method is not allowed here.', 'Allow'),
        413: failure('The body is larger than 1 MiB.'),
        415: failure('The body is not JSON.'),
        429: failure('Too many requests.', 'Retry-After'),
        500: failure('Internal error, logged under the request id.'),
        503: failure('The service cannot answer right now.', 'Retry-After'),
      },
    },
  },
  '/visitor/session': {
    post: {
      operationId: 'create_visitor_session',
      tags: [GRAPHQL],
      summary: 'Start a visitor session',
      description:
        'Issues a token with which a visitor of a website uses `/visitor/graphql`. A page needs an origin that the website allows.',
      security: [],
      requestBody: {
        description: 'The website and the visitor.',
        required: true,
        content: { 'application/json': { schema: sessionRequest, example: { websiteId: 1, language: 'en' } } },
      },
      responses: {
        201: jsonResponse('The session.', session, {
          example: { token: 'q1J8…', expiresIn: 86400, visitorId: '0a1572b7cc5027fe443f4203eaf0b98d' },
        }),
        400: failure('The input is not valid.'),
        403: failure('The website does not allow the origin.'),
        405: failure('The method is not allowed here.', 'Allow'),
        413: failure('The body is larger than 1 MiB.'),
        415: failure('The body is neither JSON nor a form.'),
        429: failure('Too many sessions from this address.', 'Retry-After'),
        500: failure('Internal error, logged under the request id.'),
        503: failure('The service cannot answer right now.', 'Retry-After'),
      },
    },
  },
  '/visitor/widget': {
    get: {
      operationId: 'get_visitor_widget',
      tags: [GRAPHQL],
      summary: 'Read what the widget of a website shows',
      description:
        'Settings, texts, availability and opening hours, without a session. A page needs an origin that the website allows.',
      security: [],
      requestParams: { query: widgetQuery },
      responses: {
        200: jsonResponse('The settings.', widget, {
          example: {
            ...{ language: 'en', isOpen: true, opensAt: null, texts: { send: 'Send' } },
            channels: [{ channel: 'CHAT', isAvailable: true }],
          },
        }),
        304: { description: 'Not modified: `If-None-Match` has the current `ETag`.' },
        400: failure('The input is not valid.'),
        403: failure('The website does not allow the origin.'),
        405: failure('The method is not allowed here.', 'Allow'),
        500: failure('Internal error, logged under the request id.'),
        503: failure('The service cannot answer right now.', 'Retry-After'),
      },
    },
  },
  '/visitor/session/renew': {
    post: {
      operationId: 'renew_visitor_session',
      tags: [GRAPHQL],
      summary: 'Renew a visitor session',
      description:
        "Exchanges a visitor's token for a new one of the same session. The old token is accepted for five more minutes.",
      security: [{ bearer: [] }],
      responses: {
        201: jsonResponse('The session.', session, {
          example: { token: 'x7Kd…', expiresIn: 86400, visitorId: '0a1572b7cc5027fe443f4203eaf0b98d' },
        }),
        401: failure('The token is not valid, or the session is older than 30 days.', 'WWW-Authenticate'),
        403: failure('The website does not allow the origin.'),
        405: failure('The method is not allowed here.', 'Allow'),
        413: failure('The body is larger than 1 MiB.'),
        429: failure('Too many renewals.', 'Retry-After'),
        500: failure('Internal error, logged under the request id.'),
        503: failure('The service cannot answer right now.', 'Retry-After'),
      },
    },
  },
  ...attachmentPaths,
  '/_health': {
    get: {
      operationId: 'check_health',
      tags: [OPERATIONS],
      summary: 'Check that the process is alive',
      description: 'Answers without the database.',
      security: [],
      responses: {
        200: jsonResponse('Alive.', status('alive'), { example: { status: 'alive' } }),
        405: METHOD_NOT_ALLOWED,
      },
    },
  },
  '/_ready': {
    get: {
      operationId: 'check_readiness',
      tags: [OPERATIONS],
      summary: 'Check that the service accepts traffic',
      description: 'Not ready while the service starts or stops, and without its database.',
      security: [],
      responses: {
        200: jsonResponse('Ready.', status('ready'), { example: { status: 'ready' } }),
        405: METHOD_NOT_ALLOWED,
        503: jsonResponse('Not ready.', status('not ready'), {
          example: { status: 'not ready' },
          headers: ['Retry-After'],
        }),
      },
    },
  },
};
