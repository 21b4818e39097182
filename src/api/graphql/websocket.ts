import type { IncomingMessage, Server } from 'node:http';
import type { Logger } from 'pino';
import { type Caller, hasSamePermissions, identifyCaller } from '../../core/kernel/caller.ts';
import { createMutationRunner } from '../graphql-server/mutation-runner.ts';
import {
  matchesPath,
  type SocketConnection,
  SocketServer,
  type Sockets,
  type SocketTimeouts,
} from '../graphql-server/sockets.ts';
import type { SecurityHeaders } from '../http/security-headers.ts';
import { authenticate } from './authenticate.ts';
import { DeskPresence } from './desk-presence.ts';
import type { GraphqlOptions } from './http.ts';
import { createRequestContext } from './request-context.ts';

const PATH = '/graphql';

export interface SocketOptions extends GraphqlOptions {
  readonly logger: Logger;
  readonly securityHeaders: SecurityHeaders;
  /** Returns the client's IP address. */
  readAddress(request: IncomingMessage): string;
  /** Returns the public address of the service, without a slash at the end. */
  readBaseUrl(request: IncomingMessage): string;
}

/** Serves `/graphql` over WebSocket. */
export function serveSockets(server: Server, options: SocketOptions, timeouts?: SocketTimeouts): Sockets {
  const { schema, services, transactIn, operations, logger, securityHeaders, readAddress, sessionCookie } = options;
  const desks = new WeakMap<SocketConnection, DeskPresence>();
  let isStopping = false;
  const getDesk = (connection: SocketConnection) => {
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
      securityHeaders,
      operations,
      acceptsApiKeys: true,
      readSession: (request) => sessionCookie.readSocketCredential(request),
      canConnect: async (request) => sessionCookie.mayOpenSocket(request),
      authenticate: async (credential, request) => authenticate(services.access, credential, readAddress(request)),
      identify: identifyCaller,
      hasSamePermissions,
      createContext: (caller, turns, connection) =>
        createRequestContext(caller, services, createMutationRunner(transactIn(caller.accountId)), turns, {
          getBaseUrl: () => options.readBaseUrl(connection.request),
          getDisconnectSignal: () => connection.closeSignal,
          desk: getDesk(connection),
        }),
    },
    timeouts,
  );
  return {
    close: () => {
      isStopping = true;
      sockets.close();
    },
  };
}

export function isSocketUrl(url: string): boolean {
  return matchesPath(PATH, url);
}
