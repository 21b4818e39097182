import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { balancersToTest, startBalancer } from '../support/nodes/balancers.ts';
import { waitUntil } from '../support/waiting/wait.ts';

type Responder = (request: IncomingMessage, response: ServerResponse) => void;

const respondOk: Responder = (_request, response) => response.end('fine');
const hangUp: Responder = (request) => request.socket.destroy();
const respondUnavailable: Responder = (_request, response) =>
  response.writeHead(503, { 'retry-after': '1' }).end('{"a":503}');

/** A fake node: the test decides its responses, and its requests are recorded. */
async function startFakeNode(t: TestContext, respond: Responder) {
  const requests: IncomingMessage[] = [];
  const node = { url: '', requests, respond, isReady: true, sockets: 0, cutSockets: () => {} };
  const server = createServer((request, response) => {
    if (request.url === '/_ready') return response.writeHead(node.isReady ? 200 : 503).end();
    requests.push(request);
    request.resume().once('end', () => node.respond(request, response));
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

/** Both behave the same, so a suite that passes behind one is valid for the other. */
for (const kind of balancersToTest(true)) {
  describe(`the test load balancer, ${kind}`, () => {
    const startBehind = async (t: TestContext, ...responders: readonly Responder[]) => {
      const nodes = await Promise.all(responders.map((respond) => startFakeNode(t, respond)));
      const balancer = await startBalancer(
        kind,
        nodes.map(({ url }) => url),
      );
      t.after(() => balancer.stop());
      const send = async (method: string, headers: Record<string, string> = {}) => {
        const body = method === 'GET' ? {} : { body: '{"some":"body"}' };
        const response = await fetch(`${balancer.url}/path`, { method, headers, ...body }).catch(() => undefined);
        return response && { status: response.status, text: await response.text(), headers: response.headers };
      };
      return { nodes, balancer, send };
    };
    const ROUNDS = [1, 2, 3, 4];

    test('retries repeatable requests on another node when one hangs up or is unavailable', async (t) => {
      for (const failing of [hangUp, respondUnavailable]) {
        const { nodes, balancer, send } = await startBehind(t, failing, respondOk);
        for (const _ of ROUNDS) {
          for (const method of ['GET', 'PUT']) assert.equal((await send(method))?.text, 'fine', method);
          for (const method of ['POST', 'DELETE'])
            assert.equal((await send(method, { 'Idempotency-Key': 'a' }))?.text, 'fine', method);
        }
        assert.equal(nodes[1]?.requests.length, 16);
        assert.ok((nodes[0]?.requests.length ?? 0) > 0, 'the failing node got requests too');
        assert.equal(await balancer.retries(), nodes[0]?.requests.length);
      }
    });

    test('never retries a POST or DELETE without a key on another node', async (t) => {
      const { nodes, send } = await startBehind(t, hangUp, respondUnavailable);
      for (const method of ['POST', 'DELETE', 'POST', 'DELETE']) {
        const response = await send(method);
        assert.ok(response === undefined || [502, 503].includes(response.status), String(response?.status));
      }
      assert.equal((nodes[0]?.requests.length ?? 0) + (nodes[1]?.requests.length ?? 0), 4);
    });

    test('returns the response of a node when none is available', async (t) => {
      const { send } = await startBehind(t, respondUnavailable, respondUnavailable);
      const response = await send('PUT');
      assert.deepEqual(
        [response?.status, response?.text, response?.headers.get('retry-after')],
        [503, '{"a":503}', '1'],
      );
    });

    test('sends no requests to a node until it is ready', async (t) => {
      const { nodes, balancer, send } = await startBehind(t, respondOk, respondOk);
      const [first] = nodes as [Awaited<ReturnType<typeof startFakeNode>>];
      const getsRequestsWhen = async (up: boolean) => {
        first.isReady = up;
        await waitUntil('the balancer has noticed', async () => (await balancer.isUp(0)) === up);
        first.requests.length = 0;
        for (const _ of ROUNDS) assert.equal((await send('POST'))?.text, 'fine');
        return first.requests.length > 0;
      };
      assert.equal(await getsRequestsWhen(false), false);
      assert.equal(await getsRequestsWhen(true), true);
    });

    test('appends the client address to X-Forwarded-For', async (t) => {
      const { nodes, send } = await startBehind(t, respondOk);
      await send('GET');
      await send('POST', { 'X-Forwarded-For': '10.1.2.3' });
      assert.deepEqual(
        nodes[0]?.requests.map(({ headers }) => String(headers['x-forwarded-for']).split(/, */)),
        [['127.0.0.1'], ['10.1.2.3', '127.0.0.1']],
      );
    });

    test('passes WebSockets through, and closes them when their node does', async (t) => {
      const { nodes, balancer } = await startBehind(t, respondOk, respondOk);
      for (const _ of ROUNDS) {
        const socket = new WebSocket(balancer.url.replace('http', 'ws'));
        await new Promise((resolve) => socket.once('open', resolve));
        const reply = new Promise((resolve) => socket.once('message', (text) => resolve(String(text))));
        socket.send('hello');
        assert.equal(await reply, 'heard hello');
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
