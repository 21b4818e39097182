import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import { computeTotp, toTotpStep } from '../../../src/core/access/two-factor/totp.ts';
import { openSession, postSession, readCookie, toBrowserSession } from '../../support/clients/browser-session.ts';
import { graphqlClient, keyClient } from '../../support/clients/graphql.ts';
import { callOAuth, logIn, type OAuthResponse, postForm } from '../../support/clients/oauth.ts';
import { restClient } from '../../support/clients/rest.ts';
import { createOperator } from '../../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

const PASSWORD = 'a password of this test';
const STEP_MS = 30_000;

let switchboard: Switchboard;
let url: string;
/** The clock of the database. */
let now = Date.now();
before(async () => {
  switchboard = await startSwitchboard({ clock: () => now });
  url = switchboard.url;
});
after(() => switchboard.stop());
beforeEach(() => {
  now += 61_000; // each test has the whole limit of logins
});

const codeOf = (secret: string, offset = 0) => computeTotp(secret, toTotpStep(now) + offset);

interface Member {
  readonly email: string;
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

/** An operator with two-factor authentication, whose next code is not used yet. */
async function createMember(): Promise<Member> {
  const { email } = await createOperator(restClient(url, switchboard.key), { password: PASSWORD });
  const { run } = graphqlClient(url, await logIn(url, { email, password: PASSWORD }));
  const started = await run(`mutation{twoFactorStart(input:{currentPassword:"${PASSWORD}"}){secret}}`);
  const { secret } = started.data.twoFactorStart;
  const confirmed = await run(`mutation{twoFactorConfirm(input:{code:"${codeOf(secret)}"}){recoveryCodes}}`);
  now += 61_000;
  return { email, secret, recoveryCodes: confirmed.data.twoFactorConfirm.recoveryCodes };
}

type LogIn = (email: string, code?: string, password?: string) => Promise<OAuthResponse>;

const postToken: LogIn = (username, otp, password = PASSWORD) =>
  postForm(url, '/oauth2/token', { grant_type: 'password', username, password, ...(otp !== undefined && { otp }) });
const postBrowserSession: LogIn = (email, code, password = PASSWORD) => postSession(url, { email, password, code });

function assertMfaRequired(response: OAuthResponse, description: RegExp): void {
  assert.equal(response.status, 400, response.text);
  assert.deepEqual(Object.keys(response.body), ['error', 'error_description']);
  assert.equal(response.body.error, 'mfa_required');
  assert.match(response.body.error_description, description);
  assert.deepEqual(response.headers.getSetCookie(), []);
}

for (const [name, send] of [
  ['POST /oauth2/token', postToken],
  ['POST /session', postBrowserSession],
] as const) {
  suite(`two-factor authentication at ${name}`, () => {
    test('asks for a code only after the right password', async () => {
      const { email, secret } = await createMember();
      assertMfaRequired(await send(email), /is required$/);
      assertMfaRequired(await send(email, ''), /is required$/);
      const wrong = await send(email, codeOf(secret), 'another password');
      const unknown = await send('unknown@example.com', codeOf(secret));
      assert.equal(wrong.body.error, 'invalid_grant');
      assert.equal(wrong.text, unknown.text);
      assert.equal((await send(email, codeOf(secret))).status, 200, 'the code was not used up');
    });

    test('accepts a code once, a step early and a step late', async () => {
      const { email, secret } = await createMember();
      for (const offset of [-2, 2]) assertMfaRequired(await send(email, codeOf(secret, offset)), /the code is wrong/);
      assert.equal((await send(email, codeOf(secret, -1))).status, 200);
      assertMfaRequired(await send(email, codeOf(secret, -1)), /was already used/);
      assert.equal((await send(email, codeOf(secret, 1))).status, 200);
      assertMfaRequired(await send(email, codeOf(secret)), /was already used/);
    });

    test('accepts a recovery code once', async () => {
      const { email, recoveryCodes } = await createMember();
      assert.equal((await send(email, recoveryCodes[0])).status, 200);
      assertMfaRequired(await send(email, recoveryCodes[0]), /was already used/);
    });

    test('accepts the same code at the same time once', async () => {
      const { email, secret, recoveryCodes } = await createMember();
      for (const code of [codeOf(secret), recoveryCodes[0]]) {
        const responses = await Promise.all([send(email, code), send(email, code), send(email, code)]);
        assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 400, 400]);
      }
    });

    test('counts every try towards the limit of logins, and codes towards their own', async () => {
      const { email, secret, recoveryCodes } = await createMember();
      for (let round = 0; round < 2; round += 1) {
        for (let index = 0; index < 9; index += 1) assertMfaRequired(await send(email, '000000'), /the code is wrong/);
        assertMfaRequired(await send(email), /is required$/);
        assert.equal((await send(email, codeOf(secret))).status, 429, 'ten per minute');
        now += 60_000;
      }
      assertMfaRequired(await send(email, '000000'), /the code is wrong/); // with the first code of the set-up, 20
      assertMfaRequired(await send(email, 'aaaaa-aaaaa'), /the code is wrong/);
      const limited = await send(email, codeOf(secret));
      assert.equal(limited.status, 429);
      assert.equal(limited.body.error_description, 'Too many two-factor codes. Try again later.');
      assert.ok(Number(limited.headers.get('retry-after')) > 3000);
      assertMfaRequired(await send(email), /is required$/);
      assert.equal((await send(email, recoveryCodes[0])).status, 200, 'a recovery code is not locked out');
      now += 3_600_000;
      assert.equal((await send(email, codeOf(secret))).status, 200);
    });

    test('ignores a code of an operator without a second factor', async () => {
      const { email } = await createOperator(restClient(url, switchboard.key), { password: PASSWORD });
      assert.equal((await send(email, '123456')).status, 200);
    });
  });
}

test('a repeated otp is refused', async () => {
  const form = 'grant_type=password&username=a%40example.com&password=b&otp=1&otp=2';
  assert.equal((await postForm(url, '/oauth2/token', form)).body.error, 'invalid_request');
});

test('a code that is no text, or sent with a single sign-on code, is refused', async () => {
  for (const body of [
    { email: 'a@example.com', password: 'b', code: 123_456 },
    { ssoCode: 'x', code: '123456' },
  ])
    assert.equal((await postSession(url, body)).body.error, 'invalid_request');
});

suite('an operator who must set it up', () => {
  let email: string;
  before(async () => {
    ({ email } = await createOperator(restClient(url, switchboard.key), { password: PASSWORD, roles: ['expert'] }));
    const { run } = keyClient(url, switchboard.key);
    await run('mutation{accountUpdate(input:{twoFactorRequired:[EXPERT]}){account{id}}}');
  });

  test('gets no token', async () => {
    assertMfaRequired(await postToken(email), /set it up in the browser, or use an API key/);
    assert.equal((await postToken(email, undefined, 'another password')).body.error, 'invalid_grant');
  });

  test('gets a session that can do nothing else, until it is set up', async () => {
    const response = await postBrowserSession(email);
    assert.equal(response.status, 200, response.text);
    assert.equal(response.body.mustSetUpTwoFactor, true);
    const { headers } = toBrowserSession(url, readCookie(response));
    const run = async (query: string) => {
      const { body } = await callOAuth(url, '/graphql', {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      return body;
    };
    const before = await run('{viewer{id}}');
    assert.equal(before.errors[0].extensions.code, 'FORBIDDEN');
    const other = await openSession(url, { email, password: PASSWORD });
    const { secret } = (await run('mutation{twoFactorStart(input:{}){secret}}')).data.twoFactorStart;
    const confirm = `mutation{twoFactorConfirm(input:{code:"${codeOf(secret)}"}){recoveryCodes userErrors{message}}}`;
    assert.equal((await run(confirm)).data.twoFactorConfirm.recoveryCodes.length, 10);
    assert.equal((await run('{viewer{twoFactor{isEnabled}}}')).data.viewer.twoFactor.isEnabled, true);
    assert.equal((await callOAuth(url, '/session', { headers })).body.mustSetUpTwoFactor, false);
    const ended = await callOAuth(url, '/session', { headers: other.headers });
    assert.deepEqual(ended.body, { authenticated: false }, 'the other session has ended');
    now += STEP_MS;
    assert.equal((await postToken(email, codeOf(secret))).status, 200);
  });
});

test('the event of a session says with what the operator logged in', async () => {
  const { email, secret, recoveryCodes } = await createMember();
  for (const code of [codeOf(secret), recoveryCodes[0]])
    assert.equal((await postBrowserSession(email, code)).status, 200);
  const rows = await switchboard.storedData.query(
    "select changes from events where type in ('session.created', 'operator.updated') order by position desc limit 3",
  );
  assert.deepEqual(
    rows.map(({ changes }) => JSON.parse(String(changes)).values).map(({ operatorId: _, ...values }) => values),
    [{ method: 'recovery_code' }, { recoveryCodesLeft: 9 }, { method: 'totp' }],
  );
});

test('wrong codes are recorded as failed logins', async () => {
  const { email } = await createMember();
  await postToken(email, '000000');
  await postToken(email);
  const rows = await switchboard.storedData.query('select reason from failed_logins order by at desc limit 1');
  assert.deepEqual(
    rows.map(({ reason }) => reason),
    ['wrong_code'],
  );
});
