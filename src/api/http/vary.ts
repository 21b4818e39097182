import type { FastifyReply } from 'fastify';

/** Adds a request header to those that the response depends on, for caches. */
export function addVary(reply: FastifyReply, header: string): void {
  const earlier = reply.getHeader('vary') as string | undefined;
  if (!earlier?.split(', ').includes(header)) reply.header('vary', earlier ? `${earlier}, ${header}` : header);
}
