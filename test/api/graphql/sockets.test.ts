import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { type GraphqlClient, graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { postForm } from '../../support/clients/oauth.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { openSocket } from '../../support/clients/subscriptions.ts';
import { startDesks } from '../../support/fixtures/desks.ts';
import { createOperator } from '../../support/fixtures/resources.ts';
import { type SwitchboardProcess, startSwitchboardProcess } from '../../support/processes/switchboard.ts';
import { testServerOptions } from '../../support/processes/test-server-options.ts';
import { WAIT_TIMEOUT_MS, waitUntil } from '../../support/waiting/wait.ts';

/**
 * A short timeout for slow readers only: a busy machine may delay other clients.
 */
const SHORT_SEND_TIMEOUT = testServerOptions({
  socketTimeouts: {
    connectionInitMs: WAIT_TIMEOUT_MS,
    sendMs: 500,
    closeMs: WAIT_TIMEOUT_MS,
    pingIntervalMs: WAIT_TIMEOUT_MS,
  },
});

let switchboard: SwitchboardProcess;
let rest: RestClient;
let http: GraphqlClient;
before(async () => {
  switchboard = await startSwitchboardProcess(SHORT_SEND_TIMEOUT);
  rest = restClient(switchboard.url, switchboard.key);
  http = graphqlClient(switchboard.url, await logIn(switchboard.url));
});
after(() => switchboard.stop());

const LIVE = 'subscription{operatorLive{id live{connected}}}';

function readResidentMb(): number {
  return (Number(readFileSync(`/proc/${switchboard.process.pid}/statm`, 'utf8').split(' ')[1]) * 4096) / 1024 / 1024;
}

interface RawSocket {
  readonly socket: WebSocket;
  readonly messages: string[];
  readonly closed: Promise<{ code: number; reason: string }>;
}

/** A raw client: it sends only what the test sends. */
async function openRaw(url = switchboard.url): Promise<RawSocket> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/graphql`, 'graphql-transport-ws');
  const messages: string[] = [];
  socket.on('message', (data) => messages.push(String(data)));
  socket.on('error', () => undefined);
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return { socket, messages, closed };
}

async function openInitialised(token = http.token): Promise<RawSocket> {
  const raw = await openRaw();
  raw.socket.send(JSON.stringify({ type: 'connection_init', payload: { token } }));
  await new Promise((resolve) => raw.socket.once('message', resolve));
  return raw;
}

/** Waits until every earlier message has its reply, or the connection is closed. */
async function waitForReplies({ socket, messages, closed }: RawSocket): Promise<void> {
  const pong = JSON.stringify({ type: 'pong', payload: { sent: messages.length } });
  socket.send(pong.replace('pong', 'ping'), () => undefined);
  let isClosed = false;
  closed.then(() => {
    isClosed = true;
  });
  await waitUntil('every message has its reply', () => isClosed || messages.includes(pong));
}

/** Waits until earlier subscriptions have started: later operations take the same path. */
async function waitForSubscriptions({ socket, messages }: RawSocket): Promise<void> {
  for (const id of ['x', 'y', 'z']) {
    socket.send(JSON.stringify({ type: 'subscribe', id, payload: { query: '{eventPosition}' } }));
    await waitUntil('the query has its result', () => messages.includes(JSON.stringify({ id, type: 'complete' })));
  }
}

test('a rejected connection gets the close code of its reason', async () => {
  for (const parameters of [{ token: 'nonsense' }, {}, { token: '' }, { token: 7 }, { Authorization: 'Basic x' }]) {
    assert.equal((await openSocket(switchboard.url, '', parameters).closed).code, 4403, JSON.stringify(parameters));
  }
  const early = await openRaw();
  early.socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: LIVE } }));
  assert.equal((await early.closed).code, 4401);
  const nonsense = await openRaw();
  nonsense.socket.send('nonsense');
  assert.equal((await nonsense.closed).code, 4400);
  const large = await openInitialised();
  large.socket.send('x'.repeat(1024 * 1024 + 1));
  assert.equal((await large.closed).code, 1009);
  const Authorization = openSocket(switchboard.url, '', { Authorization: `Bearer ${http.token}` });
  assert.equal((await Authorization.run('{viewer{id}}')).data.viewer.id, '1');
  Authorization.end();
});

test('a connection without connection_init is closed with 4408', async () => {
  const desks = await startDesks({}, { connectionInitMs: 100 });
  const silent = await openRaw(desks.url);
  assert.equal((await silent.closed).code, 4408);
  await desks.stop();
});

test('the end of a token closes its connections', async () => {
  const password = 'a long enough password';
  const revocations: Readonly<Record<string, (token: string, id: number) => Promise<unknown>>> = {
    revoked: (token) => postForm(switchboard.url, '/oauth2/revoke', { token }),
    'a new password': (_token, id) => rest.put(`/operator/${id}`, { password: 'another long password' }),
    'the operator is deleted': (_token, id) => rest.delete(`/operator/${id}`),
  };
  for (const [name, revoke] of Object.entries(revocations)) {
    const { id, email } = await createOperator(rest, { password });
    const token = await logIn(switchboard.url, { email, password });
    const socket = openSocket(switchboard.url, token);
    await socket.subscribe(LIVE);
    await revoke(token, id);
    const { code, reason } = await socket.closed;
    assert.deepEqual([code, reason], [4401, 'The access token is no longer valid'], name);
  }
});

test('a connection that answers no pings is closed, one that does stays open', async () => {
  const desks = await startDesks();
  const operator = await desks.createOperator();
  const responsive = operator.connect();
  await responsive.run('{viewer{id}}');
  const unresponsive = await openRaw(desks.url);
  (unresponsive.socket as unknown as { pong(): void }).pong = () => undefined;
  assert.equal((await unresponsive.closed).code, 1006);
  await responsive.waitForPings(2);
  assert.equal((await responsive.run('{viewer{id}}')).data.viewer.id, String(operator.id));
  await desks.stop();
});

test('a slow reader is disconnected with 4410, and memory stays bounded', async (t) => {
  const { id } = await createOperator(rest);
  const texts = { status: 's', description: 'd'.repeat(5000), city: 'c', country: 'c' };
  await http.run(
    'mutation($input:OperatorProfileUpdateInput!){operatorProfileUpdate(input:$input){userErrors{message}}}',
    {
      input: { id, ...texts },
    },
  );
  const slow = await openInitialised();
  const wide = Array.from({ length: 40 }, (_, n) => `p${n}:profile{description}`).join(' ');
  for (let n = 0; n < 5; n++) {
    const query = `subscription{operatorLive{id ${wide}}}`;
    slow.socket.send(JSON.stringify({ type: 'subscribe', id: `${n}`, payload: { query } }));
  }
  await waitForSubscriptions(slow);
  const before = readResidentMb();
  let peakMb = before;
  let changes = 60;
  await waitUntil('the slow reader is disconnected', async () => {
    slow.socket.pause();
    changes *= 2; // until they take longer than the send timeout, however fast the machine is
    for (let change = 0; change < changes; change += 1) {
      await rest.put(`/operator/${id}/live`, { chat: { available: change % 2 === 0 } });
      peakMb = Math.max(peakMb, readResidentMb());
    }
    slow.socket.resume();
    await waitForReplies(slow);
    return slow.socket.readyState === WebSocket.CLOSED;
  });
  const { code, reason } = await slow.closed;
  t.diagnostic(`while it did not read, the service grew by ${(peakMb - before).toFixed(0)} MB at most`);
  assert.deepEqual([code, reason], [4410, 'Too slow to read']);
  assert.ok(peakMb - before < 150, `${peakMb - before} MB`);
});

test('a client that floods pings without reading the replies is disconnected', async (t) => {
  const flood = await openInitialised();
  const before = readResidentMb();
  let peakMb = before;
  const ping = JSON.stringify({ type: 'ping', payload: { payload: 'x'.repeat(10_000) } });
  await waitUntil('the flooding client is disconnected', async () => {
    flood.socket.pause();
    for (let n = 0; n < 60; n++) {
      for (let m = 0; m < 50; m++) flood.socket.send(ping, () => undefined);
      await http.run('{viewer{id}}'); // the service has processed some of them
      peakMb = Math.max(peakMb, readResidentMb());
    }
    flood.socket.resume();
    await waitForReplies(flood);
    return flood.socket.readyState === WebSocket.CLOSED;
  });
  const { code } = await flood.closed;
  t.diagnostic(`the flood made the service grow by ${(peakMb - before).toFixed(0)} MB at most, and ended with ${code}`);
  assert.ok(code === 4410, `${code}`);
  assert.ok(peakMb - before < 200, `${peakMb - before} MB`);
});

test('an upgrade to another path is rejected, and a client that vanishes during it does no harm', async () => {
  const { hostname, port } = new URL(switchboard.url);
  const resets = Array.from({ length: 20 }, async () => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write('GET /other HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n', () =>
      socket.resetAndDestroy(),
    );
    await new Promise((resolve) => socket.once('close', resolve));
  });
  await Promise.all(resets);
  assert.equal((await http.run('{viewer{id}}')).data.viewer.id, '1');
  const rejected = new WebSocket(`${switchboard.url.replace(/^http/, 'ws')}/other`);
  const error = await new Promise<Error>((resolve) => rejected.once('error', resolve));
  assert.match(error.message, /404/);
});

test('idle subscriptions use little memory', async (t) => {
  const count = Number(process.env.IDLE_SUBSCRIPTIONS ?? 200);
  const password = 'a long enough password';
  const first = await openInitialised();
  first.socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: LIVE } }));
  await waitForSubscriptions(first);
  const before = readResidentMb();
  const sockets: RawSocket[] = [first];
  for (let n = 0; n < count; n += 50) {
    const { email } = await createOperator(rest, { password }); // one operator can open fewer
    const token = await logIn(switchboard.url, { email, password });
    sockets.push(...(await Promise.all(Array.from({ length: 50 }, () => openInitialised(token)))));
  }
  for (const { socket } of sockets.slice(1)) {
    socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: LIVE } }));
  }
  await Promise.all(sockets.map(waitForSubscriptions));
  const growthMb = readResidentMb() - before;
  t.diagnostic(`${count} idle subscriptions, each on a separate connection: ${growthMb.toFixed(0)} MB more`);
  assert.ok(growthMb < Math.max(100, count / 10), `${growthMb} MB`);
  await createOperator(rest);
  await waitUntil('every subscription receives a change', () =>
    sockets.every(({ messages }) => messages.some((message) => message.includes('"operatorLive"'))),
  );
  for (const { socket } of sockets) socket.terminate();
});

test('another protocol is refused in the handshake, with the reason', async () => {
  for (const protocols of [['graphql-ws'], ['graphql-ws', 'other'], []]) {
    const socket = new WebSocket(`${switchboard.url.replace(/^http/, 'ws')}/graphql`, protocols);
    const response = await new Promise<IncomingMessage>((resolve) =>
      socket.on('unexpected-response', (_request, answer) => resolve(answer)),
    );
    assert.equal(response.statusCode, 400);
    const [body] = await response.toArray();
    assert.match(
      JSON.parse(String(body)).errors[0].message,
      /graphql-transport-ws is required.*subscriptions-transport-ws/,
    );
    socket.on('error', () => undefined).terminate();
  }
  const both = new WebSocket(`${switchboard.url.replace(/^http/, 'ws')}/graphql`, [
    'graphql-ws',
    'graphql-transport-ws',
  ]);
  await new Promise((resolve) => both.once('open', resolve));
  assert.equal(both.protocol, 'graphql-transport-ws');
  both.terminate();
});

test('a stop closes connections with 1001 and ends the process, even with an unresponsive client', async () => {
  const second = await startSwitchboardProcess();
  const socket = openSocket(second.url, await logIn(second.url));
  await socket.subscribe(LIVE);
  const unresponsive = connect(Number(new URL(second.url).port), '127.0.0.1');
  unresponsive.on('error', () => undefined);
  unresponsive.write(
    'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n',
  );
  await new Promise((resolve) => unresponsive.once('data', resolve)); // it is connected
  const exit = new Promise((resolve) => second.process.once('exit', resolve));
  second.process.kill('SIGTERM');
  assert.deepEqual(await socket.closed.then(({ code }) => code), 1001);
  assert.equal(await exit, 0);
  await second.stop();
  assert.doesNotMatch(second.log(), /"level":50/);
});
