import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A way to a database on which every answer takes long: whoever waits for answers one after the other can be counted. */
export interface FarDatabase {
  readonly url: string;
  /** From now on answers take so many milliseconds. */
  delay(milliseconds: number): void;
  close(): Promise<void>;
}

export async function startFarDatabase(url: string): Promise<FarDatabase> {
  const target = new URL(url);
  const open = new Set<Socket>();
  let milliseconds = 0;
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    for (const [side, other] of [
      [client, database],
      [database, client],
    ] as const) {
      open.add(side);
      side.setNoDelay(true);
      side.on('error', () => other.destroy());
      side.on('close', () => {
        open.delete(side);
        other.destroy();
      });
    }
    client.on('data', (chunk) => database.write(chunk));
    database.on('data', (chunk) => setTimeout(() => client.write(chunk), milliseconds));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const far = new URL(url);
  far.port = String((server.address() as AddressInfo).port);
  return {
    url: String(far),
    delay: (given) => {
      milliseconds = given;
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
