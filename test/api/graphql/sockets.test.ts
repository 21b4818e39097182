import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { type GraphqlClient, graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { postForm } from '../../support/clients/oauth.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { openSocket } from '../../support/clients/subscriptions.ts';
import { startDesks } from '../../support/people/desk.ts';
import { addOperator } from '../../support/people/people.ts';
import { specialStart } from '../../support/processes/special-start.ts';
import { type SwitchboardProcess, startSwitchboardProcess } from '../../support/processes/switchboard.ts';
import { PATIENCE_MS, until } from '../../support/waiting/until.ts';

/**
 * Little patience for slow readers, and for nothing else: a client that a busy machine holds up does nothing wrong.
 */
const IMPATIENT = specialStart({
  patience: { init: PATIENCE_MS, slowest: 500, farewell: PATIENCE_MS, ping: PATIENCE_MS },
});

let switchboard: SwitchboardProcess;
let rest: RestClient;
let http: GraphqlClient;
before(async () => {
  switchboard = await startSwitchboardProcess(IMPATIENT);
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
  readonly closed: Promise<{ code: number; reason: string }>;
}

/** A client without manners: it sends what it is told and nothing by itself. */
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

async function openInitialised(): Promise<RawSocket> {
  const raw = await openRaw();
  raw.socket.send(JSON.stringify({ type: 'connection_init', payload: { token: http.token } }));
  await new Promise((resolve) => raw.socket.once('message', resolve));
  return raw;
}

/** Answers when all that was asked for before is answered, or the connection has ended. */
async function caughtUp({ socket, messages, closed }: RawSocket): Promise<void> {
  const pong = JSON.stringify({ type: 'pong', payload: { sent: messages.length } });
  socket.send(pong.replace('pong', 'ping'), () => undefined);
  let isClosed = false;
  closed.then(() => {
    isClosed = true;
  });
  await until('everything is answered', () => isClosed || messages.includes(pong));
}

/** Answers when the subscriptions that were sent before have surely begun: what is asked for later takes the same way. */
async function haveBegun({ socket, messages }: RawSocket): Promise<void> {
  for (const id of ['x', 'y', 'z']) {
    socket.send(JSON.stringify({ type: 'subscribe', id, payload: { query: '{eventPosition}' } }));
    await until('it is answered', () => messages.includes(JSON.stringify({ id, type: 'complete' })));
  }
}

test('whoever is not let in is told so by the close code', async () => {
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

test('whoever says nothing after the connection is told so by the close code', async () => {
  const desks = await startDesks({}, { init: 100 });
  const silent = await openRaw(desks.url);
  assert.equal((await silent.closed).code, 4408);
  await desks.stop();
});

test('a token that ends takes its connections with it', async () => {
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
    const { code, reason } = await socket.closed;
    assert.deepEqual([code, reason], [4401, 'The token has ended'], name);
  }
});

test('who does not answer pings is gone, who does stays', async () => {
  const desks = await startDesks();
  const person = await desks.person();
  const good = person.connect();
  await good.run('{viewer{id}}');
  const bad = await openRaw(desks.url);
  (bad.socket as unknown as { pong(): void }).pong = () => undefined;
  assert.equal((await bad.closed).code, 1006);
  await good.pinged(2);
  assert.equal((await good.run('{viewer{id}}')).data.viewer.id, String(person.id));
  await desks.stop();
});

test('a slow reader is dropped with a clear code and holds no memory', async (t) => {
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
  await haveBegun(slow);
  const before = residentMegabytes();
  let most = before;
  let changes = 60;
  await until('the slow reader is dropped', async () => {
    slow.socket.pause();
    changes *= 2; // until they take longer than the service waits for a reader, however quick the machine is
    for (let change = 0; change < changes; change += 1) {
      await rest.put(`/operator/${id}/live`, { chat: { available: change % 2 === 0 } });
      most = Math.max(most, residentMegabytes());
    }
    slow.socket.resume();
    await caughtUp(slow);
    return slow.socket.readyState === WebSocket.CLOSED;
  });
  const { code, reason } = await slow.closed;
  t.diagnostic(`while it did not read, the service grew by ${(most - before).toFixed(0)} MB at most`);
  assert.deepEqual([code, reason], [4410, 'Too slow to read']);
  assert.ok(most - before < 150, `${most - before} MB`);
});

test('a flood of questions whose answers nobody reads is dropped', async (t) => {
  const flood = await openInitialised();
  const before = residentMegabytes();
  let most = before;
  const question = JSON.stringify({ type: 'ping', payload: { payload: 'x'.repeat(10_000) } });
  await until('the flood is dropped', async () => {
    flood.socket.pause();
    for (let n = 0; n < 60; n++) {
      for (let m = 0; m < 50; m++) flood.socket.send(question, () => undefined);
      await http.run('{viewer{id}}'); // the service has had a turn
      most = Math.max(most, residentMegabytes());
    }
    flood.socket.resume();
    await caughtUp(flood);
    return flood.socket.readyState === WebSocket.CLOSED;
  });
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
  const refusal = () => raw.messages.find((message) => message.includes('"error"'));
  await until('one operation is refused', () => refusal() !== undefined);
  const { id, type, payload } = JSON.parse(refusal() ?? '{}');
  assert.deepEqual([id, type, payload?.[0].extensions.code], ['1000', 'error', 'RATE_LIMITED']);
  raw.socket.close();
});

test('an upgrade to another path is refused, and a client that vanishes then harms nobody', async () => {
  const { hostname, port } = new URL(switchboard.url);
  const gone = Array.from({ length: 20 }, async () => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    socket.write('GET /other HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n', () =>
      socket.resetAndDestroy(),
    );
    await new Promise((resolve) => socket.once('close', resolve));
  });
  await Promise.all(gone);
  assert.equal((await http.run('{viewer{id}}')).data.viewer.id, '1');
  const refused = new WebSocket(`${switchboard.url.replace(/^http/, 'ws')}/other`);
  const error = await new Promise<Error>((resolve) => refused.once('error', resolve));
  assert.match(error.message, /404/);
});

test('idle subscriptions cost little', async (t) => {
  const count = Number(process.env.IDLE_SUBSCRIPTIONS ?? 200);
  const warm = await openInitialised();
  warm.socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: LIVE } }));
  await haveBegun(warm);
  const before = residentMegabytes();
  const crowd: RawSocket[] = [warm];
  for (let n = 0; n < count; n += 50) crowd.push(...(await Promise.all(Array.from({ length: 50 }, openInitialised))));
  for (const { socket } of crowd.slice(1)) {
    socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query: LIVE } }));
  }
  await Promise.all(crowd.map(haveBegun));
  const grown = residentMegabytes() - before;
  t.diagnostic(`${count} idle subscriptions, each on a connection of its own: ${grown.toFixed(0)} MB more`);
  assert.ok(grown < Math.max(100, count / 10), `${grown} MB`);
  await addOperator(rest);
  await until('everybody hears of a change', () =>
    crowd.every(({ messages }) => messages.some((message) => message.includes('"operatorLive"'))),
  );
  for (const { socket } of crowd) socket.terminate();
});

test('a stop says farewell with 1001 and ends the process, though somebody does not listen', async () => {
  const second = await startSwitchboardProcess();
  const socket = openSocket(second.url, await logIn(second.url));
  await socket.watch(LIVE);
  const deaf = connect(Number(new URL(second.url).port), '127.0.0.1');
  deaf.on('error', () => undefined);
  deaf.write(
    'GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n',
  );
  await new Promise((resolve) => deaf.once('data', resolve)); // it is connected
  const ended = new Promise((resolve) => second.process.once('exit', resolve));
  second.process.kill('SIGTERM');
  assert.deepEqual(await socket.closed.then(({ code }) => code), 1001);
  assert.equal(await ended, 0);
  await second.stop();
  assert.doesNotMatch(second.log(), /"level":50/);
});
