import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import fastify from 'fastify';
import { compressResponses } from '../../../src/api/http/compression.ts';
import { chooseEncoding, type Encoding } from '../../../src/api/http/encoding.ts';
import { logIn } from '../../support/clients/oauth.ts';
import { type PlainResponse, sendPlain } from '../../support/clients/plain-http.ts';
import { restClient } from '../../support/clients/rest.ts';
import { createOperator } from '../../support/fixtures/resources.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

const DECODERS: Readonly<Record<Encoding, (bytes: Buffer) => Buffer>> = {
  zstd: zstdDecompressSync,
  br: brotliDecompressSync,
  gzip: gunzipSync,
};
const ENCODINGS = Object.keys(DECODERS) as Encoding[];

const decode = ({ headers, bytes }: PlainResponse) =>
  String(DECODERS[headers['content-encoding'] as Encoding]?.(bytes) ?? bytes);

test('the encoding is the best that the client accepts', () => {
  const cases: [string | undefined, Encoding | undefined][] = [
    [undefined, undefined],
    ['', undefined],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip, deflate', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['gzip, deflate, br, zstd', 'zstd'],
    ['br;q=0.5, gzip;q=1.0', 'gzip'],
    ['br; q=0.5 , gzip ; q=0.4', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['gzip;q=0', undefined],
    ['*', 'zstd'],
    ['*;q=0', undefined],
    ['zstd;q=0, *', 'br'],
    ['identity', undefined],
    ['identity;q=1, gzip;q=0.5', undefined],
    ['deflate, compress', undefined],
    ['gzip;q=x', undefined],
    ['x-gzip', undefined],
  ];
  for (const [header, expected] of cases) assert.equal(chooseEncoding(header), expected, `${header}`);
  assert.equal(chooseEncoding('zstd, br, gzip', ['br', 'gzip']), 'br');
});

describe('responses', () => {
  let switchboard: Switchboard;
  let authorization: { Authorization: string };
  let key: { 'X-API-Key': string };
  before(async () => {
    switchboard = await startSwitchboard();
    key = { 'X-API-Key': switchboard.key };
    const rest = restClient(switchboard.url, switchboard.key);
    for (let count = 0; count < 6; count += 1) await createOperator(rest, { name: `Zoë ${count}` });
    authorization = { Authorization: `Bearer ${await logIn(switchboard.url, ADMIN)}` };
  });
  after(() => switchboard.stop());

  const list = (headers: object = {}, method = 'GET') =>
    sendPlain(`${switchboard.url}/api/2/operator?full=1`, { method, headers: { ...key, ...headers } });

  for (const encoding of ENCODINGS) {
    test(`of more than 1.4 kB are compressed with ${encoding}, and have the same content`, async () => {
      const plain = await list();
      const compressed = await list({ 'Accept-Encoding': encoding });
      assert.equal(compressed.status, 200);
      assert.equal(compressed.headers['content-encoding'], encoding);
      assert.equal(Number(compressed.headers['content-length']), compressed.bytes.length);
      assert.ok(compressed.bytes.length < plain.bytes.length / 2);
      assert.equal(decode(compressed), String(plain.bytes));
      const again = await list({ 'Accept-Encoding': encoding });
      assert.deepEqual(again.bytes, compressed.bytes);
    });
  }

  test('are not compressed for clients that do not ask, but depend on what clients ask for', async () => {
    for (const headers of [{}, { 'Accept-Encoding': 'identity' }, { 'Accept-Encoding': 'gzip;q=0' }]) {
      const response = await list(headers);
      assert.equal(response.headers['content-encoding'], undefined);
      assert.equal(response.headers.vary, 'Accept-Encoding');
      assert.ok(JSON.parse(String(response.bytes)).data.length > 5);
    }
    assert.equal((await list({ 'Accept-Encoding': 'gzip' })).headers.vary, 'Accept-Encoding');
  });

  test('of up to 1.4 kB are not compressed', async () => {
    const response = await sendPlain(`${switchboard.url}/api/2/operator/1`, {
      headers: { ...key, 'Accept-Encoding': 'gzip' },
    });
    assert.equal(response.headers['content-encoding'], undefined);
    assert.equal(response.headers.vary, undefined);
  });

  test('to HEAD have the headers of GET', async () => {
    const headers = { 'Accept-Encoding': 'gzip' };
    const [get, head] = [await list(headers), await list(headers, 'HEAD')];
    assert.equal(head.bytes.length, 0);
    for (const name of ['content-length', 'content-encoding', 'vary', 'content-type'])
      assert.equal(head.headers[name], get.headers[name], name);
  });

  test('of GraphQL and errors are compressed', async () => {
    const post = (query: string) =>
      sendPlain(`${switchboard.url}/graphql`, {
        method: 'POST',
        headers: { ...authorization, 'Content-Type': 'application/json', 'Accept-Encoding': 'gzip' },
        body: JSON.stringify({ query }),
      });
    const data = await post('{__schema{types{name description}}}');
    assert.equal(data.headers['content-encoding'], 'gzip');
    assert.ok(JSON.parse(decode(data)).data.__schema.types.length > 10);
    const fields = new URLSearchParams(Array.from({ length: 50 }, (_, index) => [`unknown${index}`, '1']));
    const error = await sendPlain(`${switchboard.url}/api/2/operator`, {
      method: 'POST',
      headers: { ...key, 'Content-Type': 'application/x-www-form-urlencoded', 'Accept-Encoding': 'gzip' },
      body: String(fields),
    });
    assert.equal(error.status, 400);
    assert.equal(error.headers['content-encoding'], 'gzip');
    assert.ok(JSON.parse(decode(error)).meta.errors.length > 50);
  });

  test('that are large are compressed as well', async () => {
    const query = `{${Array.from({ length: 12 }, (_, index) => `a${index}:__schema{types{name description fields{name description}}}`)}}`;
    const post = (headers: Record<string, string>) =>
      sendPlain(`${switchboard.url}/graphql`, {
        method: 'POST',
        headers: { ...authorization, 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify({ query }),
      });
    const plain = await post({});
    assert.equal(decode(await post({ 'Accept-Encoding': 'gzip' })), String(plain.bytes));
  });

  test('of /metrics are compressed', async () => {
    const response = await sendPlain(`${switchboard.url}/metrics`, { headers: { 'Accept-Encoding': 'gzip' } });
    assert.equal(response.headers['content-encoding'], 'gzip');
    assert.match(decode(response), /^switchboard_info/m);
  });
});

describe('the compression', () => {
  const TEXT = 'Compress me, please. '.repeat(1000);
  const app = fastify();
  before(() => {
    compressResponses(app);
    const json = { 'content-type': 'application/json' };
    app.get('/stream', (_request, reply) => reply.headers(json).send(Readable.from([TEXT, TEXT])));
    app.get('/failing', (_request, reply) => reply.headers(json).send(Readable.from(failLate())));
    app.get('/image', (_request, reply) => reply.header('content-type', 'image/png').send(Buffer.from(TEXT)));
    app.get('/tagged', (_request, reply) => reply.headers({ ...json, etag: '"1"' }).send(TEXT));
    app.get('/encoded', (_request, reply) => reply.headers({ ...json, 'content-encoding': 'x' }).send(TEXT));
    app.get('/empty', (_request, reply) => reply.code(304).headers(json).send());
    app.get('/length', (_request, reply) => reply.headers({ ...json, 'content-length': TEXT.length }).send(TEXT));
  });
  after(() => app.close());

  async function* failLate() {
    yield TEXT;
    throw new Error('The source failed.');
  }

  const inject = (url: string, method: 'GET' | 'HEAD' = 'GET') =>
    app.inject({ url, method, headers: { 'accept-encoding': 'gzip' } });

  test('compresses streams', async () => {
    const { headers, rawPayload } = await inject('/stream');
    assert.equal(headers['content-encoding'], 'gzip');
    assert.equal(headers.vary, 'Accept-Encoding');
    assert.equal(headers['content-length'], undefined);
    assert.equal(String(gunzipSync(rawPayload)), TEXT + TEXT);
  });

  test('answers HEAD for a stream without a body', async () => {
    const { headers, rawPayload } = await inject('/stream', 'HEAD');
    assert.equal(headers['content-encoding'], 'gzip');
    assert.equal(rawPayload.length, 0);
  });

  test('ends the response if the source of a stream fails', async () => {
    await assert.rejects(inject('/failing').then(({ rawPayload }) => gunzipSync(rawPayload)));
  });

  test('replaces the length', async () => {
    const { headers, rawPayload } = await inject('/length');
    assert.equal(Number(headers['content-length']), rawPayload.length);
    assert.equal(String(gunzipSync(rawPayload)), TEXT);
  });

  test('leaves other media types, tagged, encoded and empty responses alone', async () => {
    for (const path of ['/image', '/tagged', '/empty']) {
      const { headers } = await inject(path);
      assert.equal(headers['content-encoding'], undefined, path);
      assert.equal(headers.vary, undefined, path);
    }
    const { headers, body } = await inject('/encoded');
    assert.equal(headers['content-encoding'], 'x');
    assert.equal(body, TEXT);
  });
});

describe('without compression', () => {
  test('responses are sent as they are', async () => {
    const switchboard = await startSwitchboard({ env: { SWITCHBOARD_COMPRESSION: '0' } });
    try {
      const response = await sendPlain(`${switchboard.url}/metrics`, { headers: { 'Accept-Encoding': 'gzip' } });
      assert.equal(response.headers['content-encoding'], undefined);
      assert.equal(response.headers.vary, undefined);
    } finally {
      await switchboard.stop();
    }
  });
});
