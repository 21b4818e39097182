import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { after, before, mock, suite, test } from 'node:test';
import { TokenCallers } from '../../../src/core/access/token-callers.ts';
import type { Transact } from '../../../src/core/kernel/caller.ts';
import {
  callOAuth,
  checkToken,
  logIn,
  type OAuthResponse,
  postForm,
  secretOf,
  tryLogin,
  waitUntilTokenEnds,
} from '../../support/clients/oauth.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { databases, openTestInstallation } from '../../support/databases/databases.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

const WRONG = { grant_type: 'password', username: 'unknown@example.com', password: 'not the password' };
const VALID = { grant_type: 'password', username: ADMIN.email, password: ADMIN.password };
// Two users, because each may log in only ten times per minute.
const USER = { email: 'user@example.com', password: 'the password of a user' };

let switchboard: Switchboard;
let rest: RestClient;
before(async () => {
  switchboard = await startSwitchboard();
  rest = restClient(switchboard.url, switchboard.key);
  await createOperator(USER.email, USER.password);
});
after(() => switchboard.stop());

const post = (form: string | Record<string, string>, headers: Record<string, string> = {}) =>
  postForm(switchboard.url, '/oauth2/token', form, headers);

function assertOAuthHeaders({ headers }: OAuthResponse): void {
  assert.match(headers.get('content-type') ?? '', /^application\/json(;|$)/);
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('pragma'), 'no-cache');
  assert.match(headers.get('x-request-id') ?? '', /^\S+$/);
}

function assertOAuthError(response: OAuthResponse, status: number, error: string): void {
  assert.equal(response.status, status, response.text);
  assert.equal(response.body.error, error);
  assert.deepEqual(Object.keys(response.body), ['error', 'error_description']);
  assert.match(response.body.error_description, /\S/);
  assertOAuthHeaders(response);
}

async function createOperator(email: string, password?: string): Promise<number> {
  const response = await rest.post('/operator', { email, name: 'Tester', ...(password ? { password } : {}) });
  assert.equal(response.status, 201, JSON.stringify(response.body));
  return response.body.data.id;
}

suite('a login', () => {
  test('returns exactly the four fields', async () => {
    const response = await post(VALID);
    assert.equal(response.status, 200);
    const { access_token, ...others } = response.body;
    assert.match(access_token, /^[A-Za-z0-9_-]{43,}$/, 'at least 256 bits');
    assert.deepEqual(others, { expires_in: 43_200, token_type: 'Bearer', refresh_token: 'none' });
    assertOAuthHeaders(response);
    assert.deepEqual((await checkToken(switchboard.url, access_token)).body, { authenticated: true });
  });

  test('returns a new token each time, and both are valid', async () => {
    const [first, second] = [await logIn(switchboard.url, ADMIN), await logIn(switchboard.url, ADMIN)];
    assert.notEqual(first, second);
    assert.equal((await checkToken(switchboard.url, first)).status, 200);
    assert.equal((await checkToken(switchboard.url, second)).status, 200);
  });

  test('is refused for an e-mail with NUL, which PostgreSQL cannot store', async () => {
    assertOAuthError(await post({ ...VALID, username: `a\0${ADMIN.email}` }), 400, 'invalid_grant');
  });

  test('compares the e-mail ignoring case and surrounding space, the password exactly', async () => {
    assert.equal((await post({ ...VALID, username: `  ${ADMIN.email.toUpperCase()} ` })).status, 200);
    assertOAuthError(await post({ ...VALID, password: ADMIN.password.toUpperCase() }), 400, 'invalid_grant');
  });

  test('ignores client credentials and other parameters that libraries add', async () => {
    const form = { ...VALID, client_id: 'my-app', client_secret: 'shh', scope: 'everything' };
    const basic = `Basic ${Buffer.from('my-app:shh').toString('base64')}`;
    assert.equal((await post(form, { Authorization: basic })).status, 200);
  });

  test('reads its parameters from the body only', async () => {
    const query = new URLSearchParams(VALID).toString();
    const onlyQuery = await postForm(switchboard.url, `/oauth2/token?${query}`, '');
    assertOAuthError(onlyQuery, 400, 'invalid_request');
    const both = await postForm(
      switchboard.url,
      '/oauth2/token?grant_type=refresh_token&username=x&password=y&password=z',
      VALID,
    );
    assert.equal(both.status, 200, both.text);
  });

  test('accepts a form with a charset', async () => {
    const type = 'application/x-www-form-urlencoded; charset=UTF-8';
    assertOAuthError(await post(WRONG, { 'Content-Type': type }), 400, 'invalid_grant');
  });
});

suite('an invalid token request gets invalid_request', () => {
  for (const name of ['grant_type', 'username', 'password'] as const) {
    const { [name]: value, ...others } = WRONG;
    const rest = new URLSearchParams(others).toString();
    for (const [how, form] of [
      ['is missing', rest],
      ['is empty', `${rest}&${name}=`],
      ['has no value', `${rest}&${name}`],
      ['is repeated', `${rest}&${name}=${value}&${name}=${value}`],
      ['is repeated, once empty', `${rest}&${name}=&${name}=${value}`],
    ] as const) {
      test(`${name} ${how}`, async () => assertOAuthError(await post(form), 400, 'invalid_request'));
    }
  }

  const form = new URLSearchParams(WRONG).toString();
  for (const [name, body, type] of [
    ['JSON', JSON.stringify(WRONG), 'application/json'],
    ['a form sent as text', form, 'text/plain'],
    ['a type that only starts like a form', form, 'application/x-www-form-urlencoded-not'],
    ['multipart', '--x\r\n\r\n--x--', 'multipart/form-data; boundary=x'],
  ] as const) {
    test(`not form-encoded: ${name}`, async () =>
      assertOAuthError(await post(body, { 'Content-Type': type }), 400, 'invalid_request'));
  }

  test('a body without a type', async () => {
    const bytes = new Blob([form]); // fetch would add a type to a string
    const response = await callOAuth(switchboard.url, '/oauth2/token', { method: 'POST', body: bytes });
    assertOAuthError(response, 400, 'invalid_request');
  });

  test('no body at all', async () => {
    assertOAuthError(await post(''), 400, 'invalid_request');
    assertOAuthError(await callOAuth(switchboard.url, '/oauth2/token', { method: 'POST' }), 400, 'invalid_request');
  });

  for (const [name, ending] of [
    ['an incomplete percent sequence', '&x=%4'],
    ['a percent sequence that is not hexadecimal', '&x=%zz'],
    ['percent-encoded bytes that are not UTF-8', '&x=%ff%fe'],
  ] as const) {
    test(`unreadable: ${name}`, async () => assertOAuthError(await post(form + ending), 400, 'invalid_request'));
  }

  test('unreadable: bytes that are not UTF-8', async () => {
    const body = Buffer.concat([Buffer.from(`${form}&x=`), Buffer.from([0xff, 0xfe])]);
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const response = await callOAuth(switchboard.url, '/oauth2/token', { method: 'POST', body, headers });
    assertOAuthError(response, 400, 'invalid_request');
  });

  test('an oversized body', async () => {
    assertOAuthError(await post(`${form}&x=${'x'.repeat(1024 * 1024)}`), 413, 'invalid_request');
  });

  test('a repeated Authorization header', async () => {
    const status = await new Promise((resolve, reject) => {
      const headers = ['Host', 'x', 'Authorization', 'Basic YTpi', 'Authorization', 'Basic YTpj'];
      const request = httpRequest(`${switchboard.url}/oauth2/token`, { method: 'POST', headers }, (response) => {
        const { 'cache-control': cache, pragma, 'content-type': type } = response.headers;
        response.resume().once('end', () => resolve([response.statusCode, type, cache, pragma]));
      });
      request.once('error', reject).end();
    });
    assert.deepEqual(status, [400, 'application/json; charset=utf-8', 'no-store', 'no-cache']);
  });

  for (const grant of ['refresh_token', 'client_credentials', 'authorization_code', 'Password', 'password ']) {
    test(`the grant type "${grant}" is not supported`, async () => {
      assertOAuthError(await post({ ...VALID, grant_type: grant }), 400, 'unsupported_grant_type');
      assertOAuthError(await post({ grant_type: grant, refresh_token: 'none' }), 400, 'unsupported_grant_type');
    });
  }

  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH']) {
    test(`${method} is not allowed`, async () => {
      const response = await callOAuth(switchboard.url, '/oauth2/token', { method });
      assert.equal(response.headers.get('allow'), 'POST');
      if (method === 'HEAD') assert.equal(response.status, 405);
      else assertOAuthError(response, 405, 'invalid_request');
    });
  }
});

test('every refused login gets the same response, byte for byte', async () => {
  await createOperator('no-password@example.com');
  await rest.delete(`/operator/${await createOperator('deleted@example.com', 'a password of the past')}`);
  await createOperator('known@example.com', 'the one true password');
  const users = ['unknown@example.com', 'known@example.com', 'no-password@example.com', 'deleted@example.com'];
  const responses = new Set<string>();
  for (const user of users) {
    const response = await tryLogin(switchboard.url, user, 'a password of the past');
    assertOAuthError(response, 400, 'invalid_grant');
    const headers = [...response.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
    responses.add(JSON.stringify([headers, response.text]));
  }
  assert.equal(responses.size, 1, [...responses].join('\n'));
});

test('every refused login takes the same time: one password check, even for users without a password', async () => {
  const installation = await openTestInstallation();
  try {
    const { login, passwords, operators, caller, database } = installation;
    const transact: Transact = (work) => database.transaction(work);
    await operators.create(transact, caller, { name: 'No password', email: 'no-password@example.com' });
    const deleted = await operators.create(transact, caller, {
      name: 'Deleted',
      email: 'deleted@example.com',
      password: 'a password of the past',
    });
    await operators.delete(transact, caller, deleted.id);
    const checks = mock.method(passwords, 'verify');
    for (const email of ['unknown@example.com', ADMIN.email, 'no-password@example.com', 'deleted@example.com']) {
      checks.mock.resetCalls();
      const result = await login.logIn({ email, password: 'wrong', address: '192.0.2.1' });
      assert.deepEqual(result, { kind: 'refused' }, email);
      assert.equal(checks.mock.callCount(), 1, email);
    }
  } finally {
    await installation.end();
  }
});

suite('a token ends', () => {
  test('by revocation; revoking an unknown token succeeds as well', async () => {
    const [token, other] = [await logIn(switchboard.url, USER), await logIn(switchboard.url, USER)];
    assert.equal((await checkToken(switchboard.url, token)).status, 200);
    const revoked = await postForm(switchboard.url, '/oauth2/revoke', { token, token_type_hint: 'refresh_token' });
    assert.equal(revoked.status, 200);
    assertOAuthHeaders(revoked);
    assert.equal((await checkToken(switchboard.url, token)).status, 401, 'immediately on the node that revoked it');
    assert.equal((await checkToken(switchboard.url, other)).status, 200, 'other tokens stay valid');
    for (const unknown of [token, 'never-issued', 'none']) {
      assert.equal((await postForm(switchboard.url, '/oauth2/revoke', { token: unknown })).status, 200);
    }
    assertOAuthError(await postForm(switchboard.url, '/oauth2/revoke', ''), 400, 'invalid_request');
    assert.equal((await callOAuth(switchboard.url, '/oauth2/revoke')).headers.get('allow'), 'POST');
  });

  test('by a password change, but by no other update', async () => {
    const user = { email: 'changing@example.com', password: 'the first of my passwords' };
    const id = await createOperator(user.email, user.password);
    const token = await logIn(switchboard.url, user);
    const other = { email: 'changing.too@example.com', password: 'the first of my passwords' };
    const otherId = await createOperator(other.email, other.password);
    const otherToken = await logIn(switchboard.url, other);
    await rest.put(`/operator/${id}`, { name: 'Another name' });
    await rest.put(`/operator/${otherId}`, { password: 'the second of my passwords' });
    await waitUntilTokenEnds(switchboard.url, otherToken); // by then a cached check of the first token has expired too
    assert.equal((await checkToken(switchboard.url, token)).status, 200);
    await rest.put(`/operator/${id}`, { password: 'the second of my passwords' });
    await waitUntilTokenEnds(switchboard.url, token);
    assertOAuthError(await tryLogin(switchboard.url, user.email, user.password), 400, 'invalid_grant');
    assert.equal((await tryLogin(switchboard.url, user.email, 'the second of my passwords')).status, 200);
  });

  test('when its operator is deleted', async () => {
    const user = { email: 'leaving@example.com', password: 'i will not stay for long' };
    const id = await createOperator(user.email, user.password);
    const token = await logIn(switchboard.url, user);
    assert.equal((await checkToken(switchboard.url, token)).status, 200);
    assert.equal((await rest.delete(`/operator/${id}`)).status, 200);
    await waitUntilTokenEnds(switchboard.url, token);
  });

  for (const { name, open } of databases) {
    test(`after 43200 seconds by the clock of the database (${name})`, async () => {
      const installation = await open();
      try {
        const { database, clock, login, tokens } = installation;
        const token = secretOf(await login.logIn({ ...ADMIN, address: '127.0.0.1' })) ?? assert.fail('refused');
        // A new instance each time: an instance may cache a token for a second of real time.
        const check = () => new TokenCallers(database, tokens).findCaller(token);
        clock.advance(43_200_000 - 1);
        assert.ok(await check(), 'in its last millisecond');
        clock.advance(1);
        assert.equal(await check(), undefined);
      } finally {
        await installation.end();
      }
    });
  }
});

suite('/_authenticated', () => {
  for (const [name, headers] of [
    ['without a token', {}],
    ['with a token that was never issued', { Authorization: `Bearer ${'A'.repeat(43)}` }],
    ['with a malformed token', { Authorization: 'Bearer not!a(token' }],
    ['with an empty token', { Authorization: 'Bearer ' }],
    ['with the word none', { Authorization: 'Bearer none' }],
    [
      'with an API key',
      { Authorization: 'Bearer test-write-key-0123456789', 'X-API-Key': 'test-write-key-0123456789' },
    ],
    ['with another scheme', { Authorization: 'Basic YTpi' }],
  ] as const) {
    test(`${name}: 401 with the two fields`, async () => {
      const response = await callOAuth(switchboard.url, '/_authenticated', { headers });
      assert.equal(response.status, 401);
      assert.equal(response.text, '{"error":"invalid_token","error_description":"access token not valid"}');
      assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer\b/);
      assertOAuthHeaders(response);
    });
  }

  test('reads the token from the header only', async () => {
    const token = await logIn(switchboard.url, USER);
    assert.equal((await callOAuth(switchboard.url, `/_authenticated?access_token=${token}`)).status, 401);
    const good = await checkToken(switchboard.url, token);
    assert.equal(good.text, '{"authenticated":true}');
    assertOAuthHeaders(good);
    assert.equal((await callOAuth(switchboard.url, '/_authenticated', { method: 'POST' })).status, 405);
  });
});
