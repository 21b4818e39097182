import type { FastifyRequest } from 'fastify';

/** Reads the token from the Authorization header only (RFC 6750). */
export function readBearerToken(request: FastifyRequest): string | undefined {
  return request.headers.authorization?.match(/^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i)?.[1];
}
