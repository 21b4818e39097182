import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, afterEach, before, beforeEach, suite, test } from 'node:test';
import type { Transact } from '../../../src/core/kernel/caller.ts';
import { asDomainError } from '../../../src/core/kernel/errors.ts';
import { graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { callOAuth, checkToken, postForm } from '../../support/clients/oauth.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { databases, type OpenInstallation } from '../../support/databases/databases.ts';
import { addOperator } from '../../support/people/people.ts';
import { useUpLogins, withStandingClock } from '../../support/processes/standing-clock.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

for (const { name, open } of databases) {
  suite(`single sign-on (${name})`, () => {
    let installation: OpenInstallation;
    let key: string;
    beforeEach(async () => {
      installation = await open();
      key = installation.operators.ssoKeyOf(installation.accountId, { id: 1, ssoVersion: 1 });
    });
    afterEach(() => installation.end());

    const HOME = '192.0.2.1';
    const code = async (given = key) =>
      (await installation.singleSignOn.codeFor(given, HOME)) ?? assert.fail('no code');
    const exchange = (given: string) => installation.singleSignOn.exchange(given);
    const transact: Transact = (work) => installation.database.transaction(work);
    const codes = async () => (await installation.database.read.selectFrom('ssoCodes').selectAll().execute()).length;

    test('a key gives a code, and the code a token, once', async () => {
      const given = await code();
      const token = (await exchange(given)) ?? assert.fail('no token');
      assert.deepEqual((await installation.viewers.of(token))?.actor, { type: 'operator', id: 1 });
      assert.equal(await exchange(given), undefined);
      assert.equal(await codes(), 0);
    });

    test('of many who come with one code at once, one gets a token', async () => {
      const given = await code();
      const tokens = await Promise.all(Array.from({ length: 20 }, () => exchange(given)));
      assert.equal(tokens.filter((token) => token !== undefined).length, 1);
    });

    test('a code lives 60 seconds by the clock of the database', async () => {
      const [one, other] = [await code(), await code()];
      installation.clock.advance(59_999);
      assert.ok(await exchange(one));
      installation.clock.advance(1);
      assert.equal(await exchange(other), undefined);
      installation.clock.advance(1);
      await installation.singleSignOn.clean();
      assert.equal(await codes(), 0);
    });

    test('a key that was replaced is worth nothing, and neither is a code that it gave', async () => {
      const given = await code();
      await installation.operators.rotateSsoKey(transact, installation.caller, 1);
      assert.equal(await installation.singleSignOn.codeFor(key, HOME), undefined);
      assert.equal(await exchange(given), undefined);
      const fresh = installation.operators.ssoKeyOf(1, { id: 1, ssoVersion: 2 });
      assert.ok(await exchange(await code(fresh)));
    });

    test('with the operator go the key and its codes', async () => {
      const { operators, caller } = installation;
      const fields = { name: 'Gone', email: 'gone@example.com' };
      const { id } = await operators.create(transact, caller, fields);
      const own = operators.ssoKeyOf(1, { id, ssoVersion: 1 });
      const given = await code(own);
      await operators.remove(transact, caller, id);
      assert.equal(await installation.singleSignOn.codeFor(own, HOME), undefined);
      assert.equal(await exchange(given), undefined);
    });

    test('nothing but the key itself is a key', async () => {
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
        installation.operators.ssoKeyOf(1, { id: 1, ssoVersion: 0 }),
        installation.operators.ssoKeyOf(1, { id: 1, ssoVersion: 2 }),
      ]) {
        assert.equal(await installation.singleSignOn.codeFor(wrong, '192.0.2.9'), undefined, wrong.slice(0, 80));
      }
      assert.equal(await exchange(''), undefined);
    });

    test('the first session is remembered as a password login does it', async () => {
      const first = async () =>
        (
          await installation.database.read
            .selectFrom('operatorLive')
            .select('firstLoginAt')
            .where('operatorId', '=', 1)
            .executeTakeFirstOrThrow()
        ).firstLoginAt;
      const given = await code();
      assert.equal(await first(), null);
      const at = installation.clock.now;
      await exchange(given);
      assert.equal(await first(), at);
      installation.clock.advance(5000);
      await exchange(await code());
      assert.equal(await first(), at);
    });

    test('good keys and bad ones count for the logins of their address', async () => {
      for (let index = 0; index < 50; index += 1) await code();
      for (let index = 0; index < 50; index += 1) await installation.singleSignOn.codeFor('wrong', HOME);
      const limited = (work: Promise<unknown>) =>
        work.then(
          () => false,
          (error) => asDomainError(error)?.kind === 'limited',
        );
      assert.equal(await limited(installation.singleSignOn.codeFor(key, HOME)), true);
      assert.equal(await limited(installation.limits.admit('anybody@example.com', HOME)), true);
      assert.equal(await limited(installation.singleSignOn.codeFor(key, '192.0.2.2')), false);
      installation.clock.advance(60_000);
      assert.equal(await limited(installation.singleSignOn.codeFor(key, HOME)), false);
    });

    test('a code is kept as its digest alone', async () => {
      const given = await code();
      const [row] = await installation.database.read.selectFrom('ssoCodes').selectAll().execute();
      assert.match(row?.codeHash ?? '', /^[0-9a-f]{64}$/);
      assert.equal(JSON.stringify(row).includes(given), false);
    });
  });
}

suite('the link of a single sign-on', () => {
  let switchboard: Switchboard;
  let rest: RestClient;
  let key: string;
  let email: string;
  let id: number;
  before(async () => {
    const env = { SWITCHBOARD_LOG_LEVEL: 'debug', SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.1' };
    switchboard = await startSwitchboard(withStandingClock({ env })); // a code lives for a minute
    rest = restClient(switchboard.url, switchboard.key);
    ({ sso_key: key, email, id } = await addOperator(rest, { roles: ['expert'] }));
  });
  after(() => switchboard.stop());

  const link = (given = key, init: RequestInit = {}) =>
    fetch(`${switchboard.url}/admin/login?key=${encodeURIComponent(given)}`, { redirect: 'manual', ...init });
  const codeIn = (response: Response) =>
    response.headers.get('location')?.match(/^\/graphiql#code=([\w-]{43})$/)?.[1] ?? assert.fail('no code');
  const session = (code: string) => postForm(switchboard.url, '/admin/session', { code });
  const codes = () => switchboard.stored.rows('select count(*) as number from sso_codes');

  test('leads to a page with a code in the fragment, and to nothing that could be kept or told', async () => {
    const response = await link();
    assert.equal(response.status, 303);
    codeIn(response);
    assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.equal(await response.text(), '');
    assert.equal((await fetch(`${switchboard.url}/graphiql`)).status, 200, 'the page is there');
  });

  test('the code becomes a token with the four fields of a login, by a form and by JSON, and works once', async () => {
    const code = codeIn(await link());
    const { status, headers, body } = await session(code);
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ['access_token', 'expires_in', 'token_type', 'refresh_token']);
    assert.deepEqual([body.expires_in, body.token_type, body.refresh_token], [43_200, 'Bearer', 'none']);
    assert.equal(headers.get('cache-control'), 'no-store');
    assert.equal((await checkToken(switchboard.url, body.access_token)).status, 200);
    const viewer = await graphqlClient(switchboard.url, body.access_token).run('{ viewer { id email } }');
    assert.deepEqual(viewer.data.viewer, { id: String(id), email });

    const again = await session(code);
    assert.equal(again.status, 400);
    assert.equal(again.body.error, 'invalid_grant');
    const json = await callOAuth(switchboard.url, '/admin/session', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ code: codeIn(await link()) }),
    });
    assert.equal(json.status, 200);
  });

  test('a key that is worth nothing is a page in words', async () => {
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
    assert.equal(texts.size, 1, 'whatever the reason, the same page');
    assert.match([...texts][0] ?? '', /This link does not log you in/);
    assert.equal((await fetch(`${switchboard.url}/admin/login`, { redirect: 'manual' })).status, 403);
    const repeated = `${switchboard.url}/admin/login?key=nonsense&key=${key}`;
    assert.equal((await fetch(repeated, { redirect: 'manual' })).status, 403);
  });

  test('after a rotation the old link leads nowhere', async () => {
    const person = await addOperator(rest);
    assert.equal((await link(person.sso_key)).status, 303);
    const admin = graphqlClient(switchboard.url, await logIn(switchboard.url));
    const rotate = 'mutation($id:ID!){operatorSsoKeyRotate(input:{id:$id}){operator{ssoKey}}}';
    const rotated = await admin.run(rotate, { id: person.id });
    assert.equal((await link(person.sso_key)).status, 403);
    assert.equal((await link(rotated.data.operatorSsoKeyRotate.operator.ssoKey)).status, 303);
    await rest.delete(`/operator/${person.id}`);
    assert.equal((await link(rotated.data.operatorSsoKeyRotate.operator.ssoKey)).status, 403);
  });

  test('a look, and a browser that loads ahead, use nothing up', async () => {
    const before = { codes: await codes(), tries: await tries('203.0.113.77') };
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
    assert.deepEqual({ codes: await codes(), tries: await tries('203.0.113.77') }, before);
  });

  async function tries(address: string): Promise<number> {
    const windows = 'select attempts from rate_windows where subject = ?';
    const found = await switchboard.stored.rows(windows, `address ${address}`);
    return found.reduce((sum, row) => sum + JSON.parse(String(row.attempts)).length, 0);
  }

  test('too many of an address are a page with the time to wait', async () => {
    await useUpLogins(switchboard, 100, (limits) => limits.admitFrom('203.0.113.5'));
    for (const given of [key, 'wrong']) {
      const response = await link(given, { headers: { 'X-Forwarded-For': '203.0.113.5' } });
      assert.equal(response.status, 429);
      assert.match(response.headers.get('retry-after') ?? '', /^[1-9][0-9]?$/);
      assert.match(await response.text(), /Too many logins/);
    }
    assert.equal((await link(key, { headers: { 'X-Forwarded-For': '203.0.113.6' } })).status, 303);
  });

  test('a session wants a code, and other methods are told so', async () => {
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
      const answer = await post(body, type);
      assert.deepEqual([answer.status, answer.body.error], [400, error], `${type} ${body.slice(0, 40)}`);
    }
    const got = await fetch(`${switchboard.url}/admin/session`);
    assert.deepEqual([got.status, got.headers.get('allow')], [405, 'POST']);
    const code = codeIn(await link());
    const token = await postForm(switchboard.url, '/oauth2/token', { grant_type: 'code', code });
    assert.equal(token.body.error, 'unsupported_grant_type');
  });

  test('neither keys nor codes nor tokens are in the log', async () => {
    const code = codeIn(await link());
    const { body } = await session(code);
    await link(`${key}x`);
    await session(code);
    // A proxy may send the whole address.
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

  test('the rights are those of the operator', async () => {
    const { body } = await session(codeIn(await link()));
    const { data, errors } = await graphqlClient(switchboard.url, body.access_token).run('{ apiKeys { id } }');
    assert.equal(data.apiKeys, null);
    assert.equal(errors[0]?.extensions.code, 'FORBIDDEN');
    assert.notEqual(ADMIN.email, email);
  });
});
