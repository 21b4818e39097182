import { createGraphiQLFetcher, type Fetcher } from '@graphiql/toolkit';
import { type Client, createClient } from 'graphql-ws';
import { createOwnerHeaders, getSessionOwner } from '../../shared/api/session-owner.ts';

type Headers = Readonly<Record<string, unknown>>;

/** Close codes: 4401 if the session has ended, 4403 if it was never valid. */
const INVALID_SESSION_CODES = [4401, 4403];
const CREDENTIALS = ['authorization', 'x-api-key'];

/**
 * Sends the queries of GraphiQL with the session of the browser. A credential that someone types into the headers is
 * used instead, over HTTP and WebSocket: what the service says about it is no news about the session.
 */
export function createFetcher(onSessionEnd: () => void): Fetcher {
  let socket: { readonly key: string; readonly client: Client } | undefined;

  function openSocket(headers: Headers): Client {
    const key = JSON.stringify(headers);
    if (socket?.key === key) return socket.client;
    socket?.client.dispose();
    const client = createClient({
      url: `${location.origin.replace(/^http/, 'ws')}/graphql?${new URLSearchParams({ owner: getSessionOwner() })}`,
      connectionParams: headers,
      on: {
        closed: (event) => {
          const isInvalid = INVALID_SESSION_CODES.includes((event as CloseEvent).code);
          if (isInvalid && !hasCredential(headers)) onSessionEnd();
        },
      },
    });
    socket = { key, client };
    return client;
  }

  return (parameters, options) => {
    const headers: Headers = options?.headers ?? {};
    const fetcher = createGraphiQLFetcher({
      url: '/graphql',
      wsClient: openSocket(headers),
      enableIncrementalDelivery: false,
      headers: createOwnerHeaders(),
      fetch: async (...request) => {
        const response = await fetch(...request);
        if (response.status === 401 && !hasCredential(headers)) onSessionEnd();
        return response;
      },
    });
    return fetcher(parameters, options);
  };
}

function hasCredential(headers: Headers): boolean {
  return Object.keys(headers).some((name) => CREDENTIALS.includes(name.toLowerCase()));
}
