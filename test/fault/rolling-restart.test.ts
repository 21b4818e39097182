import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Entry } from '../../simulate/journal.ts';
import {
  countConnectedDesks,
  findDeskLosses,
  findDisconnects,
  findUnexpectedDisconnects,
  responsesIn,
  SMALL_LOAD,
  startSimulatedLoad,
} from '../support/load/simulated-load.ts';
import { SteadyWriters } from '../support/load/steady-writers.ts';
import { balancersToTest } from '../support/nodes/balancers.ts';
import { type Cluster, startCluster } from '../support/nodes/cluster.ts';
import { assertNoProblems, reportFindings } from '../support/nodes/findings-report.ts';
import { waitUntil } from '../support/waiting/wait.ts';

/** One in the regular test run; many under `npm run fault`. */
const FULL = process.env.FULL === '1';
const ROUNDS = Number(process.env.ROUNDS ?? (FULL ? 20 : 1));
const NODES = FULL ? 3 : 2;
/** The grace period. On a busy machine it only matters that desks reconnect at all. */
const MAX_RECONNECT_MS = FULL ? 10_000 : Number.POSITIVE_INFINITY;

for (const balancer of balancersToTest(FULL)) {
  test(`${ROUNDS} rolling restarts behind ${balancer} under load: no request fails`, async (t) => {
    const cluster = await startCluster({
      ...{ balancer, nodes: NODES },
      ...(!FULL && { env: { SWITCHBOARD_DRAIN_SECONDS: '2' } }), // a balancer with little CPU notices late
    });
    t.after(() => cluster.stop());
    const load = await startSimulatedLoad(cluster.url, FULL ? {} : SMALL_LOAD);
    t.after(() => load.abandon());
    const writers = await SteadyWriters.start(cluster.url, {
      ...{ writers: 1, creators: FULL ? 2 : 1, usesIdempotencyKeys: false, retriesUnavailable: !FULL },
    });
    t.after(() => writers.stop());
    await waitUntil('every desk is connected', () => countConnectedDesks(load.entries) === load.operators.length);
    await writers.waitForRequests(FULL ? 20 : 5);
    for (let round = 0; round < ROUNDS; round += 1) await restartAll(cluster, writers);
    await writers.waitForRequests(FULL ? 20 : 5);
    await writers.stop();
    const retries = await cluster.balancer.retries();
    const loadChecks = await load.finish();
    const responses = responsesIn(load.entries);
    const losses = findDeskLosses(load.entries);
    const checks = [
      { name: 'requests of simulated clients all succeeded', problems: findFailures(load.entries) },
      { name: 'requests without idempotency keys (REST and GraphQL) all succeeded', problems: writers.failures },
      {
        name: 'no operator went offline',
        problems: (FULL ? findDisconnects : findUnexpectedDisconnects)(load.entries),
      },
      {
        name: `desks reconnected${FULL ? ' within the grace period' : ''}`,
        problems: losses
          .filter(({ reconnectedAfterMs }) => (reconnectedAfterMs ?? MAX_RECONNECT_MS) >= MAX_RECONNECT_MS)
          .map(({ participant }) => participant),
      },
      { name: 'reads through any node show acknowledged writes', problems: writers.staleReads },
      { name: 'nodes logged no errors', problems: cluster.nodes.flatMap((node) => node.loggedErrors()) },
      { name: 'acknowledged writes exist exactly once', problems: await writers.findLostWrites() },
      ...loadChecks.map(({ name, problems }) => ({ name, problems: problems.map(({ message }) => message) })),
    ];
    t.diagnostic(`figure: ${ROUNDS * cluster.nodes.length} restarts`);
    reportFindings(t, `rolling restarts of ${cluster.nodes.length} nodes, behind ${balancer}`, {
      counts: [
        ['rounds', ROUNDS],
        ['restarts', ROUNDS * cluster.nodes.length],
        ['requests of simulated clients', responses.reduce((sum, { attempts }) => sum + attempts, 0)],
        ['conversations', load.entries.filter(({ kind }) => kind === 'conversation_started').length],
        ['messages acknowledged', load.entries.filter(({ kind }) => kind === 'message_sent').length],
        ['desks that moved to another node', losses.length],
        [
          '… slowest reconnect, ms',
          Math.round(Math.max(0, ...losses.map(({ reconnectedAfterMs }) => reconnectedAfterMs ?? 0))),
        ],
        ['requests without idempotency keys', writers.requests],
        ['… retried after 503', writers.retries],
        ['… slowest, ms', Math.round(writers.slowestMs)],
        ['retried on another node by the balancer', retries],
      ],
      checks,
      journal: load.entries,
    });
    assert.ok(losses.length > 0, 'at least one desk moved to another node');
    assertNoProblems(checks);
  });
}

/** One after the other: the next restarts once the balancer has seen the last one again. */
async function restartAll({ nodes, balancer }: Cluster, writers: SteadyWriters): Promise<void> {
  for (const [index, node] of nodes.entries()) {
    await node.restart();
    while (!(await balancer.isUp(index))) await writers.waitForRequests(1);
  }
}

/** Errors of a database that is short of CPU, not of a restart. */
const TRANSIENT_CODES = new Set(['UNAVAILABLE', 'HTTP 503']);

/** Includes requests that succeeded on retry: a restart must not require retries. */
function findFailures(entries: readonly Entry[]): string[] {
  const isCausedByRestart = (code: string) => FULL || !TRANSIENT_CODES.has(code);
  return responsesIn(entries)
    .filter(
      ({ outcome, code, earlierCodes = [] }) =>
        (outcome === 'failed' && isCausedByRestart(code ?? '')) ||
        outcome === 'unknown' ||
        earlierCodes.some(isCausedByRestart),
    )
    .map(
      ({ participant, operation, outcome, code, earlierCodes = [] }) =>
        `${operation} of ${participant}: ${outcome} ${code} after [${earlierCodes}]`,
    );
}
