import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ExecutionArgs, execute, subscribe } from 'graphql';
import { CloseCode, makeServer } from 'graphql-ws';
import type { Logger } from 'pino';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { type Caller, maySame } from '../../core/caller.ts';
import { Documents } from './documents.ts';
import { graphqlError, presentable } from './errors.ts';
import type { GraphqlParts } from './http.ts';
import { plainChanges } from './mutation.ts';
import { requestContext } from './request-context.ts';

/** Close codes of our own, in the range that is free for that. */
export const TOKEN_ENDED = 4401;
/** What the viewer may do is another; after a new connection everything is looked at again. */
export const RIGHTS_CHANGED = 4411;
export const TOO_SLOW = 4410;
export const GOING_AWAY = 1001;

const TOKEN_CHECK_MS = 1000;
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

interface Extra {
  token: string;
  caller: Caller | undefined;
}

interface Connection {
  readonly extra: Extra;
  /** Whether the last ping was answered. */
  alive: boolean;
}

export interface Sockets {
  /** Ends every connection with a word of farewell. */
  close(): void;
}

/** Subscriptions over `graphql-transport-ws` on the path `/graphql`; the token comes in `connectionParams`. */
export function serveSockets(
  server: Server,
  parts: GraphqlParts & { readonly logger: Logger },
  patience: Patience = PATIENCE,
): Sockets {
  const { schema, viewers, services, transact, logger } = parts;
  const documents = new Documents(schema);
  const options: ServerOptions & { closeTimeout: number } = {
    noServer: true,
    maxPayload: MOST_MESSAGE_BYTES,
    closeTimeout: patience.farewell,
    handleProtocols: (offered) => (offered.has(PROTOCOL) ? PROTOCOL : false),
  };
  const sockets = new WebSocketServer(options);
  const connections = new Map<WebSocket, Connection>();
  const report = (error: unknown) => logger.error({ err: error }, 'a resolver failed');

  const protocol = makeServer<{ token?: unknown; Authorization?: unknown }, Extra>({
    schema,
    connectionInitWaitTimeout: patience.init,
    execute: (args: ExecutionArgs) => execute(args),
    subscribe: (args: ExecutionArgs) => subscribe(args),
    onConnect: async ({ connectionParams, extra }) => {
      extra.token = tokenIn(connectionParams);
      extra.caller = extra.token === '' ? undefined : await viewers.of(extra.token);
      return extra.caller !== undefined;
    },
    onSubscribe: async ({ extra, subscriptions }, _id, { query, operationName, variables }) => {
      if (Object.keys(subscriptions).length > MOST_OPERATIONS) {
        return [graphqlError('RATE_LIMITED', `At most ${MOST_OPERATIONS} operations at a time on one connection.`)];
      }
      // Anew for each operation: a connection may outlive a role.
      const caller = await viewers.of(extra.token);
      if (!caller) return [graphqlError('UNAUTHENTICATED', 'access token not valid')];
      const known = documents.read(query, operationName, variables);
      if (!('document' in known)) return known.map((error) => presentable(error, report));
      return {
        schema,
        document: known.document,
        operationName,
        variableValues: variables,
        contextValue: requestContext(caller, services, plainChanges(transact)),
      };
    },
    onNext: (_context, _id, _payload, _args, result) => {
      if (!result.errors) return undefined;
      return { data: result.data ?? null, errors: result.errors.map((error) => presentable(error, report).toJSON()) };
    },
    onError: (_context, _id, _payload, errors) => errors.map((error) => presentable(error, report).toJSON()),
  });

  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    sockets.handleUpgrade(request, socket, head, (client) => open(client));
  };
  server.on('upgrade', upgrade);

  function open(client: WebSocket): void {
    const connection: Connection = { extra: { token: '', caller: undefined }, alive: true };
    connections.set(client, connection);
    const closed = protocol.opened(
      {
        protocol: client.protocol,
        send: senderTo(client, patience.slowest),
        close: (code, reason) => client.close(code, reason),
        onMessage: (take) => {
          client.on('message', (data) => {
            take(String(data)).catch((error) => {
              report(error);
              client.close(CloseCode.InternalServerError, 'Internal error');
            });
          });
        },
      },
      connection.extra,
    );
    client.on('pong', () => {
      connection.alive = true;
    });
    client.on('error', () => client.terminate());
    client.once('close', (code, reason) => {
      connections.delete(client);
      closed(code, String(reason)).catch(report);
    });
  }

  const pings = setInterval(() => {
    for (const [client, connection] of connections) {
      if (client.readyState !== client.OPEN) continue; // it has the time of its farewell
      if (!connection.alive) client.terminate();
      connection.alive = false;
      client.ping();
    }
  }, patience.ping).unref();
  const checks = setInterval(() => {
    for (const [client, { extra }] of connections) checkToken(client, extra).catch(report);
  }, TOKEN_CHECK_MS).unref();

  async function checkToken(client: WebSocket, { token, caller: known }: Extra): Promise<void> {
    if (!known) return;
    const caller = await viewers.of(token).catch(() => known); // the database is away: nobody knows better
    if (!caller) client.close(TOKEN_ENDED, 'The token has ended');
    else if (!maySame(caller, known)) client.close(RIGHTS_CHANGED, 'Your rights have changed, connect again');
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

/** Only here an upgrade is taken; the HTTP server asks. */
export function isSocketAddress(url: string): boolean {
  return url.split('?')[0] === '/graphql';
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
