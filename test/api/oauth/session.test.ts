import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import { openSession, postSession, readCookie, toBrowserSession } from '../../support/clients/browser-session.ts';
import { graphqlClient } from '../../support/clients/graphql.ts';
import { callOAuth, checkToken, logIn, type OAuthResponse } from '../../support/clients/oauth.ts';
import { findStablePort } from '../../support/processes/ports.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

let switchboard: Switchboard;
let url: string;
// The clock of the database, so that each test has the whole limit of logins.
let now = Date.now();
before(async () => {
  switchboard = await startSwitchboard({ clock: () => now });
  url = switchboard.url;
});
after(() => switchboard.stop());
beforeEach(() => {
  now += 61_000;
});

const UNKNOWN = 'A'.repeat(43);
const getSession = (headers: Record<string, string> = {}) => callOAuth(url, '/session', { headers });
const deleteSession = (headers: Record<string, string>) => callOAuth(url, '/session', { method: 'DELETE', headers });
const readAccount = (headers: Record<string, string>) =>
  callOAuth(url, `/graphql?query=${encodeURIComponent('{account{name}}')}`, { headers });

function assertError(response: OAuthResponse, status: number, error: string): void {
  assert.equal(response.status, status, response.text);
  assert.deepEqual(Object.keys(response.body), ['error', 'error_description']);
  assert.equal(response.body.error, error);
  assert.deepEqual(response.headers.getSetCookie(), []);
}

suite('a login', () => {
  test('sets a cookie that no script can read, and says who is logged in', async () => {
    const response = await postSession(url, ADMIN);
    assert.equal(response.status, 200, response.text);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    const [cookie = ''] = response.headers.getSetCookie();
    assert.match(cookie, /^switchboard=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    const { operator, expiresAt, ...others } = response.body;
    assert.deepEqual(Object.keys(operator), ['id', 'name', 'firstName', 'pseudo', 'email', 'roles', 'languageAdmin']);
    assert.equal(operator.email, ADMIN.email);
    assert.ok(Math.abs(Date.parse(expiresAt) - now - 43_200_000) < 1000);
    assert.deepEqual(Object.keys(others), ['authenticated', 'accountId', 'accountName', 'theme', 'mustSetUpTwoFactor']);
    const { headers } = toBrowserSession(url, readCookie(response));
    assert.deepEqual((await getSession(headers)).body, response.body);
    assert.ok(!response.text.includes(readCookie(response).split('=')[1] ?? ''));
  });

  test('is refused like at the token endpoint', async () => {
    const wrong = await postSession(url, { ...ADMIN, password: 'wrong' });
    assertError(wrong, 400, 'invalid_grant');
    const unknown = await postSession(url, { email: 'unknown@example.com', password: 'wrong' });
    assert.equal(unknown.text, wrong.text);
    // PostgreSQL stores no NUL, so no one has such an address.
    const notStorable = await postSession(url, { email: `a\0${ADMIN.email}`, password: ADMIN.password });
    assert.equal(notStorable.text, wrong.text);
    assertError(await postSession(url, { ssoCode: 'unknown' }), 400, 'invalid_grant');
  });

  test('takes JSON objects only: forms and plain text could come from any page', async () => {
    const types = ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data', ''];
    for (const type of types)
      assertError(await postSession(url, ADMIN, { 'Content-Type': type }), 400, 'invalid_request');
    for (const body of ['', '[]', 'null', '{', '"x"', {}, { email: ADMIN.email }, { email: ADMIN.email, password: 1 }])
      assertError(await postSession(url, body), 400, 'invalid_request');
    assertError(await postSession(url, { ...ADMIN, ssoCode: 'x' }), 400, 'invalid_request');
  });

  test('never adopts a planted value, and ends the session that the browser had', async () => {
    const planted = await postSession(url, ADMIN, { Cookie: `switchboard=${UNKNOWN}` });
    assert.notEqual(readCookie(planted), `switchboard=${UNKNOWN}`);
    assert.deepEqual((await getSession(toBrowserSession(url, `switchboard=${UNKNOWN}`).headers)).body, {
      authenticated: false,
    });
    const first = toBrowserSession(url, readCookie(planted));
    const second = await postSession(url, ADMIN, { Cookie: first.cookie });
    assert.notEqual(readCookie(second), first.cookie);
    assert.deepEqual((await getSession(first.headers)).body, { authenticated: false });
    assert.equal((await getSession(toBrowserSession(url, readCookie(second)).headers)).body.authenticated, true);
  });

  test('that fails leaves the session of the browser alone', async () => {
    const { cookie, headers } = await openSession(url, ADMIN);
    assertError(await postSession(url, { ...ADMIN, password: 'wrong' }, { Cookie: cookie }), 400, 'invalid_grant');
    assert.equal((await getSession(headers)).body.authenticated, true);
  });
});

suite('a logout', () => {
  test('ends the session, deletes the cookie, and can be repeated', async () => {
    const { headers } = await openSession(url, ADMIN);
    const response = await deleteSession(headers);
    assert.equal(response.status, 204);
    assert.deepEqual(response.headers.getSetCookie(), ['switchboard=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict']);
    assert.deepEqual((await getSession(headers)).body, { authenticated: false });
    assert.equal((await readAccount(headers)).status, 401);
    assert.equal((await deleteSession(headers)).status, 204);
    assert.equal((await deleteSession({ Origin: url })).status, 204);
  });
});

suite('only pages of the service', () => {
  const OTHER_PAGES: readonly Record<string, string>[] = [
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { Origin: '' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { 'Sec-Fetch-Site': 'none' },
    { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://evil.example' },
    { 'Sec-Fetch-Site': 'cross-site', Origin: 'OWN' },
    { 'Sec-Fetch-Site': 'same-site', Origin: 'OWN' },
  ];
  const OWN_PAGES: readonly Record<string, string>[] = [
    { Origin: 'OWN' },
    { 'Sec-Fetch-Site': 'same-origin' },
    { 'Sec-Fetch-Site': 'same-origin', Origin: 'OWN' },
  ];
  const withUrl = (headers: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value === 'OWN' ? url : value]));

  for (const source of [...OTHER_PAGES, {}])
    test(`nothing happens with ${JSON.stringify(source)}`, async () => {
      const { cookie, headers } = await openSession(url, ADMIN);
      const foreign = { ...withUrl(source), Cookie: cookie };
      const query = JSON.stringify({ query: 'mutation{accountUpdate(input:{name:"Changed"}){account{name}}}' });
      const mutation = { method: 'POST', body: query, headers: { ...foreign, 'Content-Type': 'application/json' } };
      const refused = await callOAuth(url, '/graphql', mutation);
      assert.equal(refused.status, 403, refused.text);
      assert.equal(refused.body.errors[0].extensions.code, 'FORBIDDEN');
      assert.equal((await readAccount(foreign)).status, 403);
      const upload = await callOAuth(url, '/attachment', { method: 'POST', body: new FormData(), headers: foreign });
      assert.equal(upload.status, 403, upload.text);
      assertError(await deleteSession(foreign), 403, 'access_denied');
      const login = await callOAuth(url, '/session', {
        method: 'POST',
        body: JSON.stringify(ADMIN),
        headers: { ...foreign, 'Content-Type': 'application/json' },
      });
      assertError(login, 403, 'access_denied');
      // Browsers send no header with a GET over plain HTTP.
      const isReadable = Object.keys(source).length === 0;
      assert.equal((await getSession(foreign)).status, isReadable ? 200 : 403);
      assert.equal((await getSession(headers)).body.authenticated, true, 'the session goes on');
      assert.notEqual((await readAccount(headers)).body.data.account.name, 'Changed');
    });

  for (const source of OWN_PAGES)
    test(`accepted: ${JSON.stringify(source)}`, async () => {
      const { cookie } = await openSession(url, ADMIN);
      const own = { ...withUrl(source), Cookie: cookie };
      assert.equal((await readAccount(own)).status, 200);
      const upload = await callOAuth(url, '/attachment', { method: 'POST', body: '', headers: own });
      assert.equal(upload.status, 415, 'authenticated, but not a form');
      assert.equal((await deleteSession(own)).status, 204);
    });
});

suite('a cookie counts nowhere else', () => {
  test('not as a token, and no token as a cookie', async () => {
    const { cookie, headers } = await openSession(url, ADMIN);
    const secret = cookie.split('=')[1] ?? '';
    assert.equal((await checkToken(url, secret)).status, 401);
    assert.equal((await checkToken(url, `session ${secret}`)).status, 401);
    assert.equal((await graphqlClient(url, secret).run('{account{name}}')).status, 401);
    const token = await logIn(url, ADMIN);
    assert.equal((await readAccount({ Cookie: `switchboard=${token}`, Origin: url })).status, 401);
    for (const text of [secret, `session ${secret}`])
      await callOAuth(url, '/oauth2/revoke', { method: 'POST', body: new URLSearchParams({ token: text }) });
    assert.equal((await readAccount(headers)).status, 200);
  });

  test('not for REST, visitors and the token check', async () => {
    const { headers } = await openSession(url, ADMIN);
    for (const [path, method] of [
      ['/api/2/operator', 'GET'],
      ['/visitor/graphql?query={__typename}', 'GET'],
      ['/visitor/session/renew', 'POST'],
      ['/visitor/attachment', 'POST'],
      ['/_authenticated', 'GET'],
    ] as const) {
      const { status } = await fetch(url + path, { method, headers });
      assert.ok(status === 401 || status === 403, `${path}: ${status}`);
    }
  });

  test('and not beside another credential, which wins', async () => {
    const { headers } = await openSession(url, ADMIN);
    const readViewer = async (credential: Record<string, string>) => {
      const query = encodeURIComponent('{viewer{id}}');
      return callOAuth(url, `/graphql?query=${query}`, { headers: { ...headers, ...credential } });
    };
    assert.equal((await readViewer({})).body.data.viewer.id, '1');
    const byKey = await readViewer({ 'X-API-Key': switchboard.key });
    assert.equal(byKey.body.errors[0].extensions.code, 'FORBIDDEN', 'a key has no viewer');
    for (const credential of [{ Authorization: 'Bearer wrong' }, { Authorization: 'Bearer' }, { 'X-API-Key': '' }])
      assert.equal((await readViewer(credential)).status, 401, JSON.stringify(credential));
    const token = await logIn(url, ADMIN);
    const foreign = { Authorization: `Bearer ${token}`, Origin: 'https://evil.example' };
    assert.equal((await readViewer(foreign)).status, 200, 'the cookie is ignored');
  });
});

suite('a page that says whose session it shows', () => {
  const readViewer = async (owner: string, path = '/graphql') => {
    const { headers } = await openSession(url, ADMIN);
    const query = new URLSearchParams({ query: '{viewer{id}}' });
    return callOAuth(url, `${path}?${query}`, { headers: { ...headers, 'X-Session-Owner': owner } });
  };

  test('has it as long as it is that of the same operator of the same account', async () => {
    assert.equal((await readViewer('1.1')).body.data.viewer.id, '1');
    for (const other of ['2.1', '1.2', '1', 'x'.repeat(1000)]) {
      const { status, body } = await readViewer(other);
      assert.equal(status, 401, other);
      assert.equal(body.errors[0].extensions.code, 'UNAUTHENTICATED');
    }
  });

  test('of a token or key nothing is expected', async () => {
    const headers = { 'X-API-Key': switchboard.key, 'X-Session-Owner': '2.1' };
    assert.equal((await readAccount(headers)).status, 200);
  });
});

suite('the name of the cookie', () => {
  const withService = async (env: Record<string, string>, run: (service: Switchboard) => Promise<void>) => {
    const service = await startSwitchboard({ env });
    await run(service).finally(() => service.stop());
  };
  const HOME = 'https://switchboard.example';
  const read = async (service: { url: string }, headers: Record<string, string>) =>
    (await callOAuth(service.url, '/session', { headers })).body.authenticated;

  test('over HTTPS it has the prefix that other hosts cannot set, and the plain name is ignored', async () => {
    const port = String(await findStablePort());
    await withService({ SWITCHBOARD_PUBLIC_URL: HOME, PORT: port }, async () => {
      const service = { url: `http://127.0.0.1:${port}` };
      const response = await postSession(service.url, ADMIN, { Origin: HOME });
      const [cookie = ''] = response.headers.getSetCookie();
      assert.match(cookie, /^__Host-switchboard=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$/);
      const secret = readCookie(response).split('=')[1];
      assert.equal(await read(service, { Cookie: `__Host-switchboard=${secret}` }), true);
      assert.equal(await read(service, { Cookie: `switchboard=${secret}` }), false);
      assert.equal(await read(service, { Cookie: `switchboard=${UNKNOWN}; __Host-switchboard=${secret}` }), true);
      const insecure = await postSession(service.url, ADMIN, { Origin: 'http://switchboard.example' });
      assert.equal(insecure.status, 403, 'a page over plain HTTP');
    });
  });

  test('a trusted proxy says whether it is HTTPS', async () => {
    const forwarded = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'switchboard.example', Origin: HOME };
    await withService({ SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.1' }, async (service) => {
      assert.match(readCookie(await postSession(service.url, ADMIN, forwarded)), /^__Host-switchboard=/);
    });
    await withService({}, async (service) => {
      const response = await postSession(service.url, ADMIN, { ...forwarded, Origin: service.url });
      assert.match(readCookie(response), /^switchboard=/);
    });
  });

  test('repeated cookies are ignored: one of them was planted', async () => {
    const { cookie } = await openSession(url, ADMIN);
    const secret = cookie.split('=')[1];
    for (const header of [
      `${cookie}; switchboard=${UNKNOWN}`,
      `switchboard=${UNKNOWN}; ${cookie}`,
      `${cookie}; ${cookie}`,
    ])
      assert.deepEqual((await getSession({ Cookie: header })).body, { authenticated: false }, header);
    for (const header of [`__Host-${cookie}`, `x${cookie}`, `switchboard="${secret}"`, `${cookie}x`, 'switchboard='])
      assert.deepEqual((await getSession({ Cookie: header })).body, { authenticated: false }, header);
    assert.equal((await getSession({ Cookie: `a=b; ${cookie}; c` })).body.authenticated, true);
  });
});

test('sessions and tokens count towards the same limits', async () => {
  const email = 'limits@example.com';
  const attempts = [];
  for (let count = 0; count < 12; count += 1)
    attempts.push(
      count % 2 === 0
        ? await postSession(url, { email, password: 'wrong' })
        : await callOAuth(url, '/oauth2/token', {
            method: 'POST',
            body: new URLSearchParams({ grant_type: 'password', username: email, password: 'wrong' }),
          }),
    );
  assert.deepEqual(
    attempts.map(({ status }) => status),
    [...Array(10).fill(400), 429, 429],
  );
  assert.equal(attempts[10]?.body.error, 'too_many_requests');
  assert.equal(attempts[10]?.headers.get('retry-after'), '60');
});
