import type { IncomingMessage, Server } from 'node:http';
import type { Logger } from 'pino';
import { toNetwork } from '../../core/access/networks.ts';
import { identifyCaller, type VisitorCaller } from '../../core/kernel/caller.ts';
import { createMutationRunner } from '../graphql-server/mutation-runner.ts';
import { matchesPath, SocketServer, type Sockets, type SocketTimeouts } from '../graphql-server/sockets.ts';
import type { SecurityHeaders } from '../http/security-headers.ts';
import { createVisitorContext } from './context.ts';
import { VISITOR_GRAPHQL_PATH, type VisitorOptions } from './http.ts';
import { VisitorGate } from './visitor-gate.ts';

/** There are many visitors, and the visitor of a token changes only when they are identified. Erasures are watched. */
const CREDENTIAL_CHECK_INTERVAL_MS = 5000;

export interface VisitorSocketOptions extends VisitorOptions {
  readonly logger: Logger;
  readonly securityHeaders: SecurityHeaders;
  /** Returns the client's IP address. */
  readAddress(request: IncomingMessage): string;
  /** Open connections on this node; 0 for no limit. */
  readonly connectionsPerVisitor: number;
  readonly connectionsPerAddress: number;
}

/** Serves `/visitor/graphql` over WebSocket. */
export function serveVisitorSockets(server: Server, options: VisitorSocketOptions, timeouts?: SocketTimeouts): Sockets {
  const { schema, services, transactIn, operations, logger, securityHeaders, readAddress } = options;
  const gate = new VisitorGate(services.visitors);
  const presence = services.engine.visitorPresence;
  return new SocketServer<{ readonly visitor: VisitorCaller; readonly address: string }>(
    server,
    {
      path: VISITOR_GRAPHQL_PATH,
      schema,
      logger,
      securityHeaders,
      operations,
      credentialCheckIntervalMs: CREDENTIAL_CHECK_INTERVAL_MS,
      canConnect: ({ headers }) => gate.isKnownOrigin(headers.origin),
      acceptsApiKeys: false,
      authenticate: async ({ secret }, request) => {
        const visitor = await gate.authenticate(secret, request.headers.origin);
        return visitor === undefined || visitor === 'wrong_origin'
          ? undefined
          : { visitor, address: readAddress(request) };
      },
      identify: ({ visitor }) => identifyCaller(visitor),
      hasSamePermissions: (first, second) => first.visitor.visitorId === second.visitor.visitorId,
      connectionLimits: {
        perCaller: options.connectionsPerVisitor,
        perAddress: options.connectionsPerAddress,
        getAddress: (request) => toNetwork(readAddress(request)),
      },
      watchRevocation: ({ visitor }, recheck, signal) => services.visitors.erasureWatch.watch(visitor, recheck, signal),
      onConnected: ({ visitor }, { pongListeners }) => {
        presence.noteSocket(visitor);
        pongListeners.add(() => presence.noteSocket(visitor));
      },
      createContext: (viewer, turns) => {
        presence.noteRequest(viewer.visitor);
        const mutations = createMutationRunner(transactIn(viewer.visitor.accountId));
        return createVisitorContext(viewer, services, mutations, turns);
      },
    },
    timeouts,
  );
}

export function isVisitorSocketUrl(url: string): boolean {
  return matchesPath(VISITOR_GRAPHQL_PATH, url);
}
