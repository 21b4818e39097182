import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../../simulate/random.ts';
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

/** A few in every test run; `npm run fault` asks for many. */
const FULL = process.env.FULL === '1';
const KILLS = Number(process.env.NODE_KILLS ?? (FULL ? 50 : 2));
const NODES = FULL ? 3 : 2;
/** Rule 2: two pings and the end of a lease. */
const OFFLINE_WITHIN_MS = 45_000;

for (const balancer of balancersToTry(FULL)) {
  test(`nodes behind ${balancer} are killed ${KILLS} times under load: nothing that was acknowledged is lost`, async (t) => {
    const cluster = await startCluster({ balancer, nodes: NODES });
    t.after(() => cluster.stop());
    const load = await startLoad(cluster.url, FULL ? {} : SMALL_LOAD);
    t.after(() => load.abandon());
    const writers = await SteadyWriters.start(cluster.url, {
      ...{ writers: FULL ? 2 : 1, makers: FULL ? 4 : 2, keyed: true, patient: !FULL },
    });
    t.after(() => writers.stop());
    await until('every desk is connected', () => desksThatCame(load.entries) === load.operators.length);
    const killed = await killAgainAndAgain(cluster, writers);
    const sent = () => load.entries.filter(({ kind }) => kind === 'sent').length;
    await until('there was something to lose', () => sent() > KILLS);
    await writers.stop();
    const retries = await cluster.balancer.retries();
    const checks = await load.finish();
    const losses = deskLosses(load.entries);
    const lateDesks = losses.filter(
      ({ backAfterMs }) => backAfterMs === null || (FULL && backAfterMs > OFFLINE_WITHIN_MS),
    );
    const answers = answersIn(load.entries);
    const found = [
      ...checks.map(({ name, problems }) => ({ name, problems: problems.map(({ what }) => what) })),
      { name: 'keyed requests of the writers all succeeded', problems: writers.failures },
      { name: 'a read through any node showed what was acknowledged', problems: writers.staleReads },
      { name: 'nodes logged no fault of their own', problems: cluster.nodes.flatMap((node) => node.faults()) },
      { name: 'what the writers were told is there exactly once', problems: await writers.lost() },
      { name: `desks of dead nodes came back${FULL ? ' in time' : ''}`, problems: lateDesks.map(({ who }) => who) },
      {
        name: 'who came back in time did not go offline',
        problems: (FULL ? wentOffline : wentOfflineWrongly)(load.entries),
      },
      { name: 'doctor finds nothing wrong', problems: await doctor(cluster) },
    ];
    faultReport(t, `kill -9 of a node, behind ${balancer}`, {
      done: [
        ['kills', killed.join(' + ')],
        ['requests of simulated people', answers.reduce((sum, { tries }) => sum + tries, 0)],
        ['… without an answer, then repeated', answers.reduce((sum, { unanswered }) => sum + unanswered, 0)],
        ['… whose outcome stayed unknown', answers.filter(({ outcome }) => outcome === 'unknown').length],
        ['conversations', load.entries.filter(({ kind }) => kind === 'started').length],
        ['messages acknowledged', sent()],
        ['desks that lost their node', losses.length],
        ['… back after, at most, ms', Math.round(Math.max(0, ...losses.map(({ backAfterMs }) => backAfterMs ?? 0)))],
        ['requests of the writers', writers.requests],
        ['… sent again after 503', writers.repeated],
        ['… the slowest, ms', Math.round(writers.slowestMs)],
        ['given to another node by the balancer', retries],
      ],
      found,
      journal: load.entries,
    });
    assert.ok(losses.length > 0, 'somebody lost their node');
    assertNothingFound(found);
  });
}

/** Where in the work it happens is decided by a seed; all other nodes are up. */
async function killAgainAndAgain({ nodes, balancer }: Cluster, writers: SteadyWriters): Promise<number[]> {
  const random = new Random('kills');
  const killed = nodes.map(() => 0);
  for (let round = 0; round < KILLS; round += 1) {
    await writers.after(FULL ? random.whole(20, 80) : random.whole(5, 20));
    // A few kills meet every node; where there are many, the seed decides.
    const index = FULL ? random.whole(0, nodes.length - 1) : round % nodes.length;
    await nodes[index]?.kill();
    killed[index] = (killed[index] ?? 0) + 1;
    await writers.after(FULL ? random.whole(5, 40) : random.whole(5, 10));
    await nodes[index]?.start();
    while (!(await balancer.isUp(index))) await writers.after(1);
  }
  await writers.after(FULL ? 50 : 10);
  return killed;
}

async function doctor({ nodes }: Cluster): Promise<string[]> {
  const { code, stdout, stderr } = (await nodes[0]?.command(['doctor'])) ?? { code: -1, stdout: '', stderr: '' };
  return code === 0 ? [] : `${stdout}${stderr}`.split('\n').filter((line) => line !== '' && !line.startsWith('ok'));
}
