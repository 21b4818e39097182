import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ExecutionArgs, ExecutionResult, execute, GraphQLError, GraphQLSchema } from 'graphql';
import { createHandler, type Request as HandlerRequest } from 'graphql-http';
import { bearerToken } from '../http/bearer-token.ts';
import { Documents, type KnownDocument } from './documents.ts';
import { answerError, graphqlError, isUnavailable, NEVER_STORED, presentable, sendError } from './errors.ts';

/** What a request asks for, once its document is known. */
export interface AskedOperation {
  readonly known: KnownDocument;
  readonly query: string;
  readonly operationName: string | null | undefined;
  readonly variables: Readonly<Record<string, unknown>> | null | undefined;
}

/** A schema at an address, and who may ask it what. */
export interface GraphqlEndpoint<Viewer> {
  readonly path: string;
  readonly schema: GraphQLSchema;
  /** False runs every query by plain graphql-js. */
  readonly compileQueries: boolean;
  /** Who sends this request; undefined for a token that is worth nothing here. */
  viewerOf(token: string, request: FastifyRequest): Promise<Viewer | undefined>;
  /** What the operation runs with, or why it does not run. */
  contextOf(viewer: Viewer, request: FastifyRequest, asked: AskedOperation): object | readonly GraphQLError[];
}

const KNOWN = Symbol('the document of a request');
const REQUEST = Symbol('the request itself');
const RETRY_AFTER_SECONDS = 1;

type PreparedArgs = ExecutionArgs & { readonly [KNOWN]: KnownDocument; readonly [REQUEST]: FastifyRequest };

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether an operation was carried out of which nothing could be answered. */
    isUnavailable: boolean;
  }
}

/** The GraphQL-over-HTTP protocol, for those who have a token. */
export function serveGraphql<Viewer>(app: FastifyInstance, endpoint: GraphqlEndpoint<Viewer>): void {
  const { path, schema } = endpoint;
  const documents = new Documents(schema, endpoint.compileQueries);
  const report = (error: unknown) => app.log.error({ err: error }, 'a resolver failed');
  const handle = createHandler<FastifyRequest, { viewer: Viewer }, never>({
    onSubscribe: (request, params) =>
      prepare(endpoint, documents, request as HandlerRequest<FastifyRequest, { viewer: Viewer }>, params) as never,
    execute: (async (args: PreparedArgs) => {
      const result = await documents.run(args[KNOWN], args);
      if (isNothingButUnavailable(result)) args[REQUEST].isUnavailable = true;
      return result;
    }) as unknown as typeof execute,
    formatError: (error) => presentable(error, report),
  });

  app.decorateRequest('isUnavailable', false);
  app.setErrorHandler(answerError);
  app.route({
    method: ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'],
    url: path,
    handler: async (request, reply) => {
      const token = bearerToken(request);
      const viewer = token === undefined ? undefined : await endpoint.viewerOf(token, request);
      if (viewer === undefined) return answerUnauthenticated(reply, token);
      const [body, init] = await handle({
        method: request.method,
        url: request.url,
        headers: request.headers,
        body: () => (request.body as Buffer | undefined)?.toString('utf8') ?? null,
        raw: request,
        context: { viewer },
      });
      reply.code(init.status).headers({ ...NEVER_STORED, ...init.headers });
      if (request.isUnavailable) reply.code(503).header('retry-after', RETRY_AFTER_SECONDS);
      if (body !== null) return reply.send(body);
      return sendError(reply, init.status, graphqlError('BAD_REQUEST', init.statusText));
    },
  });
  app.options(path, async (_request, reply) => reply.code(204).header('allow', 'GET, POST, OPTIONS').send());
}

/** What a request runs with, or why it does not run. */
function prepare<Viewer>(
  endpoint: GraphqlEndpoint<Viewer>,
  documents: Documents,
  request: HandlerRequest<FastifyRequest, { viewer: Viewer }>,
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
  const contextValue = endpoint.contextOf(request.context.viewer, request.raw, {
    known,
    query,
    operationName,
    variables,
  });
  if (Array.isArray(contextValue)) return contextValue;
  const { schema } = endpoint;
  return {
    schema,
    document: known.document,
    operationName,
    variableValues: variables,
    contextValue,
    [KNOWN]: known,
    [REQUEST]: request.raw,
  };
}

/** An answer with a part of what was asked for is an answer; one without any tells balancers and clients to try again. */
function isNothingButUnavailable({ data, errors }: ExecutionResult): boolean {
  const isEmpty = Object.values(data ?? {}).every((value) => value === null);
  return isEmpty && errors !== undefined && errors.length > 0 && errors.every(isUnavailable);
}

function answerUnauthenticated(reply: FastifyReply, token: string | undefined): FastifyReply {
  reply.header('www-authenticate', token === undefined ? 'Bearer' : 'Bearer error="invalid_token"');
  return sendError(reply, 401, graphqlError('UNAUTHENTICATED', 'access token not valid'));
}
