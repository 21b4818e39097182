import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * The baseline: what Node alone needs to send the same bytes. It reads the recorded responses of the service, keyed by
 * method and URL, and only sends them.
 */

export interface RecordedResponse {
  readonly status: number;
  /** Alternating names and values, in their original order, without the headers that Node adds. */
  readonly headers: readonly string[];
  /** One character per byte. */
  readonly body: string;
}

const responses = new Map(
  Object.entries(JSON.parse(readFileSync(process.argv[2] as string, 'utf8')) as Record<string, RecordedResponse>),
);

const server = createServer((request, response) => {
  const recorded = responses.get(`${request.method} ${request.url}`);
  if (!recorded) {
    response.writeHead(404, { 'content-length': 0 }).end();
    return;
  }
  const send = () => response.writeHead(recorded.status, recorded.headers as string[]).end(recorded.body, 'latin1');
  if (request.method === 'GET') send();
  else request.resume().once('end', send);
});

server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.once('disconnect', () => process.exit());
