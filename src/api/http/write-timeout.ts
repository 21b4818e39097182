import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/**
 * Disconnects clients that do not read their responses. The time counts from the last progress of a response, so it
 * limits neither how long the service works on a request, nor a client that reads slowly.
 */
export function disconnectStuckClients(server: Server, writeTimeoutMs: number): void {
  server.prependListener('request', ({ socket }, response) => {
    // The first timeout of a response only makes Node note how much is left to send; the second one sees no progress.
    response.setTimeout(writeTimeoutMs / 2, () => disconnectIfStuck(socket));
  });
}

function disconnectIfStuck(socket: Socket): void {
  if (socket.writableLength === 0) return; // the service is still working on the request
  // A reset also frees what the operating system has buffered for the client; TLS cannot send one.
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}
