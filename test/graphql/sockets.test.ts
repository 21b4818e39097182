import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { type GraphqlClient, graphqlClient, logIn } from '../support/graphql.ts';
import { postForm } from '../support/oauth.ts';
import { addOperator } from '../support/people.ts';
import { type RestClient, restClient } from '../support/rest.ts';
import { openSocket } from '../support/subscriptions.ts';
import { type Switchboard, startSwitchboard } from '../support/switchboard.ts';

const QUICK = fileURLToPath(new URL('../support/quick-server.ts', import.meta.url));

let switchboard: Switchboard;
let rest: RestClient;
let http: GraphqlClient;
before(async () => {
  switchboard = await startSwitchboard({ main: QUICK });
  rest = restClient(switchboard.url, switchboard.key);
  http = graphqlClient(switchboard.url, await logIn(switchboard.url));
});
after(() => switchboard.stop());

const LIVE = 'subscription{operatorLive{id live{connected}}}';

function residentMegabytes(): number {
  return (Number(readFileSync(`/proc/${switchboard.process.pid}/statm`, 'utf8').split(' ')[1]) * 4096) / 1024 / 1024;
}

interface RawSocket {
  readonly socket: WebSocket;
  readonly messages: string[];
  readonly closed: Promise<{ code: number; reason: string; after: number }>;
}

/** A client without manners: it sends what it is told and nothing by itself. */
async function openRaw(protocol: string | undefined = 'graphql-transport-ws'): Promise<RawSocket> {
  const began = performance.now();
  const socket = new WebSocket(`${switchboard.url.replace(/^http/, 'ws')}/graphql`, protocol);
  const messages: string[] = [];
  socket.on('message', (data) => messages.push(String(data)));
  socket.on('error', () => undefined);
  const closed = new Promise<{ code: number; reason: string; after: number }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason), after: performance.now() - began }));
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  return { socket, messages, closed };
}

async function openInitialised(): Promise<RawSocket> {
  const raw = await openRaw();
  raw.socket.send(JSON.stringify({ type: 'connection_init', payload: { token: http.token } }));
  await new Promise((resolve) => raw.socket.once('message', resolve));
  return raw;
}

test('whoever is not let in is told so by the close code', async () => {
  for (const parameters of [{ token: 'nonsense' }, {}, { token: '' }, { token: 7 }, { Authorization: 'Basic x' }]) {
    assert.equal((await openSocket(switchboard.url, '', parameters).closed).code, 4403, JSON.stringify(parameters));
  }
  const silent = await openRaw();
  const { code, after: waited } = await silent.closed;
  assert.equal(code, 4408);
  assert.ok(waited > 400, `${waited} ms`);
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

test('a token that ends takes its connections with it', async (t) => {
  const password = 'a long enough password';
  const end: Readonly<Record<string, (token: string, id: number) => Promise<unknown>>> = {
    revoked: (token) => postForm(switchboard.url, '/oauth2/revoke', { token }),
    'a new password': (_token, id) => rest.put(`/operator/${id}`, { password: 'another long password' }),
    'the operator is deleted': (_token, id) => rest.delete(`/operator/${id}`),
  };
  for (const [name, act] of Object.entries(end)) {
    const { id, email } = await addOperator(rest, { password });
    const token = await logIn(switchboard.url, { email, password });
    const socket = openSocket(switchboard.url, token);
    await socket.watch(LIVE);
    await act(token, id);
    const ended = performance.now();
    const { code, reason } = await socket.closed;
    t.diagnostic(`${name}: ${(performance.now() - ended).toFixed(0)} ms`);
    assert.deepEqual([code, reason], [4401, 'The token has ended']);
    assert.ok(performance.now() - ended < 4000);
  }
});

test('who does not answer pings is gone, who does stays', async () => {
  const good = await openInitialised();
  const bad = await openInitialised();
  (bad.socket as unknown as { pong(): void }).pong = () => undefined;
  assert.equal((await bad.closed).code, 1006);
  assert.equal(good.socket.readyState, WebSocket.OPEN);
  good.socket.close();
});

test('a slow reader is dropped with a clear code and holds no memory', { timeout: 60_000 }, async (t) => {
  const { id } = await addOperator(rest);
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
  await setTimeout(200);
  slow.socket.pause();
  const before = residentMegabytes();
  let most = before;
  const began = performance.now();
  for (let change = 0; change < 3000 && performance.now() - began < 1500; change += 1) {
    await rest.put(`/operator/${id}/live`, { chat: { available: change % 2 === 0 } });
    most = Math.max(most, residentMegabytes());
  }
  slow.socket.resume();
  const { code, reason } = await slow.closed;
  t.diagnostic(`while it did not read, the service grew by ${(most - before).toFixed(0)} MB at most`);
  assert.deepEqual([code, reason], [4410, 'Too slow to read']);
  assert.ok(most - before < 150, `${most - before} MB`);
});

test('a flood of questions whose answers nobody reads is dropped', { timeout: 60_000 }, async (t) => {
  const flood = await openInitialised();
  flood.socket.pause();
  const before = residentMegabytes();
  let most = before;
  const payload = 'x'.repeat(10_000);
  const began = performance.now(); // whoever has not read the farewell after a while is not told why
  for (let n = 0; n < 200 && performance.now() - began < 1500; n++) {
    for (let m = 0; m < 50; m++) flood.socket.send(JSON.stringify({ type: 'ping', payload: { payload } }));
    await setTimeout(5);
    most = Math.max(most, residentMegabytes());
  }
  flood.socket.resume();
  const { code } = await flood.closed;
  t.diagnostic(`the flood made the service grow by ${(most - before).toFixed(0)} MB at most, and ended with ${code}`);
  assert.ok(code === 4410, `${code}`);
  assert.ok(most - before < 200, `${most - before} MB`);
});

test('one connection runs a bounded number of operations', async () => {
  const raw = await openInitialised();
  for (let n = 0; n <= 1000; n++) {
    raw.socket.send(JSON.stringify({ type: 'subscribe', id: `${n}`, payload: { query: LIVE } }));
  }
  for (let tries = 0; tries < 100 && raw.messages.length < 2; tries++) await setTimeout(50);
  const { id, type, payload } = JSON.parse(raw.messages.find((message) => message.includes('"error"')) ?? '{}');
  assert.deepEqual([id, type, payload?.[0].extensions.code], ['1000', 'error', 'RATE_LIMITED']);
  raw.socket.close();
});

test('an upgrade to another path is refused, and a client that vanishes then harms nobody', async () => {
  const { hostname, port } = new URL(switchboard.url);
  for (let n = 0; n < 20; n++) {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write('GET /other HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n', () =>
      socket.resetAndDestroy(),
    );
  }
  await setTimeout(200);
  assert.equal((await http.run('{viewer{id}}')).data.viewer.id, '1');
  const refused = new WebSocket(`${switchboard.url.replace(/^http/, 'ws')}/other`);
  const error = await new Promise<Error>((resolve) => refused.once('error', resolve));
  assert.match(error.message, /404/);
});

test('idle subscriptions cost little', { timeout: 120_000 }, async (t) => {
  const count = Number(process.env.IDLE_SUBSCRIPTIONS ?? 200);
  const warm = await openInitialised();
  warm.socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: LIVE } }));
  await setTimeout(200);
  const before = residentMegabytes();
  const crowd: RawSocket[] = [warm];
  for (let n = 0; n < count; n += 50) crowd.push(...(await Promise.all(Array.from({ length: 50 }, openInitialised))));
  for (const { socket } of crowd.slice(1)) {
    socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: LIVE } }));
  }
  await setTimeout(1500);
  const grown = residentMegabytes() - before;
  t.diagnostic(`${count} idle subscriptions, each on a connection of its own: ${grown.toFixed(0)} MB more`);
  assert.ok(grown < Math.max(100, count / 10), `${grown} MB`);
  await addOperator(rest);
  for (let tries = 0; tries < 100 && crowd.some(({ messages }) => messages.length < 2); tries++) await setTimeout(50);
  assert.ok(crowd.every(({ messages }) => messages.some((message) => message.includes('"next"'))));
  for (const { socket } of crowd) socket.terminate();
});

test('a stop says farewell with 1001 and ends the process, though somebody does not listen', async () => {
  const second = await startSwitchboard();
  const socket = openSocket(second.url, await logIn(second.url));
  await socket.watch(LIVE);
  const deaf = connect(Number(new URL(second.url).port), '127.0.0.1');
  deaf.on('error', () => undefined);
  deaf.write(
    'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n',
  );
  await setTimeout(100);
  const ended = new Promise((resolve) => second.process.once('exit', resolve));
  second.process.kill('SIGTERM');
  assert.deepEqual(await socket.closed.then(({ code }) => code), 1001);
  assert.equal(await ended, 0);
  await second.stop();
  assert.doesNotMatch(second.log(), /"level":50/);
});
