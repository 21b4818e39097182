import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A proxy to a database that counts sequential round trips: a query sent after a response was delivered may depend on
 * it, so it counts as the next round trip. No time is measured. Responses are only delayed for a moment, so that all
 * queries that do not depend on them have been sent before.
 */
export interface RoundTripCounter {
  readonly url: string;
  /** Resets the count and starts delaying responses. */
  startCounting(milliseconds?: number): void;
  /** Stops delaying responses and returns the number of round trips. */
  stopCounting(): number;
  close(): Promise<void>;
}

const DEFAULT_DELAY_MS = 20;

export async function startRoundTripCounter(url: string): Promise<RoundTripCounter> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let delayMs = 0;
  /** The last round trip whose response was delivered. */
  let lastDeliveredTrip = 0;
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname);
    for (const [side, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(side);
      side.setNoDelay(true);
      side.on('error', () => other.destroy());
      side.on('close', () => {
        sockets.delete(side);
        other.destroy();
      });
    }
    let trip = 0;
    const responses: { readonly chunk: Buffer; readonly trip: number }[] = [];
    const deliverNext = () => {
      const response = responses.shift(); // in order, whichever timer fired
      if (!response) return;
      lastDeliveredTrip = Math.max(lastDeliveredTrip, response.trip);
      client.write(response.chunk);
    };
    client.on('data', (chunk) => {
      trip = lastDeliveredTrip + 1;
      database.write(chunk);
    });
    database.on('data', (chunk: Buffer) => {
      responses.push({ chunk, trip });
      setTimeout(deliverNext, delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxyUrl = new URL(url);
  proxyUrl.port = String((server.address() as AddressInfo).port);
  return {
    url: String(proxyUrl),
    startCounting: (milliseconds = DEFAULT_DELAY_MS) => {
      delayMs = milliseconds;
      lastDeliveredTrip = 0;
    },
    stopCounting: () => {
      delayMs = 0;
      return lastDeliveredTrip;
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
