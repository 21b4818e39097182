import type { FastifyInstance } from 'fastify';
import { type GraphQLSchema, getOperationAST, Kind } from 'graphql';
import { type Caller, type TransactIn, withOrigin } from '../../core/kernel/caller.ts';
import { keyedChanges, plainChanges } from '../graphql-server/changes.ts';
import type { KnownDocument } from '../graphql-server/documents.ts';
import { graphqlError } from '../graphql-server/errors.ts';
import { type AskedOperation, serveGraphql } from '../graphql-server/http.ts';
import { idempotencyKey, keyedRequest } from '../http/idempotency-key.ts';
import { requestContext } from './request-context.ts';
import type { GraphqlServices } from './services.ts';

export interface GraphqlParts {
  readonly schema: GraphQLSchema;
  readonly services: GraphqlServices;
  readonly transactIn: TransactIn;
  readonly compileQueries: boolean;
}

interface Asking {
  readonly caller: Caller;
  readonly idempotencyKey: string | undefined;
}

/** `/graphql`, for operators. */
export function registerGraphql(app: FastifyInstance, parts: GraphqlParts): void {
  const { schema, compileQueries, services } = parts;
  serveGraphql<Asking>(app, {
    path: '/graphql',
    schema,
    compileQueries,
    viewerOf: async (token, request) => {
      const caller = await services.access.viewers.of(token);
      return caller && { caller: withOrigin(caller, 'graphql', request.ip), idempotencyKey: idempotencyKey(request) };
    },
    contextOf: (asking, _request, asked) => contextOf(parts, asking, asked),
  });
}

function contextOf(
  { services, transactIn }: GraphqlParts,
  { caller, idempotencyKey: key }: Asking,
  { known, query, operationName, variables }: AskedOperation,
) {
  const keyed =
    key === undefined
      ? undefined
      : keyedRequest(caller, key, [query, operationName ?? '', JSON.stringify(variables ?? null)]);
  if (keyed && !isOneMutation(known, operationName)) {
    return [graphqlError('BAD_REQUEST', 'An Idempotency-Key goes with exactly one mutation.')];
  }
  return requestContext(
    caller,
    services,
    keyed ? keyedChanges(services.access.idempotency, keyed) : plainChanges(transactIn(caller.accountId)),
  );
}

function isOneMutation({ document }: KnownDocument, operationName: string | null | undefined): boolean {
  const operation = getOperationAST(document, operationName);
  const fields = operation?.selectionSet.selections ?? [];
  return operation?.operation === 'mutation' && fields.length === 1 && fields[0]?.kind === Kind.FIELD;
}
