import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { computeTotp, toTotpStep } from '../../src/core/access/two-factor/totp.ts';
import { graphqlClient, logIn } from '../support/clients/graphql.ts';
import { postForm } from '../support/clients/oauth.ts';
import { type Nodes, PASSWORD, startNodes } from '../support/nodes/nodes.ts';
import { testServerOptions } from '../support/processes/test-server-options.ts';

const server = process.env.TEST_DATABASE_URL;
const ATTEMPTS = 150;

describe('logins across several nodes', { skip: server === undefined }, () => {
  const now = Date.now();
  let nodes: Nodes;

  before(async () => {
    nodes = await startNodes(server ?? '', { ...testServerOptions({ clockAt: now }), count: 3 });
  });
  after(() => nodes?.end());

  test(`${ATTEMPTS} concurrent attempts for one e-mail, each from another address: exactly 10 are admitted`, async (t) => {
    const results = await attemptAll((index) => ({ username: 'unknown@example.com', address: `10.2.0.${index}` }));
    assertAdmitted(t, results, { status: 400, limit: 10 });
  });

  test(`${ATTEMPTS} concurrent attempts from one address, each for another e-mail: exactly 100 are admitted`, async (t) => {
    const results = await attemptAll((index) => ({ username: `unknown${index}@example.com`, address: '10.3.0.1' }));
    assertAdmitted(t, results, { status: 400, limit: 100 });
  });

  test('the right password counts like a wrong one', async (t) => {
    const admin = { username: 'admin@example.com', password: 'correct horse battery staple' };
    const before = 1; // the login in startNodes
    const results = await attemptAll((index) => ({ ...admin, address: `10.4.0.${index}` }), 30);
    assertAdmitted(t, results, { status: 200, limit: 10 - before });
  });

  test('sessions and tokens count together: exactly 10 for one e-mail are admitted, exactly 100 from one address', async (t) => {
    const ofUser = await attemptAll(
      (index) => ({ username: 'both@example.com', address: `10.5.0.${index}` }),
      ATTEMPTS,
      chooseEither,
    );
    assertAdmitted(t, ofUser, { status: 400, limit: 10 });
    const fromAddress = await attemptAll(
      (index) => ({ username: `both${index}@example.com`, address: '10.6.0.1' }),
      ATTEMPTS,
      chooseEither,
    );
    assertAdmitted(t, fromAddress, { status: 400, limit: 100 });
  });

  test('one second factor that reaches all of them at the same time logs in once', async () => {
    const login = { email: 'second@example.com', password: PASSWORD };
    const [url = ''] = nodes.urls;
    await graphqlClient(url, nodes.token).run(
      `mutation{operatorCreate(input:{name:"O" email:"${login.email}" password:"${PASSWORD}"}){userErrors{message}}}`,
    );
    const { run } = graphqlClient(url, await logIn(url, login));
    const started = await run(`mutation{twoFactorStart(input:{currentPassword:"${PASSWORD}"}){secret}}`);
    const { secret } = started.data.twoFactorStart;
    const codeOf = (offset: number) => computeTotp(secret, toTotpStep(now) + offset);
    const confirmed = await run(`mutation{twoFactorConfirm(input:{code:"${codeOf(0)}"}){recoveryCodes}}`);
    const [recoveryCode = ''] = confirmed.data.twoFactorConfirm.recoveryCodes;
    for (const otp of [codeOf(1), recoveryCode]) {
      // Fewer than the limit of logins, with those before.
      const responses = await Promise.all(
        nodes.urls.map((node) =>
          postForm(node, '/oauth2/token', {
            ...{ grant_type: 'password', username: login.email, password: PASSWORD, otp },
          }),
        ),
      );
      const outcomes = responses.map(({ body }) => body.error ?? 'granted').sort();
      assert.deepEqual(outcomes, ['granted', 'mfa_required', 'mfa_required']);
    }
  });

  function attemptAll(
    loginFor: (index: number) => LoginAttempt,
    count = ATTEMPTS,
    chooseRequest: (index: number) => typeof requestToken = () => requestToken,
  ): Promise<AttemptResult[]> {
    assert.equal(nodes.urls.length, 3);
    const attempts = Array.from({ length: count }, (_, index) => {
      const url = nodes.urls[index % nodes.urls.length] ?? '';
      const [path, request] = chooseRequest(index)(url, loginFor(index));
      return attempt(url + path, request);
    });
    return Promise.all(attempts);
  }
});

interface LoginAttempt {
  readonly username: string;
  readonly address: string;
  readonly password?: string;
}

/** Each of the nodes gets both. */
function chooseEither(index: number): typeof requestToken {
  return index % 2 === 0 ? requestToken : requestSession;
}

function requestToken(_url: string, { username, address, password = 'wrong' }: LoginAttempt): [string, RequestInit] {
  const body = new URLSearchParams({ grant_type: 'password', username, password });
  return ['/oauth2/token', { method: 'POST', headers: { 'X-Forwarded-For': address }, body }];
}

function requestSession(url: string, { username, address, password = 'wrong' }: LoginAttempt): [string, RequestInit] {
  const headers = { 'X-Forwarded-For': address, 'Content-Type': 'application/json', Origin: url };
  return ['/session', { method: 'POST', headers, body: JSON.stringify({ email: username, password }) }];
}

interface AttemptResult {
  readonly status: number;
  /** How often the node was too busy to respond. Such an attempt counts only if it was committed. */
  readonly unavailable: number;
}

/** Retries while the node is too busy. */
async function attempt(url: string, request: RequestInit): Promise<AttemptResult> {
  for (let unavailable = 0; ; unavailable += 1) {
    const response = await fetch(url, request);
    await response.arrayBuffer();
    if (response.status !== 503) return { status: response.status, unavailable };
    await setTimeout(250);
  }
}

function assertAdmitted(
  t: { diagnostic(text: string): void },
  results: readonly AttemptResult[],
  { status, limit }: { readonly status: number; readonly limit: number },
): void {
  const admitted = results.filter((result) => result.status === status).length;
  const rejected = results.filter((result) => result.status === 429).length;
  const unavailable = results.reduce((sum, result) => sum + result.unavailable, 0);
  t.diagnostic(JSON.stringify({ admitted, rejected, unavailable }));
  assert.equal(admitted + rejected, results.length);
  assert.ok(admitted <= limit && admitted >= limit - unavailable, `${admitted} admitted`);
}
