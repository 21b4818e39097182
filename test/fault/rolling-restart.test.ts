import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Entry } from '../../simulate/journal.ts';
import {
  answersIn,
  deskLosses,
  desksThatCame,
  SMALL_LOAD,
  startLoad,
  wentOffline,
  wentOfflineWrongly,
} from '../support/load/simulated-load.ts';
import { SteadyWriters } from '../support/load/steady-writers.ts';
import { balancersToTry } from '../support/nodes/balancers.ts';
import { type Cluster, startCluster } from '../support/nodes/cluster.ts';
import { assertNothingFound, faultReport } from '../support/nodes/fault-report.ts';
import { until } from '../support/waiting/until.ts';

/** One in every test run; `npm run fault` asks for many. */
const FULL = process.env.FULL === '1';
const ROUNDS = Number(process.env.ROUNDS ?? (FULL ? 20 : 1));
const NODES = FULL ? 3 : 2;
/** The grace. Where other programs have the processor, coming back is all that counts. */
const MAX_MS = FULL ? 10_000 : Number.POSITIVE_INFINITY;

for (const balancer of balancersToTry(FULL)) {
  test(`${ROUNDS} rolling restarts behind ${balancer} under load: not one request fails`, async (t) => {
    const cluster = await startCluster({
      ...{ balancer, nodes: NODES },
      ...(!FULL && { env: { SWITCHBOARD_DRAIN_SECONDS: '2' } }), // a balancer with little processor notices late
    });
    t.after(() => cluster.stop());
    const load = await startLoad(cluster.url, FULL ? {} : SMALL_LOAD);
    t.after(() => load.abandon());
    const writers = await SteadyWriters.start(cluster.url, {
      ...{ writers: 1, makers: FULL ? 2 : 1, keyed: false, patient: !FULL },
    });
    t.after(() => writers.stop());
    await until('every desk is connected', () => desksThatCame(load.entries) === load.operators.length);
    await writers.after(FULL ? 20 : 5);
    for (let round = 0; round < ROUNDS; round += 1) await restartAll(cluster, writers);
    await writers.after(FULL ? 20 : 5);
    await writers.stop();
    const retries = await cluster.balancer.retries();
    const checks = await load.finish();
    const answers = answersIn(load.entries);
    const losses = deskLosses(load.entries);
    const found = [
      { name: 'requests of simulated people that failed or got no answer', problems: failed(load.entries) },
      { name: 'plain requests (REST and GraphQL, without keys) that failed', problems: writers.failures },
      { name: 'operators who went offline', problems: (FULL ? wentOffline : wentOfflineWrongly)(load.entries) },
      {
        name: `desks that came back ${FULL ? 'later than the grace' : 'never'}`,
        problems: losses.filter(({ backAfterMs }) => (backAfterMs ?? MAX_MS) >= MAX_MS).map(({ who }) => who),
      },
      { name: 'a read through any node showed what was acknowledged', problems: writers.staleReads },
      { name: 'nodes logged no fault of their own', problems: cluster.nodes.flatMap((node) => node.faults()) },
      { name: 'what the writers were told is there exactly once', problems: await writers.lost() },
      ...checks.map(({ name, problems }) => ({ name, problems: problems.map(({ what }) => what) })),
    ];
    faultReport(t, `rolling restarts of ${cluster.nodes.length} nodes, behind ${balancer}`, {
      done: [
        ['rounds', ROUNDS],
        ['restarts', ROUNDS * cluster.nodes.length],
        ['requests of simulated people', answers.reduce((sum, { tries }) => sum + tries, 0)],
        ['conversations', load.entries.filter(({ kind }) => kind === 'started').length],
        ['messages acknowledged', load.entries.filter(({ kind }) => kind === 'sent').length],
        ['desks that were sent to another node', losses.length],
        ['… back after, at most, ms', Math.round(Math.max(0, ...losses.map(({ backAfterMs }) => backAfterMs ?? 0)))],
        ['plain requests', writers.requests],
        ['… sent again after 503', writers.repeated],
        ['… the slowest, ms', Math.round(writers.slowestMs)],
        ['given to another node by the balancer', retries],
      ],
      found,
      journal: load.entries,
    });
    assert.ok(losses.length > 0, 'somebody was sent to another node');
    assertNothingFound(found);
  });
}

/** One after the other, as one should: the next when the balancer sees the last again. */
async function restartAll({ nodes, balancer }: Cluster, writers: SteadyWriters): Promise<void> {
  for (const [index, node] of nodes.entries()) {
    await node.restart();
    while (!(await balancer.isUp(index))) await writers.after(1);
  }
}

/** What a database without processor brings, and no restart. */
const PASSING = new Set(['UNAVAILABLE', 'HTTP 503']);

/** Also what went well when it was tried again: here nothing may have to be, least of all because a connection broke. */
function failed(entries: readonly Entry[]): string[] {
  const isRestart = (code: string) => FULL || !PASSING.has(code);
  return answersIn(entries)
    .filter(({ outcome, earlier = [] }) => outcome === 'failed' || outcome === 'unknown' || earlier.some(isRestart))
    .map(
      ({ who, operation, outcome, code, earlier = [] }) =>
        `${operation} of ${who}: ${outcome} ${code} after [${earlier}]`,
    );
}
