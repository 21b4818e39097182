import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { PATIENCE_MS } from '../waiting/until.ts';

/** A request that came to a receiver of webhooks. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came
  readonly event: any;
}

type Answer = number | ((response: ServerResponse) => void);

export interface Receiver {
  readonly url: string;
  readonly port: number;
  /** All that came, in order; also what was refused. */
  readonly received: Received[];
  /** What was answered with 2xx. */
  readonly taken: Received[];
  /** How many connections were made. */
  connections: number;
  answer: (request: Received) => Answer;
  /** Answers when the condition holds for what came. */
  until(holds: (receiver: Receiver) => boolean): Promise<void>;
  close(): Promise<void>;
}

/** A real HTTP server that does as it is told; without a word it takes everything. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const waiting = new Set<() => void>();
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => undefined);
    if (body === undefined) return;
    const { method = '', url: path = '', headers } = request;
    const each: Received = { method, path, headers, body, event: JSON.parse(body) };
    receiver.received.push(each);
    const answer = receiver.answer(each);
    if (typeof answer === 'number') {
      if (answer < 300) receiver.taken.push(each);
      response.writeHead(answer).end();
    } else answer(response);
    for (const look of waiting) look();
  });
  server.on('connection', (socket) => {
    receiver.connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const actual = (server.address() as AddressInfo).port;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${actual}/hook`,
    port: actual,
    received: [],
    taken: [],
    connections: 0,
    answer: () => 204,
    until: (holds) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`It did not come; there are ${JSON.stringify(receiver.received.map(({ body }) => body))}`));
        }, PATIENCE_MS);
        const look = () => {
          if (!holds(receiver)) return;
          clearTimeout(late);
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return receiver;
}

/** What a receiver that knows the secret expects as signature, from the rule and not from our code. */
export function expectedSignature(secret: string, { headers, body }: Received): string {
  const mac = createHmac('sha256', secret).update(`${headers['x-switchboard-timestamp']}.${body}`);
  return `sha256=${mac.digest('hex')}`;
}

export function assertSigned(secret: string | null, request: Received): void {
  assert.ok(secret);
  assert.equal(request.headers['x-switchboard-signature'], expectedSignature(secret, request));
}
