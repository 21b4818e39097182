import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import { openSession } from '../../support/clients/browser-session.ts';
import { type GraphqlClient, graphqlClient } from '../../support/clients/graphql.ts';
import { callOAuth, logIn, type OAuthResponse, tryLogin, waitUntilTokenEnds } from '../../support/clients/oauth.ts';
import { restClient } from '../../support/clients/rest.ts';
import { openSocket } from '../../support/clients/subscriptions.ts';
import { createOperator } from '../../support/fixtures/resources.ts';
import { ADMIN, type Switchboard, startSwitchboard, WRITE_KEY } from '../../support/processes/switchboard.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

const PASSWORD = 'three green bicycles';
const INVITE =
  'mutation($id:ID!){operatorInvite(input:{id:$id}){link{url expiresAt} operator{id} userErrors{message code}}}';

let switchboard: Switchboard;
let url: string;
let admin: GraphqlClient;
// The clock of the database, so that each test has the whole limit of tries.
let now = Date.now();
before(async () => {
  switchboard = await startSwitchboard({
    clock: () => now,
    env: { SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.1', SWITCHBOARD_CORS_ORIGINS: 'https://desk.example.com' },
  });
  url = switchboard.url;
  admin = graphqlClient(url, await logIn(url, ADMIN));
});
after(() => switchboard.stop());
beforeEach(() => {
  now += 61_000;
});

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  callOAuth(url, path, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', Origin: url, ...headers },
  });
const readLink = (token: string, headers: Record<string, string> = {}) =>
  post('/session/password-link', { token }, headers);
const setPassword = (token: string, password: unknown, headers: Record<string, string> = {}) =>
  post('/session/password', { token, password }, headers);

async function invite(id: string, client = admin): Promise<{ url: string; token: string }> {
  const { data, errors } = await client.run(INVITE, { id });
  assert.deepEqual([errors, data.operatorInvite.userErrors, data.operatorInvite.operator], [[], [], { id }]);
  const { link } = data.operatorInvite;
  assert.equal(Date.parse(link.expiresAt), now + 24 * 3_600_000);
  return { url: link.url, token: new URL(link.url).hash.replace('#token=', '') };
}

async function createInvited() {
  const operator = await createOperator(restClient(url, WRITE_KEY), { first_name: 'Alice' });
  return { ...operator, id: String(operator.id), ...(await invite(String(operator.id))) };
}

function assertError({ status, body, text }: OAuthResponse, expected: number, error: string, reason?: string): void {
  assert.equal(status, expected, text);
  assert.deepEqual(Object.keys(body), ['error', 'error_description', ...(reason === undefined ? [] : ['reason'])]);
  assert.deepEqual([body.error, body.reason], [error, reason]);
}

suite('a link to set a password', () => {
  test('says whose password it sets, and sets it once', async () => {
    const { token, email, name } = await createInvited();
    const read = await readLink(token);
    assert.equal(read.status, 200, read.text);
    assert.deepEqual(read.body, { email, name: `Alice ${name}`, expiresAt: new Date(now + 86_400_000).toISOString() });
    assert.equal(read.headers.get('cache-control'), 'no-store');
    const set = await setPassword(token, PASSWORD);
    assert.deepEqual([set.status, set.text, set.headers.getSetCookie()], [204, '', []]);
    assert.ok(await logIn(url, { email, password: PASSWORD }));
    assertError(await setPassword(token, PASSWORD), 400, 'invalid_grant');
    assertError(await readLink(token), 400, 'invalid_grant');
    assertError(await readLink('unknown'), 400, 'invalid_grant');
  });

  test('names the broken rule of a password, and stays valid', async () => {
    const { token, email } = await createInvited();
    for (const [password, reason] of [
      ['', 'too_short'],
      ['short', 'too_short'],
      ['x'.repeat(201), 'too_long'],
      ['x'.repeat(2000), 'too_long'],
      ['qwertyuiop', 'too_common'],
      [email, 'too_common'],
      ['half a pair \ud800', 'invalid_characters'],
    ] as const) {
      const response = await setPassword(token, password);
      assertError(response, 400, 'invalid_request', reason);
      assert.match(response.body.error_description, /^password must /);
    }
    for (const body of [{}, { token }, { token, password: 1 }, { password: PASSWORD }, [], 'x', ''])
      assertError(await post('/session/password', body), 400, 'invalid_request');
    assert.equal((await setPassword(token, PASSWORD)).status, 204);
  });

  test('ends sessions and tokens of the operator', async () => {
    const { token, email, id } = await createInvited();
    await setPassword(token, PASSWORD);
    const bearer = await logIn(url, { email, password: PASSWORD });
    const session = await openSession(url, { email, password: PASSWORD });
    await setPassword((await invite(id)).token, `${PASSWORD} again`);
    await waitUntilTokenEnds(url, bearer);
    await waitUntil('the session has ended', async () => {
      const { body } = await callOAuth(url, '/session', { headers: session.headers });
      return body.authenticated === false;
    });
    assert.equal((await tryLogin(url, email, PASSWORD)).status, 400);
  });

  test('is accepted from pages of the service only', async () => {
    const { token } = await createInvited();
    for (const headers of [
      { Origin: 'https://evil.example.com' },
      { Origin: 'https://desk.example.com' },
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
    ]) {
      assertError(await readLink(token, headers), 403, 'access_denied');
      assertError(await setPassword(token, PASSWORD, headers), 403, 'access_denied');
    }
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', ''])
      assertError(await setPassword(token, PASSWORD, { 'Content-Type': type }), 400, 'invalid_request');
    assert.equal((await readLink(token)).status, 200);
  });

  test('is limited per address, together with logins', async () => {
    const { token } = await createInvited();
    const from = (address: string) => ({ 'X-Forwarded-For': address });
    for (let pairs = 0; pairs < 50; pairs += 1) {
      assertError(await readLink('unknown', from('192.0.2.1')), 400, 'invalid_grant');
      assertError(await setPassword('unknown', PASSWORD, from('192.0.2.1')), 400, 'invalid_grant');
    }
    const limited = await readLink(token, from('192.0.2.1'));
    assertError(limited, 429, 'too_many_requests');
    assert.equal(limited.headers.get('retry-after'), '60');
    assertError(await setPassword(token, PASSWORD, from('192.0.2.1')), 429, 'too_many_requests');
    assert.equal((await tryLogin(url, ADMIN.email, ADMIN.password, '192.0.2.1')).status, 429);
    assert.equal((await readLink(token, from('192.0.2.2'))).status, 200);
  });

  test('leads to the address of the request, and over a WebSocket to that of the connection', async () => {
    const { id, url: address } = await createInvited();
    assert.match(address, new RegExp(`^${url}/password#token=[\\w-]{43}$`));
    const forwarded = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'chat.example.com' };
    const proxied = await admin.run(INVITE, { id }, forwarded);
    assert.match(proxied.data.operatorInvite.link.url, /^https:\/\/chat\.example\.com\/password#token=/);
    for (const [headers, start] of [
      [{}, url],
      [forwarded, 'https://chat.example.com'],
    ] as const) {
      const socket = openSocket(url, admin.token, undefined, { headers });
      const { data } = await socket.run(INVITE, { id });
      socket.end();
      assert.equal(data.operatorInvite.link.url.split('#')[0], `${start}/password`);
    }
  });

  test('appears once: a retry with the same idempotency key gets none, and no log has it', async () => {
    const { id } = await createInvited();
    const headers = { 'Idempotency-Key': `invite-${now}` };
    const [first, retry] = [await admin.run(INVITE, { id }, headers), await admin.run(INVITE, { id }, headers)];
    assert.equal(retry.data.operatorInvite.link, null);
    const token = new URL(first.data.operatorInvite.link.url).hash.replace('#token=', '');
    assert.equal((await readLink(token)).status, 200, 'the retry did not replace the link');
    assert.ok(!switchboard.log().includes(token));
  });
});

suite('what the log-in page may know', () => {
  const readOptions = (query = '') => callOAuth(url, `/session/options${query}`);
  const update = (signOnUrl: string | null) =>
    admin.run('mutation($u:String){accountUpdate(input:{signOnUrl:$u}){account{signOnUrl} userErrors{field}}}', {
      u: signOnUrl,
    });

  test('is the name of the only account, and its sign-on page', async () => {
    const { data } = await admin.run('{account{name signOnUrl}}');
    assert.equal(data.account.signOnUrl, null);
    const accountName = data.account.name;
    assert.deepEqual((await readOptions()).body, { accountName, signOnUrl: null });
    const signOnUrl = 'https://portal.example.com/chat?from=login';
    assert.deepEqual((await update(signOnUrl)).data.accountUpdate.account, { signOnUrl });
    assert.deepEqual((await readOptions()).body, { accountName, signOnUrl });
    assert.deepEqual((await readOptions('?account=1')).body, { accountName, signOnUrl });
    for (const query of ['?account=2', '?account=x', '?account=', '?account=1e9'])
      assert.deepEqual((await readOptions(query)).body, { accountName, signOnUrl: null });
    assert.deepEqual((await update(null)).data.accountUpdate.account, { signOnUrl: null });
  });

  test('is a link that can do no harm', async () => {
    for (const address of [
      ...['', 'portal.example.com', '/login', 'javascript:alert(1)', 'data:text/html,x', 'http://portal.example.com'],
      ...[
        'https://user:secret@portal.example.com',
        ' https://portal.example.com',
        `https://x.example/${'x'.repeat(2000)}`,
      ],
      ...['http://localhost.example.com', 'ftp://localhost'],
    ])
      assert.deepEqual(
        (await update(address)).data.accountUpdate.userErrors,
        [{ field: ['input', 'signOnUrl'] }],
        address,
      );
    for (const address of ['http://localhost:8080/login', 'http://127.0.0.1/login'])
      assert.deepEqual((await update(address)).data.accountUpdate.userErrors, []);
  });

  test('of several accounts only the sign-on page of the one that is asked for', async () => {
    await update('https://portal.example.com');
    const args = ['account', 'create', '--name', 'Other', '--email', 'other@example.com'];
    assert.equal((await switchboard.runCommand(args, 'a long enough password\n')).code, 0);
    assert.deepEqual((await readOptions()).body, { accountName: null, signOnUrl: null });
    assert.deepEqual((await readOptions('?account=1')).body, {
      accountName: null,
      signOnUrl: 'https://portal.example.com',
    });
    assert.deepEqual((await readOptions('?account=2')).body, { accountName: null, signOnUrl: null });
  });
});

test('the theme is in the session', async () => {
  const { email, token } = await createInvited();
  await setPassword(token, PASSWORD);
  const session = await openSession(url, { email, password: PASSWORD });
  const read = async () => (await callOAuth(url, '/session', { headers: session.headers })).body.theme;
  assert.equal(await read(), 'SYSTEM');
  const viewer = graphqlClient(url, await logIn(url, { email, password: PASSWORD }));
  const query = 'mutation{preferencesUpdate(input:{theme:DARK}){preferences{theme} userErrors{message}}}';
  const { data } = await viewer.run(query);
  assert.deepEqual(data.preferencesUpdate, { preferences: { theme: 'DARK' }, userErrors: [] });
  assert.deepEqual((await viewer.run('{viewer{preferences{theme}}}')).data.viewer.preferences, { theme: 'DARK' });
  assert.equal(await read(), 'DARK');
});
