import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy to a database that is some milliseconds away: it delays all bytes, and lets any number pass at once. */
export interface DelayProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** Half of a round trip in each direction, in the whole milliseconds that timers count. */
export async function startDelayProxy(url: string, roundTripMs: number): Promise<DelayProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const forward = (from: Socket, to: Socket, delay: number) => {
    const chunks: Buffer[] = [];
    sockets.add(from);
    from.setNoDelay(true);
    from.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      setTimeout(() => to.write(chunks.shift() as Buffer), delay); // in order, whichever timer fired
    });
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      setTimeout(() => to.destroy(), delay);
    });
  };
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    forward(client, database, Math.floor(roundTripMs / 2));
    forward(database, client, Math.ceil(roundTripMs / 2));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxied = new URL(url);
  proxied.port = String((server.address() as AddressInfo).port);
  return {
    url: String(proxied),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
