import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { findStablePort } from '../../support/processes/ports.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

const DESK = 'https://desk.example';
const EVIL = 'https://evil.example';

/** Opens a WebSocket with these headers. Returns 101, or the status of the response that rejects it. */
function upgrade(
  { url }: { url: string },
  headers: Readonly<Record<string, string>>,
  path = '/graphql',
): Promise<number> {
  const socket = new WebSocket(url.replace(/^http/, 'ws') + path, 'graphql-transport-ws', { headers });
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('unexpected-response', (request, response) => {
      request.destroy();
      resolve(response.statusCode ?? 0);
    });
    socket.once('open', () => {
      socket.terminate();
      resolve(101);
    });
  });
}

async function withSwitchboard(env: Record<string, string>, run: (switchboard: Switchboard) => Promise<void>) {
  const switchboard = await startSwitchboard({ env });
  await run(switchboard).finally(() => switchboard.stop());
}

test('a WebSocket without an origin is accepted: servers and apps send none', async () => {
  await withSwitchboard({}, async (switchboard) => {
    assert.equal(await upgrade(switchboard, {}), 101);
  });
});

test("a WebSocket of the service's own pages is accepted, one of another origin gets 403", async () => {
  await withSwitchboard({}, async (switchboard) => {
    const { host, hostname } = new URL(switchboard.url);
    assert.equal(await upgrade(switchboard, { Origin: switchboard.url }), 101);
    assert.equal(await upgrade(switchboard, { Host: 'Desk.Example', Origin: DESK }), 101, 'TLS ends at a proxy');
    assert.equal(await upgrade(switchboard, { Host: 'desk.example:443', Origin: DESK }), 101, 'the default port');
    for (const origin of [EVIL, 'null', '', `http://${hostname}`, `http://${host}.evil.example`, `http://evil@${host}`])
      assert.equal(await upgrade(switchboard, { Origin: origin }), 403, origin);
    assert.equal(await upgrade(switchboard, { Host: 'desk.example:444', Origin: DESK }), 403);
    const forwarded = { Origin: EVIL, 'X-Forwarded-Host': 'evil.example' };
    assert.equal(await upgrade(switchboard, forwarded), 403, 'the header of a peer that is not trusted');
  });
});

test('configured origins and the public URL are accepted', async () => {
  const port = String(await findStablePort());
  const publicUrl = 'https://switchboard.example/desk/';
  const node = { url: `http://127.0.0.1:${port}` };
  const env = { PORT: port, SWITCHBOARD_CORS_ORIGINS: DESK, SWITCHBOARD_PUBLIC_URL: publicUrl };
  await withSwitchboard(env, async () => {
    for (const origin of [DESK, 'https://switchboard.example', node.url])
      assert.equal(await upgrade(node, { Origin: origin }), 101, origin);
    for (const origin of [EVIL, 'http://switchboard.example', 'https://switchboard.example:8443'])
      assert.equal(await upgrade(node, { Origin: origin }), 403, origin);
  });
});

test('behind a trusted proxy the forwarded host is the own one', async () => {
  await withSwitchboard({ SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.1,::1' }, async (switchboard) => {
    const forwarded = { Host: 'node1:8080', 'X-Forwarded-Host': 'desk.example', 'X-Forwarded-Proto': 'https' };
    assert.equal(await upgrade(switchboard, { ...forwarded, Origin: DESK }), 101);
    assert.equal(await upgrade(switchboard, { ...forwarded, Origin: 'http://node1:8080' }), 403);
    assert.equal(await upgrade(switchboard, { ...forwarded, Origin: EVIL }), 403);
    const twoProxies = { ...forwarded, 'X-Forwarded-Host': 'evil.example, desk.example' };
    assert.equal(await upgrade(switchboard, { ...twoProxies, Origin: EVIL }), 403, 'the client sent the first value');
    assert.equal(await upgrade(switchboard, { ...twoProxies, Origin: DESK }), 101);
  });
});

test("the visitors' endpoint keeps the rule of its websites", async () => {
  await withSwitchboard({ SWITCHBOARD_CORS_ORIGINS: DESK }, async (switchboard) => {
    assert.equal(await upgrade(switchboard, { Origin: DESK }, '/visitor/graphql'), 403);
  });
});
