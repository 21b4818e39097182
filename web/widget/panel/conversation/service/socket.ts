export interface SocketHandlers {
  /** The service has accepted the token. */
  onReady(): void;
  /** Called once, also if there was never a connection. */
  onClose(code: number): void;
}

export interface Socket {
  /** `onEnd` tells whether the subscription failed; it is not called when the connection is lost. */
  subscribe<Data>(
    query: string,
    variables: object,
    onData: (data: Data) => void,
    onEnd: (hasFailed: boolean) => void,
  ): void;
  close(): void;
}

const PING_INTERVAL_MS = 20_000;
/** After this time without an answer the connection is lost, even if the browser has not noticed. */
const SILENCE_MS = 10_000;

/** The part of the protocol `graphql-transport-ws` that the panel needs: its usual client is a quarter of our budget. */
export function openSocket(url: string, token: string, { onReady, onClose }: SocketHandlers): Socket {
  const subscriptions = new Map<string, { onData(data: never): void; onEnd(hasFailed: boolean): void }>();
  const connection = new WebSocket(url, 'graphql-transport-ws');
  let silence: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  let lastId = 0;

  const send = (message: object) => connection.send(JSON.stringify(message));
  const expectAnswer = () => {
    clearTimeout(silence);
    silence = setTimeout(finish, SILENCE_MS, 0);
  };
  const ping = setInterval(() => {
    if (connection.readyState !== 1) return;
    send({ type: 'ping' });
    expectAnswer();
  }, PING_INTERVAL_MS);

  function finish(code: number): void {
    if (isClosed) return;
    isClosed = true;
    clearInterval(ping);
    clearTimeout(silence);
    connection.close();
    onClose(code);
  }

  expectAnswer();
  connection.onopen = () => send({ type: 'connection_init', payload: { token } });
  connection.onclose = ({ code }) => finish(code);
  connection.onmessage = ({ data }) => {
    if (isClosed) return;
    clearTimeout(silence);
    const { type, id, payload } = JSON.parse(data);
    const subscription = subscriptions.get(id);
    if (type === 'connection_ack') onReady();
    else if (type === 'ping') send({ type: 'pong' });
    else if (type === 'next' && !payload.errors) subscription?.onData(payload.data as never);
    else if (type !== 'pong') {
      // next with errors, error, complete
      subscriptions.delete(id);
      subscription?.onEnd(type !== 'complete');
    }
  };

  return {
    subscribe(query, variables, onData, onEnd) {
      const id = String(++lastId);
      subscriptions.set(id, { onData, onEnd });
      send({ type: 'subscribe', id, payload: { query, variables } });
    },
    close: () => finish(1000),
  };
}
