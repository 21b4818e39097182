import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { assertEnvelope, assertError, assertOk } from '../../support/clients/envelope.ts';
import { type RawResponse, rawRequest, sendRaw } from '../../support/clients/raw.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { createOperator, newOperatorFields } from '../../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

let switchboard: Switchboard;
let rest: RestClient;
let KEY: string;
before(async () => {
  switchboard = await startSwitchboard();
  rest = restClient(switchboard.url, switchboard.key);
  KEY = `X-API-Key: ${switchboard.key}`;
});
after(() => switchboard.stop());

/** After any input the service still responds and has logged no internal error. */
afterEach(async () => {
  assertOk(await rest.get('/operator?limit=1'));
  assert.doesNotMatch(switchboard.log(), /"level":(50|60)|request failed/);
});

const raw = (text: string) => sendRaw(switchboard.url, text);

function assertRaw(response: RawResponse, status: number, message?: string | RegExp): void {
  assertError(response, status, message);
  assert.match(response.head, /^content-type: application\/json; charset=utf-8$/im);
  assert.match(response.head, /^cache-control: no-store$/im);
}

test('malformed request lines and headers get 400 in the envelope', async () => {
  const broken = [
    'HELLO\r\n\r\n',
    'GET\r\n\r\n',
    'GET /api/2/operator HTTP/9.9\r\nHost: a\r\n\r\n',
    'GET /api/2/op erator HTTP/1.1\r\nHost: a\r\n\r\n',
    `GET /api/2/operator HTTP/1.1\r\nHost: a\r\n${KEY}\r\nNo colon here\r\n\r\n`,
    'GET /api/2/operator HTTP/1.1\r\nHost: a\r\nX-Bad\0: b\r\n\r\n',
    'GET /api/2/operator HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n',
    'GET /api/2/operator\0 HTTP/1.1\r\nHost: a\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n',
    '{"json":true}\r\n\r\n',
  ];
  for (const text of broken) assertRaw(await raw(text), 400, 'The request cannot be read.');
  assertRaw(await raw('GET /api/2/operator\r\n\r\n'), 403, 'Forbidden');
});

test('malformed chunks and conflicting body lengths get 400', async () => {
  const post = (headers: string[], body: string) =>
    raw(rawRequest('POST /api/2/group HTTP/1.1', [KEY, 'Content-Type: application/json', ...headers], body));
  assertRaw(await post(['Transfer-Encoding: chunked'], 'zz\r\nhello\r\n0\r\n\r\n'), 400);
  assertRaw(await post(['Transfer-Encoding: chunked'], '5\r\nhelloooooo\r\n0\r\n\r\n'), 400);
  assertRaw(await post(['Transfer-Encoding: chunked'], 'fffffffffffffffff\r\n'), 400);
  assertRaw(await post(['Transfer-Encoding: chunked', 'Content-Length: 5'], '0\r\n\r\n'), 400);
  assertRaw(await post(['Content-Length: 5', 'Content-Length: 6'], 'hello!'), 400);
  assertRaw(await post(['Content-Length: -1'], ''), 400);
  assertRaw(await post(['Content-Length: 1e1'], '1234567890'), 400);
  assertRaw(await post(['Transfer-Encoding: gzip'], 'hello'), 400);
  assertRaw(await post(['Transfer-Encoding: chunked, identity'], 'hello'), 400);
  const fine = await post(
    ['Transfer-Encoding: chunked', 'Connection: close'],
    'b\r\n{"name":"G"\r\n1\r\n}\r\n0\r\n\r\n',
  );
  assertOk(fine, 201);
  assert.equal((await rest.get('/group')).body.pagination.count, 1);
});

test('bytes beyond the Content-Length do not become a second request', async () => {
  const smuggled = rawRequest(
    'POST /api/2/group HTTP/1.1',
    [KEY, 'Content-Length: 6'],
    'name=AGET /api/2/client HTTP/1.1\r\n\r\n',
  );
  assertOk(await raw(smuggled), 201);
});

test('unusual request targets (//, absolute, *) never cause a 5xx', async () => {
  const get = (target: string) => raw(rawRequest(`GET ${target} HTTP/1.1`, [KEY, 'Connection: close']));
  for (const target of [
    '//',
    '///',
    '//api/2/operator',
    '/api//2/operator',
    '/..',
    '/api/2/../2/operator',
    '/%2e%2e',
    '/?',
    '/;x',
  ]) {
    const response = await get(target);
    assert.ok([200, 404, 400].includes(response.status), `${target} ${response.status}`);
    if (response.body?.meta) assertEnvelope(response);
  }
  assertOk(await get('http://localhost/api/2/operator?limit=1'));
  assertOk(await get('http://other.example.com:99/api/2/client'));
  assertRaw404(await get('http://localhost/api/2/nothing'));
  for (const target of ['http://', 'http:///api/2/client', 'ftp://x/api/2/client', 'x:y', 'nonsense']) {
    const response = await get(target);
    assert.ok(response.status < 500, target);
  }
  const star = await raw(rawRequest('OPTIONS * HTTP/1.1', ['Connection: close']));
  assert.ok(star.status < 500);
});

test('requests that Node would reject without the envelope, or ignore, get an API response', async () => {
  assertRaw(await raw(rawRequest('CONNECT localhost:1 HTTP/1.1')), 400);
  assertOk(await raw(rawRequest('GET /api/2/client HTTP/1.1', [KEY, 'Expect: miracles'])));
  assertOk(await raw(rawRequest('GET /api/2/client HTTP/1.1', [KEY, 'Connection: Upgrade', 'Upgrade: websocket'])));
  assertRaw(await raw('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), 400);
});

function assertRaw404(response: RawResponse): void {
  assertRaw(response, 404, "Unknown resource 'nothing'.");
}

test('unsupported methods get 405, unknown resources 404', async () => {
  for (const method of ['PATCH', 'TRACE']) {
    const known = await raw(rawRequest(`${method} /api/2/operator HTTP/1.1`, [KEY, 'Connection: close']));
    assertRaw(known, 405);
    assert.match(known.head, /^allow: .*GET/im, method);
    const unknown = await raw(rawRequest(`${method} /api/2/nothing HTTP/1.1`, [KEY, 'Connection: close']));
    assertRaw404(unknown);
    const keyless = await raw(rawRequest(`${method} /api/2/operator HTTP/1.1`, ['Connection: close']));
    assertRaw(keyless, 403, 'Forbidden');
  }
});

test('Host, X-API-Key and Authorization must not occur more than once', async () => {
  const get = (headers: string[], options = {}) => raw(rawRequest('GET /api/2/client HTTP/1.1', headers, '', options));
  const twice = /must not occur more than once/;
  assertRaw(await get(['Host: other', KEY]), 400, twice);
  assertRaw(await get([KEY, KEY]), 400, twice);
  assertRaw(await get([KEY, 'x-api-key: other']), 400, twice);
  assertRaw(await get(['Authorization: Basic YTpi', 'authorization: Basic YTpi']), 400, twice);
  const hostless = await get([KEY], { host: '' });
  assertRaw(hostless, 400, 'The header Host is missing.');
  assert.match(hostless.head, /^deprecation: @/im);
  assertOk(await raw(rawRequest('GET /api/2/client HTTP/1.0', [KEY], '', { host: '' })));
});

test('oversized headers get 431, an oversized URL 414', async () => {
  const many = Array.from({ length: 3000 }, (_, index) => `X-${index}: ${index}`);
  assertRaw(await raw(rawRequest('GET /api/2/client HTTP/1.1', [KEY, `X-Big: ${'x'.repeat(70_000)}`])), 431);
  assertRaw(await raw(rawRequest('GET /api/2/client HTTP/1.1', [KEY, ...many])), 431);
  assertRaw(await raw(rawRequest(`GET /api/2/client?${'x'.repeat(70_000)} HTTP/1.1`, [KEY])), 414);
  assertRaw(await raw(rawRequest(`GET /${'x'.repeat(70_000)} HTTP/1.1`, [KEY])), 414);
  assertRaw(await raw(rawRequest(`GET /api/2/operator/${'x'.repeat(5000)} HTTP/1.1`, [KEY])), 414);
  assertOk(await rest.get(`/client?x=${'x'.repeat(8000)}`));
});

test('bodies over 1 MiB get 413, with or without a length', async () => {
  const big = 'x'.repeat(1024 * 1024 + 1);
  for (const path of ['/operator', '/group']) assertError(await rest.post(path, `name=${big}`), 413, /1 MiB/);
  assertError(await rest.post('/operator', newOperatorFields({ name: big })), 413);
  const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
  const chunked = rawRequest('POST /api/2/group HTTP/1.1', [KEY, 'Transfer-Encoding: chunked'], chunk.repeat(17));
  assertRaw(await raw(`${chunked}0\r\n\r\n`), 413);
  assertRaw(await raw(rawRequest('POST /api/2/group HTTP/1.1', [KEY, 'Content-Length: 99999999999'], 'x')), 413);
  const justFits = await rest.post('/group', `name=${'x'.repeat(1024 * 1024 - 5)}`);
  assertError(justFits, 400, "Value of field 'name' is not valid.");
});

test('thousands of parameters and deeply nested brackets are refused', async () => {
  const thousands = Array.from({ length: 100_000 }, (_, index) => `a${index}=1`)
    .join('&')
    .slice(0, 1024 * 1024);
  assertError(await rest.post('/operator', thousands), 400, /at most 2000/);
  assertError(await rest.post('/operator', 'a&'.repeat(500_000)), 400);
  assertError(await rest.post('/operator', `website_list${'[]=1&website_list'.repeat(60_000)}=1`), 400);
  assertError(await rest.post('/operator', `a${'[b]'.repeat(300_000)}=1`), 400);
  assertError(await rest.post('/operator', `${'['.repeat(1_000_000)}=1`), 400);
  assertError(await rest.post('/operator', `a[999999999]=1&website_list[4294967296]=1`), 400);
  assertError(await rest.get(`/operator?${'a=1&'.repeat(2001)}`), 400);
  assertError(await rest.get(`/operator?filters${'[x]'.repeat(50)}=1`), 400);
  assertError(await rest.send('POST', '/operator', json(`${'['.repeat(500_000)}${']'.repeat(500_000)}`)), 400);
  assertError(await rest.send('POST', '/operator', json(`${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}`)), 400);
  assertError(await rest.send('POST', '/operator', json(`{"name":${'1'.repeat(900_000)}}`)), 400);
  const keys = Array.from({ length: 60_000 }, (_, index) => `"k${index}":1`).join(',');
  assertError(await rest.send('POST', '/operator', json(`{${keys}}`)), 400);
  const list = Array.from({ length: 200_000 }, () => '1').join(',');
  assertError(await rest.send('POST', '/operator', json(`{"name":"A","website_list":[${list}]}`)), 400);
  assertError(await rest.post('/operator', `name=A&email=a%40example.com&website_list=${','.repeat(900_000)}`), 400);
  assertError(await rest.post('/operator', newOperatorFields({ email: `${'a.'.repeat(400_000)}@` })), 400);
});

const json = (body: string) => ({ body, headers: { 'Content-Type': 'application/json' } });

test('names of JavaScript built-ins are unknown fields', async () => {
  const { id } = await createOperator(rest);
  for (const name of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']) {
    for (const body of [`{"${name}":{"polluted":1}}`, `{"${name}":1}`, `{"call_config":{"${name}":1}}`]) {
      assertError(await rest.send('PUT', `/operator/${id}`, json(body)), 400, /is unknown\.$/);
    }
    for (const body of [
      `${name}=1`,
      `${name}[polluted]=1`,
      `call_config[${name}]=1`,
      `call_config[${name}][polluted]=1`,
    ]) {
      const response = await rest.put(`/operator/${id}`, body);
      assertError(response, 400);
    }
    const read = await rest.get(`/operator?${name}[polluted]=1&${name}=2`);
    assert.equal(read.status, name === '__proto__' ? 400 : 200);
    assertError(await rest.get(`/operator?filters[${name}]=1`), 400);
    assertError(await rest.get(`/operator?filters[${name}][polluted]=1`), 400);
    assertError(await rest.get(`/operator?filters%5B%5F_proto__]=1`), 400);
  }
  const { body } = await rest.get(`/operator/${id}`);
  assert.ok(!JSON.stringify(body).includes('polluted'));
});

test('malformed identifiers and paths get a 4xx in the envelope', async () => {
  const targets = [
    '1e1',
    '0x1',
    '9007199254740993',
    '-1',
    '%00',
    '1%00',
    '%ED%A0%80',
    '%zz',
    '%',
    '%2',
    '1%2F2',
    '%E2%82',
    '..',
    '%2e%2e',
    '1;2',
    "1'",
    '٣',
    '1%0d%0aX:y',
  ];
  for (const target of targets) {
    for (const path of [`/operator/${target}`, `/operator/${target}/live`, `/group/${target}`]) {
      for (const method of ['GET', 'DELETE', 'PUT', 'HEAD']) {
        const line = `${method} /api/2${Buffer.from(path).toString('latin1')} HTTP/1.1`;
        const response = await raw(rawRequest(line, [KEY, 'Connection: close']));
        assert.ok([400, 404, 405].includes(response.status), `${line}: ${response.status}`);
        if (method !== 'HEAD') assertEnvelope(response);
      }
    }
  }
  assertOk(await rest.get('/operator/1/'), 200);
});

test('many concurrent bad requests do not affect a valid one', async () => {
  const bad = Array.from({ length: 100 }, (_, index) =>
    raw(index % 2 === 0 ? 'BAD\r\n\r\n' : rawRequest('GET /api/2/operator/%zz HTTP/1.1', [KEY])),
  );
  assertOk(await rest.get('/operator'));
  for (const response of await Promise.all(bad)) assertRaw(response, 400);
});
