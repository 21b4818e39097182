import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isSameSecret } from '../../core/access/secrets.ts';
import type { Metrics } from './metrics.ts';
import { createTrustCheck } from './trusted-proxies.ts';

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
    if (metricsToken === undefined && !isDirectFromThisMachine(request)) {
      return send(reply, 403, { status: 'forbidden', message: TOKEN_REQUIRED });
    }
    if (metricsToken !== undefined && !isSameSecret(request.headers.authorization ?? '', `Bearer ${metricsToken}`)) {
      return send(reply.header('www-authenticate', 'Bearer'), 401, { status: 'not authorized' });
    }
    return reply.header('content-type', metrics.registry.contentType).send(await metrics.registry.metrics());
  });
}

const TOKEN_REQUIRED =
  'Without SWITCHBOARD_METRICS_TOKEN, /metrics answers only direct requests from the same machine. Set it, and send it as a bearer token.';

const isLoopback = createTrustCheck(['127.0.0.0/8', '::1']);
/** What proxies add. A proxy on the same machine makes all its clients look local. */
const FORWARDING_HEADER =
  /^(forwarded|via|x-forwarded-.*|x-real-ip|.*-client-ip|cf-connecting-ip|x-original-.*|cdn-loop)$/;

function isDirectFromThisMachine({ raw: { socket, headers } }: FastifyRequest): boolean {
  return isLoopback(socket.remoteAddress) && !Object.keys(headers).some((name) => FORWARDING_HEADER.test(name));
}

function send(reply: FastifyReply, status: number, body: object): FastifyReply {
  return reply
    .code(status)
    .headers({ 'content-type': 'application/json', 'cache-control': 'no-store' })
    .send(JSON.stringify(body));
}
