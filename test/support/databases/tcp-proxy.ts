import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Sits between a client and a server, and fails as networks do. */
export interface TcpProxy {
  readonly port: number;
  /** Number of open connections. */
  readonly openConnections: number;
  /** Resets every connection and accepts no new one. */
  cut(): void;
  /** Connections stay open but drop all bytes in both directions; new ones are accepted and get no response. */
  silence(): void;
  /** Like `silence`, but starting with the first request that contains the text. */
  silenceFrom(text: string): void;
  /**
   * Resets the connection of every request with this text when its response comes, until it is called without a text.
   * Browsers send such a request again by themselves.
   */
  loseResponses(text?: string): void;
  readonly lostResponses: number;
  /** Like `silence`, but starting within the next request: its last `bytes` are dropped. */
  cutMidRequest(bytes: number): void;
  /** New connections work. Silent ones stay silent, as behind a router that has forgotten them. */
  restore(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
  let state: 'open' | 'cut' | 'silent' = 'open';
  const losses: Losses = { request: undefined, count: 0 };
  const pairs = new Set<Pair>();
  const server = createServer((client) => {
    if (state === 'cut') client.resetAndDestroy();
    else pairs.add(joinSockets(client, target, state === 'silent', losses, (pair) => pairs.delete(pair)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get openConnections() {
      return pairs.size;
    },
    cut: () => {
      state = 'cut';
      for (const pair of pairs) pair.reset();
    },
    silence: () => {
      state = 'silent';
      for (const pair of pairs) pair.silent = true;
    },
    silenceFrom: (text) => {
      for (const pair of pairs) pair.silentFrom = text;
    },
    loseResponses: (text) => {
      losses.request = text;
    },
    get lostResponses() {
      return losses.count;
    },
    cutMidRequest: (bytes) => {
      for (const pair of pairs) pair.bytesToDrop = bytes;
    },
    restore: () => {
      state = 'open';
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const pair of pairs) pair.reset();
      await closed;
    },
  };
}

/** The URL of a database through the proxy. */
export function proxiedUrl(url: string, { port }: TcpProxy): string {
  const proxied = new URL(url);
  proxied.host = `127.0.0.1:${port}`;
  return String(proxied);
}

interface Losses {
  /** A text of the requests whose responses are lost. */
  request: string | undefined;
  count: number;
}

interface Pair {
  silent: boolean;
  losesResponse: boolean;
  silentFrom: string | undefined;
  bytesToDrop: number;
  reset(): void;
}

/** Connects both sides. A silent pair does not notify a side that the other has closed. */
function joinSockets(
  client: Socket,
  target: { readonly host: string; readonly port: number },
  silent: boolean,
  losses: Losses,
  onClosed: (pair: Pair) => void,
): Pair {
  const server = silent ? undefined : connect(target);
  const sides = [client, ...(server ? [server] : [])];
  const pair: Pair = {
    silent,
    losesResponse: false,
    silentFrom: undefined,
    bytesToDrop: 0,
    reset: () => {
      for (const side of sides) side.resetAndDestroy();
      onClosed(pair);
    },
  };
  for (const [index, side] of sides.entries()) {
    const other = sides[1 - index];
    side.setNoDelay(true);
    side.on('data', (chunk: Buffer) => {
      if (side === client && losses.request !== undefined && chunk.includes(losses.request)) {
        pair.losesResponse = true;
      } else if (side === server && pair.losesResponse) {
        losses.count += 1;
        return pair.reset();
      }
      if (side === client && pair.silentFrom !== undefined && chunk.includes(pair.silentFrom)) pair.silent = true;
      if (pair.silent) return;
      const isCut = side === client && pair.bytesToDrop > 0;
      other?.write(isCut ? chunk.subarray(0, -pair.bytesToDrop) : chunk);
      if (isCut) pair.silent = true;
    });
    side.on('error', () => undefined); // followed by 'close'
    side.on('close', () => {
      if (!pair.silent) other?.destroy();
      if (sides.every(({ destroyed }) => destroyed)) onClosed(pair);
    });
  }
  return pair;
}
