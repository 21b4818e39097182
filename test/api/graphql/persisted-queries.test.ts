import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { createClient, fetchExchange } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { createClient as createSockets } from 'graphql-ws';
import { openSite, type Site } from '../../support/fixtures/site.ts';

const sha256 = (text: string) => hash('sha256', text, 'hex');
const QUERY = 'query Own { __typename }';

/** What an endpoint is asked in this suite, and a token for it. */
interface Endpoint {
  readonly path: string;
  token(): string;
}

let site: Site;
let visitorToken: string;
before(async () => {
  site = await openSite();
  visitorToken = (await site.createVisitor()).token;
});
after(() => site.stop());

const ENDPOINTS: readonly Endpoint[] = [
  { path: '/graphql', token: () => site.admin.token },
  { path: '/visitor/graphql', token: () => visitorToken },
];

/** A `fetch` that records what the client sends and gets. */
function recordingFetch(token: string) {
  const calls: { method: string; hasQuery: boolean; status: number }[] = [];
  const send: typeof fetch = async (input, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set('Authorization', `Bearer ${token}`);
    const response = await fetch(input, { ...init, headers });
    const method = init.method ?? 'GET';
    const sent =
      method === 'GET' ? new URL(String(input)).searchParams.has('query') : /"query":/.test(String(init.body));
    calls.push({ method, hasQuery: sent, status: response.status });
    return response;
  };
  return { send, calls };
}

for (const { path, token } of ENDPOINTS)
  describe(path, () => {
    for (const method of ['GET', 'POST'] as const) {
      test(`Apollo falls back from persisted queries by ${method}, and does not try again`, async (t) => {
        const { send, calls } = recordingFetch(token());
        const client = new ApolloClient({
          cache: new InMemoryCache(),
          link: new PersistedQueryLink({ sha256, useGETForHashedQueries: method === 'GET' }).concat(
            new HttpLink({ uri: site.url + path, fetch: send }),
          ),
        });
        t.after(() => client.stop());
        for (let times = 0; times < 2; times += 1) {
          const { data } = await client.query({ query: gql(QUERY), fetchPolicy: 'network-only' });
          assert.deepEqual(data, { __typename: 'Query' });
        }
        assert.deepEqual(calls, [
          { method, hasQuery: false, status: 200 },
          { method: 'POST', hasQuery: true, status: 200 },
          { method: 'POST', hasQuery: true, status: 200 },
        ]);
      });

      test(`urql falls back from persisted queries by ${method}`, async () => {
        const { send, calls } = recordingFetch(token());
        const client = createClient({
          url: site.url + path,
          fetch: send,
          requestPolicy: 'network-only',
          exchanges: [
            persistedExchange({
              preferGetForPersistedQueries: method === 'GET' ? 'force' : false,
              generateHash: async (text) => sha256(text),
            }),
            fetchExchange,
          ],
        });
        for (let times = 0; times < 2; times += 1) {
          const { data, error } = await client.query(QUERY, {}).toPromise();
          assert.deepEqual([data?.__typename, error], ['Query', undefined]);
        }
        assert.deepEqual(calls[0], { method, hasQuery: false, status: 200 });
        assert.equal(calls.filter(({ hasQuery }) => !hasQuery).length, 1, 'only the first request has a hash alone');
      });
    }

    test('a request with a hash alone is answered as by Apollo Server', async () => {
      const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(QUERY) } };
      const search = new URLSearchParams({ operationName: 'Own', extensions: JSON.stringify(extensions) });
      const headers = { Authorization: `Bearer ${token()}`, 'Content-Type': 'application/json' };
      const body = JSON.stringify({ operationName: 'Own', variables: {}, extensions });
      for (const response of [
        await fetch(`${site.url}${path}?${search}`, { headers }),
        await fetch(site.url + path, { method: 'POST', headers, body }),
        await fetch(site.url + path, { method: 'POST', headers, body: JSON.stringify({ query: null, extensions }) }),
      ]) {
        assert.equal(response.status, 200);
        assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
        assert.equal(response.headers.get('cache-control'), 'no-store');
        assert.deepEqual(await response.json(), {
          errors: [{ message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } }],
        });
      }
    });

    test('a request with a query and its hash is executed', async () => {
      const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(QUERY) } };
      const response = await fetch(site.url + path, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token()}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ query: QUERY, extensions }),
      });
      assert.deepEqual(await response.json(), { data: { __typename: 'Query' } });
    });

    test('a hash alone over a WebSocket gets the same error', async (t) => {
      const sockets = createSockets({
        url: site.url.replace('http', 'ws') + path,
        connectionParams: { token: token() },
      });
      t.after(() => sockets.dispose());
      const extensions = { persistedQuery: { version: 1, sha256Hash: sha256(QUERY) } };
      const results = sockets.iterate({ query: '', extensions });
      await assert.rejects(results.next(), ([error]: { extensions: { code: string } }[]) => {
        assert.equal(error?.extensions.code, 'PERSISTED_QUERY_NOT_SUPPORTED');
        return true;
      });
    });

    test('over a WebSocket, Apollo always sends the document', async (t) => {
      const sockets = createSockets({
        url: site.url.replace('http', 'ws') + path,
        connectionParams: { token: token() },
      });
      const link = ApolloLink.from([new PersistedQueryLink({ sha256 }), new GraphQLWsLink(sockets)]);
      const client = new ApolloClient({ cache: new InMemoryCache(), link });
      t.after(async () => {
        client.stop();
        await sockets.dispose();
      });
      assert.deepEqual((await client.query({ query: gql(QUERY) })).data, { __typename: 'Query' });
    });
  });
