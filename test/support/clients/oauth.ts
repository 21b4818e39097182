import type { LoginResult } from '../../../src/core/access/login.ts';
import { waitUntil } from '../waiting/wait.ts';

/** A response of the token endpoint or of `/_authenticated`, parsed and as raw text. */
export interface OAuthResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field
  readonly body: any;
}

export async function callOAuth(url: string, path: string, init: RequestInit = {}): Promise<OAuthResponse> {
  const response = await fetch(`${url}${path}`, init);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

/** Sends a form; a string is sent unchanged. */
export function postForm(
  url: string,
  path: string,
  form: string | Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<OAuthResponse> {
  return callOAuth(url, path, {
    method: 'POST',
    body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
  });
}

/** One login attempt; `address` is the client address that a trusted proxy forwards. */
export function tryLogin(url: string, username: string, password: string, address?: string): Promise<OAuthResponse> {
  const form = { grant_type: 'password', username, password };
  return postForm(url, '/oauth2/token', form, address === undefined ? {} : { 'X-Forwarded-For': address });
}

export async function logIn(url: string, user: { email: string; password: string }): Promise<string> {
  const { status, text, body } = await tryLogin(url, user.email, user.password);
  if (status !== 200) throw new Error(`Login failed with ${status}: ${text}`);
  return body.access_token;
}

/** The token or session of a login; undefined if it was refused. */
export function secretOf(result: LoginResult): string | undefined {
  return result.kind === 'granted' ? result.secret : undefined;
}

export function checkToken(url: string, token: string): Promise<OAuthResponse> {
  return callOAuth(url, '/_authenticated', { headers: { Authorization: `Bearer ${token}` } });
}

/** Polls, because a node may cache a token for a moment. */
export function waitUntilTokenEnds(url: string, token: string): Promise<void> {
  return waitUntil('the token has ended', async () => (await checkToken(url, token)).status === 401);
}
