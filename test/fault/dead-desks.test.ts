import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { type GraphqlClient, graphqlClient, logIn } from '../support/clients/graphql.ts';
import { type RestClient, restClient } from '../support/clients/rest.ts';
import { openSocket } from '../support/clients/subscriptions.ts';
import { startCluster } from '../support/nodes/cluster.ts';
import { WRITE_KEY } from '../support/processes/switchboard.ts';

/** Two pings and the end of a lease. */
const OFFLINE_WITHIN_MS = 45_000;

test('rule 2: who does not come back from a dead node goes offline when the lease ends, and nobody else does', {
  skip: process.env.FULL !== '1', // a lease is longer than the tests of every day may take
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
  const lost = ids[0] as number;
  let announced = await disconnections(admin, lost);
  while (announced.length === 0 && performance.now() - killedAt < OFFLINE_WITHIN_MS) {
    await wait(200);
    announced = await disconnections(admin, lost);
  }
  t.diagnostic(`announced offline ${Math.round(performance.now() - killedAt)} ms after the death of the node`);
  assert.deepEqual(announced, ['lease_ended']);
  assert.deepEqual(await Promise.all(ids.map(isConnected)), [false, true, true]);
  for (const id of ids.slice(1)) assert.deepEqual(await disconnections(admin, id), []);
});

/** Somebody who is connected to this one node and does not look for another. */
async function openDesk(rest: RestClient, { url, name }: { url: string; name: string }) {
  const login = { email: `${name}@example.com`, password: 'a long enough password' };
  const made = await rest.post('/operator', { name, ...login });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const socket = openSocket(url, await logIn(url, login));
  await socket.watch('subscription{deskEvents{type}}');
  return { id: made.body.data.id as number, socket };
}

async function disconnections(admin: GraphqlClient, operatorId: number): Promise<(string | null)[]> {
  const { data, errors } = await admin.run(
    'query($operatorId:ID!){liveHistory(operatorId:$operatorId){nodes{kind reason}}}',
    { operatorId },
  );
  assert.deepEqual(errors, []);
  const changes = data.liveHistory.nodes as { kind: string; reason: string | null }[];
  return changes.filter(({ kind }) => kind === 'DISCONNECTED').map(({ reason }) => reason);
}
