import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type ExecutionArgs,
  type ExecutionResult,
  type execute,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql';
import { createHandler, type Request as HandlerRequest, type ResponseInit } from 'graphql-http';
import { type Credential, readCredential } from '../http/credential.ts';
import { createDisconnectSignal } from '../http/disconnect-signal.ts';
import { DocumentCache, type PreparedDocument } from './documents.ts';
import {
  graphqlError,
  handleError,
  isUnavailable,
  NO_STORE,
  sendError,
  toClientError,
  unauthenticatedError,
} from './errors.ts';
import type { OperationQueue } from './operation-queue.ts';
import { parseRequestParams } from './request-params.ts';
import type { OperationTurns } from './turns.ts';

export interface RequestedOperation {
  readonly parsed: PreparedDocument;
  readonly query: string;
  readonly operationName: string | null | undefined;
  readonly variables: Readonly<Record<string, unknown>> | null | undefined;
  /** Returns a signal that is aborted if the client disconnects before it has the response. */
  getDisconnectSignal(): AbortSignal;
}

export interface GraphqlEndpoint<Viewer> {
  readonly path: string;
  readonly schema: GraphQLSchema;
  /** If false, graphql-js runs every query. */
  readonly compileQueries: boolean;
  readonly operations: OperationQueue;
  /** Whether API keys are accepted besides tokens. */
  readonly acceptsApiKeys: boolean;
  /** Reads the session of a browser from its cookie, where sessions are accepted and there is no other credential. */
  readSession?(request: IncomingMessage): Credential | undefined;
  /** Undefined if the credential is not valid for this endpoint. */
  authenticate(credential: Credential, request: FastifyRequest): Promise<Viewer | undefined>;
  /** Identifies the caller across requests and connections, for limits. */
  identify(viewer: Viewer): string;
  /** Returns the context of the operation, or the errors that reject it. */
  createContext(
    viewer: Viewer,
    turns: OperationTurns,
    request: FastifyRequest,
    operation: RequestedOperation,
  ): object | readonly GraphQLError[];
}

const PARSED_DOCUMENT = Symbol('parsed document');
const REQUEST = Symbol('request');
const RETRY_AFTER_SECONDS = 1;
const ALLOW = 'GET, POST, OPTIONS';
const NO_SUBSCRIPTIONS =
  'Subscriptions are not served over HTTP: use a WebSocket on the same path, with the protocol graphql-transport-ws.';

type PreparedArgs = ExecutionArgs & {
  readonly [PARSED_DOCUMENT]: PreparedDocument;
  readonly [REQUEST]: FastifyRequest;
};

interface HandlerContext<Viewer> {
  readonly viewer: Viewer;
  readonly reply: FastifyReply;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether every field of the operation failed because the service is unavailable. */
    isUnavailable: boolean;
  }
}

/** Serves a schema over the GraphQL-over-HTTP protocol to authenticated callers. */
export function serveGraphql<Viewer>(app: FastifyInstance, endpoint: GraphqlEndpoint<Viewer>): void {
  const { path, schema } = endpoint;
  const documents = new DocumentCache(schema, endpoint.compileQueries);
  const logError = (error: unknown) => app.log.error({ err: error }, 'resolver failed');
  const handle = createHandler<FastifyRequest, HandlerContext<Viewer>, never>({
    parseRequestParams,
    onSubscribe: (request, params) =>
      prepareExecution(
        endpoint,
        documents,
        request as HandlerRequest<FastifyRequest, HandlerContext<Viewer>>,
        params,
      ) as never,
    execute: (async (args: PreparedArgs) => {
      const result = await documents.run(args[PARSED_DOCUMENT], args);
      if (isFullyUnavailable(result)) args[REQUEST].isUnavailable = true;
      return result;
    }) as unknown as typeof execute,
    formatError: (error) => toClientError(error, logError),
  });

  app.decorateRequest('isUnavailable', false);
  app.setErrorHandler(handleError);
  app.route({
    method: ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'TRACE'],
    url: path,
    handler: async (request, reply) => {
      const credential = readCredential(request, endpoint.acceptsApiKeys) ?? endpoint.readSession?.(request.raw);
      const viewer = credential && (await endpoint.authenticate(credential, request));
      if (viewer === undefined)
        return sendUnauthenticated(reply, credential, unauthenticatedError(credential, endpoint.acceptsApiKeys));
      const leave = await endpoint.operations.enter(endpoint.identify(viewer));
      try {
        return await respond(request, reply, viewer);
      } finally {
        leave();
      }
    },
  });
  app.options(path, async (_request, reply) => reply.code(204).header('allow', ALLOW).send());

  async function respond(request: FastifyRequest, reply: FastifyReply, viewer: Viewer): Promise<FastifyReply> {
    if (request.socket.destroyed) return reply.code(499).send(); // the client left while the operation waited
    const [body, init] = await handle({
      method: request.method,
      url: request.url,
      headers: request.headers,
      body: () => (request.body as Buffer | undefined)?.toString('utf8') ?? null,
      raw: request,
      context: { viewer, reply },
    });
    reply.code(init.status).headers({ ...NO_STORE, ...init.headers });
    if (init.status === 405) reply.header('allow', request.method === 'GET' ? 'POST' : ALLOW);
    if (request.isUnavailable) reply.code(503).header('retry-after', RETRY_AFTER_SECONDS);
    if (body !== null && init.status !== 405) return reply.send(body);
    return sendError(reply, init.status, graphqlError('BAD_REQUEST', describeRejection(request, init)));
  }
}

/** graphql-http rejects these with a status only, or without a code. */
function describeRejection({ method, headers }: FastifyRequest, { status, statusText }: ResponseInit): string {
  if (status === 405 && method === 'GET') return 'Mutations are not served over GET: use POST.';
  // Only clients that subscribe over HTTP ask for a stream of events.
  if (status === 406 && headers.accept?.includes('text/event-stream')) return NO_SUBSCRIPTIONS;
  return statusText;
}

/** Returns the execution arguments of a request, or the errors for which it is rejected. */
function prepareExecution<Viewer>(
  endpoint: GraphqlEndpoint<Viewer>,
  documents: DocumentCache,
  request: HandlerRequest<FastifyRequest, HandlerContext<Viewer>>,
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
  const parsed = documents.prepare(query, operationName, variables);
  if (!('document' in parsed)) return parsed;
  const operationError = checkOperation(getOperationAST(parsed.document, operationName), operationName);
  if (operationError) return [operationError];
  const { viewer, reply } = request.context;
  const turns = endpoint.operations.createTurns(endpoint.identify(viewer));
  const contextValue = endpoint.createContext(viewer, turns, request.raw, {
    parsed,
    query,
    operationName,
    variables,
    getDisconnectSignal: () => createDisconnectSignal(reply),
  });
  if (Array.isArray(contextValue)) return contextValue;
  const { schema } = endpoint;
  return {
    schema,
    document: parsed.document,
    operationName,
    variableValues: variables,
    contextValue,
    [PARSED_DOCUMENT]: parsed,
    [REQUEST]: request.raw,
  };
}

/** graphql-http rejects these too, but does not say what to do. */
function checkOperation(
  operation: OperationDefinitionNode | null | undefined,
  operationName: string | null | undefined,
): GraphQLError | undefined {
  if (!operation) {
    return graphqlError(
      'BAD_REQUEST',
      operationName
        ? `The document has no operation with the name ${operationName}.`
        : 'The document must have one operation, or operationName must name one of them.',
    );
  }
  if (operation.operation !== 'subscription') return undefined;
  return graphqlError('BAD_REQUEST', NO_SUBSCRIPTIONS);
}

/**
 * A partial result counts as success. A result without any data becomes a 503, so that load balancers and clients
 * retry.
 */
function isFullyUnavailable({ data, errors }: ExecutionResult): boolean {
  const isEmpty = Object.values(data ?? {}).every((value) => value === null);
  return isEmpty && errors !== undefined && errors.length > 0 && errors.every(isUnavailable);
}

/** A 401 with the header that HTTP requires. */
export function sendUnauthenticated(
  reply: FastifyReply,
  credential: Credential | undefined,
  error: GraphQLError,
): FastifyReply {
  reply.header('www-authenticate', credential?.kind === 'token' ? 'Bearer error="invalid_token"' : 'Bearer');
  return sendError(reply, 401, error);
}
