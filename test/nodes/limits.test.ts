import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { type Nodes, startNodes } from '../support/nodes/nodes.ts';
import { testServerOptions } from '../support/processes/test-server-options.ts';

const server = process.env.TEST_DATABASE_URL;
const ATTEMPTS = 150;

describe('login limits across several nodes', { skip: server === undefined }, () => {
  let nodes: Nodes;

  before(async () => {
    nodes = await startNodes(server ?? '', testServerOptions({ clockAt: Date.now() }));
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

  function attemptAll(
    loginFor: (index: number) => { username: string; address: string; password?: string },
    count = ATTEMPTS,
  ): Promise<AttemptResult[]> {
    const attempts = Array.from({ length: count }, (_, index) => {
      const { username, address, password = 'wrong' } = loginFor(index);
      return attempt(`${nodes.urls[index % nodes.urls.length]}/oauth2/token`, {
        method: 'POST',
        headers: { 'X-Forwarded-For': address },
        body: new URLSearchParams({ grant_type: 'password', username, password }),
      });
    });
    return Promise.all(attempts);
  }
});

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
