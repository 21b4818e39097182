import { connect, type Socket } from 'node:net';

/**
 * The load generator, in a process of its own. It speaks HTTP over plain sockets with requests made beforehand: a client
 * library would need more processor time than the servers that it measures.
 */

/** Requests that some connections send in turn, each waiting for the answer before the next. */
export interface Stream {
  readonly requests: readonly string[];
  readonly connections: number;
  /** Any other status is a failure. */
  readonly expected: readonly number[];
}

/** Ends after the time, or after so many requests of each stream, whichever comes first. */
export interface Load {
  /** The connections are spread evenly over these. */
  readonly ports: readonly number[];
  readonly milliseconds: number;
  readonly mostRequests: number;
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
  /** The share of one processor that this generator used: near 1 it measures itself. */
  readonly generatorBusy: number;
}

const SILENCE_MS = 20_000;
const HEAD_END = '\r\n\r\n';
const LENGTH = 'content-length: ';

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
  const used = process.cpuUsage(before);
  return { streams, generatorBusy: (used.user + used.system) / 1000 / (performance.now() - start) };
}

async function runStream(load: Load, stream: Stream): Promise<StreamResult> {
  const connections = Array.from({ length: stream.connections }, (_, index) => {
    // Each connection has requests of its own, so that writes of one never undo those of another.
    const own = stream.requests.filter((_, at) => at % stream.connections === index);
    const port = load.ports[index % load.ports.length] as number;
    return new Connection(port, own.length > 0 ? own : stream.requests);
  });
  await Promise.all(connections.map((connection) => connection.open));
  const tally = new Tally(stream, load);
  await Promise.all(connections.map((connection) => connection.run(tally)));
  return tally.result();
}

class Tally {
  readonly #expected: ReadonlySet<number>;
  readonly #start = performance.now();
  readonly #end: number;
  readonly #most: number;
  readonly #milliseconds: number[] = [];
  readonly #byStatus = new Map<number, number>();
  #sent = 0;
  #last = this.#start;

  constructor(stream: Stream, load: Load) {
    this.#expected = new Set(stream.expected);
    this.#end = this.#start + load.milliseconds;
    this.#most = load.mostRequests;
  }

  /** Whether one more may be sent at this moment. The first always may: a busy machine can sleep through a short time. */
  take(now: number): boolean {
    if (this.#sent > 0 && (now >= this.#end || this.#sent >= this.#most)) return false;
    this.#sent += 1;
    return true;
  }

  answered(status: number, sentAt: number, now: number): void {
    this.#milliseconds.push(now - sentAt);
    this.#last = now;
    this.#byStatus.set(status, (this.#byStatus.get(status) ?? 0) + 1);
  }

  result(): StreamResult {
    const unexpected = [...this.#byStatus].filter(([status]) => !this.#expected.has(status));
    if (unexpected.length > 0) {
      const list = unexpected.map(([status, count]) => `${count} times status ${status}`).join(', ');
      throw new Error(`Not all answers were as expected: ${list}.`);
    }
    const sorted = Float64Array.from(this.#milliseconds).sort();
    return {
      requests: sorted.length,
      perSecond: sorted.length / ((this.#last - this.#start) / 1000),
      medianMs: sorted[Math.floor(sorted.length * 0.5)] as number,
      p99Ms: sorted[Math.floor(sorted.length * 0.99)] as number,
      byStatus: Object.fromEntries(this.#byStatus),
    };
  }
}

/** One connection that is kept open. */
class Connection {
  readonly open: Promise<void>;
  readonly #socket: Socket;
  readonly #requests: readonly Buffer[];
  #tally: Tally | undefined;
  #next = 0;
  #sentAt = 0;
  /** The beginning of an answer whose end has not arrived yet. */
  #arrived: Buffer | undefined;
  #ending = false;

  constructor(port: number, requests: readonly string[]) {
    this.#requests = requests.map((request) => Buffer.from(request));
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.setTimeout(SILENCE_MS, () => this.#socket.destroy(new Error('The server does not answer.')));
    this.open = new Promise((resolve, reject) => {
      this.#socket.once('connect', resolve).once('error', reject);
    });
  }

  /** Sends until the tally has enough. */
  run(tally: Tally): Promise<void> {
    this.#tally = tally;
    return new Promise((resolve, reject) => {
      this.#socket.on('data', (chunk: string | Buffer) => this.#receive(chunk as Buffer));
      this.#socket.once('error', reject);
      this.#socket.once('close', () => (this.#ending ? resolve() : reject(new Error('The server hung up.'))));
      this.#send(performance.now());
    });
  }

  #send(now: number): void {
    if (!this.#tally?.take(now)) {
      this.#ending = true;
      this.#socket.end();
      return;
    }
    this.#sentAt = now;
    this.#socket.write(this.#requests[this.#next] as Buffer);
    this.#next = (this.#next + 1) % this.#requests.length;
  }

  #receive(chunk: Buffer): void {
    const bytes = this.#arrived ? Buffer.concat([this.#arrived, chunk]) : chunk;
    if (bytes.length < lengthOf(bytes)) {
      this.#arrived = bytes;
      return;
    }
    this.#arrived = undefined;
    const now = performance.now();
    this.#tally?.answered(statusOf(bytes), this.#sentAt, now);
    this.#send(now);
  }
}

/** How many bytes an answer has; infinitely many while its head is not complete. */
function lengthOf(bytes: Buffer): number {
  const head = bytes.indexOf(HEAD_END, 0, 'latin1');
  if (head < 0) return Number.POSITIVE_INFINITY;
  const at = bytes.indexOf(LENGTH, 0, 'latin1');
  if (at < 0 || at > head) throw new Error('An answer does not tell its length.');
  let length = 0;
  for (let index = at + LENGTH.length; bytes[index] !== 13; index++)
    length = length * 10 + (bytes[index] as number) - 48;
  return head + HEAD_END.length + length;
}

/** The three digits after `HTTP/1.1 `. */
function statusOf(bytes: Buffer): number {
  return ((bytes[9] as number) - 48) * 100 + ((bytes[10] as number) - 48) * 10 + (bytes[11] as number) - 48;
}
