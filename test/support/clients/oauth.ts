import { until } from '../waiting/until.ts';

/** An answer of the token endpoint or of `/_authenticated`, also as it came over the line. */
export interface OAuthAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
  readonly body: any;
}

export async function callOAuth(url: string, path: string, init: RequestInit = {}): Promise<OAuthAnswer> {
  const response = await fetch(`${url}${path}`, init);
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

/** Sends a form; the text of one is sent as it is. */
export function postForm(
  url: string,
  path: string,
  form: string | Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<OAuthAnswer> {
  return callOAuth(url, path, {
    method: 'POST',
    body: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
  });
}

/** One try to log in, from the address that a trusted proxy names where one is given. */
export function tryLogin(url: string, username: string, password: string, address?: string): Promise<OAuthAnswer> {
  const form = { grant_type: 'password', username, password };
  return postForm(url, '/oauth2/token', form, address === undefined ? {} : { 'X-Forwarded-For': address });
}

export async function logIn(url: string, user: { email: string; password: string }): Promise<string> {
  const { status, text, body } = await tryLogin(url, user.email, user.password);
  if (status !== 200) throw new Error(`The login answered ${status}: ${text}`);
  return body.access_token;
}

export function checkToken(url: string, token: string): Promise<OAuthAnswer> {
  return callOAuth(url, '/_authenticated', { headers: { Authorization: `Bearer ${token}` } });
}

/** Asks until the token has ended; a node may remember it for a moment. */
export function tokenEnds(url: string, token: string): Promise<void> {
  return until('the token has ended', async () => (await checkToken(url, token)).status === 401);
}
