import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Address, createCheckedLookup } from '../../../src/core/webhooks/addresses.ts';
import { HttpSender } from '../../../src/core/webhooks/http-sender.ts';
import { isPublicAddress } from '../../../src/core/webhooks/private-networks.ts';
import { startReceiver } from '../../support/clients/receiver.ts';
import { databases } from '../../support/databases/databases.ts';
import { openWebhookFixture } from '../../support/fixtures/webhooks.ts';
import { WAIT_TIMEOUT_MS } from '../../support/waiting/wait.ts';

const REFUSED = { error: 'its address is in a private or local network' };

/** Notations of local, private and special addresses. */
const LITERALS = [
  ...['127.0.0.1', '127.1', '127.255.255.254', '2130706433', '017700000001', '0x7f000001', '0x7f.0.0.1', '0177.0.0.1'],
  ...['127.0.0.1.', '0x7f.1', '①②⑦.⓪.⓪.①', '127。0。0。1', '0', '0.0.0.0', '0.1.2.3'],
  ...['10.0.0.1', '10.255.255.255', '012.1.1.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', '3232235521'],
  ...['169.254.169.254', '2852039166', '0xa9fea9fe', '100.64.0.1', '100.127.255.255', '192.0.0.1', '198.18.0.1'],
  ...['192.0.2.1', '198.51.100.1', '203.0.113.1', '192.88.99.1', '224.0.0.1', '239.255.255.255', '240.0.0.1'],
  ...[
    '255.255.255.255',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::127.0.0.1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
  ],
  ...['[::ffff:10.0.0.1]', '[::ffff:8.8.8.8]', '[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]', '[64:ff9b::10.0.0.1]'],
  ...['[64:ff9b:1::1]', '[100::1]', '[2001::1]', '[2001:db8::1]', '[2002:7f00:1::]', '[2002:a00:1::1]', '[3fff::1]'],
  ...['[fc00::1]', '[fd12:3456::1]', '[fe80::1]', '[febf::1]', '[fec0::1]', '[ff02::1]', '[4000::1]', '[5f00::1]'],
];

const PUBLIC = ['8.8.8.8', '1.1.1.1', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '172.15.255.255'];
PUBLIC.push('172.32.0.0', '126.255.255.255', '128.0.0.0', '169.253.255.255', '192.167.255.255', '192.169.0.0');
PUBLIC.push('198.17.255.255', '198.20.0.0', '223.255.255.255', '2606:4700::1111', '2a00:1450::1', '2001:4860::8888');

const buildRequest = (url: string) => ({ url, headers: {}, body: '{}' });

/** A sender that allows only public addresses and resolves names from `names`. */
function createPublicSender(t: TestContext, names: Readonly<Record<string, readonly string[]>> = {}) {
  const lookups: string[] = [];
  const sender = new HttpSender({
    allowPrivateHosts: false,
    timeoutMs: WAIT_TIMEOUT_MS,
    resolve: async (name): Promise<Address[]> => {
      lookups.push(name);
      return (names[name] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
  });
  t.after(() => sender.close());
  return { sender, lookups };
}

test('rule 21: addresses of private, local and special networks are not public; adjacent addresses are', () => {
  for (const literal of LITERALS) {
    const { hostname } = new URL(`http://${literal}/`);
    assert.equal(isPublicAddress(hostname.replace(/[[\]]/g, '')), false, literal);
  }
  for (const address of PUBLIC) assert.equal(isPublicAddress(address), true, address);
  for (const invalid of ['', 'localhost', '127.0.0', 'fe80::1%eth0', '2a00::1%lo', '[2a00::1]']) {
    assert.equal(isPublicAddress(invalid), false, invalid);
  }
});

test('rule 21: no notation of a private address is connected to', async (t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const { sender, lookups } = createPublicSender(t);
  for (const literal of LITERALS) {
    assert.deepEqual(await sender.send(buildRequest(`http://${literal}:${receiver.port}/`)), REFUSED, literal);
    assert.deepEqual(await sender.send(buildRequest(`https://${literal}:${receiver.port}/`)), REFUSED, literal);
  }
  assert.deepEqual(lookups, []);
  assert.equal(receiver.connections, 0);
});

test('rule 21: a name that resolves to a private address is not connected to', async (t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const { sender } = createPublicSender(t, {
    'loopback.example.com': ['127.0.0.1'],
    'six.example.com': ['::1'],
    'mapped.example.com': ['::ffff:127.0.0.1', '64:ff9b::7f00:1'],
    'metadata.example.com': ['169.254.169.254'],
    localhost: ['127.0.0.1', '::1'],
  });
  for (const name of ['loopback', 'six', 'mapped', 'metadata']) {
    for (const scheme of ['http', 'https']) {
      const url = `${scheme}://${name}.example.com:${receiver.port}/`;
      assert.deepEqual(await sender.send(buildRequest(url)), REFUSED, url);
    }
  }
  assert.deepEqual(await sender.send(buildRequest(`http://localhost:${receiver.port}/`)), REFUSED);
  assert.equal(receiver.connections, 0);
});

function lookUp(addresses: readonly string[], options: { all?: boolean; family?: number }): Promise<unknown> {
  const resolve = async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return new Promise((resolvePromise, reject) => {
    createCheckedLookup(resolve, isPublicAddress)('x.example.com', options, (error, found) =>
      error ? reject(error) : resolvePromise(found),
    );
  });
}

test('rule 21: of several addresses only the public ones are used', async () => {
  const mixed = ['127.0.0.1', '8.8.8.8', '::1', '2606:4700::1111', '10.0.0.1'];
  const both = [
    { address: '8.8.8.8', family: 4 },
    { address: '2606:4700::1111', family: 6 },
  ];
  assert.deepEqual(await lookUp(mixed, { all: true }), both);
  assert.deepEqual(await lookUp(mixed, { all: true, family: 6 }), both.slice(1));
  assert.equal(await lookUp(mixed, {}), '8.8.8.8');
  await assert.rejects(lookUp(['127.0.0.1', '::1'], { all: true }), { message: REFUSED.error });
  await assert.rejects(lookUp(['8.8.8.8', '::1'], { family: 6 }), { message: REFUSED.error });
});

test('rule 21: the checked address is the one connected to: a name is resolved only once', async (t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  let lookups = 0;
  const sender = new HttpSender({
    allowPrivateHosts: true,
    timeoutMs: WAIT_TIMEOUT_MS,
    resolve: async () => {
      lookups += 1; // an attacker's name server would return a different address the second time
      return [{ address: '127.0.0.1', family: 4 }];
    },
  });
  t.after(() => sender.close());
  const outcome = await sender.send(buildRequest(`http://rebind.example.com:${receiver.port}/`));
  assert.deepEqual(outcome, { status: 204, retryAfter: undefined });
  assert.equal(receiver.received[0]?.headers.host, `rebind.example.com:${receiver.port}`);
  assert.equal(lookups, 1);
});

test('rule 21: a name without an address is a failure that is retried', async (t) => {
  const { sender } = createPublicSender(t);
  assert.deepEqual(await sender.send(buildRequest('http://nothing.example.com/')), {
    error: 'could not connect: ENOTFOUND',
  });
});

test('rule 21: with private networks allowed, names and literals can be private', async (t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const sender = new HttpSender({ allowPrivateHosts: true, timeoutMs: WAIT_TIMEOUT_MS });
  t.after(() => sender.close());
  for (const host of ['127.0.0.1', 'localhost', '2130706433']) {
    const outcome = await sender.send(buildRequest(`http://${host}:${receiver.port}/`));
    assert.deepEqual(outcome, { status: 204, retryAfter: undefined }, host);
  }
});

test('rule 21: a keep-alive connection that the receiver has just closed is not a failure', async (t) => {
  const receiver = await startReceiver();
  t.after(() => receiver.close());
  const sender = new HttpSender({ allowPrivateHosts: true, timeoutMs: WAIT_TIMEOUT_MS });
  t.after(() => sender.close());
  assert.deepEqual(await sender.send(buildRequest(receiver.url)), { status: 204, retryAfter: undefined });
  let isFirst = true;
  receiver.respond = () => {
    if (!isFirst) return 204;
    isFirst = false;
    return (response) => response.socket?.resetAndDestroy();
  };
  assert.deepEqual(await sender.send(buildRequest(receiver.url)), { status: 204, retryAfter: undefined });
  assert.equal(receiver.connections, 2, 'the second on a new connection');
});

for (const { name, open } of databases) {
  test(`rule 21: ${name}: a recognisably private URL is refused when the webhook is created or changed`, async (t) => {
    const fixture = await openWebhookFixture(t, (settings) => open({ ...settings, SWITCHBOARD_WEBHOOK_PRIVATE: '0' }));
    const { webhook } = await fixture.createWebhook('https://example.com/hook');
    for (const host of [...LITERALS, 'localhost', 'localhost.', 'app.localhost', 'LOCALHOST']) {
      const url = `http://${host}/`;
      await assert.rejects(fixture.createWebhook(url), /not valid/, host);
      await assert.rejects(
        fixture.webhooks.service.update(fixture.transact, fixture.caller, webhook.id, { url }),
        /not valid/,
        host,
      );
    }
    assert.equal((await fixture.webhooks.service.list(fixture.caller)).length, 1);
  });
}
