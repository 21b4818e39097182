import type { FastifyInstance } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { TransactInAccount } from '../../core/kernel/caller.ts';
import { forbidden, identifyCaller, type VisitorCaller } from '../../core/kernel/caller.ts';
import { serveGraphql } from '../graphql-server/http.ts';
import { createMutationRunner } from '../graphql-server/mutation-runner.ts';
import type { OperationQueue } from '../graphql-server/operation-queue.ts';
import { registerVisitorUploads } from './attachments.ts';
import { createVisitorContext } from './context.ts';
import { registerCors } from './cors.ts';
import type { VisitorServices } from './services.ts';
import { registerSession } from './session.ts';
import { registerSessionRenewal } from './session-renewal.ts';
import { VisitorGate } from './visitor-gate.ts';
import { registerWidget } from './widget.ts';

export interface VisitorOptions {
  readonly schema: GraphQLSchema;
  readonly services: VisitorServices;
  readonly transactIn: TransactInAccount;
  readonly compileQueries: boolean;
  readonly operations: OperationQueue;
  readonly uploadTimeoutMs: number;
}

export const VISITOR_GRAPHQL_PATH = '/visitor/graphql';

/** Serves the visitors' endpoints: `/visitor/session` issues and renews tokens for `/visitor/graphql`. */
export function registerVisitor(
  app: FastifyInstance,
  { schema, services, transactIn, compileQueries, operations, uploadTimeoutMs }: VisitorOptions,
): void {
  const gate = new VisitorGate(services.visitors);
  registerCors(app, gate);
  registerSession(app, services.visitors);
  registerWidget(app, services.visitors);
  const presence = services.engine.visitorPresence;
  registerSessionRenewal(app, services.visitors, gate, presence);
  registerVisitorUploads(app, { uploads: services.attachments.uploads, presence, gate, timeoutMs: uploadTimeoutMs });
  serveGraphql<VisitorCaller>(app, {
    path: VISITOR_GRAPHQL_PATH,
    schema,
    compileQueries,
    operations,
    acceptsApiKeys: false,
    authenticate: async ({ secret }, request) => {
      const visitor = await gate.authenticate(secret, request.headers.origin);
      if (visitor === 'wrong_origin') throw forbidden();
      return visitor;
    },
    identify: identifyCaller,
    createContext: (visitor, turns, request) => {
      presence.noteRequest(visitor);
      const mutations = createMutationRunner(transactIn(visitor.accountId));
      return createVisitorContext({ visitor, address: request.ip }, services, mutations, turns);
    },
  });
}
