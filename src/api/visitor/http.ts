import type { FastifyInstance } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { TransactIn } from '../../core/kernel/caller.ts';
import { forbidden, type VisitorCaller } from '../../core/kernel/caller.ts';
import { plainChanges } from '../graphql-server/changes.ts';
import { serveGraphql } from '../graphql-server/http.ts';
import { visitorContext } from './context.ts';
import { allowPages } from './cors.ts';
import type { VisitorServices } from './services.ts';
import { registerSession } from './session.ts';
import { VisitorGate } from './visitor-gate.ts';

export interface VisitorParts {
  readonly schema: GraphQLSchema;
  readonly services: VisitorServices;
  readonly transactIn: TransactIn;
  readonly compileQueries: boolean;
}

export const VISITOR_GRAPHQL = '/visitor/graphql';

/** What visitors reach: `/visitor/session` for a token, and `/visitor/graphql` with it. */
export function registerVisitor(
  app: FastifyInstance,
  { schema, services, transactIn, compileQueries }: VisitorParts,
): void {
  const gate = new VisitorGate(services.visitors);
  allowPages(app, gate);
  registerSession(app, services.visitors);
  serveGraphql<VisitorCaller>(app, {
    path: VISITOR_GRAPHQL,
    schema,
    compileQueries,
    viewerOf: async (token, request) => {
      const visitor = await gate.visitorOf(token, request.headers.origin);
      if (visitor === 'elsewhere') throw forbidden();
      return visitor;
    },
    contextOf: (visitor, request) =>
      visitorContext({ visitor, address: request.ip }, services, plainChanges(transactIn(visitor.accountId))),
  });
}
