import type { IncomingMessage, Server } from 'node:http';
import type { Logger } from 'pino';
import type { VisitorCaller } from '../../core/kernel/caller.ts';
import { plainChanges } from '../graphql-server/changes.ts';
import { isAt, type Patience, type Sockets, serveSocketsAt } from '../graphql-server/sockets.ts';
import { visitorContext } from './context.ts';
import { Door } from './door.ts';
import { VISITOR_GRAPHQL, type VisitorParts } from './http.ts';

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
  const door = new Door(services.visitors);
  return serveSocketsAt<{ readonly visitor: VisitorCaller; readonly address: string }>(
    server,
    {
      path: VISITOR_GRAPHQL,
      schema,
      logger,
      tokenCheckMs: TOKEN_CHECK_MS,
      admits: ({ headers }) => door.knows(headers.origin),
      viewerOf: async (token, request) => {
        const visitor = await door.visitorOf(token, request.headers.origin);
        return visitor === undefined || visitor === 'elsewhere' ? undefined : { visitor, address: addressOf(request) };
      },
      maySame: () => true,
      contextOf: (asking) => visitorContext(asking, services, plainChanges(transactIn(asking.visitor.accountId))),
    },
    patience,
  );
}

export function isVisitorSocketAddress(url: string): boolean {
  return isAt(VISITOR_GRAPHQL, url);
}
