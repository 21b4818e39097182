import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { assertError, assertOk } from '../../support/clients/envelope.ts';
import { rawRequest, sendRaw } from '../../support/clients/raw.ts';
import { type RestClient, type RestResponse, restClient } from '../../support/clients/rest.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

let switchboard: Switchboard;
let rest: RestClient;
before(async () => {
  switchboard = await startSwitchboard({
    env: { SWITCHBOARD_HEADERS_TIMEOUT: '0.5', SWITCHBOARD_REQUEST_TIMEOUT: '1' },
  });
  rest = restClient(switchboard.url, switchboard.key);
});
after(() => switchboard.stop());

/** Sends one byte every 100 ms until the socket closes. */
function drip(socket: Socket, byte: string): void {
  const timer = setInterval(() => socket.write(byte), 100);
  socket.once('close', () => clearInterval(timer));
}

/** Retries after a timeout: a busy machine may delay a valid request for longer than the server's short deadlines. */
async function getWithRetry(path: string): Promise<RestResponse> {
  let response: RestResponse | undefined;
  await waitUntil(`${path} gets a response`, async () => {
    response = await rest.get(path).catch(() => undefined);
    return response !== undefined && response.status !== 408;
  });
  return response as RestResponse;
}

async function assertTimedOut(send: (socket: Socket) => void): Promise<void> {
  const response = await sendRaw(switchboard.url, send);
  assertError(response, 408, 'The request took too long.');
  assert.match(response.head, /^content-type: application\/json/im);
}

test('headers that never end, silent or slow, get 408 in the envelope', async () => {
  await Promise.all([
    assertTimedOut((socket) => socket.write('GET /api/2/operator HTTP/1.1\r\nHost: a\r\n')),
    assertTimedOut((socket) => socket.write('GE')),
    assertTimedOut((socket) => {
      socket.write('GET /api/2/operator HTTP/1.1\r\nX: ');
      drip(socket, 'x');
    }),
  ]);
});

test('bodies that never end, silent or slow, get 408 in the envelope', async () => {
  const key = `X-API-Key: ${switchboard.key}`;
  await Promise.all([
    assertTimedOut((socket) =>
      socket.write(rawRequest('POST /api/2/group HTTP/1.1', [key, 'Content-Length: 100'], 'name=')),
    ),
    assertTimedOut((socket) => {
      socket.write(rawRequest('POST /api/2/group HTTP/1.1', [key, 'Content-Length: 1000'], 'name='));
      drip(socket, 'x');
    }),
    assertTimedOut((socket) => {
      socket.write(rawRequest('POST /api/2/group HTTP/1.1', [key, 'Transfer-Encoding: chunked'], '5\r\nname=\r\n'));
      drip(socket, '1\r\nx\r\n');
    }),
  ]);
  assert.equal((await getWithRetry('/group')).body.pagination.count, 0, 'an incomplete body must not be processed');
});

test('a hundred slow requests do not block others', async () => {
  const slow = Array.from({ length: 100 }, () =>
    assertTimedOut((socket) => socket.write('POST /api/2/operator HTTP/1.1\r\nHost: a\r\n')),
  );
  for (let time = 0; time < 20; time++) assertOk(await getWithRetry('/operator'));
  await Promise.all(slow);
  assertOk(await getWithRetry('/operator'));
});

test('clients that disconnect early cause no error', async () => {
  const key = `X-API-Key: ${switchboard.key}`;
  for (const text of [
    'GET /api/2/oper',
    rawRequest('POST /api/2/group HTTP/1.1', [key, 'Content-Length: 100'], 'name='),
    rawRequest('GET /api/2/operator HTTP/1.1', [key]),
  ]) {
    await assert.rejects(
      sendRaw(switchboard.url, (socket) => {
        socket.write(text, () => socket.destroy());
      }),
    );
  }
  assertOk(await getWithRetry('/operator'));
  assert.doesNotMatch(switchboard.log(), /request failed/);
});
