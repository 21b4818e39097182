import type { FastifyInstance } from 'fastify';

export function registerPages(app: FastifyInstance): void {
  app.get('/', async (_request, reply) => reply.header('content-type', 'text/html').send('<h1>Switchboard</h1>'));
}
