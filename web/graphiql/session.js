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
