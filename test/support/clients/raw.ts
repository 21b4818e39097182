import { connect, type Socket } from 'node:net';
import { WAIT_TIMEOUT_MS } from '../waiting/wait.ts';

/** A response read from a plain socket, possibly incomplete. */
export interface RawResponse {
  readonly status: number;
  readonly head: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  readonly body: any;
}

/**
 * Sends bytes that no well-behaved client would send and reads the first response. Rejects if there is none:
 * a request must never hang.
 */
export function sendRaw(url: string, send: string | Buffer | ((socket: Socket) => void)): Promise<RawResponse> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(Number(port), hostname);
    const timer = setTimeout(() => finish(new Error('No response arrived.')), WAIT_TIMEOUT_MS);
    const finish = (result: RawResponse | Error) => {
      clearTimeout(timer);
      socket.destroy();
      if (result instanceof Error) reject(result);
      else resolve(result);
    };
    const finishIfComplete = (ended: boolean) => {
      const response = parseResponse(Buffer.concat(chunks), ended);
      if (response) finish(response);
      else if (ended) finish(new Error(`The connection closed without a response: ${Buffer.concat(chunks)}`));
    };
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      finishIfComplete(false);
    });
    socket.on('close', () => finishIfComplete(true));
    // A server that rejects early may reset the connection while we still write; its response still counts.
    socket.on('error', () => undefined);
    socket.on('connect', () => {
      if (typeof send === 'function') send(socket);
      else socket.write(send);
    });
  });
}

/** Builds a request as text, with a `Host` header unless `host` is empty. */
export function rawRequest(
  line: string,
  headers: readonly string[] = [],
  body = '',
  { host = 'localhost' }: { host?: string | undefined } = {},
): string {
  return [line, ...(host === '' ? [] : [`Host: ${host}`]), ...headers, '', body].join('\r\n');
}

/** Undefined while the body is incomplete. A response to HEAD has a length but no body: it ends with the connection. */
function parseResponse(bytes: Buffer, ended: boolean): RawResponse | undefined {
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
