import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SteadyWriters } from '../support/load/steady-writers.ts';
import { startCluster } from '../support/nodes/cluster.ts';
import { assertNothingFound, faultReport } from '../support/nodes/fault-report.ts';
import { startOwnBalancer } from '../support/nodes/own-balancer.ts';

/** Some in every test run; `npm run fault` asks for many. */
const FULL = process.env.FULL === '1';
const REQUESTS = FULL ? 1000 : 90;

test('every third answer is lost on its way to the balancer: what it repeats on another node is done once', async (t) => {
  const cluster = await startCluster({ balancer: 'own', nodes: FULL ? 3 : 2 });
  t.after(() => cluster.stop());
  const forgetful = await startOwnBalancer(
    cluster.nodes.map(({ url }) => url),
    { losesEvery: 3 },
  );
  t.after(() => forgetful.stop());
  const writers = await SteadyWriters.start(forgetful.url, { writers: 2, makers: 4, keyed: true, patient: !FULL });
  t.after(() => writers.stop());
  await writers.after(REQUESTS);
  await writers.stop();
  const found = [
    { name: 'keyed requests all succeeded', problems: writers.failures },
    { name: 'what the writers were told is there exactly once', problems: await writers.lost() },
  ];
  const retries = await forgetful.retries();
  faultReport(t, 'lost answers', {
    done: [
      ['requests', writers.requests],
      ['repeated', retries],
    ],
    found,
  });
  assert.ok(retries > 20, 'many were repeated');
  assertNothingFound(found);
});
