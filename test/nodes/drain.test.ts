import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { graphqlClient, logIn } from '../support/clients/graphql.ts';
import { restClient } from '../support/clients/rest.ts';
import { openSocket } from '../support/clients/subscriptions.ts';
import { type SwitchboardProcess, startSwitchboardProcess } from '../support/processes/switchboard.ts';

function askToStop({ process: child }: SwitchboardProcess): Promise<number | null> {
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  return exit;
}

async function readiness(url: string): Promise<number> {
  const answer = await fetch(`${url}/_ready`);
  await answer.body?.cancel();
  return answer.status;
}

describe('a node that is stopped', () => {
  test('is not ready first, and serves on until balancers know', async (t) => {
    const node = await startSwitchboardProcess({ env: { SWITCHBOARD_DRAIN_SECONDS: '600' } });
    t.after(() => {
      node.process.kill('SIGKILL');
      return node.stop();
    });
    const rest = restClient(node.url, node.key);
    const token = await logIn(node.url);
    const desk = openSocket(node.url, token);
    let sentAway = false;
    desk.closed.then(() => {
      sentAway = true;
    });
    await desk.watch('subscription{deskEvents{type}}');
    assert.equal((await rest.get('/operator')).headers.get('connection'), 'keep-alive');
    assert.equal(await readiness(node.url), 200);

    askToStop(node);
    while ((await readiness(node.url)) === 200);
    const read = await rest.get('/operator');
    assert.equal(read.status, 200);
    assert.equal(read.headers.get('connection'), 'close', 'nobody keeps a connection to a node that goes');
    assert.equal((await rest.post('/skill', { name: 'made while stopping' })).status, 201);
    const late = openSocket(node.url, token);
    assert.equal((await late.run('{viewer{id}}')).errors, undefined, 'who is sent here still is served');
    assert.equal(await readiness(node.url), 503);
    assert.equal(sentAway, false);
    for (const socket of [desk, late]) socket.end();
  });

  test('sends its desks away when balancers know, and ends', async () => {
    const node = await startSwitchboardProcess({ env: { SWITCHBOARD_DRAIN_SECONDS: '0.2' } });
    const token = await logIn(node.url);
    const desk = openSocket(node.url, token);
    await desk.watch('subscription{deskEvents{type}}');
    assert.equal(await readiness(node.url), 200);
    assert.equal(await askToStop(node), 0);
    assert.equal((await desk.closed).code, 1001, 'a code after which clients connect again');
    await assert.rejects(graphqlClient(node.url, token).run('{viewer{id}}'));
    await node.stop();
  });

  test('waits for nobody where nobody asks whether it is ready', async () => {
    const node = await startSwitchboardProcess({ env: { SWITCHBOARD_DRAIN_SECONDS: '600' } });
    assert.equal((await restClient(node.url, node.key).get('/operator')).status, 200);
    assert.equal(await askToStop(node), 0);
    await node.stop();
  });
});
