import type { IncomingMessage } from 'node:http';
import { createTrustCheck } from './trusted-proxies.ts';

export interface SocketOriginOptions {
  readonly corsOrigins: readonly string[];
  readonly publicUrl: string | undefined;
  readonly trustedProxies: readonly string[];
}

/**
 * Returns a function that tells whether a WebSocket may be opened: without an origin (servers and apps), by a page of
 * the service itself, or by a page of a configured origin. Browsers do not apply CORS to WebSockets.
 */
export function createSocketOriginCheck({
  corsOrigins,
  publicUrl,
  trustedProxies,
}: SocketOriginOptions): (request: IncomingMessage) => boolean {
  const isTrusted = createTrustCheck(trustedProxies);
  const allowed = new Set([...corsOrigins, ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin])]);
  return ({ headers, socket }) => {
    const { origin } = headers;
    if (origin === undefined || allowed.has(origin)) return true;
    const host = (isTrusted(socket.remoteAddress) && readForwardedHost(headers)) || headers.host;
    return host !== undefined && isOriginOfHost(origin, host);
  };
}

/** The last value: earlier ones may come from the client. */
function readForwardedHost(headers: IncomingMessage['headers']): string | undefined {
  return [headers['x-forwarded-host'] ?? []].flat().at(-1)?.split(',').at(-1)?.trim();
}

/** Ignores the scheme, because TLS may end at a proxy that does not say so. */
function isOriginOfHost(origin: string, host: string): boolean {
  const url = URL.parse(origin);
  return url !== null && url.origin === origin && URL.parse(`${url.protocol}//${host}`)?.host === url.host;
}
