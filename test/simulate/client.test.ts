import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Asking, type Question } from '../../simulate/asking.ts';
import { Client } from '../../simulate/client.ts';
import { Journal } from '../../simulate/journal.ts';

type Turn = (request: IncomingMessage, response: ServerResponse) => void;

const hangUp: Turn = (request) => request.socket.destroy();
const answer =
  (status: number, body: object, headers: Record<string, string> = {}): Turn =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
const done = answer(200, { data: { step: { thing: 1, userErrors: [] } } });
const refused = answer(200, { data: { step: { userErrors: [{ code: 'STATE', message: 'It is closed.' }] } } });
const unavailable = answer(
  503,
  { errors: [{ message: 'Away.', extensions: { code: 'UNAVAILABLE' } }] },
  { 'retry-after': '0' },
);

/** A service that does one thing after the other, and what its clients sent. */
async function serviceThat(t: TestContext, ...turns: readonly Turn[]) {
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

async function ask(t: TestContext, urls: readonly string[], more: Partial<Question> = {}) {
  const journal = new Journal();
  const client = new Client({ urls, believesAddresses: false });
  t.after(() => client.close());
  const asking = new Asking(client, journal, 'operator 1', { path: '/graphql', token: 'token' });
  await asking.ask({ operation: 'step', query: 'mutation { step }', variables: { clientId: 'a' }, ...more });
  const [entry] = journal.entries;
  assert.ok(entry?.kind === 'answered');
  return entry;
}

test('what got no answer is sent again, the same, and counted apart', async (t) => {
  const service = await serviceThat(t, hangUp, hangUp, done);
  const entry = await ask(t, [service.url], { key: 'a key' });
  assert.deepEqual([entry.outcome, entry.tries, entry.unanswered], ['done', 3, 2]);
  assert.equal(new Set(service.bodies).size, 1);
  assert.deepEqual(service.keys, ['a key', 'a key', 'a key']);
});

test('a service that is away for a moment is asked again, and that was an answer', async (t) => {
  const service = await serviceThat(t, unavailable, unavailable, done);
  const entry = await ask(t, [service.url]);
  assert.deepEqual([entry.outcome, entry.tries, entry.unanswered], ['done', 3, 0]);
});

const gateway =
  (status: number): Turn =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'text/html' }).end('<html>');
const lostInTheMiddle = answer(
  503,
  { errors: [{ message: 'It is not known whether it was made.', extensions: { code: 'UNAVAILABLE' } }] },
  { 'retry-after': '0' },
);

test('what a load balancer says in the place of a node is no answer', async (t) => {
  const inJson = answer(503, { message: 'The service is not ready.' }, { 'retry-after': '0' });
  const service = await serviceThat(t, gateway(502), gateway(503), gateway(504), inJson, done);
  const entry = await ask(t, [service.url]);
  assert.deepEqual([entry.outcome, entry.tries, entry.unanswered], ['done', 5, 4]);
});

test('an answer that the outcome is not known counts as none', async (t) => {
  const service = await serviceThat(t, lostInTheMiddle, refused);
  const entry = await ask(t, [service.url], { doneIf: 'STATE' });
  assert.deepEqual([entry.outcome, entry.tries, entry.unanswered], ['done', 2, 1]);
});

test('a node that cannot be reached has done nothing; the next one is asked', async (t) => {
  const service = await serviceThat(t, done);
  const entry = await ask(t, ['http://127.0.0.1:1', service.url]);
  assert.deepEqual([entry.outcome, entry.tries, entry.unanswered], ['done', 2, 0]);
});

test('a refusal is final, and is a success where an earlier try may have been the reason', async (t) => {
  const plain = await serviceThat(t, refused);
  const entry = await ask(t, [plain.url], { doneIf: 'STATE' });
  assert.deepEqual([entry.outcome, entry.code, entry.tries], ['refused', 'STATE', 1]);
  const flaky = await serviceThat(t, hangUp, refused);
  assert.equal((await ask(t, [flaky.url], { doneIf: 'STATE' })).outcome, 'done');
  const other = await serviceThat(t, hangUp, refused);
  assert.equal((await ask(t, [other.url])).outcome, 'refused');
});

test('an answer that nobody can read is a failure', async (t) => {
  const service = await serviceThat(t, (_request, response) => response.end('<html>'));
  const entry = await ask(t, [service.url]);
  assert.deepEqual([entry.outcome, entry.code], ['failed', 'UNREADABLE']);
});
