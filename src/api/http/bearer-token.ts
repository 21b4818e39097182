import type { IncomingHttpHeaders } from 'node:http';

/** Reads the token from the Authorization header only (RFC 6750). */
export function readBearerToken({ headers }: { readonly headers: IncomingHttpHeaders }): string | undefined {
  return headers.authorization?.match(/^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i)?.[1];
}
