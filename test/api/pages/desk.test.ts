import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { getPlain } from '../../support/clients/plain-http.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

let switchboard: Switchboard;
before(async () => {
  switchboard = await startSwitchboard();
});
after(() => switchboard.stop());

const get = (path: string) => getPlain(switchboard.url + path);

for (const path of ['/desk/', '/desk/conversations/12', '/desk/messages-left', '/desk/settings', '/desk/a/b/c?d=e']) {
  test(`${path} is the desk, whose scripts and styles are found from there`, async () => {
    const [desk, page] = await Promise.all([get('/desk'), get(path)]);
    assert.equal(page.status, 200);
    assert.deepEqual(page.bytes, desk.bytes);
    assert.match(String(page.bytes), /src="\/assets\//);
  });
}

test('the desk may open WebSockets of its own origin and show pictures before they are sent, and nothing else', async () => {
  const { headers } = await get('/desk/conversations/12');
  const policy = String(headers['content-security-policy']).split('; ');
  const sockets = switchboard.url.replace('http', 'ws');
  assert.ok(policy.includes(`connect-src 'self' ${sockets}`), String(policy));
  assert.ok(policy.includes("img-src 'self' data: blob:"), String(policy));
  assert.ok(policy.includes("script-src 'self'"), String(policy));
});

test('an address that only begins like the desk is not found', async () => {
  assert.equal((await get('/desks')).status, 404);
});
