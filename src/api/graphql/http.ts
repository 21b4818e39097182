import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type ExecutionArgs,
  type ExecutionResult,
  type execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
} from 'graphql';
import { createHandler, type Request as HandlerRequest } from 'graphql-http';
import type { Caller, Transact } from '../../core/caller.ts';
import { asDomainError } from '../../core/errors.ts';
import type { IdempotencyKeys, KeyedRequest } from '../../core/idempotency.ts';
import type { Viewers } from '../../core/identity/viewers.ts';
import { bearerToken } from '../http/bearer-token.ts';
import { asHttpError } from '../http/http-error.ts';
import type { GraphqlServices } from './context.ts';
import { Documents, type KnownDocument } from './documents.ts';
import { graphqlError, presentable } from './errors.ts';
import { keyedChanges, plainChanges } from './mutation.ts';
import { requestContext } from './request-context.ts';

export interface GraphqlParts {
  readonly schema: GraphQLSchema;
  readonly services: GraphqlServices;
  readonly viewers: Viewers;
  readonly idempotency: IdempotencyKeys;
  readonly transact: Transact;
  readonly compileQueries: boolean;
}

interface Asked {
  readonly caller: Caller;
  readonly idempotencyKey: string | undefined;
}

type GraphqlRequest = HandlerRequest<FastifyRequest, Asked>;

const KNOWN = Symbol('the document of a request');

/** `/graphql`: the GraphQL-over-HTTP protocol, for those who have a token. */
export function registerGraphql(app: FastifyInstance, parts: GraphqlParts): void {
  const documents = new Documents(parts.schema, parts.compileQueries);
  const report = (error: unknown) => app.log.error({ err: error }, 'a resolver failed');
  const handle = createHandler<FastifyRequest, Asked, never>({
    onSubscribe: (request, params) => prepare(parts, documents, request as GraphqlRequest, params) as never,
    execute: ((args: ExecutionArgs & { [KNOWN]: KnownDocument }) => documents.run(args[KNOWN], args)) as typeof execute,
    formatError: (error) => presentable(error, report),
  });

  app.setErrorHandler((error, request, reply) => answerError(error, request, reply));
  app.route({
    method: ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'],
    url: '/graphql',
    handler: async (request, reply) => {
      const token = bearerToken(request);
      const caller = token === undefined ? undefined : await parts.viewers.of(token);
      if (!caller) return answerUnauthenticated(reply, token);
      const [body, init] = await handle({
        method: request.method,
        url: request.url,
        headers: request.headers,
        body: () => (request.body as Buffer | undefined)?.toString('utf8') ?? null,
        raw: request,
        context: { caller, idempotencyKey: idempotencyKey(request) },
      });
      reply.code(init.status).headers({ ...NEVER_STORED, ...init.headers });
      if (body !== null) return reply.send(body);
      return sendErrors(reply, init.status, graphqlError('BAD_REQUEST', init.statusText));
    },
  });
  app.options('/graphql', async (_request, reply) => reply.code(204).header('allow', 'GET, POST, OPTIONS').send());
}

const NEVER_STORED = { 'cache-control': 'no-store' };

/** What a request runs with, or why it does not run. */
function prepare(
  { schema, services, idempotency, transact }: GraphqlParts,
  documents: Documents,
  request: GraphqlRequest,
  {
    query,
    operationName,
    variables,
  }: {
    query: string;
    operationName?: string | null | undefined;
    variables?: Record<string, unknown> | null | undefined;
  },
) {
  const known = documents.read(query, operationName, variables);
  if (!('document' in known)) return known;
  const { caller, idempotencyKey: key } = request.context;
  const keyed =
    key === undefined
      ? undefined
      : keyedRequest(caller, key, [query, operationName ?? '', JSON.stringify(variables ?? null)]);
  if (keyed && !isOneMutation(known, operationName)) {
    return [graphqlError('BAD_REQUEST', 'An Idempotency-Key goes with exactly one mutation.')];
  }
  return {
    schema,
    document: known.document,
    operationName,
    variableValues: variables,
    contextValue: requestContext(caller, services, keyed ? keyedChanges(idempotency, keyed) : plainChanges(transact)),
    [KNOWN]: known,
  };
}

function keyedRequest({ accountId, actor }: Caller, key: string, request: readonly string[]): KeyedRequest {
  return { accountId, credential: `${actor.type} ${actor.id}`, key, request };
}

function isOneMutation({ document }: KnownDocument, operationName: string | null | undefined): boolean {
  const operation = getOperationAST(document, operationName);
  const fields = operation?.selectionSet.selections ?? [];
  return operation?.operation === 'mutation' && fields.length === 1 && fields[0]?.kind === Kind.FIELD;
}

function idempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw graphqlError('BAD_REQUEST', 'The Idempotency-Key must be 1 to 255 visible ASCII characters.');
}

function answerUnauthenticated(reply: FastifyReply, token: string | undefined): FastifyReply {
  reply.header('www-authenticate', token === undefined ? 'Bearer' : 'Bearer error="invalid_token"');
  return sendErrors(reply, 401, graphqlError('UNAUTHENTICATED', 'access token not valid'));
}

function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error instanceof GraphQLError) return sendErrors(reply, 400, error);
  const http = asHttpError(error);
  if (http) return sendErrors(reply, http.status, graphqlError('BAD_REQUEST', http.message));
  const known = asDomainError(error);
  if (known?.kind === 'unavailable') {
    reply.header('retry-after', known.details.retryAfterSeconds ?? 1);
    return sendErrors(reply, 503, graphqlError('UNAVAILABLE', known.message));
  }
  request.log.error({ err: error, reqId: request.id }, 'request failed');
  return sendErrors(reply, 500, graphqlError('INTERNAL', 'Internal error.'));
}

function sendErrors(reply: FastifyReply, status: number, ...errors: readonly GraphQLError[]): FastifyReply {
  const result: ExecutionResult = { errors };
  return reply
    .code(status)
    .headers({ ...NEVER_STORED, 'content-type': 'application/json; charset=utf-8' })
    .send(JSON.stringify(result));
}
