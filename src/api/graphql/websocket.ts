import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ExecutionArgs, execute, subscribe } from 'graphql';
import { CloseCode, makeServer } from 'graphql-ws';
import type { Logger } from 'pino';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Caller } from '../../core/caller.ts';
import type { Context } from './context.ts';
import { Documents } from './documents.ts';
import { presentable } from './errors.ts';
import type { GraphqlParts } from './http.ts';
import { createLoaders } from './loaders.ts';
import { plainChanges } from './mutation.ts';

/** Close codes of our own, in the range that is free for that. */
export const TOKEN_ENDED = 4401;
export const TOO_SLOW = 4410;
export const GOING_AWAY = 1001;

const PING_MS = 15_000;
const TOKEN_CHECK_MS = 1000;
/** A reader that does not take its messages for so long is dropped. */
const SLOWEST_MS = 10_000;
const MOST_MESSAGE_BYTES = 1024 * 1024;

interface Extra {
  readonly abort: AbortController;
  token: string;
  caller: Caller | undefined;
}

export interface Sockets {
  /** Ends every connection with a word of farewell. */
  close(): void;
}

/** Subscriptions over `graphql-transport-ws` on the path `/graphql`; the token comes in `connectionParams`. */
export function serveSockets(server: Server, parts: GraphqlParts & { readonly logger: Logger }): Sockets {
  const { schema, viewers, services, transact, logger } = parts;
  const documents = new Documents(schema);
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MOST_MESSAGE_BYTES,
    handleProtocols: (offered) => (offered.has(PROTOCOL) ? PROTOCOL : false),
  });
  const report = (error: unknown) => logger.error({ err: error }, 'a resolver failed');

  const protocol = makeServer<{ token?: unknown; Authorization?: unknown }, Extra>({
    schema,
    connectionInitWaitTimeout: 5000,
    execute: (args: ExecutionArgs) => execute(args),
    subscribe: (args: ExecutionArgs) => subscribe(args),
    onConnect: async ({ connectionParams, extra }) => {
      extra.token = tokenIn(connectionParams);
      extra.caller = extra.token === '' ? undefined : await viewers.of(extra.token);
      return extra.caller !== undefined;
    },
    onSubscribe: ({ extra }, _id, { query, operationName, variables }) => {
      const known = documents.read(query, operationName, variables);
      if (!('document' in known)) return known.map((error) => presentable(error, report));
      return {
        schema,
        document: known.document,
        operationName,
        variableValues: variables,
        contextValue: contextOf(extra),
      };
    },
    onNext: (_context, _id, _payload, _args, result) => {
      if (!result.errors) return undefined;
      return { data: result.data ?? null, errors: result.errors.map((error) => presentable(error, report).toJSON()) };
    },
    onError: (_context, _id, _payload, errors) => errors.map((error) => presentable(error, report).toJSON()),
  });

  function contextOf(extra: Extra): Context {
    const caller = extra.caller as Caller;
    return {
      caller,
      services,
      load: createLoaders(caller, services),
      changes: plainChanges(transact),
      signal: extra.abort.signal,
    };
  }

  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.url?.split('?')[0] !== '/graphql') {
      socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    sockets.handleUpgrade(request, socket, head, (client) => open(client));
  };
  server.on('upgrade', upgrade);

  function open(client: WebSocket): void {
    const extra: Extra = { abort: new AbortController(), token: '', caller: undefined };
    let alive = true;
    const closed = protocol.opened(
      {
        protocol: client.protocol,
        send: (text) => sendTo(client, text),
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
      extra,
    );
    const pings = setInterval(() => {
      if (!alive) return client.terminate();
      alive = false;
      client.ping();
    }, PING_MS);
    const checks = setInterval(async () => {
      if (extra.caller && !(await viewers.of(extra.token).catch(() => extra.caller)))
        client.close(TOKEN_ENDED, 'The token has ended');
    }, TOKEN_CHECK_MS);
    client.on('pong', () => {
      alive = true;
    });
    client.on('error', () => client.terminate());
    client.once('close', (code, reason) => {
      clearInterval(pings);
      clearInterval(checks);
      extra.abort.abort();
      closed(code, String(reason));
    });
  }

  return {
    close: () => {
      server.off('upgrade', upgrade);
      for (const client of sockets.clients) client.close(GOING_AWAY, 'The service is stopping');
      setTimeout(() => {
        for (const client of sockets.clients) client.terminate();
      }, 500).unref();
    },
  };
}

const PROTOCOL = 'graphql-transport-ws';

/** Answers when the message is on its way: the next one is made only then, so a slow reader holds one message at most. */
function sendTo(client: WebSocket, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      client.close(TOO_SLOW, 'Too slow to read');
      client.terminate();
    }, SLOWEST_MS);
    client.send(text, (error) => {
      clearTimeout(late);
      if (error) reject(error);
      else resolve();
    });
  });
}

function tokenIn(parameters: { token?: unknown; Authorization?: unknown } | undefined): string {
  const given = parameters?.token ?? parameters?.Authorization;
  return typeof given === 'string' ? given.replace(/^Bearer +/i, '') : '';
}
