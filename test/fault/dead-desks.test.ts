import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type GraphqlClient, graphqlClient, logIn } from '../support/clients/graphql.ts';
import { type RestClient, restClient } from '../support/clients/rest.ts';
import { openSocket } from '../support/clients/subscriptions.ts';
import { startCluster } from '../support/nodes/cluster.ts';
import { WRITE_KEY } from '../support/processes/switchboard.ts';

/** Two pings and the length of a lease. */
const MAX_OFFLINE_DELAY_MS = 45_000;

test('rule 2: an operator who does not return from a dead node goes offline when the lease ends, and no other operator does', {
  skip: process.env.FULL !== '1', // a lease is too long for the regular test run
}, async (t) => {
  const cluster = await startCluster();
  t.after(() => cluster.stop());
  const rest = restClient(cluster.url, WRITE_KEY);
  const admin = graphqlClient(cluster.url, await logIn(cluster.url));
  const ids: number[] = [];
  for (const [index, { url }] of cluster.nodes.entries()) {
    const desk = await openDesk(rest, { url, name: `desk${index}` });
    t.after(() => desk.socket.end());
    ids.push(desk.id);
  }
  const isConnected = async (id: number) => Boolean((await rest.get(`/operator/${id}/live`)).body.data.connected);
  while (!(await Promise.all(ids.map(isConnected))).every((connected) => connected)) await wait(20);

  const killedAt = performance.now();
  await cluster.nodes[0]?.kill();
  const lostOperator = ids[0] as number;
  let reasons = await findDisconnectReasons(admin, lostOperator);
  while (reasons.length === 0 && performance.now() - killedAt < MAX_OFFLINE_DELAY_MS) {
    await wait(200);
    reasons = await findDisconnectReasons(admin, lostOperator);
  }
  t.diagnostic(`announced offline ${Math.round(performance.now() - killedAt)} ms after the node was killed`);
  assert.deepEqual(reasons, ['lease_ended']);
  assert.deepEqual(await Promise.all(ids.map(isConnected)), [false, true, true]);
  for (const id of ids.slice(1)) assert.deepEqual(await findDisconnectReasons(admin, id), []);
});

/** An operator whose desk connects to this node only. */
async function openDesk(rest: RestClient, { url, name }: { url: string; name: string }) {
  const login = { email: `${name}@example.com`, password: 'a long enough password' };
  const created = await rest.post('/operator', { name, ...login });
  assert.equal(created.status, 201, JSON.stringify(created.body));
  const socket = openSocket(url, await logIn(url, login));
  await socket.subscribe('subscription{deskEvents{type}}');
  return { id: created.body.data.id as number, socket };
}

async function findDisconnectReasons(admin: GraphqlClient, operatorId: number): Promise<(string | null)[]> {
  const { data, errors } = await admin.run(
    'query($operatorId:ID!){liveHistory(operatorId:$operatorId){nodes{kind reason}}}',
    { operatorId },
  );
  assert.deepEqual(errors, []);
  const changes = data.liveHistory.nodes as { kind: string; reason: string | null }[];
  return changes.filter(({ kind }) => kind === 'DISCONNECTED').map(({ reason }) => reason);
}
