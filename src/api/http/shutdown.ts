import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

const CLOSE_IDLE_INTERVAL_MS = 20;
const STEP_MS = 50;

/**
 * Keeps serving, without keep-alive, until load balancers have noticed that the node is not ready. The time is counted
 * in short steps: a stalled process answers no health checks, so a stall counts as one step at most, and requests that
 * arrived during it are read before connections are closed. Ends after twice the time in any case.
 */
export async function drain(app: FastifyInstance, milliseconds: number): Promise<void> {
  app.server.prependListener('request', (_request, response) => {
    response.shouldKeepAlive = false;
  });
  const deadline = performance.now() + 2 * milliseconds;
  for (let remaining = milliseconds; remaining > 0 && performance.now() < deadline; remaining -= STEP_MS)
    await wait(Math.min(remaining, STEP_MS));
}

/**
 * Cuts off requests that are still running when the time is up, so that a shutdown always ends. Keep-alive connections
 * become idle one by one as their requests complete, and are closed so that they do not delay the shutdown.
 */
export async function closeWithin(app: FastifyInstance, milliseconds: number): Promise<void> {
  const cutOff = setTimeout(() => app.server.closeAllConnections(), milliseconds);
  const closeIdle = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_INTERVAL_MS);
  await app.close();
  clearTimeout(cutOff);
  clearInterval(closeIdle);
}
