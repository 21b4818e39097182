import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { graphqlClient, logIn } from '../support/clients/graphql.ts';
import { restClient } from '../support/clients/rest.ts';
import { openSocket } from '../support/clients/subscriptions.ts';
import { type SwitchboardProcess, startSwitchboardProcess } from '../support/processes/switchboard.ts';

function requestStop({ process: child }: SwitchboardProcess): Promise<number | null> {
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  return exit;
}

async function readyStatus(url: string): Promise<number> {
  const response = await fetch(`${url}/_ready`);
  await response.body?.cancel();
  return response.status;
}

describe('a node that is stopped', () => {
  test('first reports not ready, and still serves requests until load balancers notice', async (t) => {
    const node = await startSwitchboardProcess({ env: { SWITCHBOARD_DRAIN_SECONDS: '600' } });
    t.after(() => {
      node.process.kill('SIGKILL');
      return node.stop();
    });
    const rest = restClient(node.url, node.key);
    const token = await logIn(node.url);
    const desk = openSocket(node.url, token);
    let isClosed = false;
    desk.closed.then(() => {
      isClosed = true;
    });
    await desk.subscribe('subscription{deskEvents{type}}');
    assert.equal((await rest.get('/operator')).headers.get('connection'), 'keep-alive');
    assert.equal(await readyStatus(node.url), 200);

    requestStop(node);
    while ((await readyStatus(node.url)) === 200);
    const read = await rest.get('/operator');
    assert.equal(read.status, 200);
    assert.equal(read.headers.get('connection'), 'close', 'clients must not keep a connection to a stopping node');
    assert.equal((await rest.post('/skill', { name: 'created while stopping' })).status, 201);
    const late = openSocket(node.url, token);
    assert.equal((await late.run('{viewer{id}}')).errors, undefined, 'clients that still arrive are served');
    assert.equal(await readyStatus(node.url), 503);
    assert.equal(isClosed, false);
    for (const socket of [desk, late]) socket.end();
  });

  test('closes desk sockets once load balancers have noticed, and exits', async () => {
    const node = await startSwitchboardProcess({ env: { SWITCHBOARD_DRAIN_SECONDS: '0.2' } });
    const token = await logIn(node.url);
    const desk = openSocket(node.url, token);
    await desk.subscribe('subscription{deskEvents{type}}');
    assert.equal(await readyStatus(node.url), 200);
    assert.equal(await requestStop(node), 0);
    assert.equal((await desk.closed).code, 1001, 'clients reconnect after this code');
    await assert.rejects(graphqlClient(node.url, token).run('{viewer{id}}'));
    await node.stop();
  });

  test('stops immediately if /_ready is never polled', async () => {
    const node = await startSwitchboardProcess({ env: { SWITCHBOARD_DRAIN_SECONDS: '600' } });
    assert.equal((await restClient(node.url, node.key).get('/operator')).status, 200);
    assert.equal(await requestStop(node), 0);
    await node.stop();
  });
});
