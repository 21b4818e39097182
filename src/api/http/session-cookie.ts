import type { IncomingMessage } from 'node:http';
import { DomainError } from '../../core/kernel/errors.ts';
import { type Credential, hasExplicitCredential } from './credential.ts';
import type { RequestOrigins } from './request-origin.ts';

/** Over HTTPS: browsers accept this prefix only from the host itself, over HTTPS and for all paths. */
export const SECURE_COOKIE = '__Host-switchboard';
/** Over plain HTTP, where browsers refuse the prefix. */
export const PLAIN_COOKIE = 'switchboard';

/** With these a page says whose session it shows. A browser sends no header of a page with a WebSocket. */
const OWNER_HEADER = 'x-session-owner';
const OWNER_PARAMETER = 'owner';

/** The value that the service issues. */
const SECRET_FORMAT = /^[\w-]{43}$/;

/**
 * The cookie that holds the secret of a browser session. Browsers send it by themselves, so it counts only on requests of
 * the service's own pages.
 */
export class SessionCookie {
  readonly #origins: RequestOrigins;

  constructor(origins: RequestOrigins) {
    this.#origins = origins;
  }

  /**
   * Reads only the name that fits the scheme: other hosts of the same site can plant the plain one. A repeated cookie is
   * ignored for that reason, so the usual parsers, which return the first one, do not fit.
   */
  readSecret(request: IncomingMessage): string | undefined {
    const prefix = `${this.#getName(request)}=`;
    const cookies = (request.headers.cookie ?? '').split(';').map((text) => text.trim());
    const [value, ...others] = cookies
      .filter((text) => text.startsWith(prefix))
      .map((text) => text.slice(prefix.length));
    return value !== undefined && others.length === 0 && SECRET_FORMAT.test(value) ? value : undefined;
  }

  /** Returns undefined if there is no cookie or another credential, which wins. Throws unless an own page sent it. */
  readCredential(request: IncomingMessage): Credential | undefined {
    const credential = this.#findCredential(request);
    if (credential) this.requireOwnPage(request);
    return credential;
  }

  /** Pages of configured origins can open a WebSocket and then send another credential; their cookie does not count. */
  mayOpenSocket(request: IncomingMessage): boolean {
    if (!this.#origins.mayOpenSocket(request)) return false;
    const isCookieAccepted = this.#origins.findSource(request) === 'own_page';
    return isCookieAccepted || this.#origins.isFromCorsOrigin(request) || !this.#findCredential(request);
  }

  /** For a WebSocket that was opened. */
  readSocketCredential(request: IncomingMessage): Credential | undefined {
    return this.#origins.findSource(request) === 'own_page' ? this.#findCredential(request) : undefined;
  }

  /** Throws unless an own page sent the request. */
  requireOwnPage(request: IncomingMessage): void {
    if (this.#origins.findSource(request) !== 'own_page') throw notSameOrigin();
  }

  /** For reads whose response other pages cannot read: browsers send no header with these over plain HTTP. */
  rejectOtherPage(request: IncomingMessage): void {
    if (this.#origins.findSource(request) === 'other_page') throw notSameOrigin();
  }

  /** Returns the header `Set-Cookie` for a new session; without a secret it deletes the cookie. */
  serialize(request: IncomingMessage, secret: string | undefined, maxAgeSeconds: number): string {
    return [
      `${this.#getName(request)}=${secret ?? ''}`,
      'Path=/',
      `Max-Age=${secret === undefined ? 0 : maxAgeSeconds}`,
      'HttpOnly',
      'SameSite=Strict',
      ...(this.#origins.isSecure(request) ? ['Secure'] : []),
    ].join('; ');
  }

  #findCredential(request: IncomingMessage): Credential | undefined {
    const secret = hasExplicitCredential(request) ? undefined : this.readSecret(request);
    if (secret === undefined) return undefined;
    const owner = readOwner(request);
    return { kind: 'session', secret, ...(owner !== undefined && { owner }) };
  }

  #getName(request: IncomingMessage): string {
    return this.#origins.isSecure(request) ? SECURE_COOKIE : PLAIN_COOKIE;
  }
}

function readOwner({ headers, url = '' }: IncomingMessage): string | undefined {
  const { [OWNER_HEADER]: header } = headers;
  if (typeof header === 'string') return header;
  const [, query] = url.split('?');
  return (query !== undefined && new URLSearchParams(query).get(OWNER_PARAMETER)) || undefined;
}

function notSameOrigin(): DomainError {
  return new DomainError(
    'forbidden',
    'A browser session is accepted only from pages of this service: Origin or Sec-Fetch-Site must say so. If the service is behind a proxy, set SWITCHBOARD_PUBLIC_URL.',
  );
}

/** Whether a header contains the cookie, valid or not. */
export function hasSessionCookie(header: string | undefined): boolean {
  return header?.includes(`${PLAIN_COOKIE}=`) === true;
}
