import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { WebBuild } from '../../../src/api/pages/web-build.ts';
import { getPlain } from '../../support/clients/plain-http.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

const KEEP_FOREVER = 'public, max-age=31536000, immutable';
const { manifest } = new WebBuild();
const panel = manifest?.files['panel.js'];
const loader = manifest?.files['widget.js'];

let switchboard: Switchboard;
before(async () => {
  switchboard = await startSwitchboard();
});
after(() => switchboard.stop());
const get = (path: string, headers: Record<string, string> = {}) => getPlain(switchboard.url + path, headers);

describe('a built file', () => {
  const path = `/assets/${panel?.name}`;

  test('is kept forever by browsers, and may be loaded by every website', async () => {
    const { status, headers } = await get(path);
    assert.equal(status, 200);
    assert.equal(headers['cache-control'], KEEP_FOREVER);
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8');
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
    assert.equal(headers['x-content-type-options'], 'nosniff');
  });

  test('is sent in the encoding that the browser prefers, with a tag for each', async () => {
    const plain = await get(path);
    const brotli = await get(path, { 'Accept-Encoding': 'gzip, deflate, br, zstd' });
    const gzip = await get(path, { 'Accept-Encoding': 'gzip' });
    assert.equal(brotli.headers['content-encoding'], 'br');
    assert.equal(gzip.headers['content-encoding'], 'gzip');
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.deepEqual(brotliDecompressSync(brotli.bytes), plain.bytes);
    assert.deepEqual(gunzipSync(gzip.bytes), plain.bytes);
    assert.equal(new Set([plain, brotli, gzip].map(({ headers }) => headers.etag)).size, 3);
    for (const { headers, bytes } of [plain, brotli, gzip]) {
      assert.equal(headers.vary, 'Accept-Encoding');
      assert.equal(Number(headers['content-length']), bytes.length);
    }
  });

  test('is not sent again to a browser that has it', async () => {
    const { headers } = await get(path, { 'Accept-Encoding': 'br' });
    const again = await get(path, { 'Accept-Encoding': 'gzip', 'If-None-Match': headers.etag ?? '' });
    assert.equal(again.status, 304);
    assert.equal(again.bytes.length, 0);
    assert.equal(again.headers['cache-control'], KEEP_FOREVER);
    assert.equal((await get(path, { 'If-None-Match': '"other"' })).status, 200);
  });

  test('of another build, or outside of the build, is not found', async () => {
    const names = ['widget-00000000.js', 'panel.js', `${panel?.name}.br`, 'manifest.json', '..%2Fmanifest.json', ''];
    for (const name of names) assert.equal((await get(`/assets/${name}`)).status, 404, name);
  });
});

describe('the loader of the widget', () => {
  test('is kept for five minutes and knows the address of the panel', async () => {
    const { status, headers, bytes } = await get('/widget.js');
    assert.equal(status, 200);
    assert.equal(headers['cache-control'], 'public, max-age=300');
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(headers['cross-origin-resource-policy'], 'cross-origin');
    assert.ok(String(bytes).includes(`assets/${panel?.name}`));
    assert.equal(headers['content-location'], `widget/${manifest?.widgetVersion}.js`);
    assert.equal((await get('/widget.js', { 'If-None-Match': headers.etag ?? '' })).status, 304);
  });

  test('has an address for its version, with the integrity hash of the build', async () => {
    const { status, headers, bytes } = await get(`/widget/${manifest?.widgetVersion}.js`);
    assert.equal(status, 200);
    assert.equal(headers['cache-control'], KEEP_FOREVER);
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(`sha384-${createHash('sha384').update(bytes).digest('base64')}`, loader?.integrity);
    const other = await get('/widget/0.0.1-00000000.js');
    assert.equal(other.status, 404);
    assert.equal(other.headers['access-control-allow-origin'], '*'); // otherwise the console speaks of CORS
    assert.equal(other.headers['cache-control'], 'no-cache');
  });

  test('finds the panel of this node if it comes from another version', async () => {
    const { status, headers } = await get('/assets/panel-00000000.js');
    assert.equal(status, 302);
    assert.equal(headers['cache-control'], 'no-cache');
    assert.equal(headers['access-control-allow-origin'], '*');
    assert.equal(headers.location, panel?.name);
  });
});
