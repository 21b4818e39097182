import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * A way to a database on which answers that are waited for one after the other are counted: what is sent after an answer was
 * handed over may depend on it, and so counts as the next round trip. No time is measured. Answers are only held back for a
 * moment, so that everything that does not depend on them has been sent before.
 */
export interface FarDatabase {
  readonly url: string;
  /** Holds answers back for so long, and counts from nothing. */
  beginCount(milliseconds?: number): void;
  /** Answers with the number of round trips since then, and holds nothing back any more. */
  endCount(): number;
  close(): Promise<void>;
}

const HELD_MS = 20;

export async function startFarDatabase(url: string): Promise<FarDatabase> {
  const target = new URL(url);
  const open = new Set<Socket>();
  let heldMs = 0;
  /** The last round trip whose answer was handed over. */
  let handedOver = 0;
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
    let trip = 0;
    const answers: { readonly chunk: Buffer; readonly trip: number }[] = [];
    const handOver = () => {
      const answer = answers.shift(); // in their order, whichever of the timers this is
      if (!answer) return;
      handedOver = Math.max(handedOver, answer.trip);
      client.write(answer.chunk);
    };
    client.on('data', (chunk) => {
      trip = handedOver + 1;
      database.write(chunk);
    });
    database.on('data', (chunk: Buffer) => {
      answers.push({ chunk, trip });
      setTimeout(handOver, heldMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const far = new URL(url);
  far.port = String((server.address() as AddressInfo).port);
  return {
    url: String(far),
    beginCount: (milliseconds = HELD_MS) => {
      heldMs = milliseconds;
      handedOver = 0;
    },
    endCount: () => {
      heldMs = 0;
      return handedOver;
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
