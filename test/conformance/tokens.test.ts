import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { useUpLogins, withStandingClock } from '../support/processes/standing-clock.ts';
import { startSwitchboard } from '../support/processes/switchboard.ts';
import { until } from '../support/waiting/until.ts';
import { call, logIn, openTarget, PASSWORD } from './target.ts';

const target = await openTarget(withStandingClock());
after(() => target.close());
const withLogin = { skip: target.noLogin };

const credentials = { username: target.email ?? '', password: target.password ?? '', grant_type: 'password' };
const authenticated = (authorization?: string) =>
  call(`${target.url}/_authenticated`, authorization === undefined ? {} : { headers: { authorization } });

/** One login for all tests that look at its answer. */
const granted = target.noLogin ? undefined : await logIn(target.url, credentials);

test(
  'POST /oauth2/token: e-mail, password and the password grant give an access token response with four fields',
  withLogin,
  () => {
    assert.equal(granted?.status, 200, JSON.stringify(granted?.body));
    assert.match(granted?.headers.get('content-type') ?? '', /^application\/json/);
    assert.deepEqual(Object.keys(granted?.body).sort(), ['access_token', 'expires_in', 'refresh_token', 'token_type']);
  },
);

test('Access token response: access_token is a string, an opaque bearer token', withLogin, () => {
  assert.equal(typeof granted?.body.access_token, 'string');
  assert.match(granted?.body.access_token, /^[A-Za-z0-9._~+/-]+=*$/, 'it fits into an Authorization header');
});

test('Access token response: every login gives a token of its own', withLogin, async () => {
  const again = await logIn(target.url, credentials);
  assert.equal(again.status, 200);
  assert.notEqual(again.body.access_token, granted?.body.access_token);
});

test('Access token response: expires_in is the integer 43200', withLogin, () => {
  assert.equal(granted?.body.expires_in, 43200);
});

test('Access token response: token_type is Bearer', withLogin, () => {
  assert.equal(granted?.body.token_type, 'Bearer');
});

test('Access token response: refresh_token carries the text none', withLogin, () => {
  assert.equal(granted?.body.refresh_token, 'none');
});

test('Access token response: is never stored by a cache', withLogin, () => {
  assert.equal(granted?.headers.get('cache-control'), 'no-store');
  assert.equal(granted?.headers.get('pragma'), 'no-cache');
});

for (const field of ['username', 'password', 'grant_type'] as const) {
  test(`POST /oauth2/token: ${field} is required`, async () => {
    const all = { username: 'a@example.com', password: 'b', grant_type: 'password' };
    const { [field]: _left, ...others } = all;
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

test('POST /oauth2/token: the body is application/x-www-form-urlencoded, no other encoding is taken', async () => {
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

test('POST /oauth2/token: username is the e-mail of a user, without regard to case', async () => {
  const { email } = await target.operator({ password: PASSWORD });
  for (const username of [email, email.toUpperCase()]) {
    const { status, body } = await logIn(target.url, { username, password: PASSWORD, grant_type: 'password' });
    assert.equal(status, 200, JSON.stringify(body));
  }
});

test('Errors: a wrong password and an unknown user get the same answer from the token endpoint', async () => {
  const { email } = await target.operator({ password: PASSWORD });
  const wrong = await logIn(target.url, { username: email, password: `${PASSWORD}!`, grant_type: 'password' });
  const username = `${target.unique('nobody')}@example.com`;
  const unknown = await logIn(target.url, { username, password: PASSWORD, grant_type: 'password' });
  assert.equal(wrong.status, 400);
  assert.equal(wrong.body.error, 'invalid_grant');
  assert.equal(unknown.status, wrong.status);
  assert.deepEqual(unknown.body, wrong.body);
});

test('GET /_authenticated: a valid token gives an object with authenticated = true', withLogin, async () => {
  const { status, body } = await authenticated(`Bearer ${granted?.body.access_token}`);
  assert.equal(status, 200);
  assert.deepEqual(body, { authenticated: true });
});

const INVALID_TOKEN = { error: 'invalid_token', error_description: 'access token not valid' };

test('GET /_authenticated: an invalid token gives error invalid_token and access token not valid', async () => {
  const { status, body, headers } = await authenticated('Bearer this-token-was-never-issued');
  assert.equal(status, 401);
  assert.deepEqual(body, INVALID_TOKEN);
  assert.match(headers.get('www-authenticate') ?? '', /^Bearer/);
});

test('GET /_authenticated: a request without token gets the same error object', async () => {
  const { status, body, headers } = await authenticated();
  assert.equal(status, 401);
  assert.deepEqual(body, INVALID_TOKEN);
  assert.match(headers.get('www-authenticate') ?? '', /^Bearer/);
});

test(
  'GET /_authenticated: the token counts only in the form Authorization: Bearer <ACCESS_TOKEN>',
  withLogin,
  async () => {
    const token = granted?.body.access_token;
    for (const authorization of [token, `Token ${token}`, `Basic ${btoa(`${token}:`)}`]) {
      assert.equal((await authenticated(authorization)).status, 401, authorization.replace(token, '<token>'));
    }
    assert.equal((await call(`${target.url}/_authenticated?access_token=${token}`)).status, 401);
  },
);

test('GET /_authenticated: a token that has ended gets the same error object as an invalid one', async () => {
  const { id, email } = await target.operator({ password: PASSWORD });
  const { body } = await logIn(target.url, { username: email, password: PASSWORD, grant_type: 'password' });
  const authorization = `Bearer ${body.access_token}`;
  assert.equal((await authenticated(authorization)).status, 200);
  assert.equal((await target.rest.delete(`/operator/${id}`)).status, 200);
  // A service may remember for a second that a token was good.
  let ended = await authenticated(authorization);
  await until('the token has ended', async () => {
    ended = await authenticated(authorization);
    return ended.status !== 200;
  });
  assert.equal(ended.status, 401);
  assert.deepEqual(ended.body, INVALID_TOKEN);
});

test('Limits: 10 logins per minute per user', async () => {
  const { email } = await target.operator({ password: PASSWORD });
  const tryOnce = (username: string) => logIn(target.url, { username, password: PASSWORD, grant_type: 'password' });
  const logins = await Promise.all(Array.from({ length: 10 }, () => tryOnce(email)));
  assert.deepEqual(new Set(logins.map((login) => login.status)), new Set([200]));
  const { status, body, headers } = await tryOnce(email);
  assert.equal(status, 429);
  assert.equal(body.error, 'too_many_requests');
  const wait = Number(headers.get('retry-after'));
  assert.ok(wait >= 1 && wait <= 60, `Retry-After: ${wait}`);
  const { email: other } = await target.operator({ password: PASSWORD });
  assert.equal((await tryOnce(other)).status, 200, 'another user is not affected');
});

const lockout = target.foreign && 'it would lock this address out of a service that is not ours';
test('Limits: 100 logins per minute per IP address', { skip: lockout }, async (t) => {
  const own = await startSwitchboard(withStandingClock());
  t.after(() => own.stop());
  const tryOnce = (user: number) =>
    logIn(own.url, { username: `user${user}@example.com`, password: PASSWORD, grant_type: 'password' });
  await useUpLogins(own, 98, (limits, index) => limits.admit(`another${index}@example.com`, '127.0.0.1'));
  for (const user of [99, 100]) assert.equal((await tryOnce(user)).status, 400, `try ${user}`);
  const { status, body, headers } = await tryOnce(101);
  assert.equal(status, 429);
  assert.equal(body.error, 'too_many_requests');
  assert.ok(Number(headers.get('retry-after')) >= 1);
});
