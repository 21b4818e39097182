import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Nodes, startNodes } from '../support/nodes/nodes.ts';
import { specialStart } from '../support/processes/special-start.ts';

const server = process.env.TEST_DATABASE_URL;
const TRIES = 150;

describe('login limits over several nodes', { skip: server === undefined }, () => {
  let nodes: Nodes;

  before(async () => {
    nodes = await startNodes(server ?? '', specialStart({ clockAt: Date.now() }));
  });
  after(() => nodes?.end());

  test(`${TRIES} tries at once for one e-mail, each from another address: exactly 10 are admitted`, async (t) => {
    const statuses = await tryAll((index) => ({ username: 'nobody@example.com', address: `10.2.0.${index}` }));
    assert.deepEqual(counted(t, statuses), { 400: 10, 429: TRIES - 10 });
  });

  test(`${TRIES} tries at once from one address, each for another e-mail: exactly 100 are admitted`, async (t) => {
    const statuses = await tryAll((index) => ({ username: `nobody${index}@example.com`, address: '10.3.0.1' }));
    assert.deepEqual(counted(t, statuses), { 400: 100, 429: TRIES - 100 });
  });

  test('the right password counts like a wrong one', async (t) => {
    const admin = { username: 'admin@example.com', password: 'correct horse battery staple' };
    const before = 1; // the login of the nodes' own start
    const statuses = await tryAll((index) => ({ ...admin, address: `10.4.0.${index}` }), 30);
    assert.deepEqual(counted(t, statuses), { 200: 10 - before, 429: 20 + before });
  });

  function tryAll(
    who: (index: number) => { username: string; address: string; password?: string },
    count = TRIES,
  ): Promise<number[]> {
    const tries = Array.from({ length: count }, async (_, index) => {
      const { username, address, password = 'wrong' } = who(index);
      const answer = await fetch(`${nodes.urls[index % nodes.urls.length]}/oauth2/token`, {
        method: 'POST',
        headers: { 'X-Forwarded-For': address },
        body: new URLSearchParams({ grant_type: 'password', username, password }),
      });
      await answer.arrayBuffer();
      return answer.status;
    });
    return Promise.all(tries);
  }
});

function counted(t: { diagnostic(text: string): void }, statuses: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  t.diagnostic(JSON.stringify(counts));
  return counts;
}
