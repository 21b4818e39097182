import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { getPlain } from '../../support/clients/plain-http.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

let switchboard: Switchboard;
before(async () => {
  switchboard = await startSwitchboard();
});
after(() => switchboard.stop());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  getPlain(switchboard.url + path, headers, method);

const PAGES = ['/', '/docs', '/docs/migration', '/docs/migration/meter', '/graphiql'];
const BUNDLE = '/docs/swagger-ui-bundle.js';

for (const page of PAGES) {
  test(`${page} refers to its files with their hash, and browsers keep these forever`, async () => {
    const html = String((await get(page)).bytes);
    const files = [...html.matchAll(/(?:href|src)="([^"]+\.(?:css|js|svg)(?:\?[^"]*)?)"/g)].map(
      ([, file = '']) => file,
    );
    assert.ok(files.length >= 2);
    for (const file of files) {
      assert.match(file, /\?v=[\w-]{22}$/);
      const { status, headers } = await get(file);
      assert.equal(status, 200);
      assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
    }
    assert.equal((await get(page)).headers['cache-control'], 'no-cache');
  });
}

test('a file without its hash, or with that of another version, is not kept', async () => {
  for (const query of ['', '?v=', '?v=0123456789012345678901', '?x=1'])
    assert.equal((await get(BUNDLE + query)).headers['cache-control'], 'no-cache', query);
});

test('files are sent compressed, with a tag for each encoding', async () => {
  const plain = await get(BUNDLE);
  const brotli = await get(BUNDLE, { 'Accept-Encoding': 'gzip, deflate, br, zstd' });
  const gzip = await get(BUNDLE, { 'Accept-Encoding': 'gzip' });
  assert.equal(plain.headers['content-encoding'], undefined);
  assert.deepEqual([brotli.headers['content-encoding'], gzip.headers['content-encoding']], ['br', 'gzip']);
  assert.deepEqual(brotliDecompressSync(brotli.bytes), plain.bytes);
  assert.deepEqual(gunzipSync(gzip.bytes), plain.bytes);
  assert.ok(brotli.bytes.length < gzip.bytes.length);
  assert.ok(gzip.bytes.length < plain.bytes.length / 3);
  assert.equal(new Set([plain, brotli, gzip].map(({ headers }) => headers.etag)).size, 3);
  for (const { headers, bytes } of [plain, brotli, gzip]) {
    assert.equal(headers.vary, 'Accept-Encoding');
    assert.equal(Number(headers['content-length']), bytes.length);
  }
  const head = await get(BUNDLE, { 'Accept-Encoding': 'gzip' }, 'HEAD');
  assert.equal(head.headers['content-length'], gzip.headers['content-length']);
  assert.equal(head.bytes.length, 0);
  const zstd = await get(BUNDLE, { 'Accept-Encoding': 'zstd' });
  assert.equal(zstd.headers['content-encoding'], undefined);
});

test('an unchanged file is not sent again, whatever its encoding was', async () => {
  for (const encoding of ['identity', 'gzip', 'br']) {
    const { headers } = await get('/openapi.json', { 'Accept-Encoding': encoding });
    const tag = headers.etag ?? '';
    for (const tags of [tag, `W/${tag}`, `"other", ${tag}`]) {
      const response = await get('/openapi.json', { 'Accept-Encoding': 'gzip', 'If-None-Match': tags });
      assert.equal(response.status, 304, tags);
      assert.equal(response.bytes.length, 0);
      assert.equal(response.headers.vary, 'Accept-Encoding');
      assert.match(response.headers.etag ?? '', /-gzip"$/);
    }
  }
  assert.equal((await get('/openapi.json', { 'If-None-Match': '"other-gzip"' })).status, 200);
});

test('a small file is not compressed', async () => {
  const { headers } = await get('/docs/docs.js', { 'Accept-Encoding': 'gzip' });
  assert.equal(headers['content-encoding'], undefined);
  assert.equal(headers.vary, undefined);
});
