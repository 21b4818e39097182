import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SteadyWriters } from '../support/load/steady-writers.ts';
import { startCluster } from '../support/nodes/cluster.ts';
import { assertNoProblems, reportFindings } from '../support/nodes/findings-report.ts';
import { startTestBalancer } from '../support/nodes/test-balancer.ts';

/** A few in the regular test run; many under `npm run fault`. */
const FULL = process.env.FULL === '1';
const REQUESTS = FULL ? 1000 : 90;

test('every third response is lost before the balancer: requests that it retries on another node are executed once', async (t) => {
  const cluster = await startCluster({ balancer: 'own', nodes: FULL ? 3 : 2 });
  t.after(() => cluster.stop());
  const lossyBalancer = await startTestBalancer(
    cluster.nodes.map(({ url }) => url),
    { loseEvery: 3 },
  );
  t.after(() => lossyBalancer.stop());
  const writers = await SteadyWriters.start(lossyBalancer.url, {
    writers: 2,
    creators: 4,
    usesIdempotencyKeys: true,
    retriesUnavailable: !FULL,
  });
  t.after(() => writers.stop());
  await writers.waitForRequests(REQUESTS);
  await writers.stop();
  const checks = [
    { name: 'all requests with idempotency keys succeeded', problems: writers.failures },
    { name: 'acknowledged writes exist exactly once', problems: await writers.findLostWrites() },
  ];
  const retries = await lossyBalancer.retries();
  t.diagnostic(`figure: ${retries} lost responses`);
  reportFindings(t, 'lost responses', {
    counts: [
      ['requests', writers.requests],
      ['retried', retries],
    ],
    checks,
  });
  assert.ok(retries > 20, 'many were retried');
  assertNoProblems(checks);
});
