import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

const CLOSE_IDLE_MS = 20;

/** Serves on, for load balancers that do not know yet; but nobody keeps a connection for another request. */
export async function drain(app: FastifyInstance, milliseconds: number): Promise<void> {
  app.server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false;
  });
  await wait(milliseconds);
}

/**
 * Requests that still run at the end of the time are cut off: a stop always ends. Connections that their clients keep open
 * become idle one by one, as their requests are answered, and none of them may hold up the stop.
 */
export async function closeWithin(app: FastifyInstance, milliseconds: number): Promise<void> {
  const end = setTimeout(() => app.server.closeAllConnections(), milliseconds);
  const idle = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_MS);
  await app.close();
  clearTimeout(end);
  clearInterval(idle);
}
