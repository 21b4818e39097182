import { callOAuth, type OAuthResponse } from './oauth.ts';

/** A session of a browser: what it sends with every request of an own page. */
export interface BrowserSession {
  /** `name=value`. */
  readonly cookie: string;
  /** The headers of a request that the service's own page sends. */
  readonly headers: Readonly<Record<string, string>>;
}

/** `POST /session`, as the page of the service sends it. */
export function postSession(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<OAuthResponse> {
  return callOAuth(url, '/session', {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', Origin: url, ...headers },
  });
}

export async function openSession(
  url: string,
  credentials: { readonly email: string; readonly password: string } | { readonly ssoCode: string },
): Promise<BrowserSession> {
  const response = await postSession(url, credentials);
  if (response.status !== 200) throw new Error(`Login failed with ${response.status}: ${response.text}`);
  return toBrowserSession(url, readCookie(response));
}

export function toBrowserSession(url: string, cookie: string): BrowserSession {
  return { cookie, headers: { Cookie: cookie, Origin: url, 'Sec-Fetch-Site': 'same-origin' } };
}

/** Reads `name=value` from the only `Set-Cookie`. */
export function readCookie({ headers }: { readonly headers: Headers }): string {
  const [cookie = '', ...others] = headers.getSetCookie();
  if (others.length > 0) throw new Error(`Several cookies: ${headers.getSetCookie()}`);
  return cookie.split(';')[0] ?? '';
}
