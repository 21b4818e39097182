import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { recordLoginAttempts, withFrozenClock } from '../support/processes/frozen-clock.ts';
import { startSwitchboard } from '../support/processes/switchboard.ts';
import { waitUntil } from '../support/waiting/wait.ts';
import { call, logIn, openTarget, PASSWORD } from './target.ts';

const target = await openTarget(withFrozenClock());
after(() => target.close());
const needsLogin = { skip: target.loginSkipReason };

const credentials = { username: target.email ?? '', password: target.password ?? '', grant_type: 'password' };
const checkToken = (authorization?: string) =>
  call(`${target.url}/_authenticated`, authorization === undefined ? {} : { headers: { authorization } });

/** One login for all tests that check its response. */
const login = target.loginSkipReason ? undefined : await logIn(target.url, credentials);

test(
  'POST /oauth2/token: e-mail, password and the password grant give an access token response with four fields',
  needsLogin,
  () => {
    assert.equal(login?.status, 200, JSON.stringify(login?.body));
    assert.match(login?.headers.get('content-type') ?? '', /^application\/json/);
    assert.deepEqual(Object.keys(login?.body).sort(), ['access_token', 'expires_in', 'refresh_token', 'token_type']);
  },
);

test('Access token response: access_token is a string, an opaque bearer token', needsLogin, () => {
  assert.equal(typeof login?.body.access_token, 'string');
  assert.match(login?.body.access_token, /^[A-Za-z0-9._~+/-]+=*$/, 'not valid in an Authorization header');
});

test('Access token response: every login gives a new token', needsLogin, async () => {
  const secondToken = await logIn(target.url, credentials);
  assert.equal(secondToken.status, 200);
  assert.notEqual(secondToken.body.access_token, login?.body.access_token);
});

test('Access token response: expires_in is the integer 43200', needsLogin, () => {
  assert.equal(login?.body.expires_in, 43200);
});

test('Access token response: token_type is Bearer', needsLogin, () => {
  assert.equal(login?.body.token_type, 'Bearer');
});

test('Access token response: refresh_token carries the text none', needsLogin, () => {
  assert.equal(login?.body.refresh_token, 'none');
});

test('Access token response: must not be cached', needsLogin, () => {
  assert.equal(login?.headers.get('cache-control'), 'no-store');
  assert.equal(login?.headers.get('pragma'), 'no-cache');
});

for (const field of ['username', 'password', 'grant_type'] as const) {
  test(`POST /oauth2/token: ${field} is required`, async () => {
    const all = { username: 'a@example.com', password: 'b', grant_type: 'password' };
    const { [field]: _omitted, ...others } = all;
    for (const fields of [others, { ...all, [field]: '' }]) {
      const { status, body } = await logIn(target.url, fields as Record<string, string>);
      assert.equal(status, 400);
      assert.equal(body.error, 'invalid_request');
      assert.match(body.error_description, new RegExp(field));
    }
  });
}

test('POST /oauth2/token: only the grant type password is supported', async () => {
  for (const grant of ['refresh_token', 'client_credentials', 'Password']) {
    const { status, body } = await logIn(target.url, { ...credentials, grant_type: grant });
    assert.equal(status, 400, grant);
    assert.equal(body.error, 'unsupported_grant_type', grant);
  }
});

test('POST /oauth2/token: the body is application/x-www-form-urlencoded, no other encoding is accepted', async () => {
  const { status, body } = await call(`${target.url}/oauth2/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...credentials, username: 'a@example.com', password: 'b' }),
  });
  assert.equal(status, 400);
  assert.equal(body.error, 'invalid_request');
});

test('POST /oauth2/token: the fields come from the body, not from the query', async () => {
  const query = new URLSearchParams({ ...credentials, username: 'a@example.com', password: 'b' });
  const { status, body } = await call(`${target.url}/oauth2/token?${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: '',
  });
  assert.equal(status, 400);
  assert.equal(body.error, 'invalid_request');
});

test('POST /oauth2/token: POST is the only method', async () => {
  const { status, headers } = await call(`${target.url}/oauth2/token`);
  assert.equal(status, 405);
  assert.match(headers.get('allow') ?? '', /\bPOST\b/);
});

test('POST /oauth2/token: username is the e-mail of a user, in any case', async () => {
  const { email } = await target.operator({ password: PASSWORD });
  for (const username of [email, email.toUpperCase()]) {
    const { status, body } = await logIn(target.url, { username, password: PASSWORD, grant_type: 'password' });
    assert.equal(status, 200, JSON.stringify(body));
  }
});

test('Errors: a wrong password and an unknown user get the same response from the token endpoint', async () => {
  const { email } = await target.operator({ password: PASSWORD });
  const wrong = await logIn(target.url, { username: email, password: `${PASSWORD}!`, grant_type: 'password' });
  const username = `${target.unique('unknown')}@example.com`;
  const unknown = await logIn(target.url, { username, password: PASSWORD, grant_type: 'password' });
  assert.equal(wrong.status, 400);
  assert.equal(wrong.body.error, 'invalid_grant');
  assert.equal(unknown.status, wrong.status);
  assert.deepEqual(unknown.body, wrong.body);
});

test('GET /_authenticated: a valid token gives an object with authenticated = true', needsLogin, async () => {
  const { status, body } = await checkToken(`Bearer ${login?.body.access_token}`);
  assert.equal(status, 200);
  assert.deepEqual(body, { authenticated: true });
});

const INVALID_TOKEN = { error: 'invalid_token', error_description: 'access token not valid' };

test('GET /_authenticated: an invalid token gives error invalid_token and access token not valid', async () => {
  const { status, body, headers } = await checkToken('Bearer this-token-was-never-issued');
  assert.equal(status, 401);
  assert.deepEqual(body, INVALID_TOKEN);
  assert.match(headers.get('www-authenticate') ?? '', /^Bearer/);
});

test('GET /_authenticated: a request without token gets the same error object', async () => {
  const { status, body, headers } = await checkToken();
  assert.equal(status, 401);
  assert.deepEqual(body, INVALID_TOKEN);
  assert.match(headers.get('www-authenticate') ?? '', /^Bearer/);
});

test(
  'GET /_authenticated: the token is accepted only as Authorization: Bearer <ACCESS_TOKEN>',
  needsLogin,
  async () => {
    const token = login?.body.access_token;
    for (const authorization of [token, `Token ${token}`, `Basic ${btoa(`${token}:`)}`]) {
      assert.equal((await checkToken(authorization)).status, 401, authorization.replace(token, '<token>'));
    }
    assert.equal((await call(`${target.url}/_authenticated?access_token=${token}`)).status, 401);
  },
);

test('GET /_authenticated: the token of a deleted operator gets the same error object as an invalid one', async () => {
  const { id, email } = await target.operator({ password: PASSWORD });
  const { body } = await logIn(target.url, { username: email, password: PASSWORD, grant_type: 'password' });
  const authorization = `Bearer ${body.access_token}`;
  assert.equal((await checkToken(authorization)).status, 200);
  assert.equal((await target.rest.delete(`/operator/${id}`)).status, 200);
  // A service may cache for a second that a token is valid.
  let response = await checkToken(authorization);
  await waitUntil('the token is invalid', async () => {
    response = await checkToken(authorization);
    return response.status !== 200;
  });
  assert.equal(response.status, 401);
  assert.deepEqual(response.body, INVALID_TOKEN);
});

test('Limits: 10 logins per minute per user', async () => {
  const { email } = await target.operator({ password: PASSWORD });
  const attemptLogin = (username: string) =>
    logIn(target.url, { username, password: PASSWORD, grant_type: 'password' });
  const logins = await Promise.all(Array.from({ length: 10 }, () => attemptLogin(email)));
  assert.deepEqual(new Set(logins.map((login) => login.status)), new Set([200]));
  const { status, body, headers } = await attemptLogin(email);
  assert.equal(status, 429);
  assert.equal(body.error, 'too_many_requests');
  const wait = Number(headers.get('retry-after'));
  assert.ok(wait >= 1 && wait <= 60, `Retry-After: ${wait}`);
  const { email: other } = await target.operator({ password: PASSWORD });
  assert.equal((await attemptLogin(other)).status, 200, 'another user is not affected');
});

const lockoutSkipReason = target.isExternal && 'it would lock this IP address out of an external service';
test('Limits: 100 logins per minute per IP address', { skip: lockoutSkipReason }, async (t) => {
  const switchboard = await startSwitchboard(withFrozenClock());
  t.after(() => switchboard.stop());
  const attemptLogin = (user: number) =>
    logIn(switchboard.url, { username: `user${user}@example.com`, password: PASSWORD, grant_type: 'password' });
  await recordLoginAttempts(switchboard, 98, (limits, index) =>
    limits.admit(`another${index}@example.com`, '127.0.0.1'),
  );
  for (const user of [99, 100]) assert.equal((await attemptLogin(user)).status, 400, `attempt ${user}`);
  const { status, body, headers } = await attemptLogin(101);
  assert.equal(status, 429);
  assert.equal(body.error, 'too_many_requests');
  assert.ok(Number(headers.get('retry-after')) >= 1);
});
