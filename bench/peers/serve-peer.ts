import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves until the parent process disconnects, and sends it the port. */
export function servePeer(listener?: RequestListener, prepare?: (server: PeerServer) => Promise<void>): void {
  const server = createServer(listener);
  process.once('disconnect', () => process.exit());
  const listen = () =>
    server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
  if (prepare) prepare(server).then(listen);
  else listen();
}

export type PeerServer = ReturnType<typeof createServer>;
