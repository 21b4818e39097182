import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { serverAudits } from 'graphql-http';
import { graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { openSocket } from '../../support/clients/subscriptions.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

let switchboard: Switchboard;
let token: string;
before(async () => {
  switchboard = await startSwitchboard();
  token = await logIn(switchboard.url);
});
after(() => switchboard.stop());

test('the server passes the whole GraphQL over HTTP audit', async (t) => {
  const audits = serverAudits({
    url: `${switchboard.url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) =>
      fetch(url, {
        ...init,
        headers: { ...Object.fromEntries(new Headers(init.headers)), authorization: `Bearer ${token}` },
      }),
  });
  assert.equal(audits.length, 61);
  for (const audit of audits) {
    await t.test(audit.name, async () => {
      const result = await audit.fn();
      assert.equal(result.status, 'ok', 'reason' in result ? result.reason : '');
    });
  }
});

for (const [name, headers] of [
  ['without a token', {}],
  ['with a bad token', { Authorization: 'Bearer nonsense' }],
  ['with an unknown API key', { 'X-API-Key': 'nonsense' }],
] as const) {
  test(`a request ${name} gets 401 with errors and WWW-Authenticate`, async () => {
    const response = await fetch(`${switchboard.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: '{"query":"{viewer{id}}"}',
    });
    assert.equal(response.status, 401);
    assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer/);
    const { errors } = (await response.json()) as { errors: { extensions: { code: string } }[] };
    assert.equal(errors[0]?.extensions.code, 'UNAUTHENTICATED');
  });
}

test('GET accepts queries, but not mutations', async () => {
  const get = (query: string) =>
    fetch(`${switchboard.url}/graphql?query=${encodeURIComponent(query)}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
  const read = await get('{viewer{id}}');
  assert.deepEqual(await read.json(), { data: { viewer: { id: '1' } } });
  assert.equal(read.headers.get('cache-control'), 'no-store');
  const write = await get('mutation{operatorConnect(input:{}){userErrors{message}}}');
  assert.equal(write.status, 405);
  assert.equal(write.headers.get('allow'), 'POST');
  assert.equal(write.headers.get('content-type'), 'application/json; charset=utf-8');
  assert.deepEqual(await write.json(), {
    errors: [{ message: 'Mutations are not served over GET: use POST.', extensions: { code: 'BAD_REQUEST' } }],
  });
});

test('every rejected request gets a body with errors', async () => {
  const send = (init: RequestInit) =>
    fetch(`${switchboard.url}/graphql`, { ...init, headers: { Authorization: `Bearer ${token}`, ...init.headers } });
  for (const init of [
    { method: 'PUT', body: '{}' },
    { method: 'POST', body: '{}', headers: { 'Content-Type': 'text/plain' } },
    {
      method: 'POST',
      body: '{"query":"{viewer{id}}"}',
      headers: { 'Content-Type': 'application/json', Accept: 'text/html' },
    },
    { method: 'POST', body: '[{"query":"{viewer{id}}"}]', headers: { 'Content-Type': 'application/json' } },
  ]) {
    const response = await send(init);
    assert.ok(response.status >= 400 && response.status < 500, `${response.status}`);
    assert.ok(((await response.json()) as { errors: unknown[] }).errors.length > 0);
  }
});

test('what real clients send besides is accepted, or rejected with a message that helps', async () => {
  const TWO = 'query A { __typename } query B { __typename }';
  const post = async (body: unknown) => {
    const response = await fetch(`${switchboard.url}/graphql`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { data, errors } = (await response.json()) as {
      data?: unknown;
      errors?: { message: string; extensions: object }[];
    };
    return errors ? [errors[0]?.message, errors[0]?.extensions] : data;
  };
  const get = (search: Record<string, string>) =>
    fetch(`${switchboard.url}/graphql?${new URLSearchParams(search)}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
  const rejected = (message: string) => [message, { code: 'BAD_REQUEST' }];
  assert.deepEqual(
    await post([{ query: '{__typename}' }, { query: '{__typename}' }]),
    rejected('Batches are not supported: send one operation per request.'),
  );
  assert.deepEqual(
    await post({ query: 'subscription { deskEvents { type } }' }),
    rejected(
      'Subscriptions are not served over HTTP: use a WebSocket on the same path, with the protocol graphql-transport-ws.',
    ),
  );
  assert.deepEqual(await post({ query: '{__typename}', operationName: '' }), { __typename: 'Query' });
  assert.deepEqual(await (await get({ query: '{__typename}', operationName: '' })).json(), {
    data: { __typename: 'Query' },
  });
  assert.deepEqual(
    await post({ query: TWO, operationName: '' }),
    rejected('The document must have one operation, or operationName must name one of them.'),
  );
  assert.deepEqual(
    await post({ query: TWO, operationName: 'C' }),
    rejected('The document has no operation with the name C.'),
  );
  assert.deepEqual(await post({ query: TWO, operationName: 'B' }), { __typename: 'Query' });
});

test('a client that subscribes over HTTP is told to use a WebSocket', async () => {
  for (const accept of ['text/event-stream', 'text/event-stream, multipart/mixed']) {
    const response = await fetch(`${switchboard.url}/graphql`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Accept: accept },
      body: JSON.stringify({ query: 'subscription { deskEvents { type } }' }),
    });
    assert.equal(response.status, 406);
    const { errors } = (await response.json()) as { errors: { message: string; extensions: object }[] };
    assert.match(errors[0]?.message ?? '', /^Subscriptions are not served over HTTP: use a WebSocket/);
    assert.deepEqual(errors[0]?.extensions, { code: 'BAD_REQUEST' });
  }
});

test('a request without a credential is told which ones are accepted', async () => {
  const token = 'an access token as Authorization: Bearer.';
  const any = `Send an API key in X-API-Key, or ${token} A page of this service needs a session: log in at /login.`;
  const ofOwnPage = { Origin: switchboard.url };
  for (const [path, headers, message] of [
    ['/graphql', {}, any],
    ['/graphql?key=x', {}, any],
    ['/graphql', { Authorization: 'Basic eDp5' }, any],
    ['/visitor/graphql', { 'X-API-Key': switchboard.key }, `Send ${token}`],
    ['/graphql', { Authorization: 'Bearer nonsense' }, 'access token not valid'],
    ['/graphql', { 'X-API-Key': 'nonsense' }, 'API key not valid'],
    ['/graphql', { Cookie: 'switchboard=nonsense', ...ofOwnPage }, any],
    ['/graphql', { Cookie: `switchboard=${'A'.repeat(43)}`, ...ofOwnPage }, 'session not valid'],
  ] as const) {
    const response = await fetch(`${switchboard.url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: '{"query":"{__typename}"}',
    });
    assert.equal(response.status, 401);
    assert.deepEqual(await response.json(), { errors: [{ message, extensions: { code: 'UNAUTHENTICATED' } }] });
  }
});

test('an empty operation name over a WebSocket is the same as none', async () => {
  const socket = openSocket(switchboard.url, token);
  for await (const result of socket.client.iterate({ query: '{__typename}', operationName: '' }))
    assert.deepEqual(result, { data: { __typename: 'Query' } });
  socket.end();
});

test('an idempotency key makes a mutation safe to repeat, and is rejected with another input or a query', async () => {
  const client = graphqlClient(switchboard.url, token);
  const create =
    'mutation($email:String!){operatorCreate(input:{name:"N",email:$email}){operator{id} userErrors{code}}}';
  const headers = { 'Idempotency-Key': 'once' };
  const first = await client.run(create, { email: 'once@example.com' }, headers);
  const replayed = await client.run(create, { email: 'once@example.com' }, headers);
  assert.ok(first.data.operatorCreate.operator.id);
  assert.deepEqual(replayed.data, first.data);
  const other = await client.run(create, { email: 'other@example.com' }, headers);
  assert.equal(other.errors[0]?.extensions.code, 'BAD_REQUEST');
  const query = await client.run('{viewer{id}}', {}, { 'Idempotency-Key': 'query' });
  assert.equal(query.errors[0]?.extensions.code, 'BAD_REQUEST');
});

test('a new API key is returned once: a repeated request does not return it again', async () => {
  const client = graphqlClient(switchboard.url, token);
  const create = 'mutation{apiKeyCreate(input:{name:"K",access:READ}){key apiKey{id prefix}}}';
  const first = await client.run(create, {}, { 'Idempotency-Key': 'key' });
  const repeated = await client.run(create, {}, { 'Idempotency-Key': 'key' });
  assert.match(first.data.apiKeyCreate.key, /^sb_/);
  assert.equal(repeated.data.apiKeyCreate.key, null);
  assert.deepEqual(repeated.data.apiKeyCreate.apiKey, first.data.apiKeyCreate.apiKey);
});
