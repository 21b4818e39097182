import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type GraphqlCaller, graphqlClient, keyClient, logIn } from '../../support/clients/graphql.ts';
import { rawRequest, sendRaw } from '../../support/clients/raw.ts';
import { restClient } from '../../support/clients/rest.ts';
import { openSocket } from '../../support/clients/subscriptions.ts';
import { createOperator, createReadKey } from '../../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

const ORIGIN = 'https://app.example.com';

let switchboard: Switchboard;
let token: string;
let readKey: string;
let writer: GraphqlCaller;
let reader: GraphqlCaller;
before(async () => {
  const env = { SWITCHBOARD_CORS_ORIGINS: ORIGIN, SWITCHBOARD_LOG_LEVEL: 'trace' };
  switchboard = await startSwitchboard({ env });
  token = await logIn(switchboard.url);
  readKey = await createReadKey(switchboard);
  writer = keyClient(switchboard.url, switchboard.key);
  reader = keyClient(switchboard.url, readKey);
});
after(() => switchboard.stop());

const OPERATORS = '{operators{nodes{id email}}}';
const CREATE_SKILL =
  'mutation($name:String!){skillCreate(input:{name:$name}){skill{id name} userErrors{field code message}}}';

/** Sends exactly these headers. */
async function post(headers: Record<string, string>, path = '/graphql') {
  const response = await fetch(`${switchboard.url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ query: OPERATORS }),
  });
  const body = (await response.json()) as { errors?: { message: string; extensions: { code: string } }[] };
  return { status: response.status, headers: response.headers, error: body.errors?.[0] };
}

const basic = (user: string) => `Basic ${Buffer.from(`${user}:x`).toString('base64')}`;

/** Creates a write key, and returns it with its identifier. */
async function createKey(): Promise<{ id: string; key: string }> {
  const mutation = 'mutation{apiKeyCreate(input:{name:"Temporary",access:WRITE}){key apiKey{id}}}';
  const { data } = await writer.run(mutation);
  return { id: data.apiKeyCreate.apiKey.id, key: data.apiKeyCreate.key };
}

suite('where the key is read from', () => {
  test('the header X-API-Key, also with an unrelated Basic pair', async () => {
    assert.equal((await post({ 'X-API-Key': switchboard.key })).status, 200);
    assert.equal((await post({ 'x-api-key': readKey })).status, 200);
    assert.equal((await post({ 'X-API-Key': readKey, Authorization: basic('unrelated') })).status, 200);
    const query = `${switchboard.url}/graphql?query=${encodeURIComponent(OPERATORS)}`;
    assert.equal((await fetch(query, { headers: { 'X-API-Key': readKey } })).status, 200);
  });

  test('never the query, Basic or a bearer token', async () => {
    const { key } = switchboard;
    for (const [headers, path] of [
      [{}, `/graphql?key=${key}`],
      [{}, `/graphql?X-API-Key=${key}`],
      [{ Authorization: basic(key) }, '/graphql'],
      [{ Authorization: `Bearer ${key}` }, '/graphql'],
      [{ 'X-API-Key': token }, '/graphql'],
    ] as const) {
      const { status, error } = await post(headers, path);
      assert.equal(status, 401, JSON.stringify({ headers, path }));
      assert.equal(error?.extensions.code, 'UNAUTHENTICATED');
    }
  });

  test('a token and a key together are rejected with 400', async () => {
    for (const [key, bearer] of [
      [switchboard.key, token],
      ['nonsense', token],
      [switchboard.key, 'nonsense'],
      [switchboard.key, 'not a token'],
    ] as const) {
      const { status, error } = await post({ 'X-API-Key': key, Authorization: `Bearer ${bearer}` });
      assert.equal(status, 400, `${key} ${bearer}`);
      assert.deepEqual(error, {
        message: 'Send either an access token or an API key, not both.',
        extensions: { code: 'BAD_REQUEST' },
      });
    }
  });

  test('a repeated header is rejected with 400', async () => {
    const headers = [`X-API-Key: ${readKey}`, `x-api-key: ${readKey}`, 'Connection: close'];
    const response = await sendRaw(switchboard.url, rawRequest('GET /graphql?query={account{id}} HTTP/1.1', headers));
    assert.equal(response.status, 400);
    assert.equal(response.body.errors[0].extensions.code, 'BAD_REQUEST');
    const upgrade = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
    const socket = ['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Protocol: graphql-transport-ws'];
    const handshake = rawRequest('GET /graphql HTTP/1.1', [...upgrade, ...socket, ...headers.slice(0, 2)]);
    assert.equal((await sendRaw(switchboard.url, handshake)).status, 400);
  });

  test("the visitors' endpoint takes no key, and ignores one besides a token", async () => {
    const { status, error } = await post({ 'X-API-Key': switchboard.key }, '/visitor/graphql');
    assert.equal(status, 401);
    assert.equal(error?.message, 'Send an access token as Authorization: Bearer.');
  });

  test('pages of an allowed origin may send the header', async () => {
    const preflight = await fetch(`${switchboard.url}/graphql`, {
      method: 'OPTIONS',
      headers: {
        Origin: ORIGIN,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type,x-api-key',
      },
    });
    assert.equal(preflight.headers.get('access-control-allow-origin'), ORIGIN);
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /x-api-key/i);
  });
});

suite('a key that is not valid', () => {
  test('gets 401 with a challenge and a message', async () => {
    for (const key of ['nonsense', '', switchboard.key.toUpperCase()]) {
      const { status, headers, error } = await post({ 'X-API-Key': key });
      assert.equal(status, 401, key);
      assert.equal(headers.get('www-authenticate'), 'Bearer');
      assert.deepEqual(error, { message: 'API key not valid', extensions: { code: 'UNAUTHENTICATED' } });
    }
  });

  test('is rejected soon after it expires or is revoked', async () => {
    const isRejected = async (key: string) => (await post({ 'X-API-Key': key })).status === 401;
    const expired = await createKey();
    assert.equal(await isRejected(expired.key), false);
    await switchboard.storedData.query('update api_keys set expires_at = 1 where id = ?', Number(expired.id));
    await waitUntil('the expired key is rejected', () => isRejected(expired.key));
    const revoked = await createKey();
    assert.equal(await isRejected(revoked.key), false);
    await writer.run(`mutation{apiKeyRevoke(input:{id:${revoked.id}}){userErrors{code}}}`);
    await waitUntil('the revoked key is rejected', () => isRejected(revoked.key));
  });

  test('loses its open connections with 4401', async () => {
    const { id, key } = await createKey();
    const socket = openSocket(switchboard.url, '', { 'X-API-Key': key });
    await socket.subscribe('subscription{operatorLive{id}}');
    await writer.run(`mutation{apiKeyRevoke(input:{id:${id}}){userErrors{code}}}`);
    const { code, reason } = await socket.closed;
    assert.deepEqual([code, reason], [4401, 'The API key is no longer valid']);
  });

  test('appears in no log', async () => {
    await post({ 'X-API-Key': 'an-unknown-key-of-this-test' });
    assert.match(switchboard.log(), /"route":"\/graphql"/);
    for (const key of ['an-unknown-key-of-this-test', switchboard.key, readKey])
      assert.ok(!switchboard.log().includes(key));
  });
});

suite('a read key', () => {
  test('reads like an admin, except for secrets', async () => {
    const { data, errors } = await reader.run(`{
      operators { nodes { id email roles ssoKey } }
      events(last: 1) { nodes { type } } apiKeys { name } webhooks { id } restUsage { count }
      account { queueLimit lowestPriorityFirst }
    }`);
    assert.equal(data.operators.nodes[0].email, 'admin@example.com');
    assert.equal(data.operators.nodes[0].ssoKey, null);
    assert.ok(data.apiKeys.length > 0);
    assert.deepEqual(
      errors.map(({ path, extensions }) => [path?.join('.'), extensions.code]),
      [['operators.nodes.0.ssoKey', 'FORBIDDEN']],
    );
  });

  test('changes nothing, and its input is not checked', async () => {
    for (const name of ['Skill of a read key', '']) {
      const { data, errors } = await reader.run(CREATE_SKILL, { name });
      assert.equal(data, null);
      assert.equal(errors[0]?.extensions.code, 'FORBIDDEN');
    }
    const skills = await writer.run('{skills(filter:{name:"Skill of*"}){totalCount}}');
    assert.equal(skills.data.skills.totalCount, 0);
  });

  test('subscribes', async () => {
    const { id } = await createOperator(restClient(switchboard.url, switchboard.key));
    const socket = openSocket(switchboard.url, '', { apiKey: readKey });
    const changes = await socket.subscribe('subscription{operatorLive{id email}}');
    const available = `mutation{operatorAvailabilityUpdate(input:{id:${id},chat:true}){userErrors{code}}}`;
    assert.equal((await socket.run(available)).errors[0].extensions.code, 'FORBIDDEN');
    await writer.run(available);
    await changes.waitUntil((results) => results.some(({ data }) => data.operatorLive.id === String(id)));
    socket.end();
  });
});

suite('a write key', () => {
  test('writes like an admin, and the event log names it', async () => {
    const created = await writer.run(CREATE_SKILL, { name: 'Skill of a key' });
    assert.deepEqual(created.data.skillCreate.userErrors, []);
    const socket = openSocket(switchboard.url, '', writer.headers);
    await socket.run(CREATE_SKILL, { name: 'Skill over a socket' });
    socket.end();
    const query =
      '{events(last:2,filter:{types:["skill.created"]}){nodes{subject{id} actor{type id name via address}}}}';
    const { data } = await writer.run(query);
    const [first, second] = data.events.nodes;
    assert.equal(first.subject.id, created.data.skillCreate.skill.id);
    const { id, name } = (await writer.run('{apiKeys{id name}}')).data.apiKeys[0];
    assert.deepEqual(first.actor, { type: 'API_KEY', id, name, via: 'GRAPHQL', address: '127.0.0.1' });
    assert.deepEqual(second.actor, first.actor);
  });

  test('has no viewer: what concerns the viewer is FORBIDDEN, with a reason', async () => {
    for (const operation of [
      '{viewer{id}}',
      'mutation{operatorConnect(input:{}){userErrors{code}}}',
      'mutation{operatorPasswordChange(input:{newPassword:"a long enough password"}){userErrors{code}}}',
      'mutation{operatorProfileUpdate(input:{city:"Rome"}){userErrors{code}}}',
      'mutation{offerAccept(input:{conversationId:1}){userErrors{code}}}',
      'mutation{offerDecline(input:{conversationId:1}){userErrors{code}}}',
      'mutation{messageSend(input:{conversationId:1,text:"Hello"}){userErrors{code}}}',
      'mutation{conversationEscalate(input:{id:1}){userErrors{code}}}',
      // The input is not checked.
      'mutation{operatorConnect(input:{ttlSeconds:0}){userErrors{code}}}',
      'mutation{operatorPasswordChange(input:{newPassword:"short"}){userErrors{code}}}',
      'mutation{offerAccept(input:{conversationId:"abc"}){userErrors{code}}}',
      'mutation{messageSend(input:{conversationId:1,text:""}){userErrors{code}}}',
    ]) {
      const { data, errors } = await writer.run(operation);
      assert.equal(data, null, operation);
      assert.equal(errors[0]?.extensions.code, 'FORBIDDEN', operation);
      assert.match(errors[0]?.message ?? '', /use the access token of an operator/, operation);
    }
    const socket = openSocket(switchboard.url, '', writer.headers);
    const desk = await socket.subscribe('subscription{deskEvents{type}}');
    const [error] = (await desk.failed) as { message: string; extensions: { code: string } }[];
    assert.equal(error?.extensions.code, 'FORBIDDEN');
    assert.match(error?.message ?? '', /use the access token of an operator/);
    socket.end();
  });

  test('has idempotency keys of its own', async () => {
    const headers = { 'Idempotency-Key': 'the-same-for-all' };
    const create = (caller: GraphqlCaller, name: string) => caller.run(CREATE_SKILL, { name }, headers);
    const first = await create(writer, 'Once');
    assert.deepEqual((await create(writer, 'Once')).data, first.data);
    assert.equal((await create(writer, 'Other')).errors[0]?.extensions.code, 'BAD_REQUEST');
    const other = await create(keyClient(switchboard.url, (await createKey()).key), 'Other');
    assert.equal(other.data.skillCreate.skill.name, 'Other');
    const operator = await create(graphqlClient(switchboard.url, token), 'Third');
    assert.equal(operator.data.skillCreate.skill.name, 'Third');
  });

  test('is shown with the time of its last use', async () => {
    // Stored with a delay: the key was used by the first test.
    await waitUntil('the last use is stored', async () => {
      const { data } = await reader.run('{apiKeys{access lastUsedAt}}');
      return data.apiKeys[0].lastUsedAt !== null;
    });
  });
});
