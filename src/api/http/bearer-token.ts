import type { FastifyRequest } from 'fastify';

/** The bearer token of a request, from the header alone (RFC 6750). */
export function bearerToken(request: FastifyRequest): string | undefined {
  return request.headers.authorization?.match(/^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i)?.[1];
}
