import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { continueReading, stopReading } from './socket-reading.ts';

/**
 * Serves the requests of a connection one after another, and reads no further ones while some wait. By default Node
 * serves pipelined requests all at once and keeps their responses until the client reads them: a few clients that never
 * read could take the places of all others.
 */
export function serveInOrder(server: Server): void {
  const [serve] = server.listeners('request') as [RequestListener];
  const newestWaiting = new WeakMap<Socket, ServerResponse>();
  server.off('request', serve);
  server.on('request', (request, response) => {
    const { socket } = request;
    if (response.socket) {
      serve(request, response);
      return;
    }
    if (!newestWaiting.has(socket)) stopReading(socket);
    newestWaiting.set(socket, response);
    // Emitted when the response before this one was sent.
    response.once('socket', () => {
      if (newestWaiting.get(socket) === response) {
        newestWaiting.delete(socket);
        continueReading(socket);
      }
      serve(request, response);
    });
  });
}
