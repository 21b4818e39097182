import type { IncomingMessage } from 'node:http';
import { createTrustCheck } from './trusted-proxies.ts';

export interface RequestOriginOptions {
  readonly corsOrigins: readonly string[];
  readonly publicUrl: string | undefined;
  readonly trustedProxies: readonly string[];
}

/** Who sent a request, as far as the browser says: a page of the service itself or another one. */
export type RequestSource = 'own_page' | 'other_page' | 'unknown';

/** Tells which page sent a request. Browsers set these headers themselves: no page can forge them. */
export class RequestOrigins {
  readonly #publicUrl: URL | undefined;
  readonly #corsOrigins: ReadonlySet<string>;
  readonly #isTrusted: (address: string | undefined) => boolean;

  constructor({ corsOrigins, publicUrl, trustedProxies }: RequestOriginOptions) {
    this.#publicUrl = publicUrl === undefined ? undefined : new URL(publicUrl);
    this.#corsOrigins = new Set(corsOrigins);
    this.#isTrusted = createTrustCheck(trustedProxies);
  }

  /** Whether browsers reach the service over HTTPS. */
  isSecure({ headers, socket }: IncomingMessage): boolean {
    if (this.#publicUrl) return this.#publicUrl.protocol === 'https:';
    const forwarded = this.#isTrusted(socket.remoteAddress) && readLastValue(headers['x-forwarded-proto']);
    return forwarded ? forwarded === 'https' : 'encrypted' in socket && socket.encrypted === true;
  }

  /**
   * A page of the service has its origin, and no header says otherwise. A page over plain HTTP is another one for a
   * service over HTTPS: others on the network can change it.
   */
  findSource(request: IncomingMessage): RequestSource {
    const { origin, 'sec-fetch-site': site } = request.headers;
    if (site !== undefined && site !== 'same-origin') return 'other_page';
    if (origin === undefined) return site === undefined ? 'unknown' : 'own_page';
    const isSafe = origin.startsWith('https:') || !this.isSecure(request);
    return isSafe && this.#isOwn(origin, request) ? 'own_page' : 'other_page';
  }

  /** Whether a page of a configured origin sent the request. */
  isFromCorsOrigin({ headers: { origin } }: IncomingMessage): boolean {
    return origin !== undefined && this.#corsOrigins.has(origin);
  }

  /**
   * Whether a WebSocket may be opened: without an origin (servers and apps), by a page of the service itself, or by a
   * page of a configured origin. Browsers do not apply CORS to WebSockets.
   */
  mayOpenSocket(request: IncomingMessage): boolean {
    const { origin } = request.headers;
    return origin === undefined || this.isFromCorsOrigin(request) || this.#isOwn(origin, request);
  }

  #isOwn(origin: string, { headers, socket }: IncomingMessage): boolean {
    if (origin === this.#publicUrl?.origin) return true;
    const forwardedHost = this.#isTrusted(socket.remoteAddress) && readLastValue(headers['x-forwarded-host']);
    const host = forwardedHost || headers.host;
    return host !== undefined && isOriginOfHost(origin, host);
  }
}

/** Earlier values may come from the client. */
function readLastValue(header: string | string[] | undefined): string | undefined {
  return [header ?? []].flat().at(-1)?.split(',').at(-1)?.trim();
}

/** Ignores the scheme, because TLS may end at a proxy that does not say so. */
function isOriginOfHost(origin: string, host: string): boolean {
  const url = URL.parse(origin);
  return url !== null && url.origin === origin && URL.parse(`${url.protocol}//${host}`)?.host === url.host;
}
