import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertError, assertInvalidField, assertOk } from '../../support/clients/envelope.ts';
import { listIds } from '../../support/fixtures/resources.ts';
import { type SeededServer, startSeededServer } from '../../support/processes/seeded-server.ts';

let server: SeededServer;
before(async () => {
  server = await startSeededServer();
});
after(() => server.stop());

test('a visitor has exactly the documented fields', async () => {
  const { seeder, rest, readOnlyRest } = server;
  const id = await seeder.addVisitor({
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
  const response = await readOnlyRest.get(`/visitor/${id}`);
  assert.deepEqual(response.body, { meta: { status: 'success' }, data: visitor });
  assert.deepEqual(Object.keys(response.body.data), Object.keys(visitor));
  assert.deepEqual((await rest.get(`/visitor?full=1&filters[id]=${id}`)).body.data, [visitor]);
  assert.deepEqual((await rest.get('/visitor')).body.data, [{ id, _link: `/visitor/${id}` }]);
  assert.deepEqual((await rest.get('/visitor?fields[]=city&fields[]=website_id')).body.data, [
    { id, city: 'Paris', website_id: [3, 4], _link: `/visitor/${id}` },
  ]);
});

test('filters by unique_id, external_id and website_id, ignoring case', async () => {
  const { seeder, rest } = server;
  const first = await seeder.addVisitor({
    uniqueId: 'aa-1',
    externalId: 'ÉTÉ-1',
    externalIdFolded: 'été-1',
    websites: [8],
  });
  const second = await seeder.addVisitor({
    uniqueId: 'aa-2',
    externalId: 'été_2',
    externalIdFolded: 'été_2',
    websites: [9],
  });
  const third = await seeder.addVisitor({ uniqueId: 'bb-1', websites: [8, 9] });
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
    assert.deepEqual(await listIds(rest, `/visitor?${filters}`), expected, filters);
  }
  const unknown = await rest.get('/visitor?filters[email]=x');
  assertError(unknown, 400, "Filter 'email' is unknown. Allowed filters: id, unique_id, external_id, website_id.");
  assertInvalidField(await rest.get('/visitor?filters[website_id]=x'), 'filters[website_id]');
  assertInvalidField(await rest.get('/visitor?filters[unique_id]=******'), 'filters[unique_id]');
});

test('visitors of another account are unknown, and writes are not allowed', async () => {
  const { otherAccountSeeder, rest, otherAccount } = server;
  await otherAccountSeeder.addVisitor({ id: 5000, uniqueId: 'theirs', websites: [8] });
  assertOk(await otherAccount.get('/visitor/5000'));
  assertError(await rest.get('/visitor/5000'), 404, "Unknown 'visitor' with 'id' 5000.");
  assert.deepEqual(await listIds(rest, '/visitor?filters[unique_id]=theirs'), []);
  for (const [method, path] of [
    ['POST', '/visitor'],
    ['PUT', '/visitor/1'],
    ['DELETE', '/visitor/1'],
  ] as const) {
    const response = await rest.send(method, path);
    assertError(response, 405);
    assert.equal(response.headers.get('allow'), 'GET, HEAD, OPTIONS');
  }
});

test('visitors are returned in pages', async () => {
  const { rest } = server;
  const response = await rest.get('/visitor?limit=2&page=2');
  assert.equal(response.body.data.length, 2);
  assert.deepEqual(response.body.pagination, { page: 2, pages: 2, limit: 2, count: 4 });
});
