import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite, test } from 'node:test';
import { buildShopUrl, findListenHost, findPreferredPort, listShopOrigins } from '../../src/demo/shop/shop-address.ts';
import { listenAsShop } from '../../src/demo/shop/shop-server.ts';

const PLACE = { serviceUrl: 'http://127.0.0.1:8080', websiteId: 4 };

async function withShop(check: (url: string) => Promise<void>) {
  const shop = await listenAsShop({ host: '127.0.0.1', port: 0 });
  shop.open(PLACE);
  try {
    await check(`http://127.0.0.1:${shop.port}`);
  } finally {
    await shop.close();
  }
}

suite('the pages of the pretend shop', () => {
  test('have the one script line, and link only to pages that exist', () =>
    withShop(async (url) => {
      const seen = new Map<string, string>();
      const open = ['/'];
      for (let path = open.pop(); path !== undefined; path = open.pop()) {
        if (seen.has(path)) continue;
        const response = await fetch(`${url}${path}`);
        assert.equal(response.status, 200, path);
        const text = await response.text();
        seen.set(path, text);
        if (response.headers.get('content-type')?.startsWith('text/html'))
          open.push(...[...text.matchAll(/href="([^"]+)"/g)].map(([, target = '']) => target));
      }
      const pages = [...seen].filter(([path]) => !/\.\w+$/.test(path));
      assert.ok(pages.length >= 6);
      for (const [path, html] of pages) {
        assert.deepEqual(
          html.match(/<script.*?<\/script>/g),
          ['<script async src="http://127.0.0.1:8080/widget.js" data-website="4"></script>'],
          path,
        );
        assert.doesNotMatch(html, /style=|<style|onclick/);
      }
    }));

  test('have a strict content security policy that admits the service', () =>
    withShop(async (url) => {
      const policy = (await fetch(url)).headers.get('content-security-policy');
      assert.equal(
        policy,
        "default-src 'none'; script-src http://127.0.0.1:8080; connect-src http://127.0.0.1:8080 ws://127.0.0.1:8080; img-src 'self' http://127.0.0.1:8080; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
    }));

  test('answer unknown paths with 404, other methods with 405, and nothing before the shop is open', async () => {
    await withShop(async (url) => {
      assert.equal((await fetch(`${url}/unknown?x=1`)).status, 404);
      assert.equal((await fetch(`${url}/packs/fell-28?from=mail`)).status, 200);
      assert.equal((await fetch(url, { method: 'POST' })).status, 405);
      assert.equal(await (await fetch(url, { method: 'HEAD' })).text(), '');
    });
    const shop = await listenAsShop({ host: '127.0.0.1', port: 0 });
    assert.equal((await fetch(`http://127.0.0.1:${shop.port}/`)).status, 503);
    await shop.close();
    await assert.rejects(fetch(`http://127.0.0.1:${shop.port}/`));
  });

  test('move to another port if theirs is in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const shop = await listenAsShop({ host: '127.0.0.1', port });
    assert.notEqual(shop.port, port);
    await shop.close();
    other.close();
  });
});

suite('the address of the pretend shop', () => {
  const local = (host: string, localUrl: string, url = localUrl) => ({ host, localUrl, url });
  for (const [name, service, expected] of [
    ['by default', local('127.0.0.1', 'http://127.0.0.1:8080'), 'http://localhost:8081'],
    ['of a service on localhost', local('localhost', 'http://localhost:8080'), 'http://127.0.0.1:8081'],
    ['of a service on all interfaces', local('0.0.0.0', 'http://127.0.0.1:8080'), 'http://localhost:8081'],
    [
      'of one with a public address',
      local('0.0.0.0', 'http://127.0.0.1:8080', 'http://demo.lan:8080'),
      'http://demo.lan:8081',
    ],
    ['of one on another interface', local('192.168.1.5', 'http://192.168.1.5:8080'), 'http://192.168.1.5:8081'],
    ['of one with IPv6', local('fd00::5', 'http://[fd00::5]:8080'), 'http://[fd00::5]:8081'],
    [
      'behind a proxy on this machine',
      local('127.0.0.1', 'http://127.0.0.1:8080', 'https://chat.example.com'),
      'http://localhost:8081',
    ],
    ['with TLS', local('127.0.0.1', 'https://127.0.0.1:8443'), 'https://localhost:8444'],
  ] as const)
    test(name, () => {
      const url = buildShopUrl(service, findPreferredPort(service));
      assert.equal(url, expected);
      assert.notEqual(new URL(url).origin, new URL(service.url).origin);
      assert.equal(listShopOrigins(service, findPreferredPort(service))[0], url);
    });

  test('listens where the service does, and finds a port after the last one', () => {
    assert.equal(findListenHost(local('localhost', 'http://localhost:1')), '127.0.0.1');
    assert.equal(findListenHost(local('0.0.0.0', 'http://127.0.0.1:1')), '0.0.0.0');
    assert.equal(findPreferredPort(local('127.0.0.1', 'http://127.0.0.1:65535')), 0);
  });
});
