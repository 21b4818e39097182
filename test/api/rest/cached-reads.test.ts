import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { after, before, describe, test } from 'node:test';
import { assertError, assertOk } from '../../support/clients/envelope.ts';
import { graphqlClient, logIn } from '../../support/clients/graphql.ts';
import { getPlain } from '../../support/clients/plain-http.ts';
import { rawRequest, sendRaw } from '../../support/clients/raw.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

/** Fastify publishes every call of a handler here. */
const HANDLER_CHANNEL = 'tracing:fastify.request.handler:start';
const READS = ['/operator/2', '/operator?full=1&limit=20', '/operator/live?limit=100'];
const HEADERS: readonly Record<string, string>[] = [
  {},
  { 'Accept-Encoding': 'gzip' },
  { 'Accept-Encoding': 'br;q=0, identity' },
  { Connection: 'close' },
  { Origin: 'https://app.example' },
];

interface Live {
  readonly id: number;
  readonly chat: { readonly available: boolean };
}

let handlerCalls = 0;
const countCall = () => {
  handlerCalls += 1;
};
before(() => subscribe(HANDLER_CHANNEL, countCall));
after(() => unsubscribe(HANDLER_CHANNEL, countCall));

/** The same request, answered by the route: only routes ignore a slash at the end of the path. */
const toRoutePath = (path: string) => path.replace(/(?=\?|$)/, '/');

for (const env of [{}, { SWITCHBOARD_COMPRESSION: '0' }, { SWITCHBOARD_CORS_ORIGINS: 'https://app.example' }]) {
  describe(`a cached read with ${JSON.stringify(env)}`, () => {
    let switchboard: Switchboard;
    let rest: RestClient;
    before(async () => {
      switchboard = await startSwitchboard({ demo: true, env });
      rest = restClient(switchboard.url, switchboard.key);
    });
    after(() => switchboard.stop());

    const isFromCache = !('SWITCHBOARD_CORS_ORIGINS' in env);

    async function read(path: string, headers: Record<string, string>) {
      const url = `${switchboard.url}/api/2${path}`;
      const { status, rawHeaders, bytes } = await getPlain(url, { 'X-API-Key': switchboard.key, ...headers });
      const changing = new Set(['x-request-id', 'Date']);
      return {
        status,
        headers: rawHeaders.map((text, at) => (changing.has(rawHeaders[at - 1] ?? '') ? '' : text)),
        bytes,
      };
    }

    /** Repeats the request until no handler runs, because a key is known for half a second only. */
    async function readFromCache(path: string, headers: Record<string, string> = {}) {
      let response = await read(path, headers);
      await waitUntil('the response comes from the cache', async () => {
        const calls = handlerCalls;
        response = await read(path, headers);
        return handlerCalls === calls;
      });
      return response;
    }

    for (const path of READS) {
      for (const headers of HEADERS) {
        test(`of ${path} has the same bytes as the route sends, with ${JSON.stringify(headers)}`, async () => {
          const expected = await read(toRoutePath(path), headers);
          assert.equal(expected.status, 200);
          assert.ok(expected.bytes.length > 100);
          assert.deepEqual(await (isFromCache ? readFromCache : read)(path, headers), expected);
        });
      }
    }

    test('shows a change at once', async () => {
      for (const pseudo of ['First', 'Second', 'Third']) {
        assertOk(await rest.put('/operator/2', { pseudo }));
        assert.equal((await rest.get('/operator/2')).body.data.pseudo, pseudo);
        const { body } = await rest.get('/operator?full=1&filters[id]=2');
        assert.equal(body.data[0].pseudo, pseudo);
      }
      const { id } = (await rest.get('/operator/live')).body.data.find((live: Live) => live.chat.available);
      for (const available of [false, true, false]) {
        assertOk(await rest.put(`/operator/${id}/live`, `chat[available]=${Number(available)}`));
        const live = (await rest.get('/operator/live')).body.data.find((live: Live) => live.id === id);
        assert.equal(live?.chat.available ?? false, available);
      }
    });

    test('is not found by another path, query or key', async () => {
      assertError(await rest.get('/operator/999'), 404);
      assertError(await rest.get('/operator/02'), 404);
      assert.equal((await rest.get('/operator/2?fields=name&x=/3')).body.data.id, 2);
      assert.deepEqual(Object.keys((await rest.get('/operator/2?fields=name')).body.data), ['id', 'name', '_link']);
      assertError(await restClient(switchboard.url, 'wrong').get('/operator/2'), 403);
    });

    test('is rejected like any other request', async () => {
      const line = 'GET /api/2/operator/2 HTTP/1.1';
      const key = `X-API-Key: ${switchboard.key}`;
      const { status } = await sendRaw(switchboard.url, rawRequest(line, [key]));
      assert.equal(status, 200);
      assert.equal((await sendRaw(switchboard.url, rawRequest(line, [key, key]))).status, 400);
      assert.equal((await sendRaw(switchboard.url, rawRequest(line, [key, 'Host: other']))).status, 400);
      assert.equal((await sendRaw(switchboard.url, rawRequest(line, [key], '', { host: '' }))).status, 400);
    });
  });
}

test('cached reads count in the metrics and in the use of the interface', async () => {
  const switchboard = await startSwitchboard({ demo: true });
  try {
    const rest = restClient(switchboard.url, switchboard.key);
    const admin = graphqlClient(switchboard.url, await logIn(switchboard.url));
    const counts = new Map<string, number>();
    for (const path of ['/operator/2', '/operator?full=1', '/operator/live']) {
      await waitUntil('the response comes from the cache', async () => {
        const calls = handlerCalls;
        assertOk(await rest.get(path));
        counts.set(path, (counts.get(path) ?? 0) + 1);
        return handlerCalls === calls;
      });
    }
    const [single = 0, list = 0, live = 0] = counts.values();
    const { data } = await admin.run('{ restUsage { what count } }');
    const uses = Object.fromEntries(
      data.restUsage.map(({ what, count }: { what: string; count: number }) => [what, count]),
    );
    assert.equal(uses['GET /operator/{id}'], single);
    assert.equal(uses['GET /operator'], list);
    assert.equal(uses['GET /operator/live'], live);
    assert.equal(uses['operator.role'], single + list);
    const metrics = await (await fetch(`${switchboard.url}/metrics`)).text();
    for (const [route, count] of [
      ['/api/2/operator/:id', single],
      ['/api/2/operator', list],
      ['/api/2/operator/live', live],
    ]) {
      const line = `switchboard_http_request_seconds_count{method="GET",route="${route}",status="200"} ${count}\n`;
      assert.ok(metrics.includes(line), line);
    }
  } finally {
    await switchboard.stop();
  }
});
