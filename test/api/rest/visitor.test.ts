import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertBadValue, assertOk, assertRefused } from '../../support/clients/envelope.ts';
import { idsOf } from '../../support/people/people.ts';
import { type PastServer, startPast } from '../../support/processes/past-server.ts';

let past: PastServer;
before(async () => {
  past = await startPast();
});
after(() => past.stop());

test('a visitor shows every field and nothing else', async () => {
  const { rows, rest, reader } = past;
  const id = await rows.visitor({
    uniqueId: '0a1572b7',
    externalId: 'Customer-7',
    externalIdFolded: 'customer-7',
    lastname: "O'Neill",
    firstname: 'Zoé',
    address: '1 Rue de Rivoli',
    city: 'Paris',
    zip: '75001',
    country: 'France',
    phone: '+33123456789',
    email: 'zoe@example.com',
    browser: 'Firefox 140',
    createdAt: Date.UTC(2026, 0, 2, 3, 4, 5),
    lastOperatorId: 1,
    websites: [3, 4],
  });
  const visitor = {
    id,
    unique_id: '0a1572b7',
    external_id: 'Customer-7',
    lastname: "O'Neill",
    firstname: 'Zoé',
    address: '1 Rue de Rivoli',
    city: 'Paris',
    zip: '75001',
    country: 'France',
    phone: '+33123456789',
    email: 'zoe@example.com',
    browser: 'Firefox 140',
    website_id: [3, 4],
    created_at: '2026-01-02 03:04:05',
    _link: `/visitor/${id}`,
  };
  const answer = await reader.get(`/visitor/${id}`);
  assert.deepEqual(answer.body, { meta: { status: 'success' }, data: visitor });
  assert.deepEqual(Object.keys(answer.body.data), Object.keys(visitor));
  assert.deepEqual((await rest.get(`/visitor?full=1&filters[id]=${id}`)).body.data, [visitor]);
  assert.deepEqual((await rest.get('/visitor')).body.data, [{ id, _link: `/visitor/${id}` }]);
  assert.deepEqual((await rest.get('/visitor?fields[]=city&fields[]=website_id')).body.data, [
    { id, city: 'Paris', website_id: [3, 4], _link: `/visitor/${id}` },
  ]);
});

test('filters by unique_id, external_id and website_id, without regard to case', async () => {
  const { rows, rest } = past;
  const first = await rows.visitor({ uniqueId: 'aa-1', externalId: 'ÉTÉ-1', externalIdFolded: 'été-1', websites: [8] });
  const second = await rows.visitor({
    uniqueId: 'aa-2',
    externalId: 'été_2',
    externalIdFolded: 'été_2',
    websites: [9],
  });
  const third = await rows.visitor({ uniqueId: 'bb-1', websites: [8, 9] });
  for (const [filters, expected] of [
    ['filters[unique_id]=aa-1', [first]],
    ['filters[unique_id]=AA-1', [first]],
    ['filters[unique_id]=aa-*', [second, first]],
    ['filters[unique_id]=*-1', [third, first]],
    ['filters[external_id]=%C3%A9t%C3%A9-1', [first]],
    ['filters[external_id]=%C3%89T%C3%89*', [second, first]],
    ['filters[external_id]=*_*', [second]],
    ['filters[website_id]=8', [third, first]],
    ['filters[website_id]=8,9', [third, second, first]],
    ['filters[website_id]=9&filters[unique_id]=*1', [third]],
    ['filters[website_id]=88', []],
    [`filters[id]=${first},${third}`, [third, first]],
  ] as const) {
    assert.deepEqual(await idsOf(rest, `/visitor?${filters}`), expected, filters);
  }
  const unknown = await rest.get('/visitor?filters[email]=x');
  assertRefused(unknown, 400, "Filter 'email' is unknown. Filters here: id, unique_id, external_id, website_id.");
  assertBadValue(await rest.get('/visitor?filters[website_id]=x'), 'filters[website_id]');
  assertBadValue(await rest.get('/visitor?filters[unique_id]=******'), 'filters[unique_id]');
});

test('visitors of another account are not there, and nothing can be written', async () => {
  const { strangersRows, rest, stranger } = past;
  await strangersRows.visitor({ id: 5000, uniqueId: 'theirs', websites: [8] });
  assertOk(await stranger.get('/visitor/5000'));
  assertRefused(await rest.get('/visitor/5000'), 404, "Unknown 'visitor' with 'id' 5000.");
  assert.deepEqual(await idsOf(rest, '/visitor?filters[unique_id]=theirs'), []);
  for (const [method, path] of [
    ['POST', '/visitor'],
    ['PUT', '/visitor/1'],
    ['DELETE', '/visitor/1'],
  ] as const) {
    const answer = await rest.send(method, path);
    assertRefused(answer, 405);
    assert.equal(answer.headers.get('allow'), 'GET, HEAD, OPTIONS');
  }
});

test('pages', async () => {
  const { rest } = past;
  const answer = await rest.get('/visitor?limit=2&page=2');
  assert.equal(answer.body.data.length, 2);
  assert.deepEqual(answer.body.pagination, { page: 2, pages: 2, limit: 2, count: 4 });
});
