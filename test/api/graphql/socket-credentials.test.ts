import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { openSocket } from '../../support/clients/subscriptions.ts';
import { openSite, type Site } from '../../support/fixtures/site.ts';

const ACCOUNT = '{account{id}}';
const VIEWER = '{viewer{id}}';

let site: Site;
let token: string;
let key: string;
before(async () => {
  site = await openSite();
  token = await logIn(site.url);
  key = site.switchboard.key;
});
after(() => site.stop());

type Parameters = Record<string, unknown>;
type Headers = Record<string, string>;

/** The result of a query, or the code with which the connection was closed. */
async function runOver(query: string, parameters: Parameters, headers: Headers = {}, path = '/graphql') {
  const socket = openSocket(site.url, '', parameters, { path, headers });
  const closed = socket.closed.then(({ code, reason }) => ({ code, reason }));
  const result = await Promise.race([socket.run(query).catch(() => closed), closed]);
  socket.end();
  return result;
}

/** Every way in which clients send a token, as connection parameters and headers. */
const tokenForms = (value: string): readonly [Parameters, Headers?][] => [
  [{ token: value }],
  [{ token: `Bearer ${value}` }],
  [{ Authorization: `Bearer ${value}` }],
  [{ Authorization: value }],
  [{ authorization: `bearer ${value}` }],
  [{ AUTHORIZATION: value }],
  [{ headers: { Authorization: `Bearer ${value}` } }],
  [{ headers: { authorization: value } }],
  [{ Headers: { AUTHORIZATION: `BEARER ${value}` } }],
  [{ token: null, authorization: '', headers: { authorization: `Bearer ${value}` } }],
  [{}, { Authorization: `Bearer ${value}` }],
  [{ lang: 'fr' }, { authorization: `bearer ${value}` }],
];

suite('a token', () => {
  test('is accepted in every form that clients send', async () => {
    for (const [parameters, headers] of tokenForms(token)) {
      const { data } = await runOver(VIEWER, parameters, headers);
      assert.equal(data?.viewer.id, '1', JSON.stringify({ parameters, headers }));
    }
  });

  test('of a visitor is accepted in the same forms', async () => {
    const visitor = await site.createVisitor();
    for (const [parameters, headers] of tokenForms(visitor.token)) {
      const { data } = await runOver('{__typename}', parameters, headers, '/visitor/graphql');
      assert.equal(data?.__typename, 'Query', JSON.stringify({ parameters, headers }));
    }
  });

  test('in the connection parameters comes before the headers', async () => {
    const operator = await site.createOperator();
    const headers = { Authorization: `Bearer ${token}` };
    const read = async (parameters: Parameters) => (await runOver(VIEWER, parameters, headers)).data?.viewer.id;
    assert.equal(await read({ authorization: operator.token }), String(operator.id));
    assert.equal(await read({ headers: { authorization: operator.token } }), String(operator.id));
    assert.equal((await runOver(VIEWER, { token: 'nonsense' }, headers)).code, 4403);
    const byKey = await runOver(ACCOUNT, { 'X-API-Key': key }, headers);
    assert.equal(byKey.data.account.id, '1');
  });

  test('is not accepted in a header with another scheme', async () => {
    assert.equal((await runOver(VIEWER, {}, { Authorization: token })).code, 4403);
    assert.equal((await runOver(VIEWER, {}, { Authorization: `Basic ${token}` })).code, 4403);
    assert.equal((await runOver(VIEWER, { headers: [token] })).code, 4403);
    assert.equal((await runOver(VIEWER, { headers: token })).code, 4403);
  });
});

suite('an API key', () => {
  const forms = (): readonly [Parameters, Headers?][] => [
    [{ 'X-API-Key': key }],
    [{ 'x-api-key': key }],
    [{ apiKey: key }],
    [{ APIKEY: key }],
    [{ headers: { 'X-API-Key': key } }],
    [{ HEADERS: { apikey: key } }],
    [{}, { 'X-API-Key': key }],
    [{}, { 'x-api-key': key, Authorization: 'Basic dW5yZWxhdGVk' }],
  ];

  test('is accepted in every form that clients send', async () => {
    for (const [parameters, headers] of forms()) {
      const { data } = await runOver(ACCOUNT, parameters, headers);
      assert.equal(data?.account.id, '1', JSON.stringify({ parameters, headers }));
    }
  });

  test('is not accepted as a token, or from a visitor', async () => {
    assert.equal((await runOver(ACCOUNT, { token: key })).code, 4403);
    assert.equal((await runOver(ACCOUNT, { 'X-API-Key': token })).code, 4403);
    for (const [parameters, headers] of forms())
      assert.equal((await runOver('{__typename}', parameters, headers, '/visitor/graphql')).code, 4403);
  });

  test('together with a token closes the connection with 4400', async () => {
    const both = { code: 4400, reason: 'Send either an access token or an API key, not both.' };
    assert.deepEqual(await runOver(ACCOUNT, { token, apiKey: key }), both);
    assert.deepEqual(await runOver(ACCOUNT, { headers: { Authorization: token, 'X-API-Key': key } }), both);
    assert.deepEqual(await runOver(ACCOUNT, {}, { Authorization: `Bearer ${token}`, 'X-API-Key': key }), both);
    assert.equal((await graphqlClient(site.url, token).run(VIEWER)).status, 200);
  });
});
