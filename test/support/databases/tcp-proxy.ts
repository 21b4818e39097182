import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between a client and a server, and fails as networks do. */
export interface TcpProxy {
  readonly port: number;
  /** How many connections are open now. */
  readonly open: number;
  /** Resets every connection and takes no new one. */
  cut(): void;
  /** Connections stay open and every byte is swallowed, both ways; a new one is taken and hears nothing. */
  silence(): void;
  /** The same from the middle of what a client sends next: its last bytes do not arrive any more. */
  breakOff(bytes: number): void;
  /** New connections work. Those that fell silent stay so, as behind a router that has forgotten them. */
  restore(): void;
  close(): Promise<void>;
}

export async function startTcpProxy(target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
  let state: 'open' | 'cut' | 'silent' = 'open';
  const pairs = new Set<Pair>();
  const server = createServer((client) => {
    if (state === 'cut') client.resetAndDestroy();
    else pairs.add(joined(client, target, state === 'silent', (pair) => pairs.delete(pair)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get open() {
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
    breakOff: (bytes) => {
      for (const pair of pairs) pair.breaksOff = bytes;
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

/** An address of a database whose way goes through the proxy. */
export function throughProxy(url: string, { port }: TcpProxy): string {
  const through = new URL(url);
  through.host = `127.0.0.1:${port}`;
  return String(through);
}

interface Pair {
  silent: boolean;
  breaksOff: number;
  reset(): void;
}

/** One connection and its continuation. A silent one tells neither side that the other has gone. */
function joined(
  client: Socket,
  target: { readonly host: string; readonly port: number },
  silent: boolean,
  forget: (pair: Pair) => void,
): Pair {
  const server = silent ? undefined : connect(target);
  const sides = [client, ...(server ? [server] : [])];
  const pair: Pair = {
    silent,
    breaksOff: 0,
    reset: () => {
      for (const side of sides) side.resetAndDestroy();
      forget(pair);
    },
  };
  for (const [index, side] of sides.entries()) {
    const other = sides[1 - index];
    side.setNoDelay(true);
    side.on('data', (chunk: Buffer) => {
      if (pair.silent) return;
      const isBroken = side === client && pair.breaksOff > 0;
      other?.write(isBroken ? chunk.subarray(0, -pair.breaksOff) : chunk);
      if (isBroken) pair.silent = true;
    });
    side.on('error', () => undefined); // its close follows
    side.on('close', () => {
      if (!pair.silent) other?.destroy();
      if (sides.every(({ destroyed }) => destroyed)) forget(pair);
    });
  }
  return pair;
}
