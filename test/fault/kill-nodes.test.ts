import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../simulate/random.ts';
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

/** A few in the regular test run; many under `npm run fault`. */
const FULL = process.env.FULL === '1';
const KILLS = Number(process.env.NODE_KILLS ?? (FULL ? 50 : 2));
const NODES = FULL ? 3 : 2;
/** Rule 2: two pings and the length of a lease. */
const MAX_OFFLINE_DELAY_MS = 45_000;

for (const balancer of balancersToTest(FULL)) {
  test(`nodes behind ${balancer} are killed ${KILLS} times under load: no acknowledged write is lost`, async (t) => {
    const cluster = await startCluster({ balancer, nodes: NODES });
    t.after(() => cluster.stop());
    const load = await startSimulatedLoad(cluster.url, FULL ? {} : SMALL_LOAD);
    t.after(() => load.abandon());
    const writers = await SteadyWriters.start(cluster.url, {
      ...{ writers: FULL ? 2 : 1, creators: FULL ? 4 : 2, usesIdempotencyKeys: true, retriesUnavailable: !FULL },
    });
    t.after(() => writers.stop());
    await waitUntil('every desk is connected', () => countConnectedDesks(load.entries) === load.operators.length);
    const killCounts = await killRepeatedly(cluster, writers);
    const countSent = () => load.entries.filter(({ kind }) => kind === 'message_sent').length;
    await waitUntil('enough messages were sent', () => countSent() > KILLS);
    await writers.stop();
    const retries = await cluster.balancer.retries();
    const loadChecks = await load.finish();
    const losses = findDeskLosses(load.entries);
    const lateDesks = losses.filter(
      ({ reconnectedAfterMs }) => reconnectedAfterMs === null || (FULL && reconnectedAfterMs > MAX_OFFLINE_DELAY_MS),
    );
    const responses = responsesIn(load.entries);
    const checks = [
      ...loadChecks.map(({ name, problems }) => ({ name, problems: problems.map(({ message }) => message) })),
      { name: 'all writer requests with idempotency keys succeeded', problems: writers.failures },
      { name: 'reads through any node show acknowledged writes', problems: writers.staleReads },
      { name: 'nodes logged no errors', problems: cluster.nodes.flatMap((node) => node.loggedErrors()) },
      { name: 'acknowledged writes exist exactly once', problems: await writers.findLostWrites() },
      {
        name: `desks of dead nodes reconnected${FULL ? ' in time' : ''}`,
        problems: lateDesks.map(({ participant }) => participant),
      },
      {
        name: 'operators who reconnected in time did not go offline',
        problems: (FULL ? findDisconnects : findUnexpectedDisconnects)(load.entries),
      },
      { name: 'doctor finds nothing wrong', problems: await runDoctor(cluster) },
    ];
    t.diagnostic(`figure: ${KILLS} kills`);
    t.diagnostic(`figure: ${countSent()} messages acknowledged`);
    t.diagnostic(`figure: ${writers.requests} writes acknowledged`);
    reportFindings(t, `kill -9 of a node, behind ${balancer}`, {
      counts: [
        ['kills', killCounts.join(' + ')],
        ['requests of simulated clients', responses.reduce((sum, { attempts }) => sum + attempts, 0)],
        [
          '… without a response, then retried',
          responses.reduce((sum, { attemptsWithoutResponse }) => sum + attemptsWithoutResponse, 0),
        ],
        ['… with an unknown outcome', responses.filter(({ outcome }) => outcome === 'unknown').length],
        ['conversations', load.entries.filter(({ kind }) => kind === 'conversation_started').length],
        ['messages acknowledged', countSent()],
        ['desks that lost their node', losses.length],
        [
          '… slowest reconnect, ms',
          Math.round(Math.max(0, ...losses.map(({ reconnectedAfterMs }) => reconnectedAfterMs ?? 0))),
        ],
        ['requests of the writers', writers.requests],
        ['… retried after 503', writers.retries],
        ['… slowest, ms', Math.round(writers.slowestMs)],
        ['retried on another node by the balancer', retries],
      ],
      checks,
      journal: load.entries,
    });
    assert.ok(losses.length > 0, 'at least one desk lost its node');
    assertNoProblems(checks);
  });
}

/** A seed decides the moments; all other nodes are up. */
async function killRepeatedly({ nodes, balancer }: Cluster, writers: SteadyWriters): Promise<number[]> {
  const random = new Random('kills');
  const killCounts = nodes.map(() => 0);
  for (let round = 0; round < KILLS; round += 1) {
    await writers.waitForRequests(FULL ? random.integer(20, 80) : random.integer(5, 20));
    // A few kills cover every node; with many kills, the seed decides.
    const index = FULL ? random.integer(0, nodes.length - 1) : round % nodes.length;
    await nodes[index]?.kill();
    killCounts[index] = (killCounts[index] ?? 0) + 1;
    await writers.waitForRequests(FULL ? random.integer(5, 40) : random.integer(5, 10));
    await nodes[index]?.start();
    while (!(await balancer.isUp(index))) await writers.waitForRequests(1);
  }
  await writers.waitForRequests(FULL ? 50 : 10);
  return killCounts;
}

/** Waits until the nodes have caught up with what was due while they were killed: leases and absences that ended. */
async function runDoctor({ nodes }: Cluster): Promise<string[]> {
  let problems: string[] = [];
  const findProblems = async () => {
    const { code, stdout, stderr } = (await nodes[0]?.runCommand(['doctor'])) ?? { code: -1, stdout: '', stderr: '' };
    problems = `${stdout}${stderr}`.split('\n').filter((line) => line !== '' && !line.startsWith('ok'));
    return code === 0;
  };
  await waitUntil('doctor finds nothing wrong', findProblems).catch(() => undefined);
  return problems;
}
