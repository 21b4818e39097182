import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { balancersToTry, startBalancer } from '../support/nodes/balancers.ts';
import { until } from '../support/waiting/until.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const fine: Answer = (_request, response) => response.end('fine');
const hangUp: Answer = (request) => request.socket.destroy();
const unavailable: Answer = (_request, response) => response.writeHead(503, { 'retry-after': '1' }).end('{"a":503}');

/** Stands for a node: what it answers is the test's, and what it was asked is kept. */
async function standIn(t: TestContext, answer: Answer) {
  const asked: IncomingMessage[] = [];
  const node = { url: '', asked, answer, ready: true, sockets: 0, cutSockets: () => {} };
  const server = createServer((request, response) => {
    if (request.url === '/_ready') return response.writeHead(node.ready ? 200 : 503).end();
    asked.push(request);
    request.resume().once('end', () => node.answer(request, response));
  });
  const sockets = new WebSocketServer({ server });
  node.cutSockets = () => {
    for (const socket of sockets.clients) socket.terminate();
  };
  sockets.on('connection', (socket) => {
    node.sockets += 1;
    socket.on('message', (text) => socket.send(`heard ${text}`));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    sockets.close();
    node.cutSockets();
    server.close();
    server.closeAllConnections();
  });
  node.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return node;
}

/** Each behaves the same: a suite that passes behind one says something about the other. */
for (const kind of balancersToTry(true)) {
  describe(`the load balancer of the tests, ${kind}`, () => {
    const behind = async (t: TestContext, ...answers: readonly Answer[]) => {
      const nodes = await Promise.all(answers.map((answer) => standIn(t, answer)));
      const balancer = await startBalancer(
        kind,
        nodes.map(({ url }) => url),
      );
      t.after(() => balancer.stop());
      const send = async (method: string, headers: Record<string, string> = {}) => {
        const body = method === 'GET' ? {} : { body: '{"some":"body"}' };
        const answer = await fetch(`${balancer.url}/path`, { method, headers, ...body }).catch(() => undefined);
        return answer && { status: answer.status, text: await answer.text(), headers: answer.headers };
      };
      return { nodes, balancer, send };
    };
    const everyTurn = [1, 2, 3, 4];

    test('gives what may be repeated to another node when one hangs up or is unavailable', async (t) => {
      for (const bad of [hangUp, unavailable]) {
        const { nodes, balancer, send } = await behind(t, bad, fine);
        for (const _ of everyTurn) {
          for (const method of ['GET', 'PUT']) assert.equal((await send(method))?.text, 'fine', method);
          for (const method of ['POST', 'DELETE'])
            assert.equal((await send(method, { 'Idempotency-Key': 'a' }))?.text, 'fine', method);
        }
        assert.equal(nodes[1]?.asked.length, 16);
        assert.ok((nodes[0]?.asked.length ?? 0) > 0, 'the bad one was asked too');
        assert.equal(await balancer.retries(), nodes[0]?.asked.length);
      }
    });

    test('never gives a plain POST or DELETE to a second node', async (t) => {
      const { nodes, send } = await behind(t, hangUp, unavailable);
      for (const method of ['POST', 'DELETE', 'POST', 'DELETE']) {
        const answer = await send(method);
        assert.ok(answer === undefined || [502, 503].includes(answer.status), String(answer?.status));
      }
      assert.equal((nodes[0]?.asked.length ?? 0) + (nodes[1]?.asked.length ?? 0), 4);
    });

    test('gives out what the nodes say when none is available', async (t) => {
      const { send } = await behind(t, unavailable, unavailable);
      const answer = await send('PUT');
      assert.deepEqual([answer?.status, answer?.text, answer?.headers.get('retry-after')], [503, '{"a":503}', '1']);
    });

    test('gives nothing to a node that is not ready, until it is', async (t) => {
      const { nodes, balancer, send } = await behind(t, fine, fine);
      const [first] = nodes as [Awaited<ReturnType<typeof standIn>>];
      const see = async (up: boolean) => {
        first.ready = up;
        await until('the balancer knows', async () => (await balancer.isUp(0)) === up);
        first.asked.length = 0;
        for (const _ of everyTurn) assert.equal((await send('POST'))?.text, 'fine');
        return first.asked.length > 0;
      };
      assert.equal(await see(false), false);
      assert.equal(await see(true), true);
    });

    test('says from where a request came, after what it was told itself', async (t) => {
      const { nodes, send } = await behind(t, fine);
      await send('GET');
      await send('POST', { 'X-Forwarded-For': '10.1.2.3' });
      assert.deepEqual(
        nodes[0]?.asked.map(({ headers }) => String(headers['x-forwarded-for']).split(/, */)),
        [['127.0.0.1'], ['10.1.2.3', '127.0.0.1']],
      );
    });

    test('passes websockets on, and lets them end when their node does', async (t) => {
      const { nodes, balancer } = await behind(t, fine, fine);
      for (const _ of everyTurn) {
        const socket = new WebSocket(balancer.url.replace('http', 'ws'));
        await new Promise((resolve) => socket.once('open', resolve));
        const heard = new Promise((resolve) => socket.once('message', (text) => resolve(String(text))));
        socket.send('hello');
        assert.equal(await heard, 'heard hello');
        const closed = new Promise((resolve) => socket.once('close', resolve));
        for (const node of nodes) node.cutSockets();
        await closed;
      }
      assert.deepEqual(
        nodes.map(({ sockets }) => sockets),
        [2, 2],
      );
    });
  });
}
