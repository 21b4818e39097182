import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, test } from 'node:test';
import { send } from '../../../web/shared/api/request.ts';

let server: Server | undefined;
afterEach(() => server?.close());

async function answerWith(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/session`;
}

const answerJson = (status: number, body: object, headers: Readonly<Record<string, string>> = {}) =>
  answerWith((_request, response) => response.writeHead(status, { ...headers }).end(JSON.stringify(body)));

test('an answer is its content', async () => {
  const url = await answerJson(200, { authenticated: false });
  assert.deepEqual(await send(url), { ok: true, value: { authenticated: false } });
});

test('an answer without content succeeds', async () => {
  const url = await answerWith((_request, response) => response.writeHead(204).end());
  assert.deepEqual(await send(url, { method: 'DELETE' }), { ok: true, value: undefined });
});

const failures: readonly [
  name: string,
  status: number,
  body: object,
  headers: Record<string, string>,
  failure: object,
][] = [
  [
    'a refusal',
    400,
    { error: 'invalid_grant', error_description: 'Wrong.' },
    {},
    { kind: 'refused', code: 'invalid_grant', description: 'Wrong.' },
  ],
  [
    'a refusal of GraphQL',
    400,
    { errors: [{ message: 'No.', extensions: { code: 'FORBIDDEN' } }] },
    {},
    { kind: 'refused', code: 'FORBIDDEN', description: 'No.' },
  ],
  [
    'too many attempts',
    429,
    { error: 'too_many_requests' },
    { 'retry-after': '186' },
    { kind: 'limited', seconds: 186 },
  ],
  ['too many attempts without a time', 429, {}, {}, { kind: 'limited', seconds: 60 }],
  ['no session', 401, { errors: [] }, {}, { kind: 'loggedOut' }],
  ['a failure of the service', 503, { error: 'temporarily_unavailable' }, {}, { kind: 'unreachable' }],
  ['an error of another server', 404, {}, {}, { kind: 'unreachable' }],
];

for (const [name, status, body, headers, failure] of failures) {
  test(`${name} is a failure of its own kind`, async () => {
    assert.deepEqual(await send(await answerJson(status, body, headers)), { ok: false, failure });
  });
}

test('a page of a proxy and a broken connection are both unreachable', async () => {
  const unreachable = { ok: false, failure: { kind: 'unreachable' } };
  assert.deepEqual(
    await send(await answerWith((_request, response) => response.end('<h1>Bad gateway</h1>'))),
    unreachable,
  );
  assert.deepEqual(await send(await answerWith((request) => request.socket.destroy())), unreachable);
});
