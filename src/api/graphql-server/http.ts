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
import {
  createHandler,
  type Request as HandlerRequest,
  type RequestParams,
  type Response,
  type ResponseInit,
} from 'graphql-http';
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
import type { Loadable } from './id-loader.ts';
import type { OperationQueue } from './operation-queue.ts';
import { parseRequestParams } from './request-params.ts';
import type { OperationTurns } from './turns.ts';
import { type FormatError, readUsualRequest, renderResult, type UsualRequest } from './usual-request.ts';

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
  /** Returns a schema with the same types whose fields check less, for callers who need no more checks. */
  chooseSchema?(viewer: Viewer): GraphQLSchema;
  /** If false, graphql-js runs every query. */
  readonly compileQueries: boolean;
  readonly operations: OperationQueue;
  /** Whether API keys are accepted besides tokens. */
  readonly acceptsApiKeys: boolean;
  /** Reads the session of a browser from its cookie, where sessions are accepted and there is no other credential. */
  readSession?(request: IncomingMessage): Credential | undefined;
  /** Undefined if the credential is not valid for this endpoint. */
  authenticate(credential: Credential, request: FastifyRequest): Loadable<Viewer | undefined>;
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
  const formatError: FormatError = (error) => toClientError(error, logError);
  const executePrepared = async (args: PreparedArgs): Promise<ExecutionResult> => {
    const result = await documents.run(args[PARSED_DOCUMENT], args);
    const request = args[REQUEST];
    request.isUnavailable = isFullyUnavailable(result);
    request.isRead = args[PARSED_DOCUMENT].isQuery && result.errors === undefined;
    return result;
  };
  const handle = createHandler<FastifyRequest, HandlerContext<Viewer>, never>({
    parseRequestParams,
    onSubscribe: ({ raw, context }: HandlerRequest<FastifyRequest, unknown>, params) =>
      prepareExecution(endpoint, documents, raw, context as HandlerContext<Viewer>, params) as never,
    execute: executePrepared as unknown as typeof execute,
    formatError,
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
    const usualRequest = readUsualRequest(request);
    const [body, init] = usualRequest
      ? await answerUsual(request, usualRequest, { viewer, reply })
      : await handle({
          method: request.method,
          url: request.url,
          headers: request.headers,
          body: () => (request.body as Buffer | undefined)?.toString('utf8') ?? null,
          raw: request,
          context: { viewer, reply },
        });
    reply
      .code(init.status)
      .headers(NO_STORE)
      .headers(init.headers ?? {});
    if (init.status === 405) reply.header('allow', request.method === 'GET' ? 'POST' : ALLOW);
    if (request.isUnavailable) reply.code(503).header('retry-after', RETRY_AFTER_SECONDS);
    if (body !== null && init.status !== 405) return reply.send(body);
    return sendError(reply, init.status, graphqlError('BAD_REQUEST', describeRejection(request, init)));
  }

  async function answerUsual(
    request: FastifyRequest,
    { params, mediaType }: UsualRequest,
    context: HandlerContext<Viewer>,
  ): Promise<Response> {
    const prepared = prepareExecution(endpoint, documents, request, context, params);
    const result = 'document' in prepared ? await executePrepared(prepared) : prepared;
    return renderResult(result, mediaType, formatError);
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
  request: FastifyRequest,
  { viewer, reply }: HandlerContext<Viewer>,
  { query, operationName, variables }: RequestParams,
): PreparedArgs | readonly GraphQLError[] {
  const parsed = documents.prepare(query, operationName, variables);
  if (!('document' in parsed)) return parsed;
  const operationError = checkOperation(getOperationAST(parsed.document, operationName), operationName);
  if (operationError) return [operationError];
  const turns = endpoint.operations.createTurns(endpoint.identify(viewer));
  const contextValue = endpoint.createContext(viewer, turns, request, {
    parsed,
    query,
    operationName,
    variables,
    getDisconnectSignal: () => createDisconnectSignal(reply),
  });
  if (Array.isArray(contextValue)) return contextValue;
  return {
    schema: endpoint.chooseSchema?.(viewer) ?? endpoint.schema,
    document: parsed.document,
    operationName,
    variableValues: variables,
    contextValue,
    [PARSED_DOCUMENT]: parsed,
    [REQUEST]: request,
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
  if (errors === undefined || errors.length === 0) return false;
  const isEmpty = Object.values(data ?? {}).every((value) => value === null);
  return isEmpty && errors.every(isUnavailable);
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
