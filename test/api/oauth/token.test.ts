import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { after, before, mock, suite, test } from 'node:test';
import { Viewers } from '../../../src/core/access/viewers.ts';
import type { Transact } from '../../../src/core/kernel/caller.ts';
import {
  callOAuth,
  checkToken,
  logIn,
  type OAuthAnswer,
  postForm,
  tokenEnds,
  tryLogin,
} from '../../support/clients/oauth.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { databases, openDatabase } from '../../support/databases/databases.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

const NOBODY = { grant_type: 'password', username: 'nobody@example.com', password: 'not the password' };
const GOOD = { grant_type: 'password', username: ADMIN.email, password: ADMIN.password };
// One user may log in ten times a minute, so the work is shared.
const USER = { email: 'user@example.com', password: 'the password of a user' };

let switchboard: Switchboard;
let rest: RestClient;
before(async () => {
  switchboard = await startSwitchboard();
  rest = restClient(switchboard.url, switchboard.key);
  await makeOperator(USER.email, USER.password);
});
after(() => switchboard.stop());

const post = (form: string | Record<string, string>, headers: Record<string, string> = {}) =>
  postForm(switchboard.url, '/oauth2/token', form, headers);

function assertOAuthHeaders({ headers }: OAuthAnswer): void {
  assert.match(headers.get('content-type') ?? '', /^application\/json(;|$)/);
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('pragma'), 'no-cache');
  assert.match(headers.get('x-request-id') ?? '', /^\S+$/);
}

function assertOAuthError(answer: OAuthAnswer, status: number, error: string): void {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.body.error, error);
  assert.deepEqual(Object.keys(answer.body), ['error', 'error_description']);
  assert.match(answer.body.error_description, /\S/);
  assertOAuthHeaders(answer);
}

async function makeOperator(email: string, password?: string): Promise<number> {
  const answer = await rest.post('/operator', { email, name: 'Tester', ...(password ? { password } : {}) });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.data.id;
}

suite('a login', () => {
  test('answers with the four fields and no others', async () => {
    const answer = await post(GOOD);
    assert.equal(answer.status, 200);
    const { access_token, ...others } = answer.body;
    assert.match(access_token, /^[A-Za-z0-9_-]{43,}$/, 'at least 256 bits');
    assert.deepEqual(others, { expires_in: 43_200, token_type: 'Bearer', refresh_token: 'none' });
    assertOAuthHeaders(answer);
    assert.deepEqual((await checkToken(switchboard.url, access_token)).body, { authenticated: true });
  });

  test('gives another token each time, and both are good', async () => {
    const [one, two] = [await logIn(switchboard.url, ADMIN), await logIn(switchboard.url, ADMIN)];
    assert.notEqual(one, two);
    assert.equal((await checkToken(switchboard.url, one)).status, 200);
    assert.equal((await checkToken(switchboard.url, two)).status, 200);
  });

  test('compares the e-mail without regard to case and surrounding space, the password exactly', async () => {
    assert.equal((await post({ ...GOOD, username: `  ${ADMIN.email.toUpperCase()} ` })).status, 200);
    assertOAuthError(await post({ ...GOOD, password: ADMIN.password.toUpperCase() }), 400, 'invalid_grant');
  });

  test('ignores client credentials, and what else a library adds', async () => {
    const form = { ...GOOD, client_id: 'my-app', client_secret: 'shh', scope: 'everything' };
    const basic = `Basic ${Buffer.from('my-app:shh').toString('base64')}`;
    assert.equal((await post(form, { Authorization: basic })).status, 200);
  });

  test('takes its parameters from the body alone', async () => {
    const query = new URLSearchParams(GOOD).toString();
    const onlyQuery = await postForm(switchboard.url, `/oauth2/token?${query}`, '');
    assertOAuthError(onlyQuery, 400, 'invalid_request');
    const both = await postForm(
      switchboard.url,
      '/oauth2/token?grant_type=refresh_token&username=x&password=y&password=z',
      GOOD,
    );
    assert.equal(both.status, 200, both.text);
  });

  test('takes a form whose type names its charset', async () => {
    const type = 'application/x-www-form-urlencoded; charset=UTF-8';
    assertOAuthError(await post(NOBODY, { 'Content-Type': type }), 400, 'invalid_grant');
  });
});

suite('a request that cannot be understood', () => {
  for (const name of ['grant_type', 'username', 'password'] as const) {
    const { [name]: value, ...others } = NOBODY;
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

  const form = new URLSearchParams(NOBODY).toString();
  for (const [name, body, type] of [
    ['JSON', JSON.stringify(NOBODY), 'application/json'],
    ['a form that is called text', form, 'text/plain'],
    ['a type that only begins like a form', form, 'application/x-www-form-urlencoded-not'],
    ['multipart', '--x\r\n\r\n--x--', 'multipart/form-data; boundary=x'],
  ] as const) {
    test(`not form-encoded: ${name}`, async () =>
      assertOAuthError(await post(body, { 'Content-Type': type }), 400, 'invalid_request'));
  }

  test('a body without a type', async () => {
    const bytes = new Blob([form]); // a text would get a type from fetch
    const answer = await callOAuth(switchboard.url, '/oauth2/token', { method: 'POST', body: bytes });
    assertOAuthError(answer, 400, 'invalid_request');
  });

  test('no body at all', async () => {
    assertOAuthError(await post(''), 400, 'invalid_request');
    assertOAuthError(await callOAuth(switchboard.url, '/oauth2/token', { method: 'POST' }), 400, 'invalid_request');
  });

  for (const [name, ending] of [
    ['half a percent sign', '&x=%4'],
    ['percent signs that are not hexadecimal', '&x=%zz'],
    ['percent-encoded bytes that are not UTF-8', '&x=%ff%fe'],
  ] as const) {
    test(`unreadable: ${name}`, async () => assertOAuthError(await post(form + ending), 400, 'invalid_request'));
  }

  test('unreadable: bytes that are not UTF-8', async () => {
    const body = Buffer.concat([Buffer.from(`${form}&x=`), Buffer.from([0xff, 0xfe])]);
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const answer = await callOAuth(switchboard.url, '/oauth2/token', { method: 'POST', body, headers });
    assertOAuthError(answer, 400, 'invalid_request');
  });

  test('a body without end is refused', async () => {
    assertOAuthError(await post(`${form}&x=${'x'.repeat(1024 * 1024)}`), 413, 'invalid_request');
  });

  test('an Authorization header that stands twice', async () => {
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
      assertOAuthError(await post({ ...GOOD, grant_type: grant }), 400, 'unsupported_grant_type');
      assertOAuthError(await post({ grant_type: grant, refresh_token: 'none' }), 400, 'unsupported_grant_type');
    });
  }

  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH']) {
    test(`${method} is not allowed`, async () => {
      const answer = await callOAuth(switchboard.url, '/oauth2/token', { method });
      assert.equal(answer.headers.get('allow'), 'POST');
      if (method === 'HEAD') assert.equal(answer.status, 405);
      else assertOAuthError(answer, 405, 'invalid_request');
    });
  }
});

test('every refused login is the same, byte for byte', async () => {
  await makeOperator('silent@example.com');
  await rest.delete(`/operator/${await makeOperator('deleted@example.com', 'a password of the past')}`);
  await makeOperator('known@example.com', 'the one true password');
  const users = ['unknown@example.com', 'known@example.com', 'silent@example.com', 'deleted@example.com'];
  const answers = new Set<string>();
  for (const user of users) {
    const answer = await tryLogin(switchboard.url, user, 'a password of the past');
    assertOAuthError(answer, 400, 'invalid_grant');
    const headers = [...answer.headers].filter(([name]) => name !== 'date' && name !== 'x-request-id');
    answers.add(JSON.stringify([headers, answer.text]));
  }
  assert.equal(answers.size, 1, [...answers].join('\n'));
});

test('every refused login takes the same time: a password is checked once, also for those who have none', async () => {
  const installation = await openDatabase();
  try {
    const { login, passwords, operators, caller, database } = installation;
    const transact: Transact = (work) => database.transaction(work);
    await operators.create(transact, caller, { name: 'Silent', email: 'silent@example.com' });
    const deleted = await operators.create(transact, caller, {
      name: 'Deleted',
      email: 'deleted@example.com',
      password: 'a password of the past',
    });
    await operators.remove(transact, caller, deleted.id);
    const checks = mock.method(passwords, 'verify');
    for (const email of ['unknown@example.com', ADMIN.email, 'silent@example.com', 'deleted@example.com']) {
      checks.mock.resetCalls();
      assert.equal(await login.logIn({ email, password: 'wrong', address: '192.0.2.1' }), undefined, email);
      assert.equal(checks.mock.callCount(), 1, email);
    }
  } finally {
    await installation.end();
  }
});

suite('a token ends', () => {
  test('by revocation, and an unknown one is revoked as well', async () => {
    const [token, other] = [await logIn(switchboard.url, USER), await logIn(switchboard.url, USER)];
    assert.equal((await checkToken(switchboard.url, token)).status, 200);
    const revoked = await postForm(switchboard.url, '/oauth2/revoke', { token, token_type_hint: 'refresh_token' });
    assert.equal(revoked.status, 200);
    assertOAuthHeaders(revoked);
    assert.equal((await checkToken(switchboard.url, token)).status, 401, 'at once on the node that revoked it');
    assert.equal((await checkToken(switchboard.url, other)).status, 200, 'others go on');
    for (const unknown of [token, 'never-issued', 'none']) {
      assert.equal((await postForm(switchboard.url, '/oauth2/revoke', { token: unknown })).status, 200);
    }
    assertOAuthError(await postForm(switchboard.url, '/oauth2/revoke', ''), 400, 'invalid_request');
    assert.equal((await callOAuth(switchboard.url, '/oauth2/revoke')).headers.get('allow'), 'POST');
  });

  test('by a new password, and by nothing else that an update changes', async () => {
    const user = { email: 'changing@example.com', password: 'the first of my passwords' };
    const id = await makeOperator(user.email, user.password);
    const token = await logIn(switchboard.url, user);
    const other = { email: 'changing.too@example.com', password: 'the first of my passwords' };
    const otherId = await makeOperator(other.email, other.password);
    const otherToken = await logIn(switchboard.url, other);
    await rest.put(`/operator/${id}`, { name: 'Another name' });
    await rest.put(`/operator/${otherId}`, { password: 'the second of my passwords' });
    await tokenEnds(switchboard.url, otherToken); // what is remembered of the first one is as old
    assert.equal((await checkToken(switchboard.url, token)).status, 200);
    await rest.put(`/operator/${id}`, { password: 'the second of my passwords' });
    await tokenEnds(switchboard.url, token);
    assertOAuthError(await tryLogin(switchboard.url, user.email, user.password), 400, 'invalid_grant');
    assert.equal((await tryLogin(switchboard.url, user.email, 'the second of my passwords')).status, 200);
  });

  test('with its operator', async () => {
    const user = { email: 'leaving@example.com', password: 'i will not stay for long' };
    const id = await makeOperator(user.email, user.password);
    const token = await logIn(switchboard.url, user);
    assert.equal((await checkToken(switchboard.url, token)).status, 200);
    assert.equal((await rest.delete(`/operator/${id}`)).status, 200);
    await tokenEnds(switchboard.url, token);
  });

  for (const { name, open } of databases) {
    test(`after 43200 seconds by the clock of the database (${name})`, async () => {
      const installation = await open();
      try {
        const { database, clock, login } = installation;
        const token = await login.logIn({ ...ADMIN, address: '127.0.0.1' });
        assert.ok(token);
        // A new checker each time: one of them may remember a token for a second of real time.
        const check = () => new Viewers(database).of(token);
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
    ['with something that is no token', { Authorization: 'Bearer not!a(token' }],
    ['with an empty token', { Authorization: 'Bearer ' }],
    ['with the word none', { Authorization: 'Bearer none' }],
    [
      'with an API key',
      { Authorization: 'Bearer test-write-key-0123456789', 'X-API-Key': 'test-write-key-0123456789' },
    ],
    ['with another scheme', { Authorization: 'Basic YTpi' }],
  ] as const) {
    test(`${name}: 401 with the two fields`, async () => {
      const answer = await callOAuth(switchboard.url, '/_authenticated', { headers });
      assert.equal(answer.status, 401);
      assert.equal(answer.text, '{"error":"invalid_token","error_description":"access token not valid"}');
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer\b/);
      assertOAuthHeaders(answer);
    });
  }

  test('takes the token from the header alone', async () => {
    const token = await logIn(switchboard.url, USER);
    assert.equal((await callOAuth(switchboard.url, `/_authenticated?access_token=${token}`)).status, 401);
    const good = await checkToken(switchboard.url, token);
    assert.equal(good.text, '{"authenticated":true}');
    assertOAuthHeaders(good);
    assert.equal((await callOAuth(switchboard.url, '/_authenticated', { method: 'POST' })).status, 405);
  });
});
