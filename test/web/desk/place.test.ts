import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describePlace, findOrigin } from '../../../web/desk/visitor-panel/place.ts';
import { findTags } from '../../../web/desk/visitor-panel/tags/find-tags.ts';

const NOON = Date.parse('2030-01-31T12:00:00Z');

test('the place and the time there come from the time zone', () => {
  assert.deepEqual(describePlace('Europe/Paris', NOON, 'fr'), { name: 'Paris', time: '13:00' });
  assert.deepEqual(describePlace('America/Argentina/Buenos_Aires', NOON, 'fr'), {
    name: 'Buenos Aires',
    time: '09:00',
  });
  assert.deepEqual(describePlace('Etc/GMT+5', NOON, 'fr'), { name: 'Etc/GMT+5', time: '07:00' });
  for (const zone of ['', 'Europe/Nowhere', '<b>', 'x'.repeat(500)]) {
    assert.equal(describePlace(zone, NOON, 'fr'), undefined);
  }
});

test('the origin is another website', () => {
  const page = 'https://shop.example/cart';
  assert.equal(findOrigin('https://www.search.example/?q=boots', page), 'search.example');
  assert.equal(findOrigin('https://shop.example/', page), undefined);
  for (const referrer of ['', 'newsletter', 'javascript:alert(1)']) assert.equal(findOrigin(referrer, page), undefined);
});

test('tags are found by any part of their name, without accents; those that are there are left out', () => {
  const tags = ['Délivery', 'redelivery', 'Carrier', 'delivery late'].map((name, index) => ({ id: `${index}`, name }));
  const find = (typed: string, present: typeof tags = []) => findTags(tags, present, typed).map(({ name }) => name);
  assert.deepEqual(find(' DELIV '), ['Délivery', 'delivery late', 'redelivery']);
  assert.deepEqual(find('deliv', tags.slice(0, 1)), ['delivery late', 'redelivery']);
  assert.deepEqual(
    find(''),
    tags.map(({ name }) => name),
  );
  assert.deepEqual(find('*'), []);
});
