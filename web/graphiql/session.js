/** A token for an e-mail and a password, or what to tell the person who typed them. */
export async function logIn(username, password) {
  try {
    const response = await post('/oauth2/token', { grant_type: 'password', username, password });
    if (response.ok) return { token: (await response.json()).access_token };
    return { problem: await problemOf(response) };
  } catch {
    return { problem: 'The server cannot be reached. Please try again.' };
  }
}

/** The code that a single sign-on put into the fragment of the address; from then on it is there no more. */
export function takeCode() {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code !== null) history.replaceState(null, '', location.pathname + location.search);
  return code;
}

/** A session for the code of a single sign-on, or what to tell the person. */
export async function useCode(code) {
  try {
    const response = await post('/admin/session', { code });
    if (!response.ok) return { problem: 'The link was used before, or is too old. Use it again, or log in here.' };
    const token = (await response.json()).access_token;
    return { session: { email: await emailOf(token), token } };
  } catch {
    return { problem: 'The server cannot be reached. Please try again.' };
  }
}

async function emailOf(token) {
  const response = await fetch('/graphql?query={viewer{email}}', { headers: { Authorization: `Bearer ${token}` } });
  return (await response.json()).data.viewer.email;
}

/** Ends the token on the server too. Where that fails the token ends by itself, and this page has forgotten it. */
export async function logOut(token) {
  await post('/oauth2/revoke', { token }).catch(() => undefined);
}

export async function stillValid(token) {
  const response = await fetch('/_authenticated', { headers: { Authorization: `Bearer ${token}` } }).catch(() => null);
  return response?.ok ?? false;
}

async function problemOf(response) {
  if (response.status === 429) {
    const seconds = Number(response.headers.get('retry-after') ?? 60);
    return `Too many logins. Please try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`;
  }
  const { error } = await response.json().catch(() => ({}));
  if (error === 'invalid_grant') return 'The e-mail or the password is wrong.';
  return `The login failed (${response.status}). Please try again.`;
}

function post(address, parameters) {
  return fetch(address, { method: 'POST', body: new URLSearchParams(parameters) });
}
