import { connect, type Socket } from 'node:net';
import { readStatus, responseLength } from './responses.ts';

/**
 * The load generator, in a separate process. It sends prepared HTTP requests over plain sockets: a client library would
 * need more processor time than the measured servers.
 */

/** Requests for a number of connections. Each connection waits for the response before it sends the next request. */
export interface Stream {
  readonly requests: readonly string[];
  readonly connections: number;
  /** Any other status is a failure. */
  readonly expected: readonly number[];
}

/** Ends after `milliseconds`, or after `maxRequests` per stream, whichever comes first. */
export interface Load {
  /** The connections are spread evenly over these ports. */
  readonly ports: readonly number[];
  readonly milliseconds: number;
  readonly maxRequests: number;
  readonly streams: readonly Stream[];
}

export interface StreamResult {
  readonly requests: number;
  readonly perSecond: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly byStatus: Readonly<Record<number, number>>;
}

export interface LoadResult {
  readonly streams: readonly StreamResult[];
  /** The share of one processor that this generator used. Near 1, the generator is the bottleneck. */
  readonly generatorUtilization: number;
}

const RESPONSE_TIMEOUT_MS = 20_000;

process.on('message', (load: Load) => {
  run(load).then(
    (result) => process.send?.({ result }),
    (error) => process.send?.({ error: String(error) }),
  );
});

async function run(load: Load): Promise<LoadResult> {
  const before = process.cpuUsage();
  const start = performance.now();
  const streams = await Promise.all(load.streams.map((stream) => runStream(load, stream)));
  const usage = process.cpuUsage(before);
  return { streams, generatorUtilization: (usage.user + usage.system) / 1000 / (performance.now() - start) };
}

async function runStream(load: Load, stream: Stream): Promise<StreamResult> {
  const connections = Array.from({ length: stream.connections }, (_, index) => {
    // Each connection has separate requests, so that the writes of one never undo those of another.
    const ownRequests = stream.requests.filter((_, at) => at % stream.connections === index);
    const port = load.ports[index % load.ports.length] as number;
    return new Connection(port, ownRequests.length > 0 ? ownRequests : stream.requests);
  });
  await Promise.all(connections.map((connection) => connection.opened));
  const tally = new Tally(stream, load);
  await Promise.all(connections.map((connection) => connection.run(tally)));
  return tally.toResult();
}

class Tally {
  readonly #expected: ReadonlySet<number>;
  readonly #start = performance.now();
  readonly #end: number;
  readonly #maxRequests: number;
  readonly #milliseconds: number[] = [];
  readonly #byStatus = new Map<number, number>();
  #sent = 0;
  #lastResponseAt = this.#start;

  constructor(stream: Stream, load: Load) {
    this.#expected = new Set(stream.expected);
    this.#end = this.#start + load.milliseconds;
    this.#maxRequests = load.maxRequests;
  }

  /** Returns false when enough was sent. The first request is always allowed: a busy machine can miss a short round. */
  claimRequest(now: number): boolean {
    if (this.#sent > 0 && (now >= this.#end || this.#sent >= this.#maxRequests)) return false;
    this.#sent += 1;
    return true;
  }

  recordResponse(status: number, sentAt: number, now: number): void {
    this.#milliseconds.push(now - sentAt);
    this.#lastResponseAt = now;
    this.#byStatus.set(status, (this.#byStatus.get(status) ?? 0) + 1);
  }

  toResult(): StreamResult {
    const unexpected = [...this.#byStatus].filter(([status]) => !this.#expected.has(status));
    if (unexpected.length > 0) {
      const list = unexpected.map(([status, count]) => `${count} with status ${status}`).join(', ');
      throw new Error(`Unexpected responses: ${list}.`);
    }
    const sorted = Float64Array.from(this.#milliseconds).sort();
    return {
      requests: sorted.length,
      perSecond: sorted.length / ((this.#lastResponseAt - this.#start) / 1000),
      medianMs: sorted[Math.floor(sorted.length * 0.5)] as number,
      p99Ms: sorted[Math.floor(sorted.length * 0.99)] as number,
      byStatus: Object.fromEntries(this.#byStatus),
    };
  }
}

/** One persistent connection. */
class Connection {
  readonly opened: Promise<void>;
  readonly #socket: Socket;
  readonly #requests: readonly Buffer[];
  #tally: Tally | undefined;
  #next = 0;
  #sentAt = 0;
  #partialResponse: Buffer | undefined;
  #isEnding = false;

  constructor(port: number, requests: readonly string[]) {
    this.#requests = requests.map((request) => Buffer.from(request));
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.setTimeout(RESPONSE_TIMEOUT_MS, () => this.#socket.destroy(new Error('The server does not respond.')));
    this.opened = new Promise((resolve, reject) => {
      this.#socket.once('connect', resolve).once('error', reject);
    });
  }

  /** Sends requests until the tally has enough. */
  run(tally: Tally): Promise<void> {
    this.#tally = tally;
    return new Promise((resolve, reject) => {
      this.#socket.on('data', (chunk: string | Buffer) => this.#receive(chunk as Buffer));
      this.#socket.once('error', reject);
      this.#socket.once('close', () =>
        this.#isEnding ? resolve() : reject(new Error('The server closed the connection.')),
      );
      this.#send(performance.now());
    });
  }

  #send(now: number): void {
    if (!this.#tally?.claimRequest(now)) {
      this.#isEnding = true;
      this.#socket.end();
      return;
    }
    this.#sentAt = now;
    this.#socket.write(this.#requests[this.#next] as Buffer);
    this.#next = (this.#next + 1) % this.#requests.length;
  }

  #receive(chunk: Buffer): void {
    const bytes = this.#partialResponse ? Buffer.concat([this.#partialResponse, chunk]) : chunk;
    if (bytes.length < responseLength(bytes)) {
      this.#partialResponse = bytes;
      return;
    }
    this.#partialResponse = undefined;
    const now = performance.now();
    this.#tally?.recordResponse(readStatus(bytes), this.#sentAt, now);
    this.#send(now);
  }
}
