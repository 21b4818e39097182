import assert from 'node:assert/strict';
import { test } from 'node:test';
import fastify from 'fastify';
import { createClientAddressReader } from '../../../src/api/http/client-address.ts';

const TRUSTED = ['127.0.0.1', '10.0.0.0/8', '2001:db8::/32', '::1'];

const CASES: readonly (readonly [peer: string, header: string | undefined, expected: string])[] = [
  ['203.0.113.5', undefined, '203.0.113.5'],
  ['203.0.113.5', '198.51.100.1', '203.0.113.5'],
  ['127.0.0.1', undefined, '127.0.0.1'],
  ['127.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['127.0.0.1', '192.0.2.1, 198.51.100.1', '198.51.100.1'],
  ['127.0.0.1', '192.0.2.1, 10.9.8.7', '192.0.2.1'],
  ['127.0.0.1', '192.0.2.1,10.9.8.7 ,  10.1.1.1', '192.0.2.1'],
  ['10.255.0.1', '10.0.0.1, 127.0.0.1', '10.0.0.1'],
  ['11.0.0.1', '10.0.0.1', '11.0.0.1'],
  ['::1', '2001:db8::7, 2001:db8::8', '2001:db8::7'],
  ['::1', '2001:db9::7, 2001:db8::8', '2001:db9::7'],
  ['::ffff:127.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['::ffff:203.0.113.5', '198.51.100.1', '::ffff:203.0.113.5'],
  ['127.0.0.1', '192.0.2.1, ::ffff:10.0.0.1', '192.0.2.1'],
  ['127.0.0.1', 'unknown', 'unknown'],
  ['127.0.0.1', '192.0.2.1, unknown', 'unknown'],
];

test('the address of an upgrade request follows the same rule as request.ip', async () => {
  const read = createClientAddressReader(TRUSTED);
  const app = fastify({ trustProxy: TRUSTED });
  app.get('/', async (request) => [request.ip, read(request.raw)]);
  for (const [remoteAddress, header, expected] of CASES) {
    const headers = header === undefined ? {} : { 'x-forwarded-for': header };
    const response = await app.inject({ url: '/', remoteAddress, headers });
    assert.deepEqual(response.json(), [expected, expected], `${remoteAddress} ${header}`);
  }
  await app.close();
});

test('without trusted proxies X-Forwarded-For is ignored', async () => {
  const read = createClientAddressReader([]);
  const request = { socket: { remoteAddress: '127.0.0.1' }, headers: { 'x-forwarded-for': '192.0.2.1' } };
  assert.equal(read(request as never), '127.0.0.1');
});
