import { connect, type Socket } from 'node:net';
import { readStatus, responseLength } from '../responses.ts';

/**
 * The load generator of an overload, in a separate process. It sends requests at a fixed rate however long the
 * responses take, as a crowd of independent clients does. Each connection has one request at a time.
 */
export interface OpenLoad {
  readonly port: number;
  readonly connections: number;
  readonly perSecond: number;
  readonly milliseconds: number;
  readonly requests: readonly string[];
}

export interface OpenLoadResult {
  readonly sentPerSecond: number;
  /** Not sent because every connection was waiting for a response. */
  readonly skippedPerSecond: number;
  readonly accepted: LatencyResult;
  readonly refused: LatencyResult;
  /** Responses other than 200, and 503 without Retry-After. */
  readonly unexpected: number;
  readonly lostConnections: number;
  /** The share of one processor that this generator used. Near 1, the generator is the bottleneck. */
  readonly generatorUtilization: number;
}

export interface LatencyResult {
  readonly perSecond: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

const CONNECTING_AT_ONCE = 100;
const TICK_MS = 1;

process.on('message', (load: OpenLoad) => {
  run(load).then(
    (result) => process.send?.({ result }),
    (error) => process.send?.({ error: String(error) }),
  );
});

async function run(load: OpenLoad): Promise<OpenLoadResult> {
  const crowd = new Crowd(load);
  for (let opened = 0; opened < load.connections; opened += CONNECTING_AT_ONCE)
    await Promise.all(Array.from({ length: CONNECTING_AT_ONCE }, () => crowd.connect()));
  return crowd.send();
}

class Crowd {
  readonly #load: OpenLoad;
  readonly #requests: readonly Buffer[];
  readonly #connections = new Set<Connection>();
  readonly #idle: Connection[] = [];
  readonly #acceptedMs: number[] = [];
  readonly #refusedMs: number[] = [];
  #unexpected = 0;
  #lostConnections = 0;
  #sent = 0;
  #skipped = 0;
  #isEnding = false;

  constructor(load: OpenLoad) {
    this.#load = load;
    this.#requests = load.requests.map((request) => Buffer.from(request));
  }

  async connect(): Promise<void> {
    const connection = new Connection(this.#load.port, {
      onResponse: (bytes, milliseconds) => {
        this.#record(bytes, milliseconds);
        this.#idle.push(connection);
      },
      onClose: () => {
        this.#connections.delete(connection);
        if (this.#isEnding) return;
        this.#lostConnections += 1;
        this.connect().catch(() => undefined);
      },
    });
    this.#connections.add(connection);
    await connection.opened;
    this.#idle.push(connection);
  }

  send(): Promise<OpenLoadResult> {
    const { perSecond, milliseconds } = this.#load;
    const usageBefore = process.cpuUsage();
    const start = performance.now();
    return new Promise((resolve) => {
      const timer = setInterval(() => {
        const elapsed = performance.now() - start;
        if (elapsed >= milliseconds) {
          clearInterval(timer);
          const { user, system } = process.cpuUsage(usageBefore);
          resolve(this.#finish(elapsed / 1000, (user + system) / 1000 / elapsed));
          return;
        }
        while (this.#sent + this.#skipped < (elapsed / 1000) * perSecond) this.#sendNext();
      }, TICK_MS);
    });
  }

  #sendNext(): void {
    const connection = this.#idle.shift();
    if (!connection) {
      this.#skipped += 1;
      return;
    }
    connection.send(this.#requests[this.#sent % this.#requests.length] as Buffer);
    this.#sent += 1;
  }

  #record(bytes: Buffer, milliseconds: number): void {
    const status = readStatus(bytes);
    if (status === 200) this.#acceptedMs.push(milliseconds);
    else if (status === 503 && bytes.includes('retry-after: ')) this.#refusedMs.push(milliseconds);
    else this.#unexpected += 1;
  }

  #finish(seconds: number, generatorUtilization: number): OpenLoadResult {
    this.#isEnding = true;
    for (const connection of this.#connections) connection.close();
    return {
      sentPerSecond: this.#sent / seconds,
      skippedPerSecond: this.#skipped / seconds,
      accepted: summarize(this.#acceptedMs, seconds),
      refused: summarize(this.#refusedMs, seconds),
      unexpected: this.#unexpected,
      lostConnections: this.#lostConnections,
      generatorUtilization,
    };
  }
}

interface ConnectionListener {
  onResponse(bytes: Buffer, milliseconds: number): void;
  onClose(): void;
}

class Connection {
  readonly opened: Promise<void>;
  readonly #socket: Socket;
  #sentAt = 0;
  #partialResponse: Buffer | undefined;

  constructor(port: number, listener: ConnectionListener) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.opened = new Promise((resolve, reject) => {
      this.#socket.once('connect', resolve).once('error', reject);
    });
    this.#socket.on('error', () => undefined);
    this.#socket.once('close', listener.onClose);
    this.#socket.on('data', (chunk: string | Buffer) => {
      const bytes = this.#partialResponse ? Buffer.concat([this.#partialResponse, chunk as Buffer]) : (chunk as Buffer);
      const isComplete = bytes.length >= responseLength(bytes);
      this.#partialResponse = isComplete ? undefined : bytes;
      if (isComplete) listener.onResponse(bytes, performance.now() - this.#sentAt);
    });
  }

  send(request: Buffer): void {
    this.#sentAt = performance.now();
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.destroy();
  }
}

function summarize(milliseconds: readonly number[], seconds: number): LatencyResult {
  const sorted = Float64Array.from(milliseconds).sort();
  return {
    perSecond: sorted.length / seconds,
    medianMs: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
  };
}
