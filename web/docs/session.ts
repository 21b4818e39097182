export interface Session {
  readonly email: string;
  readonly token: string;
}

const SESSION_KEY = 'switchboard:session';

/** Stored per tab and shared by the pages, so that a reload needs no login; cleared when the tab is closed. */
export const storedSession = {
  read: (): Session | null => JSON.parse(sessionStorage.getItem(SESSION_KEY) ?? 'null'),
  write: (session: Session) => sessionStorage.setItem(SESSION_KEY, JSON.stringify(session)),
  clear: () => sessionStorage.clear(),
};

type Attempt<Result> = { readonly result: Result } | { readonly problem: string };

const UNREACHABLE = { problem: 'The server cannot be reached. Please try again.' };

/** Returns a token, or a problem to show to the user. */
export async function logIn(username: string, password: string): Promise<Attempt<string>> {
  try {
    const response = await post('/oauth2/token', { grant_type: 'password', username, password });
    if (response.ok) return { result: (await response.json()).access_token };
    return { problem: await describeProblem(response) };
  } catch {
    return UNREACHABLE;
  }
}

/** Returns the single sign-on code in the URL fragment, and removes it from the URL. */
export function consumeCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code !== null) history.replaceState(null, '', location.pathname + location.search);
  return code;
}

/** Returns a session for a single sign-on code, or a problem to show to the user. */
export async function exchangeCode(code: string): Promise<Attempt<Session>> {
  try {
    const response = await post('/admin/session', { code });
    if (!response.ok) return { problem: 'The link was already used or has expired. Open it again, or log in here.' };
    const token: string = (await response.json()).access_token;
    return { result: { email: await loadEmail(token), token } };
  } catch {
    return UNREACHABLE;
  }
}

async function loadEmail(token: string): Promise<string> {
  const response = await fetch('/graphql?query={viewer{email}}', { headers: { Authorization: `Bearer ${token}` } });
  return (await response.json()).data.viewer.email;
}

/** Revokes the token on the server. If that fails, the token expires later; this page has already discarded it. */
export async function logOut(token: string): Promise<void> {
  await post('/oauth2/revoke', { token }).catch(() => undefined);
}

export async function isTokenValid(token: string): Promise<boolean> {
  const response = await fetch('/_authenticated', { headers: { Authorization: `Bearer ${token}` } }).catch(() => null);
  return response?.ok ?? false;
}

async function describeProblem(response: Response): Promise<string> {
  if (response.status === 429) {
    const seconds = Number(response.headers.get('retry-after') ?? 60);
    return `Too many logins. Please try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
  }
  const { error } = await response.json().catch(() => ({}));
  if (error === 'invalid_grant') return 'The e-mail or the password is wrong.';
  return `The login failed (${response.status}). Please try again.`;
}

function post(url: string, parameters: Record<string, string>): Promise<Response> {
  return fetch(url, { method: 'POST', body: new URLSearchParams(parameters) });
}
