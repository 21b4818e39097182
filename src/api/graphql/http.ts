import type { FastifyInstance } from 'fastify';
import { type GraphQLSchema, getOperationAST, Kind } from 'graphql';
import { type Caller, identifyCaller, type TransactInAccount } from '../../core/kernel/caller.ts';
import { canReadEveryOperator } from '../../core/operators/permissions.ts';
import type { PreparedDocument } from '../graphql-server/documents.ts';
import { graphqlError } from '../graphql-server/errors.ts';
import { type RequestedOperation, serveGraphql } from '../graphql-server/http.ts';
import { mapLoaded } from '../graphql-server/id-loader.ts';
import { createIdempotentMutationRunner, createMutationRunner } from '../graphql-server/mutation-runner.ts';
import type { OperationQueue } from '../graphql-server/operation-queue.ts';
import type { OperationTurns } from '../graphql-server/turns.ts';
import { createBaseUrlReader } from '../http/base-url.ts';
import { readIdempotencyKey, toKeyedRequest } from '../http/idempotency-key.ts';
import type { SessionCookie } from '../http/session-cookie.ts';
import { registerAttachments } from './attachments.ts';
import { authenticate } from './authenticate.ts';
import { createRequestContext } from './request-context.ts';
import type { GraphqlServices } from './services.ts';

export interface GraphqlOptions {
  readonly schema: GraphQLSchema;
  /** For callers who can read every operator. */
  readonly fullReadSchema: GraphQLSchema;
  readonly services: GraphqlServices;
  readonly transactIn: TransactInAccount;
  readonly compileQueries: boolean;
  readonly operations: OperationQueue;
  readonly uploadTimeoutMs: number;
  /** The public address of the service, if configured. */
  readonly publicUrl: string | undefined;
  readonly sessionCookie: SessionCookie;
}

interface AuthenticatedRequest {
  readonly caller: Caller;
  readonly idempotencyKey: string | undefined;
}

/** Serves `/graphql` and `/attachment`, for operators and API keys. */
export function registerGraphql(app: FastifyInstance, options: GraphqlOptions): void {
  const { schema, fullReadSchema, compileQueries, operations, services, uploadTimeoutMs, sessionCookie } = options;
  registerAttachments(app, { ...services, uploadTimeoutMs, sessionCookie });
  const readBaseUrl = createBaseUrlReader(options.publicUrl);
  serveGraphql<AuthenticatedRequest>(app, {
    path: '/graphql',
    schema,
    chooseSchema: ({ caller }) => (canReadEveryOperator(caller) ? fullReadSchema : schema),
    compileQueries,
    operations,
    acceptsApiKeys: true,
    readSession: (request) => sessionCookie.readCredential(request),
    authenticate: (credential, request) =>
      mapLoaded(
        authenticate(services.access, credential, request.ip),
        (caller) => caller && { caller, idempotencyKey: readIdempotencyKey(request) },
      ),
    identify: ({ caller }) => identifyCaller(caller),
    createContext: (authenticated, turns, request, operation) =>
      createContext(options, authenticated, turns, operation, () => readBaseUrl(request)),
  });
}

function createContext(
  { services, transactIn }: GraphqlOptions,
  { caller, idempotencyKey: key }: AuthenticatedRequest,
  turns: OperationTurns,
  { parsed, query, operationName, variables, getDisconnectSignal }: RequestedOperation,
  getBaseUrl: () => string,
) {
  const keyedRequest =
    key === undefined
      ? undefined
      : toKeyedRequest(caller, key, [query, operationName ?? '', JSON.stringify(variables ?? null)]);
  if (keyedRequest && !isSingleMutation(parsed, operationName)) {
    return [graphqlError('BAD_REQUEST', 'A request with an Idempotency-Key must contain exactly one mutation.')];
  }
  return createRequestContext(
    caller,
    services,
    keyedRequest
      ? createIdempotentMutationRunner(services.access.idempotency, keyedRequest)
      : createMutationRunner(transactIn(caller.accountId)),
    turns,
    { getBaseUrl, getDisconnectSignal },
  );
}

function isSingleMutation({ document }: PreparedDocument, operationName: string | null | undefined): boolean {
  const operation = getOperationAST(document, operationName);
  const fields = operation?.selectionSet.selections ?? [];
  return operation?.operation === 'mutation' && fields.length === 1 && fields[0]?.kind === Kind.FIELD;
}
