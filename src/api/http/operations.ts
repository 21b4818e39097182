import type { FastifyInstance, FastifyReply } from 'fastify';
import { isSameSecret } from '../../core/access/secrets.ts';
import type { Metrics } from './metrics.ts';

export interface OperationsOptions {
  readonly metrics: Metrics;
  readonly metricsToken: string | undefined;
  /** Rejects while the service cannot accept traffic. */
  checkReady(): Promise<void>;
}

/** Registers the endpoints for operations: liveness, readiness and metrics. */
export function registerOperations(
  app: FastifyInstance,
  { metrics, metricsToken, checkReady }: OperationsOptions,
): void {
  app.get('/_health', async (_request, reply) => send(reply, 200, { status: 'alive' }));

  app.get('/_ready', async (_request, reply) => {
    try {
      await checkReady();
      return send(reply, 200, { status: 'ready' });
    } catch {
      return send(reply.header('retry-after', 1), 503, { status: 'not ready' });
    }
  });

  app.get('/metrics', async (request, reply) => {
    if (metricsToken !== undefined && !isSameSecret(request.headers.authorization ?? '', `Bearer ${metricsToken}`)) {
      return send(reply.header('www-authenticate', 'Bearer'), 401, { status: 'not authorized' });
    }
    return reply.header('content-type', metrics.registry.contentType).send(await metrics.registry.metrics());
  });
}

function send(reply: FastifyReply, status: number, body: object): FastifyReply {
  return reply
    .code(status)
    .headers({ 'content-type': 'application/json', 'cache-control': 'no-store' })
    .send(JSON.stringify(body));
}
