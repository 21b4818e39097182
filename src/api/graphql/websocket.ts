import type { IncomingMessage, Server } from 'node:http';
import type { Logger } from 'pino';
import { type Caller, hasSamePermissions, withOrigin } from '../../core/kernel/caller.ts';
import { plainChanges } from '../graphql-server/changes.ts';
import { isAt, type Patience, type SocketConnection, SocketServer, type Sockets } from '../graphql-server/sockets.ts';
import { DeskPresence } from './desk-presence.ts';
import type { GraphqlParts } from './http.ts';
import { requestContext } from './request-context.ts';

const PATH = '/graphql';

export interface SocketParts extends GraphqlParts {
  readonly logger: Logger;
  /** From where a request came. */
  addressOf(request: IncomingMessage): string;
}

/** Subscriptions of operators, on the path `/graphql`. */
export function serveSockets(
  server: Server,
  { schema, services, transactIn, logger, addressOf }: SocketParts,
  patience?: Patience,
): Sockets {
  const desks = new WeakMap<SocketConnection, DeskPresence>();
  let isStopping = false;
  const deskOf = (connection: SocketConnection) => {
    const desk = desks.get(connection) ?? new DeskPresence(services.engine.live, connection, () => isStopping);
    desks.set(connection, desk);
    return desk;
  };
  const sockets = new SocketServer<Caller>(
    server,
    {
      path: PATH,
      schema,
      logger,
      viewerOf: async (token, request) => {
        const caller = await services.access.viewers.of(token);
        return caller && withOrigin(caller, 'graphql', addressOf(request));
      },
      hasSamePermissions: hasSamePermissions,
      contextOf: (caller, connection) =>
        requestContext(caller, services, plainChanges(transactIn(caller.accountId)), { desk: deskOf(connection) }),
    },
    patience,
  );
  return {
    close: () => {
      isStopping = true;
      sockets.close();
    },
  };
}

/** Only here an upgrade is taken; the HTTP server asks. */
export function isSocketAddress(url: string): boolean {
  return isAt(PATH, url);
}
