import type { FastifyRequest } from 'fastify';

/** Returns a function that finds the public URL of the service, without a slash at the end. */
export function createBaseUrlReader(publicUrl: string | undefined): (request: FastifyRequest) => string {
  const configuredUrl = publicUrl?.replace(/\/$/, '');
  return (request) => configuredUrl ?? buildRequestBaseUrl(request);
}

/** Builds the URL from the request. The Host header is untrusted: anything but a plain host is not echoed. */
function buildRequestBaseUrl({ protocol, host }: FastifyRequest): string {
  return /^[\w.:[\]-]+$/.test(host) ? `${protocol}://${host}` : 'http://127.0.0.1:8080';
}
