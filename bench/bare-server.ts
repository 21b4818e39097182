import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The yardstick: what Node itself needs to send the same bytes. It gets what the service answered, by method and
 * address, and does nothing but send it.
 */

export interface RecordedAnswer {
  readonly status: number;
  /** Names and values in turn, as they came, but for those that Node adds by itself. */
  readonly headers: readonly string[];
  readonly body: string;
}

const answers = new Map(
  Object.entries(JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as Record<string, RecordedAnswer>),
);

const server = createServer((request, response) => {
  const answer = answers.get(`${request.method} ${request.url}`);
  if (!answer) {
    response.writeHead(404, { 'content-length': 0 }).end();
    return;
  }
  const send = () => response.writeHead(answer.status, answer.headers as string[]).end(answer.body);
  if (request.method === 'GET') send();
  else request.resume().once('end', send);
});

server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.once('disconnect', () => process.exit());
