import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { WebBuild } from '../../../src/api/pages/web-build.ts';
import type { WebManifest } from '../../../src/api/pages/web-manifest.ts';
import { getPlain } from '../../support/clients/plain-http.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

let switchboard: Switchboard;
before(async () => {
  switchboard = await startSwitchboard();
});
after(() => switchboard.stop());

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  getPlain(switchboard.url + path, headers, method);

const PAGES = ['/', '/login', '/developers', '/docs', '/docs/migration', '/docs/migration/meter', '/graphiql'];

for (const page of PAGES) {
  test(`${page} refers to its files by their hashed names, and is itself asked for every time`, async () => {
    const { bytes, headers } = await get(page);
    const files = [...String(bytes).matchAll(/(?:href|src)="([^"]+\.(?:css|js))"/g)].map(([, file = '']) => file);
    assert.ok(files.length >= 1);
    for (const file of files) {
      assert.match(file, /^\/assets\/\w+-[A-Z0-9]{8}\.(css|js)$/);
      const response = await get(file);
      assert.equal(response.status, 200);
      assert.equal(response.headers['cache-control'], 'public, max-age=31536000, immutable');
    }
    assert.equal(headers['cache-control'], 'no-cache');
  });
}

test('a page at the address of an asset is not found: it has headers of its own', async () => {
  const { files } = new WebBuild().manifest as WebManifest;
  assert.equal((await get(`/assets/${files['graphiql.html']?.name}`)).status, 404);
});

test('the OpenAPI document is sent compressed, with a tag for each encoding', async () => {
  const [plain, brotli, gzip] = await Promise.all(
    ['identity', 'gzip, deflate, br, zstd', 'gzip'].map((encoding) =>
      get('/openapi.json', { 'Accept-Encoding': encoding }),
    ),
  );
  assert.ok(plain && brotli && gzip);
  assert.deepEqual([brotli.headers['content-encoding'], gzip.headers['content-encoding']], ['br', 'gzip']);
  assert.deepEqual(brotliDecompressSync(brotli.bytes), plain.bytes);
  assert.deepEqual(gunzipSync(gzip.bytes), plain.bytes);
  assert.equal(new Set([plain, brotli, gzip].map(({ headers }) => headers.etag)).size, 3);
  const head = await get('/openapi.json', { 'Accept-Encoding': 'gzip' }, 'HEAD');
  assert.equal(head.headers['content-length'], gzip.headers['content-length']);
  assert.equal(head.bytes.length, 0);
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
  const { files } = JSON.parse(readFileSync(new URL('../../../dist/web/manifest.json', import.meta.url), 'utf8'));
  const [smallest] = Object.values<{ name: string; bytes: number }>(files).sort((a, b) => a.bytes - b.bytes);
  const { headers } = await get(`/assets/${smallest?.name}`, { 'Accept-Encoding': 'gzip' });
  assert.equal(Number(headers['content-length']), smallest?.bytes);
  assert.equal(headers['content-encoding'], undefined);
  assert.equal(headers.vary, undefined);
});
