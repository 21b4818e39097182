import { createServer } from 'node:net';

/** Below the range from which systems take ports for outgoing connections: nobody takes it while its server is away. */
const LOWEST = 20_000;
const HIGHEST = 31_999;
const TRIES = 100;

/** A port that its server can leave and come back to. */
export async function lastingPort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
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
