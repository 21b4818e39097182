import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ExecutionArgs, GraphQLError, type GraphQLFormattedError, type GraphQLSchema } from 'graphql';
import { CloseCode, makeServer, type SubscribePayload, type Server as WsServer } from 'graphql-ws';
import type { Logger } from 'pino';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { CREDENTIAL_NAMES, type Credential, readCredential } from '../http/credential.ts';
import { findHeaderError } from '../http/header-errors.ts';
import { HttpError } from '../http/http-error.ts';
import type { SecurityHeaders } from '../http/security-headers.ts';
import { ConnectionCounts } from './connection-counts.ts';
import { readConnectionCredential } from './connection-credential.ts';
import { DocumentCache } from './documents.ts';
import { graphqlError, isUnavailable, toClientError, unauthenticatedError } from './errors.ts';
import { createFloodGuard } from './flood-guard.ts';
import type { OperationQueue } from './operation-queue.ts';
import { isPersistedQuery, normalizeOperationName, PERSISTED_QUERY_ERROR } from './request-params.ts';
import { SocketOperations } from './socket-operations.ts';
import { createSender } from './socket-sender.ts';
import type { OperationTurns } from './turns.ts';
import { rejectUpgrade, UPGRADE_REJECTIONS } from './upgrade-rejection.ts';

/** Close codes from the range for private use. */
const CREDENTIAL_INVALID = 4401;
/** The client reconnects, and its permissions are checked again. */
const PERMISSIONS_CHANGED = 4411;
const TOO_MANY_CONNECTIONS = 4429;
const GOING_AWAY = 1001;
const TRY_AGAIN_LATER = 1013;

/** With the cache of checked credentials, an invalid one closes its connections within a second. */
const CREDENTIAL_CHECK_INTERVAL_MS = 400;
/** After this time without a database a node disconnects its clients, before their leases expire. */
const MAX_DATABASE_OUTAGE_MS = 12_000;
const BATCH_COUNT = 15;
const MAX_MESSAGE_BYTES = 1024 * 1024;
/** Unsent messages: a subscription has at most one, but queries and refusals are not limited in this way. */
const MAX_QUEUED_MESSAGES = 2000;

export interface SocketTimeouts {
  /** How long to wait for `connection_init`. */
  readonly connectionInitMs: number;
  /** How long a client may take to read a message before it is disconnected. */
  readonly sendMs: number;
  /** How long to wait for the client's close frame. */
  readonly closeMs: number;
  readonly pingIntervalMs: number;
  /** The period in which a client may send a limited number of operations above its limits. Defaults to 10 s. */
  readonly refusalPeriodMs?: number;
}

const DEFAULT_TIMEOUTS: SocketTimeouts = {
  connectionInitMs: 5000,
  sendMs: 10_000,
  closeMs: 5000,
  pingIntervalMs: 15_000,
};

export interface SocketEndpoint<Viewer> {
  readonly path: string;
  readonly schema: GraphQLSchema;
  readonly logger: Logger;
  /** On the response to a handshake that is refused. */
  readonly securityHeaders: SecurityHeaders;
  readonly operations: OperationQueue;
  /** How often the credential of each connection is rechecked. Defaults to 400 ms. */
  readonly credentialCheckIntervalMs?: number;
  /** Checks a client before its credential is known. */
  canConnect?(request: IncomingMessage): Promise<boolean>;
  /** Whether API keys are accepted besides tokens. */
  readonly acceptsApiKeys: boolean;
  /** Reads the session of a browser from its cookie, where sessions are accepted and there is no other credential. */
  readSession?(request: IncomingMessage): Credential | undefined;
  /** Returns undefined if the credential is not valid for this endpoint. */
  authenticate(credential: Credential, request: IncomingMessage): Promise<Viewer | undefined>;
  /** Identifies the caller across requests and connections, for limits. */
  identify(viewer: Viewer): string;
  hasSamePermissions(first: Viewer, second: Viewer): boolean;
  /** Open connections on this node; 0 for no limit. */
  readonly connectionLimits?: {
    readonly perCaller: number;
    readonly perAddress: number;
    /** Returns the address or network that counts as one client. */
    getAddress(request: IncomingMessage): string;
  };
  /** Called when a connection has been authenticated. */
  onConnected?(viewer: Viewer, connection: SocketConnection): void;
  /** Calls `recheck` when the credential may have been revoked, until the signal aborts: sooner than the next check. */
  watchRevocation?(viewer: Viewer, recheck: () => void, signal: AbortSignal): Promise<void>;
  createContext(viewer: Viewer, turns: OperationTurns, connection: SocketConnection): object;
}

/** The part of a connection that operations can use. */
export interface SocketConnection {
  /** The upgrade request. */
  readonly request: IncomingMessage;
  /** Called when the client has answered a ping. */
  readonly pongListeners: Set<() => void>;
  /** Aborted when the connection is closed. */
  readonly closeSignal: AbortSignal;
}

interface Connection<Viewer> extends SocketConnection {
  readonly client: WebSocket;
  credential: Credential | undefined;
  viewer: Viewer | undefined;
  /** When checking the credential first failed; undefined after a success. */
  unverifiedSince: number | undefined;
  /** Whether the last ping was answered. */
  isAlive: boolean;
  /** Connections are checked in batches, to spread the load. */
  readonly batch: number;
  /** Slows down a client that floods, and disconnects one that continues. */
  countRefusal(): void;
}

export interface Sockets {
  /** Closes every connection with a close frame. */
  close(): void;
}

/** Serves an endpoint over `graphql-transport-ws`. Credentials come in `connectionParams`, or in the handshake. */
export class SocketServer<Viewer> implements Sockets {
  readonly #server: Server;
  readonly #endpoint: SocketEndpoint<Viewer>;
  readonly #timeouts: SocketTimeouts;
  readonly #documents: DocumentCache;
  readonly #sockets: WebSocketServer;
  readonly #protocol: WsServer<Connection<Viewer>>;
  readonly #connections = new Map<WebSocket, Connection<Viewer>>();
  readonly #timers: readonly NodeJS.Timeout[];
  readonly #counts = new ConnectionCounts();
  #openedCount = 0;

  constructor(server: Server, endpoint: SocketEndpoint<Viewer>, timeouts: SocketTimeouts = DEFAULT_TIMEOUTS) {
    this.#server = server;
    this.#endpoint = endpoint;
    this.#timeouts = timeouts;
    this.#documents = new DocumentCache(endpoint.schema);
    const options: ServerOptions & { closeTimeout: number } = {
      noServer: true,
      maxPayload: MAX_MESSAGE_BYTES,
      closeTimeout: timeouts.closeMs,
      allowSynchronousEvents: false, // one message per turn of the event loop: a burst does not keep it
      handleProtocols: () => PROTOCOL,
    };
    this.#sockets = new WebSocketServer(options);
    this.#sockets.on('wsClientError', (_error, socket, { method }) => {
      this.#rejectUpgrade(socket, method === 'GET' ? 'wrongVersion' : 'wrongMethod');
    });
    const operations = new SocketOperations(endpoint.operations, this.#logError);
    this.#protocol = makeServer<Record<string, unknown>, Connection<Viewer>>({
      schema: endpoint.schema,
      connectionInitWaitTimeout: timeouts.connectionInitMs,
      execute: operations.execute,
      subscribe: operations.subscribe,
      onConnect: ({ connectionParams, extra }) => this.#authenticate(extra, connectionParams),
      onSubscribe: ({ extra }, _id, payload) =>
        operations.admit(endpoint.identify(extra.viewer as Viewer), extra.countRefusal, () =>
          this.#prepareOperation(extra, payload),
        ),
      onNext: (_context, _id, _payload, _args, { data, errors }) =>
        errors && { data: data ?? null, errors: this.#toClientErrors(errors) },
      onError: (_context, _id, _payload, errors) => this.#toClientErrors(errors),
    });
    this.#timers = [
      this.#visitInBatches(timeouts.pingIntervalMs, (client, connection) => sendPing(client, connection)),
      this.#visitInBatches(endpoint.credentialCheckIntervalMs ?? CREDENTIAL_CHECK_INTERVAL_MS, (client, connection) => {
        this.#checkCredential(client, connection).catch(this.#logError);
      }),
    ];
    server.on('upgrade', this.#handleUpgrade);
  }

  close(): void {
    this.#server.off('upgrade', this.#handleUpgrade);
    for (const timer of this.#timers) clearInterval(timer);
    for (const client of this.#sockets.clients) client.close(GOING_AWAY, 'The service is stopping');
    setTimeout(() => {
      for (const client of this.#sockets.clients) client.terminate();
    }, 500).unref();
  }

  readonly #handleUpgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (!matchesPath(this.#endpoint.path, request.url ?? '')) return;
    const headerError = findHeaderError(request);
    if (headerError) {
      const rejection = { status: 400, code: 'BAD_REQUEST', message: headerError.message } as const;
      return rejectUpgrade(socket, this.#endpoint.securityHeaders, rejection);
    }
    if (!(await this.#canConnect(request, socket))) return this.#rejectUpgrade(socket, 'otherPage');
    if (request.method === 'GET' && !offersProtocol(request)) return this.#rejectUpgrade(socket, 'wrongProtocol');
    if (socket.destroyed) return; // its close event may be over: it would be counted for ever
    const admission = this.#admitAddress(request);
    if (admission === 'refused') return this.#rejectUpgrade(socket, 'tooManyConnections');
    socket.once('close', admission.release);
    this.#sockets.handleUpgrade(request, socket, head, (client) => {
      if (admission.isAdmitted) return this.#openConnection(client, request);
      client.on('error', () => client.terminate());
      client.close(TOO_MANY_CONNECTIONS, 'Too many connections from this address, close some first');
    });
  };

  /**
   * Counts a connection of an address. Those above the limit are told so in a close frame; if as many do not even read
   * that, the handshake is refused.
   */
  #admitAddress(request: IncomingMessage): { readonly isAdmitted: boolean; release(): void } | 'refused' {
    const limits = this.#endpoint.connectionLimits;
    if (!limits) return { isAdmitted: true, release: () => undefined };
    const address = limits.getAddress(request);
    const release = this.#counts.enter(`address ${address}`, limits.perAddress);
    if (release) return { isAdmitted: true, release };
    const releaseRefused = this.#counts.enter(`refused ${address}`, limits.perAddress);
    return releaseRefused ? { isAdmitted: false, release: releaseRefused } : 'refused';
  }

  /** Whether the caller has not too many connections; counts this one until it is closed. */
  #admitCaller({ client, closeSignal }: Connection<Viewer>, viewer: Viewer): boolean {
    const limit = this.#endpoint.connectionLimits?.perCaller ?? 0;
    const release = this.#counts.enter(`caller ${this.#endpoint.identify(viewer)}`, limit);
    if (!release) client.close(TOO_MANY_CONNECTIONS, 'Too many connections of this visitor, close some first');
    else if (closeSignal.aborted) release();
    else closeSignal.addEventListener('abort', release, { once: true });
    return release !== undefined;
  }

  async #canConnect(request: IncomingMessage, socket: Duplex): Promise<boolean> {
    if (!this.#endpoint.canConnect) return true;
    const destroySocket = () => socket.destroy();
    socket.on('error', destroySocket);
    const canConnect = await this.#endpoint.canConnect(request).catch(() => false);
    socket.off('error', destroySocket);
    return canConnect;
  }

  #openConnection(client: WebSocket, request: IncomingMessage): void {
    this.#openedCount += 1;
    const closing = new AbortController();
    const connection: Connection<Viewer> = {
      client,
      request,
      credential: undefined,
      viewer: undefined,
      unverifiedSince: undefined,
      pongListeners: new Set(),
      closeSignal: closing.signal,
      isAlive: true,
      batch: this.#openedCount % BATCH_COUNT,
      countRefusal: createFloodGuard(client, this.#timeouts.refusalPeriodMs),
    };
    this.#connections.set(client, connection);
    const onClosed = this.#protocol.opened(
      {
        protocol: client.protocol,
        send: createSender(client, this.#timeouts.sendMs, MAX_QUEUED_MESSAGES),
        close: (code, reason) => client.close(code, reason),
        onMessage: (handleMessage) => {
          client.on('message', (data) => {
            if (client.readyState !== client.OPEN) return; // messages that came before the client closed too
            handleMessage(String(data)).catch((error) => this.#closeOnError(client, error));
          });
        },
      },
      connection,
    );
    client.on('pong', () => {
      if (connection.isAlive) return; // unsolicited
      connection.isAlive = true;
      for (const notify of connection.pongListeners) notify();
    });
    client.on('error', () => client.terminate());
    client.once('close', (code, reason) => {
      this.#connections.delete(client);
      closing.abort();
      onClosed(code, String(reason)).catch(this.#logError);
    });
  }

  async #authenticate(connection: Connection<Viewer>, parameters: unknown): Promise<boolean> {
    const { acceptsApiKeys } = this.#endpoint;
    connection.credential =
      readConnectionCredential(parameters, acceptsApiKeys) ??
      readCredential(connection.request, acceptsApiKeys) ??
      this.#endpoint.readSession?.(connection.request);
    const viewer = await this.#findViewer(connection);
    if (viewer === undefined || !this.#admitCaller(connection, viewer)) return false;
    connection.viewer = viewer;
    this.#endpoint.onConnected?.(viewer, connection);
    const recheck = () => this.#checkCredential(connection.client, connection).catch(this.#logError);
    this.#endpoint.watchRevocation?.(viewer, recheck, connection.closeSignal).catch(this.#logError);
    return true;
  }

  async #findViewer({ credential, request }: Connection<Viewer>): Promise<Viewer | undefined> {
    return credential && this.#endpoint.authenticate(credential, request);
  }

  /** Returns the execution arguments of an operation, or the errors that reject it. */
  async #prepareOperation(
    connection: Connection<Viewer>,
    { query, variables, ...payload }: SubscribePayload,
  ): Promise<ExecutionArgs | GraphQLError[]> {
    if (connection.client.readyState !== connection.client.OPEN)
      return [graphqlError('BAD_REQUEST', 'The connection is closed.')];
    // Authenticated for each operation, because permissions may change during a connection.
    const viewer = await this.#findViewer(connection).catch((error) =>
      toClientError(new GraphQLError(error.message, { originalError: error }), this.#logError),
    );
    if (viewer instanceof GraphQLError) return [viewer];
    if (viewer === undefined) return [unauthenticatedError(connection.credential, this.#endpoint.acceptsApiKeys)];
    if (isPersistedQuery({ query, ...payload })) return [PERSISTED_QUERY_ERROR];
    const operationName = normalizeOperationName(payload.operationName);
    const { operations, identify } = this.#endpoint;
    const parsed = this.#documents.prepare(query, operationName, variables);
    if (!('document' in parsed)) return parsed.map((error) => toClientError(error, this.#logError));
    return {
      schema: this.#endpoint.schema,
      document: parsed.document,
      operationName,
      variableValues: variables,
      contextValue: this.#endpoint.createContext(viewer, operations.createTurns(identify(viewer)), connection),
    };
  }

  async #checkCredential(client: WebSocket, connection: Connection<Viewer>): Promise<void> {
    const { credential, viewer: previousViewer } = connection;
    if (previousViewer === undefined) return;
    try {
      const viewer = await this.#findViewer(connection);
      connection.unverifiedSince = undefined;
      if (viewer === undefined)
        client.close(
          CREDENTIAL_INVALID,
          `The ${credential ? CREDENTIAL_NAMES[credential.kind] : 'credential'} is no longer valid`,
        );
      else if (!this.#endpoint.hasSamePermissions(viewer, previousViewer))
        client.close(PERMISSIONS_CHANGED, 'Your permissions have changed, reconnect');
    } catch {
      connection.unverifiedSince ??= performance.now();
      if (performance.now() - connection.unverifiedSince > MAX_DATABASE_OUTAGE_MS)
        client.close(TRY_AGAIN_LATER, 'The service cannot reach its database, reconnect');
    }
  }

  /** Visits each connection once per interval, in batches: a thousand at the same time would block the event loop. */
  #visitInBatches(
    intervalMs: number,
    visit: (client: WebSocket, connection: Connection<Viewer>) => void,
  ): NodeJS.Timeout {
    let batch = 0;
    return setInterval(() => {
      batch = (batch + 1) % BATCH_COUNT;
      for (const [client, connection] of this.#connections) if (connection.batch === batch) visit(client, connection);
    }, intervalMs / BATCH_COUNT).unref();
  }

  #rejectUpgrade(socket: Duplex, reason: keyof typeof UPGRADE_REJECTIONS): void {
    rejectUpgrade(socket, this.#endpoint.securityHeaders, UPGRADE_REJECTIONS[reason]);
  }

  #closeOnError(client: WebSocket, error: unknown): void {
    if (isUnavailable(error)) {
      client.close(TRY_AGAIN_LATER, 'The service cannot answer right now');
      return;
    }
    if (error instanceof HttpError) {
      client.close(CloseCode.BadRequest, error.message);
      return;
    }
    this.#logError(error);
    client.close(CloseCode.InternalServerError, 'Internal error');
  }

  #toClientErrors(errors: readonly GraphQLError[]): GraphQLFormattedError[] {
    return errors.map((error) => toClientError(error, this.#logError).toJSON());
  }

  readonly #logError = (error: unknown) => this.#endpoint.logger.error({ err: error }, 'resolver failed');
}

function sendPing(client: WebSocket, connection: { isAlive: boolean }): void {
  if (client.readyState !== client.OPEN) return; // the close timeout applies
  if (!connection.isAlive) client.terminate();
  connection.isAlive = false;
  client.ping();
}

const PROTOCOL = 'graphql-transport-ws';

function offersProtocol({ headers }: IncomingMessage): boolean {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',');
  return offered.some((name) => name.trim() === PROTOCOL);
}

export function matchesPath(path: string, url: string): boolean {
  return url.split('?')[0] === path;
}
