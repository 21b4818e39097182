import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ExecutionArgs, execute, GraphQLError, type GraphQLSchema, subscribe } from 'graphql';
import { CloseCode, makeServer } from 'graphql-ws';
import type { Logger } from 'pino';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { Documents } from './documents.ts';
import { graphqlError, isUnavailable, presentable } from './errors.ts';

/** Close codes of our own, in the range that is free for that. */
export const TOKEN_ENDED = 4401;
/** What the viewer may do is another; after a new connection everything is looked at again. */
export const RIGHTS_CHANGED = 4411;
const TOO_SLOW = 4410;
const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;

/** Together with the memory of a checked token less than a second. */
const TOKEN_CHECK_MS = 400;
/** A node that cannot reach its database for so long sends its clients elsewhere, before their leases end. */
const CUT_OFF_MS = 12_000;
const TURNS = 15;
const MOST_MESSAGE_BYTES = 1024 * 1024;
/** Operations that run at the same time on one connection. */
const MOST_OPERATIONS = 1000;
/** What may wait for a reader: each subscription has one message at most, but answers come as often as one asks. */
const MOST_WAITING = { messages: 2 * MOST_OPERATIONS, bytes: 16 * 1024 * 1024 };

/** How long to be patient, in milliseconds. */
export interface Patience {
  /** For `connection_init` after the connection. */
  readonly init: number;
  /** A reader that does not take a message for so long is dropped. */
  readonly slowest: number;
  /** For the answer to the farewell. */
  readonly farewell: number;
  readonly ping: number;
}

const PATIENCE: Patience = { init: 5000, slowest: 10_000, farewell: 5000, ping: 15_000 };

/** A schema on a path, and who may connect. */
export interface SocketEndpoint<Viewer> {
  readonly path: string;
  readonly schema: GraphQLSchema;
  readonly logger: Logger;
  /** How often a connection's token is looked at again; more than twice a second if nothing is said. */
  readonly tokenCheckMs?: number;
  /** Whether the one who asks for a connection gets it, before anything is known of them. */
  admits?(request: IncomingMessage): Promise<boolean>;
  /** Who connects with this token; undefined for one that is worth nothing here. */
  viewerOf(token: string, request: IncomingMessage): Promise<Viewer | undefined>;
  /** Whether two looks at the same viewer, one after the other, allow the same. */
  maySame(one: Viewer, other: Viewer): boolean;
  /** What an operation runs with. */
  contextOf(viewer: Viewer, connection: SocketConnection): object;
}

/** What operations may know of the connection that they came by. */
export interface SocketConnection {
  /** Called whenever the other side has answered a ping: it is really there. */
  readonly pongs: Set<() => void>;
}

interface Extra<Viewer> extends SocketConnection {
  readonly request: IncomingMessage;
  token: string;
  viewer: Viewer | undefined;
  /** Since when it could not be found out who this is. */
  unknownSince: number | undefined;
}

interface Connection<Viewer> {
  readonly extra: Extra<Viewer>;
  /** Whether the last ping was answered. */
  alive: boolean;
  /** When it is pinged: what the answers bring about must not come all at once. */
  readonly turn: number;
}

export interface Sockets {
  /** Ends every connection with a word of farewell. */
  close(): void;
}

/** Subscriptions over `graphql-transport-ws` on the path of an endpoint; the token comes in `connectionParams`. */
export function serveSocketsAt<Viewer>(
  server: Server,
  endpoint: SocketEndpoint<Viewer>,
  patience: Patience = PATIENCE,
): Sockets {
  const { schema, logger } = endpoint;
  const documents = new Documents(schema);
  const options: ServerOptions & { closeTimeout: number } = {
    noServer: true,
    maxPayload: MOST_MESSAGE_BYTES,
    closeTimeout: patience.farewell,
    handleProtocols: (offered) => (offered.has(PROTOCOL) ? PROTOCOL : false),
  };
  const sockets = new WebSocketServer(options);
  const connections = new Map<WebSocket, Connection<Viewer>>();
  const report = (error: unknown) => logger.error({ err: error }, 'a resolver failed');
  let opened = 0;
  let turn = 0;

  const protocol = makeServer<{ token?: unknown; Authorization?: unknown }, Extra<Viewer>>({
    schema,
    connectionInitWaitTimeout: patience.init,
    execute: (args: ExecutionArgs) => execute(args),
    subscribe: (args: ExecutionArgs) => subscribe(args),
    onConnect: async ({ connectionParams, extra }) => {
      extra.token = tokenIn(connectionParams);
      extra.viewer = extra.token === '' ? undefined : await endpoint.viewerOf(extra.token, extra.request);
      return extra.viewer !== undefined;
    },
    onSubscribe: async ({ extra, subscriptions }, _id, { query, operationName, variables }) => {
      if (Object.keys(subscriptions).length > MOST_OPERATIONS) {
        return [graphqlError('RATE_LIMITED', `At most ${MOST_OPERATIONS} operations at a time on one connection.`)];
      }
      // Anew for each operation: a connection may outlive a role.
      const viewer = await endpoint.viewerOf(extra.token, extra.request).catch((error) => presentable(error, report));
      if (viewer instanceof GraphQLError) return [viewer];
      if (viewer === undefined) return [graphqlError('UNAUTHENTICATED', 'access token not valid')];
      const known = documents.read(query, operationName, variables);
      if (!('document' in known)) return known.map((error) => presentable(error, report));
      return {
        schema,
        document: known.document,
        operationName,
        variableValues: variables,
        contextValue: endpoint.contextOf(viewer, extra),
      };
    },
    onNext: (_context, _id, _payload, _args, result) => {
      if (!result.errors) return undefined;
      return { data: result.data ?? null, errors: result.errors.map((error) => presentable(error, report).toJSON()) };
    },
    onError: (_context, _id, _payload, errors) => errors.map((error) => presentable(error, report).toJSON()),
  });

  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!isAt(endpoint.path, request.url ?? '')) return;
    if (endpoint.admits) {
      const hangUp = () => socket.destroy();
      socket.on('error', hangUp);
      const admitted = await endpoint.admits(request).catch(() => false);
      socket.off('error', hangUp);
      if (!admitted) {
        socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
        return;
      }
    }
    sockets.handleUpgrade(request, socket, head, (client) => open(client, request));
  };
  server.on('upgrade', upgrade);

  function open(client: WebSocket, request: IncomingMessage): void {
    const extra: Extra<Viewer> = { request, token: '', viewer: undefined, unknownSince: undefined, pongs: new Set() };
    opened += 1;
    const connection: Connection<Viewer> = { extra, alive: true, turn: opened % TURNS };
    connections.set(client, connection);
    const closed = protocol.opened(
      {
        protocol: client.protocol,
        send: senderTo(client, patience.slowest),
        close: (code, reason) => client.close(code, reason),
        onMessage: (take) => {
          client.on('message', (data) => {
            take(String(data)).catch((error) => {
              if (isUnavailable(error)) {
                client.close(TRY_AGAIN_LATER, 'The service cannot answer right now');
                return;
              }
              report(error);
              client.close(CloseCode.InternalServerError, 'Internal error');
            });
          });
        },
      },
      extra,
    );
    client.on('pong', () => {
      if (connection.alive) return; // nobody asked
      connection.alive = true;
      for (const tell of extra.pongs) tell();
    });
    client.on('error', () => client.terminate());
    client.once('close', (code, reason) => {
      connections.delete(client);
      closed(code, String(reason)).catch(report);
    });
  }

  const pings = setInterval(() => {
    turn = (turn + 1) % TURNS;
    for (const [client, connection] of connections) {
      if (connection.turn !== turn) continue;
      if (client.readyState !== client.OPEN) continue; // it has the time of its farewell
      if (!connection.alive) client.terminate();
      connection.alive = false;
      client.ping();
    }
  }, patience.ping / TURNS).unref();
  // Each connection once in the whole time, a part of them at every step: a thousand at once would hold up everybody.
  let checked = 0;
  const checks = setInterval(
    () => {
      checked = (checked + 1) % TURNS;
      for (const [client, { extra, turn: own }] of connections) {
        if (own === checked) checkToken(client, extra).catch(report);
      }
    },
    (endpoint.tokenCheckMs ?? TOKEN_CHECK_MS) / TURNS,
  ).unref();

  async function checkToken(client: WebSocket, extra: Extra<Viewer>): Promise<void> {
    const { token, viewer: known, request } = extra;
    if (known === undefined) return;
    try {
      const viewer = await endpoint.viewerOf(token, request);
      extra.unknownSince = undefined;
      if (viewer === undefined) client.close(TOKEN_ENDED, 'The token has ended');
      else if (!endpoint.maySame(viewer, known))
        client.close(RIGHTS_CHANGED, 'Your rights have changed, connect again');
    } catch {
      extra.unknownSince ??= performance.now();
      if (performance.now() - extra.unknownSince > CUT_OFF_MS)
        client.close(TRY_AGAIN_LATER, 'The service cannot reach its database, connect again');
    }
  }

  return {
    close: () => {
      server.off('upgrade', upgrade);
      clearInterval(pings);
      clearInterval(checks);
      for (const client of sockets.clients) client.close(GOING_AWAY, 'The service is stopping');
      setTimeout(() => {
        for (const client of sockets.clients) client.terminate();
      }, 500).unref();
    },
  };
}

const PROTOCOL = 'graphql-transport-ws';

/** Whether an address is that of a path. */
export function isAt(path: string, url: string): boolean {
  return url.split('?')[0] === path;
}

/**
 * Answers when the system has taken the message: the next one of a subscription is made only then, so a slow reader holds
 * one message of each. Who is too slow is told so, and has the time of a farewell to read it.
 */
function senderTo(client: WebSocket, slowest: number): (text: string) => Promise<void> {
  let waiting = 0;
  const drop = () => client.close(TOO_SLOW, 'Too slow to read');
  return (text) =>
    new Promise((resolve) => {
      if (waiting >= MOST_WAITING.messages || client.bufferedAmount > MOST_WAITING.bytes) drop();
      const late = setTimeout(drop, slowest);
      waiting += 1;
      // An error means that the connection has ended, which has its own event.
      client.send(text, () => {
        waiting -= 1;
        clearTimeout(late);
        resolve();
      });
    });
}

function tokenIn(parameters: { token?: unknown; Authorization?: unknown } | undefined): string {
  const given = parameters?.token ?? parameters?.Authorization;
  return typeof given === 'string' ? given.replace(/^Bearer +/i, '') : '';
}
