import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { ApiClient, type ApiRequest } from '../../simulate/api-client.ts';
import { HttpClient } from '../../simulate/http-client.ts';
import { Journal } from '../../simulate/journal.ts';

type ResponseStep = (request: IncomingMessage, response: ServerResponse) => void;

const dropConnection: ResponseStep = (request) => request.socket.destroy();
const respond =
  (status: number, body: object, headers: Record<string, string> = {}): ResponseStep =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
const done = respond(200, { data: { step: { value: 1, userErrors: [] } } });
const refused = respond(200, { data: { step: { userErrors: [{ code: 'STATE', message: 'It is closed.' }] } } });
const unavailable = respond(
  503,
  { errors: [{ message: 'Unavailable.', extensions: { code: 'UNAVAILABLE' } }] },
  { 'retry-after': '0' },
);

/** A service that answers its requests with these steps in order, and records what clients sent. */
async function startService(t: TestContext, ...turns: readonly ResponseStep[]) {
  const bodies: string[] = [];
  const keys: (string | string[] | undefined)[] = [];
  const server = createServer(async (request, response) => {
    bodies.push((await request.setEncoding('utf8').toArray()).join(''));
    keys.push(request.headers['idempotency-key']);
    turns[bodies.length - 1]?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, bodies, keys };
}

async function execute(t: TestContext, urls: readonly string[], overrides: Partial<ApiRequest> = {}) {
  const journal = new Journal();
  const client = new HttpClient({ urls, trustsForwardedFor: false });
  t.after(() => client.close());
  const asking = new ApiClient(client, journal, 'operator 1', { path: '/graphql', token: 'token' });
  await asking.execute({ operation: 'step', query: 'mutation { step }', variables: { clientId: 'a' }, ...overrides });
  const [entry] = journal.entries;
  assert.ok(entry?.kind === 'request_completed');
  return entry;
}

test('a request without a response is resent unchanged and counted separately', async (t) => {
  const service = await startService(t, dropConnection, dropConnection, done);
  const entry = await execute(t, [service.url], { idempotencyKey: 'a key' });
  assert.deepEqual([entry.outcome, entry.attempts, entry.attemptsWithoutResponse], ['done', 3, 2]);
  assert.equal(new Set(service.bodies).size, 1);
  assert.deepEqual(service.keys, ['a key', 'a key', 'a key']);
});

test('a request to an unavailable service is retried, and 503 counts as a response', async (t) => {
  const service = await startService(t, unavailable, unavailable, done);
  const entry = await execute(t, [service.url]);
  assert.deepEqual([entry.outcome, entry.attempts, entry.attemptsWithoutResponse], ['done', 3, 0]);
});

const gatewayError =
  (status: number): ResponseStep =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end('<html>');
const outcomeUnknown = respond(
  503,
  { errors: [{ message: 'It is not known whether it was made.', extensions: { code: 'UNAVAILABLE' } }] },
  { 'retry-after': '0' },
);

test('an error of the load balancer does not count as a response', async (t) => {
  const notReady = respond(503, { message: 'The service is not ready.' }, { 'retry-after': '0' });
  const service = await startService(t, gatewayError(502), gatewayError(503), gatewayError(504), notReady, done);
  const entry = await execute(t, [service.url]);
  assert.deepEqual([entry.outcome, entry.attempts, entry.attemptsWithoutResponse], ['done', 5, 4]);
});

test('a response with an unknown outcome does not count as a response', async (t) => {
  const service = await startService(t, outcomeUnknown, refused);
  const entry = await execute(t, [service.url], { alreadyDoneCode: 'STATE' });
  assert.deepEqual([entry.outcome, entry.attempts, entry.attemptsWithoutResponse], ['done', 2, 1]);
});

test('an unreachable node has executed nothing, and the next node gets the request', async (t) => {
  const service = await startService(t, done);
  const entry = await execute(t, ['http://127.0.0.1:1', service.url]);
  assert.deepEqual([entry.outcome, entry.attempts, entry.attemptsWithoutResponse], ['done', 2, 0]);
});

test('a refusal is final, but a success if an earlier attempt may have caused it', async (t) => {
  const plain = await startService(t, refused);
  const entry = await execute(t, [plain.url], { alreadyDoneCode: 'STATE' });
  assert.deepEqual([entry.outcome, entry.code, entry.attempts], ['refused', 'STATE', 1]);
  const flaky = await startService(t, dropConnection, refused);
  assert.equal((await execute(t, [flaky.url], { alreadyDoneCode: 'STATE' })).outcome, 'done');
  const other = await startService(t, dropConnection, refused);
  assert.equal((await execute(t, [other.url])).outcome, 'refused');
});

test('an unreadable response is a failure', async (t) => {
  const service = await startService(t, (_request, response) => response.end('<html>'));
  const entry = await execute(t, [service.url]);
  assert.deepEqual([entry.outcome, entry.code], ['failed', 'UNREADABLE']);
});
