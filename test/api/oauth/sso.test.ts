import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, afterEach, before, beforeEach, suite, test } from 'node:test';
import { digest } from '../../../src/core/access/secrets.ts';
import { TokenCallers } from '../../../src/core/access/token-callers.ts';
import type { Transact } from '../../../src/core/kernel/caller.ts';
import { toDomainError } from '../../../src/core/kernel/errors.ts';
import { openSession, postSession } from '../../support/clients/browser-session.ts';
import { graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { callOAuth, checkToken, postForm, secretOf } from '../../support/clients/oauth.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { databases, type TestInstallation } from '../../support/databases/databases.ts';
import { createOperator } from '../../support/fixtures/resources.ts';
import { recordLoginAttempts, withFrozenClock } from '../../support/processes/frozen-clock.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

for (const { name, open } of databases) {
  suite(`single sign-on (${name})`, () => {
    let installation: TestInstallation;
    let key: string;
    beforeEach(async () => {
      installation = await open();
      key = installation.operators.deriveSsoKey(installation.accountId, { id: 1, ssoVersion: 1 });
    });
    afterEach(() => installation.end());

    const HOME = '192.0.2.1';
    const PASSWORD_TOKEN = { kind: 'password', ssoVersion: null };
    const issueCode = async (ssoKey = key) =>
      (await installation.singleSignOn.issueCode(ssoKey, HOME)) ?? assert.fail('no code');
    const exchange = async (code: string, device?: string) =>
      secretOf(await installation.singleSignOn.exchange(code, { address: HOME, device }));
    const logInByPassword = async (device?: string) =>
      secretOf(await installation.login.logIn({ ...ADMIN, address: HOME, device }));
    const transact: Transact = (work) => installation.database.transaction(work);
    /** A new instance each time, because an instance caches callers. */
    const findCaller = (token: string | undefined) =>
      new TokenCallers(installation.database, installation.tokens).findCaller(token ?? assert.fail('no token'));
    const readTokens = () => installation.database.read.selectFrom('accessTokens').selectAll().orderBy('id').execute();
    const createOperatorKey = async () => {
      const fields = { name: 'Another', email: 'another@example.com' };
      const { id } = await installation.operators.create(transact, installation.caller, fields);
      return installation.operators.deriveSsoKey(1, { id, ssoVersion: 1 });
    };
    const codes = async () => (await installation.database.read.selectFrom('ssoCodes').selectAll().execute()).length;

    test('a key yields a code, and the code yields a token once', async () => {
      const code = await issueCode();
      const token = (await exchange(code)) ?? assert.fail('no token');
      assert.deepEqual((await installation.tokenCallers.findCaller(token))?.actor, { type: 'operator', id: 1 });
      assert.equal(await exchange(code), undefined);
      assert.equal(await codes(), 0);
    });

    test('only one of many concurrent exchanges of a code gets a token', async () => {
      const code = await issueCode();
      const tokens = await Promise.all(Array.from({ length: 20 }, () => exchange(code)));
      assert.equal(tokens.filter((token) => token !== undefined).length, 1);
    });

    test("a code expires after 60 seconds by the database's clock", async () => {
      const [firstCode, secondCode] = [await issueCode(), await issueCode()];
      installation.clock.advance(59_999);
      assert.ok(await exchange(firstCode));
      installation.clock.advance(1);
      assert.equal(await exchange(secondCode), undefined);
      installation.clock.advance(1);
      await installation.singleSignOn.deleteExpired();
      assert.equal(await codes(), 0);
    });

    test('rotating a key invalidates the key and its codes', async () => {
      const code = await issueCode();
      await installation.operators.rotateSsoKey(transact, installation.caller, 1);
      assert.equal(await installation.singleSignOn.issueCode(key, HOME), undefined);
      assert.equal(await exchange(code), undefined);
      const fresh = installation.operators.deriveSsoKey(1, { id: 1, ssoVersion: 2 });
      assert.ok(await exchange(await issueCode(fresh)));
    });

    test('a code is refused after a password change, and the key still works', async () => {
      const [code, otherCode] = [await issueCode(), await issueCode(await createOperatorKey())];
      await installation.operators.update(transact, installation.caller, 1, { password: 'a new and long one' });
      assert.equal(await exchange(code), undefined);
      assert.ok(await exchange(otherCode), 'of another operator');
      assert.ok(await exchange(await issueCode()));
    });

    test('rotating a key ends the tokens that came from it, and no others', async () => {
      const token = (await exchange(await issueCode())) ?? assert.fail('no token');
      const passwordToken = await logInByPassword();
      const otherToken = await exchange(await issueCode(await createOperatorKey()));
      await installation.operators.rotateSsoKey(transact, installation.caller, 1);
      assert.equal(await findCaller(token), undefined);
      assert.ok(await findCaller(passwordToken));
      assert.ok(await findCaller(otherToken));
      const freshKey = installation.operators.deriveSsoKey(1, { id: 1, ssoVersion: 2 });
      assert.ok(await findCaller(await exchange(await issueCode(freshKey))));
    });

    test('a key that a node of the previous version rotates ends its tokens too', async () => {
      const token = (await exchange(await issueCode())) ?? assert.fail('no token');
      await transact(async ({ db }) => {
        await db.updateTable('operators').set({ ssoVersion: 2 }).where('id', '=', 1).execute();
      });
      assert.equal(await findCaller(token), undefined);
    });

    test('a token that a node of the previous version issued is accepted until the key is rotated', async () => {
      const now = installation.clock.now;
      const row = { tokenHash: digest('old'), accountId: 1, operatorId: 1, issuedAt: now, expiresAt: now + 1000 };
      await transact(async ({ db }) => {
        await db
          .insertInto('accessTokens')
          .values([row, { ...row, tokenHash: digest('another') }])
          .execute();
      });
      assert.ok(await findCaller('old'));
      await installation.operators.rotateSsoKey(transact, installation.caller, 1);
      assert.equal(await findCaller('old'), undefined, 'it may have come from the key');
    });

    test('a token says where it came from and when it was last used', async () => {
      const ssoToken = await exchange(await issueCode(), 'Browser/1.0');
      const passwordToken = await logInByPassword('x'.repeat(300));
      const common = { isSession: 0, address: null, lastUsedAt: null };
      const columns = { accountId: 1, operatorId: 1, issuedAt: installation.clock.now, ...common };
      const expiresAt = installation.clock.now + 43_200_000;
      const [ssoHash, passwordHash] = [digest(ssoToken ?? ''), digest(passwordToken ?? '')];
      assert.deepEqual(await readTokens(), [
        { ...columns, id: 1, tokenHash: ssoHash, kind: 'sso', ssoVersion: 1, device: 'Browser/1.0', expiresAt },
        { ...columns, id: 2, tokenHash: passwordHash, ...PASSWORD_TOKEN, device: 'x'.repeat(255), expiresAt },
      ]);
    });

    test('the last use of a token is recorded at most once a minute, and not by the request', async () => {
      const token = await exchange(await issueCode());
      const lastUsedAt = async () => (await readTokens())[0]?.lastUsedAt;
      await findCaller(token);
      assert.equal(await lastUsedAt(), null);
      await installation.tokens.recordUse();
      const firstUse = installation.clock.now;
      assert.equal(await lastUsedAt(), firstUse);
      installation.clock.advance(59_999);
      await findCaller(token);
      await installation.tokens.recordUse();
      assert.equal(await lastUsedAt(), firstUse);
      installation.clock.advance(1);
      await findCaller(token);
      await installation.tokens.recordUse();
      assert.equal(await lastUsedAt(), firstUse + 60_000);
      installation.clock.advance(60_000);
      await installation.tokens.recordUse();
      assert.equal(await lastUsedAt(), firstUse + 60_000, 'it was not used again');
    });

    test('deleting the operator invalidates the key and its codes', async () => {
      const { operators, caller } = installation;
      const fields = { name: 'Gone', email: 'gone@example.com' };
      const { id } = await operators.create(transact, caller, fields);
      const operatorKey = operators.deriveSsoKey(1, { id, ssoVersion: 1 });
      const code = await issueCode(operatorKey);
      await operators.delete(transact, caller, id);
      assert.equal(await installation.singleSignOn.issueCode(operatorKey, HOME), undefined);
      assert.equal(await exchange(code), undefined);
    });

    test('anything but the exact key is refused', async () => {
      const [account, operator, mac = ''] = key.split('.');
      const changed = mac.startsWith('A') ? `B${mac.slice(1)}` : `A${mac.slice(1)}`;
      for (const wrong of [
        ...['', '.', '..', 'null', mac, `${key} `, ` ${key}`, `${key}.`, key.slice(0, -1), key.toUpperCase()],
        ...[
          `${account}.${operator}.${changed}`,
          `${account}.2.${mac}`,
          `2.${operator}.${mac}`,
          `01.${operator}.${mac}`,
        ],
        ...[`${account}.${operator}.`, `-1.1.${mac}`, `1e0.1.${mac}`, 'x'.repeat(100_000)],
        installation.operators.deriveSsoKey(1, { id: 1, ssoVersion: 0 }),
        installation.operators.deriveSsoKey(1, { id: 1, ssoVersion: 2 }),
      ]) {
        assert.equal(await installation.singleSignOn.issueCode(wrong, '192.0.2.9'), undefined, wrong.slice(0, 80));
      }
      assert.equal(await exchange(''), undefined);
    });

    test('the first session is recorded like a first password login', async () => {
      const first = async () =>
        (
          await installation.database.read
            .selectFrom('operatorLive')
            .select('firstLoginAt')
            .where('operatorId', '=', 1)
            .executeTakeFirstOrThrow()
        ).firstLoginAt;
      const code = await issueCode();
      assert.equal(await first(), null);
      const at = installation.clock.now;
      await exchange(code);
      assert.equal(await first(), at);
      installation.clock.advance(5000);
      await exchange(await issueCode());
      assert.equal(await first(), at);
    });

    test('valid and invalid keys count towards the login limit of the address', async () => {
      for (let index = 0; index < 50; index += 1) await issueCode();
      for (let index = 0; index < 50; index += 1) await installation.singleSignOn.issueCode('wrong', HOME);
      const limited = (work: Promise<unknown>) =>
        work.then(
          () => false,
          (error) => toDomainError(error)?.kind === 'limited',
        );
      assert.equal(await limited(installation.singleSignOn.issueCode(key, HOME)), true);
      assert.equal(await limited(installation.limits.admit('another@example.com', HOME)), true);
      assert.equal(await limited(installation.singleSignOn.issueCode(key, '192.0.2.2')), false);
      installation.clock.advance(60_000);
      assert.equal(await limited(installation.singleSignOn.issueCode(key, HOME)), false);
    });

    test('only the digest of a code is stored', async () => {
      const code = await issueCode();
      const [row] = await installation.database.read.selectFrom('ssoCodes').selectAll().execute();
      assert.match(row?.codeHash ?? '', /^[0-9a-f]{64}$/);
      assert.equal(JSON.stringify(row).includes(code), false);
    });
  });
}

suite('the single sign-on link', () => {
  let switchboard: Switchboard;
  let rest: RestClient;
  let key: string;
  let email: string;
  let id: number;
  before(async () => {
    const env = { SWITCHBOARD_LOG_LEVEL: 'debug', SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.1' };
    switchboard = await startSwitchboard(withFrozenClock({ env })); // a code expires after a minute
    rest = restClient(switchboard.url, switchboard.key);
    ({ sso_key: key, email, id } = await createOperator(rest, { roles: ['expert'] }));
  });
  after(() => switchboard.stop());

  const link = (ssoKey = key, init: RequestInit = {}) =>
    fetch(`${switchboard.url}/admin/login?key=${encodeURIComponent(ssoKey)}`, { redirect: 'manual', ...init });
  const codeIn = (response: Response) =>
    response.headers.get('location')?.match(/^\/login#code=([\w-]{43})&to=%2Fdesk$/)?.[1] ?? assert.fail('no code');
  const session = (code: string) => postForm(switchboard.url, '/admin/session', { code });
  const codes = () => switchboard.storedData.query('select count(*) as number from sso_codes');

  test('redirects to a page with a code in the fragment, without caching or referrer', async () => {
    const response = await link();
    assert.equal(response.status, 303);
    codeIn(response);
    assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.equal(await response.text(), '');
    assert.equal((await fetch(`${switchboard.url}/login`)).status, 200, 'the page exists');
  });

  test('the code is exchanged once for a token with the four fields of a login, by form or JSON', async () => {
    const code = codeIn(await link());
    const { status, headers, body } = await session(code);
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ['access_token', 'expires_in', 'token_type', 'refresh_token']);
    assert.deepEqual([body.expires_in, body.token_type, body.refresh_token], [43_200, 'Bearer', 'none']);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal((await checkToken(switchboard.url, body.access_token)).status, 200);
    const viewer = await graphqlClient(switchboard.url, body.access_token).run('{ viewer { id email } }');
    assert.deepEqual(viewer.data.viewer, { id: String(id), email });

    const secondUse = await session(code);
    assert.equal(secondUse.status, 400);
    assert.equal(secondUse.body.error, 'invalid_grant');
    const json = await callOAuth(switchboard.url, '/admin/session', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code: codeIn(await link()) }),
    });
    assert.equal(json.status, 200);
  });

  test('the link leads to known pages only', async () => {
    const follow = (to: string) =>
      fetch(`${switchboard.url}/admin/login?key=${key}&${to}`, { redirect: 'manual', headers: from });
    const from = { 'X-Forwarded-For': '203.0.113.78' };
    for (const page of ['desk', 'console'])
      assert.match((await follow(`to=/${page}`)).headers.get('location') ?? '', new RegExp(`&to=%2F${page}$`));
    const before = await codes();
    for (const to of [
      ...['to=', 'to=desk', 'to=/desk/', 'to=/Desk', 'to=/admin', 'to=//evil.example', 'to=/\\evil.example'],
      ...['to=https://evil.example/desk', 'to=javascript:alert(1)', 'to=%2F%2Fevil.example', 'to=/desk%00'],
      ...['to=/desk%23', 'to=/desk&to=/console', 'to=/desk&to=//evil.example', 'to=/desk?x', 'to=%252Fdesk'],
    ]) {
      const response = await follow(to);
      assert.equal(response.status, 400, to);
      assert.equal(response.headers.get('location'), null);
      assert.match(await response.text(), /does not lead to a page of Switchboard/);
    }
    assert.deepEqual(await codes(), before, 'no code was made');
  });

  test('the code is exchanged once for a session of the browser', async () => {
    const code = codeIn(await link());
    const { headers } = await openSession(switchboard.url, { ssoCode: code });
    const { body } = await callOAuth(switchboard.url, '/session', { headers });
    assert.equal(body.operator.id, String(id));
    assert.equal((await postSession(switchboard.url, { ssoCode: code })).body.error, 'invalid_grant');
  });

  test('no operator reads their own key: it would outlive a change of the password', async () => {
    const operator = await createOperator(rest, { roles: ['operator'], password: 'a long enough password' });
    const credentials = { email: operator.email, password: 'a long enough password' };
    const token = await logIn(switchboard.url, credentials);
    const { headers } = await openSession(switchboard.url, credentials);
    const rotate = `mutation{operatorSsoKeyRotate(input:{id:${operator.id}}){operator{ssoKey}}}`;
    for (const query of ['{viewer{ssoKey}}', `{operator(id:${operator.id}){ssoKey}}`, rotate])
      for (const credential of [{ Authorization: `Bearer ${token}` }, headers]) {
        const init = { method: 'POST', body: JSON.stringify({ query }) };
        const response = await callOAuth(switchboard.url, '/graphql', {
          ...init,
          headers: { ...credential, 'Content-Type': 'application/json' },
        });
        assert.deepEqual(
          response.body.errors.map((error: { path: string[]; extensions: { code: string } }) => [
            error.path.at(-1),
            error.extensions.code,
          ]),
          [['ssoKey', 'FORBIDDEN']],
        );
        assert.doesNotMatch(response.text, /\d\.\d+\.[\w-]{43}/);
      }
    assert.equal((await link(operator.sso_key)).status, 403, 'they may rotate it');
    const admin = graphqlClient(switchboard.url, await logIn(switchboard.url));
    const { data } = await admin.run(`{operator(id:${operator.id}){ssoKey}}`);
    assert.equal((await link(data.operator.ssoKey)).status, 303);
  });

  test('an invalid key gets an error page', async () => {
    const { data } = (await graphqlClient(switchboard.url, await logIn(switchboard.url)).run(
      '{ viewer { ssoKey } }',
    )) as {
      data: { viewer: { ssoKey: string } };
    };
    const stolen = `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`;
    const texts = new Set<string>();
    for (const wrong of [
      '',
      'nonsense',
      stolen,
      data.viewer.ssoKey.replace(/^1\.1/, `1.${id}`),
      '1.999999.x'.padEnd(60),
    ]) {
      const response = await link(wrong);
      assert.equal(response.status, 403, wrong);
      assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
      assert.equal(response.headers.get('cache-control'), 'no-store');
      assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
      assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      texts.add(await response.text());
    }
    assert.equal(texts.size, 1, 'the same page for every reason');
    assert.match([...texts][0] ?? '', /This login link is not valid/);
    assert.equal((await fetch(`${switchboard.url}/admin/login`, { redirect: 'manual' })).status, 403);
    const repeated = `${switchboard.url}/admin/login?key=nonsense&key=${key}`;
    assert.equal((await fetch(repeated, { redirect: 'manual' })).status, 403);
  });

  test('the old link is refused after a rotation', async () => {
    const operator = await createOperator(rest);
    assert.equal((await link(operator.sso_key)).status, 303);
    const admin = graphqlClient(switchboard.url, await logIn(switchboard.url));
    const rotate = 'mutation($id:ID!){operatorSsoKeyRotate(input:{id:$id}){operator{ssoKey}}}';
    const rotated = await admin.run(rotate, { id: operator.id });
    assert.equal((await link(operator.sso_key)).status, 403);
    assert.equal((await link(rotated.data.operatorSsoKeyRotate.operator.ssoKey)).status, 303);
    await rest.delete(`/operator/${operator.id}`);
    assert.equal((await link(rotated.data.operatorSsoKeyRotate.operator.ssoKey)).status, 403);
  });

  test('HEAD requests and prefetches create no code and count as no attempt', async () => {
    const before = { codes: await codes(), attempts: await countAttempts('203.0.113.77') };
    const from = { 'X-Forwarded-For': '203.0.113.77' };
    for (const [init, status] of [
      [{ method: 'HEAD' }, 204],
      [{ headers: { 'Sec-Purpose': 'prefetch;prerender' } }, 204],
      [{ headers: { Purpose: 'prefetch' } }, 204],
      [{ headers: { 'X-Moz': 'prefetch' } }, 204],
      [{ method: 'OPTIONS' }, 204],
      [{ method: 'POST' }, 405],
    ] as const) {
      const { headers = {}, ...rest } = init as { headers?: Record<string, string>; method?: string };
      const response = await link(key, { ...rest, headers: { ...headers, ...from } });
      assert.equal(response.status, status, JSON.stringify(init));
      assert.equal(response.headers.get('location'), null);
    }
    assert.deepEqual({ codes: await codes(), attempts: await countAttempts('203.0.113.77') }, before);
  });

  async function countAttempts(address: string): Promise<number> {
    const windows = 'select attempts from rate_windows where subject = ?';
    const found = await switchboard.storedData.query(windows, `address ${address}`);
    return found.reduce((sum, row) => sum + JSON.parse(String(row.attempts)).length, 0);
  }

  test('too many logins from one address get an error page and the time to wait', async () => {
    await recordLoginAttempts(switchboard, 100, (limits) => limits.admitAddress('203.0.113.5'));
    for (const ssoKey of [key, 'wrong']) {
      const response = await link(ssoKey, { headers: { 'X-Forwarded-For': '203.0.113.5' } });
      assert.equal(response.status, 429);
      assert.match(response.headers.get('retry-after') ?? '', /^[1-9][0-9]?$/);
      assert.match(await response.text(), /Too many logins/);
    }
    assert.equal((await link(key, { headers: { 'X-Forwarded-For': '203.0.113.6' } })).status, 303);
  });

  test('a session requires a code and POST', async () => {
    const post = (body: string, type?: string) =>
      callOAuth(switchboard.url, '/admin/session', {
        method: 'POST',
        body,
        ...(type ? { headers: { 'Content-Type': type } } : {}),
      });
    const JSON_TYPE = 'application/json';
    for (const [body, type, error] of [
      ['', 'application/x-www-form-urlencoded', 'invalid_request'],
      ['code=', 'application/x-www-form-urlencoded', 'invalid_request'],
      ['code=a&code=b', 'application/x-www-form-urlencoded', 'invalid_request'],
      ['code=unknown', 'application/x-www-form-urlencoded', 'invalid_grant'],
      ['{}', JSON_TYPE, 'invalid_request'],
      ['{"code":5}', JSON_TYPE, 'invalid_request'],
      ['null', JSON_TYPE, 'invalid_request'],
      ['{"code":', JSON_TYPE, 'invalid_request'],
      ['{"code":"unknown"}', JSON_TYPE, 'invalid_grant'],
      ['{"code":"x"}', 'text/plain', 'invalid_request'],
      [JSON.stringify({ code: 'x'.repeat(2000) }), JSON_TYPE, 'invalid_request'],
    ] as const) {
      const response = await post(body, type);
      assert.deepEqual([response.status, response.body.error], [400, error], `${type} ${body.slice(0, 40)}`);
    }
    const read = await fetch(`${switchboard.url}/admin/session`);
    assert.deepEqual([read.status, read.headers.get('allow')], [405, 'POST']);
    const code = codeIn(await link());
    const token = await postForm(switchboard.url, '/oauth2/token', { grant_type: 'code', code });
    assert.equal(token.body.error, 'unsupported_grant_type');
  });

  test('keys, codes and tokens are not logged', async () => {
    const code = codeIn(await link());
    const { body } = await session(code);
    await link(`${key}x`);
    await session(code);
    // A proxy may send an absolute URL.
    await new Promise<void>((resolve, reject) => {
      const { host, port } = new URL(switchboard.url);
      const path = `${switchboard.url}/admin/login?key=${key}`;
      request({ host: '127.0.0.1', port, path, headers: { Host: host } }, (response) => {
        assert.equal(response.statusCode, 303);
        response.resume().once('end', resolve);
      })
        .once('error', reject)
        .end();
    });
    const log = switchboard.log();
    assert.match(log, /"route":"\/admin\/login"/);
    const mac = key.split('.')[2] as string;
    for (const secret of [key, mac, code, body.access_token]) assert.equal(log.includes(secret), false);
  });

  test('the session has the permissions of the operator', async () => {
    const { body } = await session(codeIn(await link()));
    const { data, errors } = await graphqlClient(switchboard.url, body.access_token).run('{ apiKeys { id } }');
    assert.equal(data.apiKeys, null);
    assert.equal(errors[0]?.extensions.code, 'FORBIDDEN');
    assert.notEqual(ADMIN.email, email);
  });
});
