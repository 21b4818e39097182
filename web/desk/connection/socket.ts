import { createClient } from 'graphql-ws/client';

const PING_INTERVAL_MS = 10_000;
/** After this time without an answer the connection is lost, even if the browser has not noticed. */
const SILENCE_MS = 8000;

export interface SocketHandlers {
  /** The service has accepted the session. */
  onReady(): void;
  /** Called once, also if there was never a connection. */
  onClosed(code: number): void;
}

export interface Socket {
  /** `onRefused` is called if the service ends the subscription with an error, not when the connection is lost. */
  subscribe<Data>(
    query: unknown,
    variables: Record<string, unknown>,
    onData: (data: Data) => void,
    onRefused: () => void,
  ): void;
  close(): void;
}

/** One connection to `/graphql` for all subscriptions. Its cookie tells who it is. */
export function openSocket(url: string, { onReady, onClosed }: SocketHandlers): Socket {
  let isClosed = false;
  let silence: ReturnType<typeof setTimeout> | undefined;
  const finish = (code: number) => {
    clearTimeout(silence);
    if (isClosed) return;
    isClosed = true;
    onClosed(code);
  };
  const expectAnswer = () => {
    clearTimeout(silence);
    silence = setTimeout(() => client.terminate(), SILENCE_MS);
  };
  const client = createClient({
    ...{ url, lazy: false, retryAttempts: 0, keepAlive: PING_INTERVAL_MS },
    onNonLazyError: () => undefined, // it is closed as well
    on: {
      connecting: expectAnswer,
      connected: () => {
        if (!isClosed) onReady();
      },
      ping: (isReceived) => {
        if (!isReceived) expectAnswer();
      },
      message: () => clearTimeout(silence),
      closed: (event) => finish((event as { code?: number }).code ?? 0),
    },
  });
  return {
    subscribe(query, variables, onData, onRefused) {
      client.subscribe(
        { query: String(query), variables },
        {
          next: ({ data, errors }) => {
            if (isClosed) return;
            if (errors) onRefused();
            else onData(data as never);
          },
          // An array has the errors of the service; anything else is the end of the connection.
          error: (error) => {
            if (Array.isArray(error) && !isClosed) onRefused();
          },
          complete: () => undefined,
        },
      );
    },
    close() {
      isClosed = true;
      clearTimeout(silence);
      client.terminate();
    },
  };
}
