import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  type ExecutionArgs,
  execute,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  subscribe,
} from 'graphql';
import { CloseCode, makeServer, type SubscribePayload, type Server as WsServer } from 'graphql-ws';
import type { Logger } from 'pino';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { Documents } from './documents.ts';
import { graphqlError, isUnavailable, presentable } from './errors.ts';
import { senderTo } from './socket-sender.ts';

/** Close codes of our own, in the range that is free for that. */
const TOKEN_ENDED = 4401;
/** What the viewer may do is another; after a new connection everything is looked at again. */
const RIGHTS_CHANGED = 4411;
const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;

/** Together with the memory of a checked token less than a second. */
const TOKEN_CHECK_MS = 400;
/** A node that cannot reach its database for so long sends its clients elsewhere, before their leases end. */
const CUT_OFF_MS = 12_000;
const TURNS = 15;
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** Operations that run at the same time on one connection. */
const MAX_OPERATIONS = 1000;
/** That may wait for a reader: each subscription has one at most, but answers come as often as one asks. */
const MAX_WAITING_MESSAGES = 2 * MAX_OPERATIONS;

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
  hasSamePermissions(one: Viewer, other: Viewer): boolean;
  /** What an operation runs with. */
  contextOf(viewer: Viewer, connection: SocketConnection): object;
}

/** What operations may know of the connection that they came by. */
export interface SocketConnection {
  /** Called whenever the other side has answered a ping: it is really there. */
  readonly pongs: Set<() => void>;
}

interface Connection<Viewer> extends SocketConnection {
  readonly request: IncomingMessage;
  token: string;
  viewer: Viewer | undefined;
  /** Since when it could not be found out who this is. */
  unknownSince: number | undefined;
  /** Whether the last ping was answered. */
  alive: boolean;
  /** When it is looked at: what that brings about must not come all at once. */
  readonly turn: number;
}

interface ConnectionParams extends Record<string, unknown> {
  readonly token?: unknown;
  readonly Authorization?: unknown;
}

export interface Sockets {
  /** Ends every connection with a word of farewell. */
  close(): void;
}

/** Subscriptions over `graphql-transport-ws` on the path of an endpoint; the token comes in `connectionParams`. */
export class SocketServer<Viewer> implements Sockets {
  readonly #server: Server;
  readonly #endpoint: SocketEndpoint<Viewer>;
  readonly #patience: Patience;
  readonly #documents: Documents;
  readonly #sockets: WebSocketServer;
  readonly #protocol: WsServer<Connection<Viewer>>;
  readonly #connections = new Map<WebSocket, Connection<Viewer>>();
  readonly #timers: readonly NodeJS.Timeout[];
  #opened = 0;

  constructor(server: Server, endpoint: SocketEndpoint<Viewer>, patience: Patience = PATIENCE) {
    this.#server = server;
    this.#endpoint = endpoint;
    this.#patience = patience;
    this.#documents = new Documents(endpoint.schema);
    const options: ServerOptions & { closeTimeout: number } = {
      noServer: true,
      maxPayload: MAX_MESSAGE_BYTES,
      closeTimeout: patience.farewell,
      handleProtocols: (offered) => (offered.has(PROTOCOL) ? PROTOCOL : false),
    };
    this.#sockets = new WebSocketServer(options);
    this.#protocol = makeServer<ConnectionParams, Connection<Viewer>>({
      schema: endpoint.schema,
      connectionInitWaitTimeout: patience.init,
      execute: (args: ExecutionArgs) => execute(args),
      subscribe: (args: ExecutionArgs) => subscribe(args),
      onConnect: ({ connectionParams, extra }) => this.#authenticate(extra, connectionParams),
      onSubscribe: ({ extra, subscriptions }, _id, operation) =>
        this.#prepare(extra, Object.keys(subscriptions).length, operation),
      onNext: (_context, _id, _payload, _args, { data, errors }) =>
        errors && { data: data ?? null, errors: this.#presentable(errors) },
      onError: (_context, _id, _payload, errors) => this.#presentable(errors),
    });
    this.#timers = [
      this.#visitInTurn(patience.ping, (client, connection) => ping(client, connection)),
      this.#visitInTurn(endpoint.tokenCheckMs ?? TOKEN_CHECK_MS, (client, connection) => {
        this.#checkToken(client, connection).catch(this.#report);
      }),
    ];
    server.on('upgrade', this.#upgrade);
  }

  close(): void {
    this.#server.off('upgrade', this.#upgrade);
    for (const timer of this.#timers) clearInterval(timer);
    for (const client of this.#sockets.clients) client.close(GOING_AWAY, 'The service is stopping');
    setTimeout(() => {
      for (const client of this.#sockets.clients) client.terminate();
    }, 500).unref();
  }

  readonly #upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!isAt(this.#endpoint.path, request.url ?? '')) return;
    if (!(await this.#isAdmitted(request, socket))) {
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
      return;
    }
    this.#sockets.handleUpgrade(request, socket, head, (client) => this.#open(client, request));
  };

  async #isAdmitted(request: IncomingMessage, socket: Duplex): Promise<boolean> {
    if (!this.#endpoint.admits) return true;
    const hangUp = () => socket.destroy();
    socket.on('error', hangUp);
    const admitted = await this.#endpoint.admits(request).catch(() => false);
    socket.off('error', hangUp);
    return admitted;
  }

  #open(client: WebSocket, request: IncomingMessage): void {
    this.#opened += 1;
    const connection: Connection<Viewer> = {
      request,
      token: '',
      viewer: undefined,
      unknownSince: undefined,
      pongs: new Set(),
      alive: true,
      turn: this.#opened % TURNS,
    };
    this.#connections.set(client, connection);
    const closed = this.#protocol.opened(
      {
        protocol: client.protocol,
        send: senderTo(client, this.#patience.slowest, MAX_WAITING_MESSAGES),
        close: (code, reason) => client.close(code, reason),
        onMessage: (take) => {
          client.on('message', (data) => {
            take(String(data)).catch((error) => this.#closeAfter(client, error));
          });
        },
      },
      connection,
    );
    client.on('pong', () => {
      if (connection.alive) return; // nobody asked
      connection.alive = true;
      for (const tell of connection.pongs) tell();
    });
    client.on('error', () => client.terminate());
    client.once('close', (code, reason) => {
      this.#connections.delete(client);
      closed(code, String(reason)).catch(this.#report);
    });
  }

  async #authenticate(connection: Connection<Viewer>, parameters: ConnectionParams | undefined): Promise<boolean> {
    connection.token = tokenIn(parameters);
    connection.viewer =
      connection.token === '' ? undefined : await this.#endpoint.viewerOf(connection.token, connection.request);
    return connection.viewer !== undefined;
  }

  /** What an operation runs with, or why it does not run. */
  async #prepare(
    connection: Connection<Viewer>,
    running: number,
    { query, operationName, variables }: SubscribePayload,
  ): Promise<ExecutionArgs | GraphQLError[]> {
    if (running > MAX_OPERATIONS) {
      return [graphqlError('RATE_LIMITED', `At most ${MAX_OPERATIONS} operations at a time on one connection.`)];
    }
    // Anew for each operation: a connection may outlive a role.
    const viewer = await this.#endpoint
      .viewerOf(connection.token, connection.request)
      .catch((error) => presentable(error, this.#report));
    if (viewer instanceof GraphQLError) return [viewer];
    if (viewer === undefined) return [graphqlError('UNAUTHENTICATED', 'access token not valid')];
    const known = this.#documents.read(query, operationName, variables);
    if (!('document' in known)) return known.map((error) => presentable(error, this.#report));
    return {
      schema: this.#endpoint.schema,
      document: known.document,
      operationName,
      variableValues: variables,
      contextValue: this.#endpoint.contextOf(viewer, connection),
    };
  }

  async #checkToken(client: WebSocket, connection: Connection<Viewer>): Promise<void> {
    const { token, viewer: known, request } = connection;
    if (known === undefined) return;
    try {
      const viewer = await this.#endpoint.viewerOf(token, request);
      connection.unknownSince = undefined;
      if (viewer === undefined) client.close(TOKEN_ENDED, 'The token has ended');
      else if (!this.#endpoint.hasSamePermissions(viewer, known))
        client.close(RIGHTS_CHANGED, 'Your rights have changed, connect again');
    } catch {
      connection.unknownSince ??= performance.now();
      if (performance.now() - connection.unknownSince > CUT_OFF_MS)
        client.close(TRY_AGAIN_LATER, 'The service cannot reach its database, connect again');
    }
  }

  /** Each connection once in the whole time, a part of them at every step: a thousand at once would hold up everybody. */
  #visitInTurn(
    milliseconds: number,
    visit: (client: WebSocket, connection: Connection<Viewer>) => void,
  ): NodeJS.Timeout {
    let turn = 0;
    return setInterval(() => {
      turn = (turn + 1) % TURNS;
      for (const [client, connection] of this.#connections) if (connection.turn === turn) visit(client, connection);
    }, milliseconds / TURNS).unref();
  }

  #closeAfter(client: WebSocket, error: unknown): void {
    if (isUnavailable(error)) {
      client.close(TRY_AGAIN_LATER, 'The service cannot answer right now');
      return;
    }
    this.#report(error);
    client.close(CloseCode.InternalServerError, 'Internal error');
  }

  #presentable(errors: readonly GraphQLError[]): GraphQLFormattedError[] {
    return errors.map((error) => presentable(error, this.#report).toJSON());
  }

  readonly #report = (error: unknown) => this.#endpoint.logger.error({ err: error }, 'a resolver failed');
}

function ping(client: WebSocket, connection: { alive: boolean }): void {
  if (client.readyState !== client.OPEN) return; // it has the time of its farewell
  if (!connection.alive) client.terminate();
  connection.alive = false;
  client.ping();
}

const PROTOCOL = 'graphql-transport-ws';

/** Whether an address is that of a path. */
export function isAt(path: string, url: string): boolean {
  return url.split('?')[0] === path;
}

function tokenIn(parameters: ConnectionParams | undefined): string {
  const given = parameters?.token ?? parameters?.Authorization;
  return typeof given === 'string' ? given.replace(/^Bearer +/i, '') : '';
}
