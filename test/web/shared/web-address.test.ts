import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findWebAddress, shortenAddress } from '../../../web/shared/format/web-address.ts';

for (const text of [
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'data:text/html,x',
  '/cart',
  '',
  'https://a:b@shop.example/',
  '//shop.example',
]) {
  test(`"${text}" is no link`, () => {
    assert.equal(findWebAddress(text), undefined);
    assert.equal(shortenAddress(text), text);
  });
}

test('an address is shown as its path, or its host', () => {
  assert.equal(findWebAddress('https://shop.example/cart?x=1'), 'https://shop.example/cart?x=1');
  assert.equal(shortenAddress('https://shop.example/cart?x=1'), '/cart');
  assert.equal(shortenAddress('https://shop.example/'), 'shop.example');
  assert.equal(shortenAddress('https://shop.example/caf%C3%A9'), '/café');
  assert.equal(shortenAddress('https://shop.example/%E0%A4%A'), '/%E0%A4%A');
});
