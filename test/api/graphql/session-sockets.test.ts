import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openSession } from '../../support/clients/browser-session.ts';
import { logIn } from '../../support/clients/graphql.ts';
import { callOAuth } from '../../support/clients/oauth.ts';
import { openSocket } from '../../support/clients/subscriptions.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

const DESK = 'https://desk.example';

let switchboard: Switchboard;
let url: string;
before(async () => {
  switchboard = await startSwitchboard({ env: { SWITCHBOARD_CORS_ORIGINS: DESK } });
  url = switchboard.url;
});
after(() => switchboard.stop());

const open = (headers: Readonly<Record<string, string>>, parameters: Record<string, unknown> = {}) =>
  openSocket(url, '', parameters, { headers });
const READ = '{ viewer { id sessions { isCurrent } } }';

test('the cookie of the handshake counts, unless the page expects another operator, and the socket closes when the session ends', async () => {
  const { headers } = await openSession(url, ADMIN);
  const socket = open(headers);
  const { data } = await socket.run(READ);
  assert.equal(data.viewer.id, '1');
  assert.ok(data.viewer.sessions.some((session: { isCurrent: boolean }) => session.isCurrent));
  const openAs = (owner: string) => openSocket(url, '', {}, { headers, path: `/graphql?owner=${owner}` });
  const own = openAs('1.1');
  assert.equal((await own.run(READ)).data.viewer.id, '1');
  own.end();
  for (const other of ['2.1', '1.2']) assert.equal((await openAs(other).closed).code, 4403, other);
  await callOAuth(url, '/session', { method: 'DELETE', headers });
  assert.equal((await socket.closed).code, 4401);
});

test('a desk stays open with the cookie, and is closed when the session is ended in another browser', async () => {
  const own = await openSession(url, ADMIN);
  const other = await openSession(url, ADMIN);
  const socket = open(own.headers);
  const desk = await socket.subscribe('subscription{deskEvents{type}}');
  const typesOf = () => desk.results.map(({ data }) => data.deskEvents.type);
  await desk.waitUntil(() => typesOf().includes('operator.connected'));
  const { data } = await socket.run('{viewer{sessions{id isCurrent} live{connected}}}');
  assert.equal(data.viewer.live.connected, true);
  const { id } = data.viewer.sessions.find((session: { isCurrent: boolean }) => session.isCurrent);
  const otherSocket = open(other.headers);
  // The desk receives what happens, until the session is ended.
  await otherSocket.run('mutation{operatorAvailabilityUpdate(input:{chat:true}){userErrors{code}}}');
  await desk.waitUntil(() => typesOf().includes('operator.availability_updated'));
  const ended = await otherSocket.run('mutation($input:SessionEndInput!){sessionEnd(input:$input){userErrors{code}}}', {
    input: { id },
  });
  assert.deepEqual(ended.data.sessionEnd.userErrors, []);
  const { code, reason } = await socket.closed;
  assert.equal(code, 4401);
  assert.match(reason, /session is no longer valid/);
  assert.equal((await otherSocket.run('{viewer{id}}')).data.viewer.id, '1', 'the other session goes on');
  otherSocket.end();
});

test('another credential wins', async () => {
  const { headers } = await openSession(url, ADMIN);
  const socket = open(headers, { 'X-API-Key': switchboard.key });
  assert.equal((await socket.run('{ viewer { id } }')).errors[0].extensions.code, 'FORBIDDEN');
  socket.end();
});

test('a page of a configured origin needs another credential', async () => {
  const { cookie } = await openSession(url, ADMIN);
  const headers = { Cookie: cookie, Origin: DESK };
  assert.equal((await open(headers).closed).code, 4403);
  const socket = open(headers, { token: await logIn(url) });
  assert.equal((await socket.run(READ)).data.viewer.id, '1');
  socket.end();
});

for (const source of [
  {},
  { Origin: 'https://evil.example' },
  { 'Sec-Fetch-Site': 'same-site' },
  { Origin: 'OWN', 'Sec-Fetch-Site': 'cross-site' },
] as Record<string, string>[])
  test(`a handshake with the cookie and ${JSON.stringify(source)} is refused`, async () => {
    const { cookie } = await openSession(url, ADMIN);
    const response = await fetch(`${url}/graphql`, { headers: { Cookie: cookie } });
    assert.equal(response.status, 403, 'the same over HTTP');
    const headers = { ...source, ...(source.Origin === 'OWN' && { Origin: url }), Cookie: cookie };
    assert.equal((await open(headers).closed).code, 1006, 'no connection');
  });
