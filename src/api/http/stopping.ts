import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

const CLOSE_IDLE_MS = 20;
const LEG_MS = 50;

/**
 * Keeps serving until load balancers have noticed, without keeping connections alive. The time passes in short legs: a process
 * without processor answers no health check, so a standstill counts as one leg at most, and requests that arrived meanwhile are
 * read before connections are closed. It ends after twice the time in any case.
 */
export async function drain(app: FastifyInstance, milliseconds: number): Promise<void> {
  app.server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false;
  });
  const latest = performance.now() + 2 * milliseconds;
  for (let left = milliseconds; left > 0 && performance.now() < latest; left -= LEG_MS)
    await wait(Math.min(left, LEG_MS));
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
