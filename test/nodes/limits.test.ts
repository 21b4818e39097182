import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
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
    const statuses = await attemptAll((index) => ({ username: 'unknown@example.com', address: `10.2.0.${index}` }));
    assert.deepEqual(countStatuses(t, statuses), { 400: 10, 429: ATTEMPTS - 10 });
  });

  test(`${ATTEMPTS} concurrent attempts from one address, each for another e-mail: exactly 100 are admitted`, async (t) => {
    const statuses = await attemptAll((index) => ({ username: `unknown${index}@example.com`, address: '10.3.0.1' }));
    assert.deepEqual(countStatuses(t, statuses), { 400: 100, 429: ATTEMPTS - 100 });
  });

  test('the right password counts like a wrong one', async (t) => {
    const admin = { username: 'admin@example.com', password: 'correct horse battery staple' };
    const before = 1; // the login in startNodes
    const statuses = await attemptAll((index) => ({ ...admin, address: `10.4.0.${index}` }), 30);
    assert.deepEqual(countStatuses(t, statuses), { 200: 10 - before, 429: 20 + before });
  });

  function attemptAll(
    loginFor: (index: number) => { username: string; address: string; password?: string },
    count = ATTEMPTS,
  ): Promise<number[]> {
    const attempts = Array.from({ length: count }, async (_, index) => {
      const { username, address, password = 'wrong' } = loginFor(index);
      const response = await fetch(`${nodes.urls[index % nodes.urls.length]}/oauth2/token`, {
        method: 'POST',
        headers: { 'X-Forwarded-For': address },
        body: new URLSearchParams({ grant_type: 'password', username, password }),
      });
      await response.arrayBuffer();
      return response.status;
    });
    return Promise.all(attempts);
  }
});

function countStatuses(t: { diagnostic(text: string): void }, statuses: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  t.diagnostic(JSON.stringify(counts));
  return counts;
}
