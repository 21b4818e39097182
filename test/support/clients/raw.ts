import { connect, type Socket } from 'node:net';
import { PATIENCE_MS } from '../waiting/until.ts';

/** An answer read from a bare socket, as far as it came. */
export interface RawAnswer {
  readonly status: number;
  readonly head: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  readonly body: any;
}

/**
 * Sends bytes that no well-behaved client would send and reads the first answer. Rejects when there is none:
 * a request must never hang.
 */
export function sendRaw(url: string, send: string | Buffer | ((socket: Socket) => void)): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname);
    const timer = setTimeout(() => finish(new Error('No answer came.')), PATIENCE_MS);
    const finish = (result: RawAnswer | Error) => {
      clearTimeout(timer);
      socket.destroy();
      if (result instanceof Error) reject(result);
      else resolve(result);
    };
    const look = (ended: boolean) => {
      const answer = parseAnswer(Buffer.concat(chunks), ended);
      if (answer) finish(answer);
      else if (ended) finish(new Error(`The connection ended without an answer: ${Buffer.concat(chunks)}`));
    };
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      look(false);
    });
    socket.on('close', () => look(true));
    // A server that refuses early may reset while we still write; what it said before counts.
    socket.on('error', () => undefined);
    socket.on('connect', () => {
      if (typeof send === 'function') send(socket);
      else socket.write(send);
    });
  });
}

/** A request in plain text, with `Host` and a key unless the test brings its own. */
export function rawRequest(
  line: string,
  headers: readonly string[] = [],
  body = '',
  { host = 'localhost' }: { host?: string | undefined } = {},
): string {
  return [line, ...(host === '' ? [] : [`Host: ${host}`]), ...headers, '', body].join('\r\n');
}

/** Undefined while the body is not complete. An answer to HEAD names a length and has no body: it ends with the connection. */
function parseAnswer(bytes: Buffer, ended: boolean): RawAnswer | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = bytes.subarray(0, end).toString('latin1');
  const length = Number(head.match(/^content-length: (\d+)$/im)?.[1] ?? 0);
  const body = bytes.subarray(end + 4);
  if (body.length < length && !ended) return undefined;
  const text = body.subarray(0, length).toString();
  const status = Number(head.match(/^HTTP\/1\.1 (\d{3})/)?.[1] ?? 0);
  const isJson = /^content-type: application\/json/im.test(head) && text !== '';
  return { status, head, body: isJson ? JSON.parse(text) : text === '' ? undefined : text };
}
