import type { IncomingMessage, Server } from 'node:http';
import type { Logger } from 'pino';
import type { VisitorCaller } from '../../core/kernel/caller.ts';
import { plainChanges } from '../graphql-server/changes.ts';
import { isAt, type Patience, SocketServer, type Sockets } from '../graphql-server/sockets.ts';
import { visitorContext } from './context.ts';
import { VISITOR_GRAPHQL, type VisitorParts } from './http.ts';
import { VisitorGate } from './visitor-gate.ts';

/** Visitors are many, and nothing of theirs changes while their token lasts. */
const TOKEN_CHECK_MS = 5000;

export interface VisitorSocketParts extends VisitorParts {
  readonly logger: Logger;
  /** From where a request came. */
  addressOf(request: IncomingMessage): string;
}

/** Subscriptions of visitors, on the path `/visitor/graphql`. */
export function serveVisitorSockets(
  server: Server,
  { schema, services, transactIn, logger, addressOf }: VisitorSocketParts,
  patience?: Patience,
): Sockets {
  const gate = new VisitorGate(services.visitors);
  return new SocketServer<{ readonly visitor: VisitorCaller; readonly address: string }>(
    server,
    {
      path: VISITOR_GRAPHQL,
      schema,
      logger,
      tokenCheckMs: TOKEN_CHECK_MS,
      admits: ({ headers }) => gate.knows(headers.origin),
      viewerOf: async (token, request) => {
        const visitor = await gate.visitorOf(token, request.headers.origin);
        return visitor === undefined || visitor === 'elsewhere' ? undefined : { visitor, address: addressOf(request) };
      },
      hasSamePermissions: () => true,
      contextOf: (asking) => visitorContext(asking, services, plainChanges(transactIn(asking.visitor.accountId))),
    },
    patience,
  );
}

export function isVisitorSocketAddress(url: string): boolean {
  return isAt(VISITOR_GRAPHQL, url);
}
