import { createServer } from 'node:net';

/** Below the range of ephemeral ports: no other connection takes the port while its server is down. */
const MIN_PORT = 20_000;
const MAX_PORT = 31_999;
const MAX_TRIES = 100;

/** A port that a server can use again after a restart. */
export async function findStablePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = MIN_PORT + Math.floor(Math.random() * (MAX_PORT - MIN_PORT));
    if (await isFree(port)) return port;
  }
  throw new Error('No port is free.');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
