import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { WAIT_TIMEOUT_MS } from '../waiting/wait.ts';

/** A request that a webhook receiver got. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  readonly event: any;
}

type Reply = number | ((response: ServerResponse) => void);

export interface Receiver {
  readonly url: string;
  readonly port: number;
  /** All requests in order, including rejected ones. */
  readonly received: ReceivedRequest[];
  /** Requests answered with 2xx. */
  readonly accepted: ReceivedRequest[];
  /** Number of connections opened so far. */
  connections: number;
  respond: (request: ReceivedRequest) => Reply;
  /** Resolves once the condition is met. */
  waitUntil(isMet: (receiver: Receiver) => boolean): Promise<void>;
  close(): Promise<void>;
}

/** A real HTTP server that replies as `respond` says; by default it accepts everything. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const pendingChecks = new Set<() => void>();
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const { method = '', url: path = '', headers } = request;
    const received: ReceivedRequest = { method, path, headers, body, event: JSON.parse(body) };
    receiver.received.push(received);
    const reply = receiver.respond(received);
    if (typeof reply === 'number') {
      if (reply < 300) receiver.accepted.push(received);
      response.writeHead(reply).end();
    } else reply(response);
    for (const check of pendingChecks) check();
  });
  server.on('connection', (socket) => {
    receiver.connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const actualPort = (server.address() as AddressInfo).port;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${actualPort}/hook`,
    port: actualPort,
    received: [],
    accepted: [],
    connections: 0,
    respond: () => 204,
    waitUntil: (isMet) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          pendingChecks.delete(check);
          reject(
            new Error(
              `The condition was never met; received: ${JSON.stringify(receiver.received.map(({ body }) => body))}`,
            ),
          );
        }, WAIT_TIMEOUT_MS);
        const check = () => {
          if (!isMet(receiver)) return;
          clearTimeout(timer);
          pendingChecks.delete(check);
          resolve();
        };
        pendingChecks.add(check);
        check();
      }),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return receiver;
}

/** The signature by the documented rule, computed without production code. */
export function expectedSignature(secret: string, { headers, body }: ReceivedRequest): string {
  const mac = createHmac('sha256', secret).update(`${headers['x-switchboard-timestamp']}.${body}`);
  return `sha256=${mac.digest('hex')}`;
}

export function assertSigned(secret: string | null, request: ReceivedRequest): void {
  assert.ok(secret);
  assert.equal(request.headers['x-switchboard-signature'], expectedSignature(secret, request));
}
