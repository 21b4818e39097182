import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertError, assertInvalidField, assertOk } from '../../support/clients/envelope.ts';
import { createResource, listIds } from '../../support/fixtures/resources.ts';
import { type SeededServer, startSeededServer } from '../../support/processes/seeded-server.ts';

let server: SeededServer;
before(async () => {
  server = await startSeededServer();
});
after(() => server.stop());

const findEvent = async (type: string, id: number) => {
  const { read } = server.installation.database;
  const row = await read
    .selectFrom('events')
    .selectAll()
    .where('type', '=', type)
    .where('subjectId', '=', id)
    .orderBy('position', 'desc')
    .executeTakeFirst();
  return row && { ...row, changes: JSON.parse(row.changes) };
};

describe('satisfaction', () => {
  test('a survey has exactly the documented fields, including the misspelled node_delay', async () => {
    const { seeder, rest, readOnlyRest } = server;
    const id = await seeder.addSatisfaction(70, {
      websiteId: 4,
      operatorId: 9,
      noteWelcome: 1,
      noteResolution: 2,
      noteDelay: 3,
      comment: 'Très bien 👍',
      createdAt: Date.UTC(2026, 0, 5, 6, 7, 8),
    });
    const satisfaction = {
      id,
      note_welcome: 1,
      note_resolution: 2,
      node_delay: 3,
      comment: 'Très bien 👍',
      created_at: '2026-01-05 06:07:08',
      website_id: 4,
      operator_id: 9,
      conversation_id: 70,
      _link: `/satisfaction/${id}`,
    };
    const response = await readOnlyRest.get(`/satisfaction/${id}`);
    assert.deepEqual(response.body, { meta: { status: 'success' }, data: satisfaction });
    assert.deepEqual(Object.keys(response.body.data), Object.keys(satisfaction));
    assert.deepEqual((await rest.get('/satisfaction?full=1')).body.data, [satisfaction]);
    assert.deepEqual((await rest.get('/satisfaction?fields[]=node_delay')).body.data, [
      { id, node_delay: 3, _link: `/satisfaction/${id}` },
    ]);
    assertError(await rest.get('/satisfaction/999'), 404, "Unknown 'satisfaction' with 'id' 999.");
  });

  test('filters by website, operator, conversation and a period of any length', async () => {
    const { seeder, otherAccountSeeder, rest } = server;
    const day = (month: number, date: number) => Date.UTC(2024, month, date, 12);
    const a = await seeder.addSatisfaction(71, { websiteId: 5, operatorId: 1, createdAt: day(0, 1) });
    const b = await seeder.addSatisfaction(72, { websiteId: 5, operatorId: 2, createdAt: day(5, 1) });
    const c = await seeder.addSatisfaction(73, { websiteId: 6, operatorId: null, createdAt: day(11, 31) });
    await otherAccountSeeder.addSatisfaction(74, { id: 800, websiteId: 5, createdAt: day(5, 1) });
    const year = 'filters[from]=2024-01-01&filters[to]=2024-12-31';
    for (const [filters, expected] of [
      [year, [c, b, a]],
      ['filters[to]=2024-12-30', [b, a]],
      ['filters[from]=2024-06-01+12:00:00&filters[to]=2024-06-01+12:00:00', [b]],
      ['filters[from]=2024-06-01+12:00:01&filters[to]=2024-12-31+11:59:59', []],
      ['filters[website_id]=5', [b, a]],
      ['filters[website_id]=5,6', [c, b, a]],
      ['filters[operator_id]=2', [b]],
      [`filters[operator_id]=*&${year}`, [b, a]],
      ['filters[conversation_id]=73', [c]],
      ['filters[conversation_id]=74', []],
      [`filters[id]=${a},${c}`, [c, a]],
      [`${year}&filters[website_id]=5&filters[operator_id]=1`, [a]],
    ] as const) {
      assert.deepEqual(await listIds(rest, `/satisfaction?${filters}`), expected, filters);
    }
    assertInvalidField(await rest.get('/satisfaction?filters[from]=x'), 'filters[from]');
    assertInvalidField(await rest.get('/satisfaction?filters[from]=2024-02-01&filters[to]=2024-01-01'), 'filters[to]');
    assertError(
      await rest.get('/satisfaction?filters[note]=1'),
      400,
      "Filter 'note' is unknown. Allowed filters: id, website_id, operator_id, conversation_id, from, to.",
    );
    assertError(await rest.get('/satisfaction/800'), 404);
  });

  test('writes are not allowed', async () => {
    for (const [method, path] of [
      ['POST', '/satisfaction'],
      ['PUT', '/satisfaction/1'],
      ['DELETE', '/satisfaction/1'],
    ] as const) {
      const response = await server.rest.send(method, path);
      assertError(response, 405);
      assert.equal(response.headers.get('allow'), 'GET, HEAD, OPTIONS');
    }
  });
});

describe('tag', () => {
  let shop: number;
  let bank: number;
  before(async () => {
    shop = await createResource(server.rest, 'website', { label: 'Shop', url: 'https://shop.example.com' });
    bank = await createResource(server.rest, 'website', { label: 'Bank', url: 'https://bank.example.com' });
  });

  test('is created, read, updated and deleted, with an event for each change', async () => {
    const { rest, readOnlyRest } = server;
    const created = await rest.post('/tag', 'name=Refund');
    assertOk(created, 201);
    const { id } = created.body.data;
    assert.equal(created.headers.get('location'), `/api/2/tag/${id}`);
    const tag = { id, name: 'Refund', website_id: [shop, bank], _link: `/tag/${id}` };
    assert.deepEqual(created.body.data, tag, 'all websites by default');
    assert.deepEqual(Object.keys(created.body.data), Object.keys(tag));
    assert.deepEqual((await findEvent('tag.created', id))?.changes.values, {
      name: 'Refund',
      websiteList: [shop, bank],
    });
    assert.deepEqual((await readOnlyRest.get(`/tag/${id}`)).body.data, tag);
    assert.deepEqual((await rest.get('/tag?full=1')).body.data, [tag]);
    assert.deepEqual((await rest.get('/tag')).body.data, [{ id, _link: `/tag/${id}` }]);

    const put = (fields: string | object) => rest.put(`/tag/${id}`, fields);
    assert.deepEqual((await put(tag)).body.data, tag, 'clients can send back what they read');
    assert.deepEqual((await put({ name: 'refund' })).body.data, { ...tag, name: 'refund' });
    assert.deepEqual((await findEvent('tag.updated', id))?.changes, { fields: ['name'], values: { name: 'refund' } });
    assert.deepEqual((await put(`website_id=${bank}`)).body.data.website_id, [bank]);
    assert.deepEqual((await put(`website_id[]=${bank}&website_id[]=${shop}&website_id[]=${bank}`)).body.data, {
      ...tag,
      name: 'refund',
    });
    assert.deepEqual((await put('website_id=')).body.data.website_id, []);
    assert.deepEqual((await put({ website_id: [String(shop)] })).body.data.website_id, [shop]);

    const removed = await rest.delete(`/tag/${id}`);
    assert.deepEqual(removed.body, { meta: { status: 'success' } });
    assert.ok(await findEvent('tag.deleted', id));
    for (const response of [await rest.get(`/tag/${id}`), await put({ name: 'x' }), await rest.delete(`/tag/${id}`)]) {
      assertError(response, 404, `Unknown 'tag' with 'id' ${id}.`);
    }
    const duplicate = await rest.post('/tag', { name: 'Refund', website_id: [] });
    assert.equal(duplicate.body.data.id, id + 1, 'ids are never reused');
  });

  test('invalid input is refused', async () => {
    const { rest, readOnlyRest } = server;
    const id = await createResource(rest, 'tag', { name: 'Bad' });
    assertError(await rest.post('/tag', {}), 400, "Field 'name' is missing.");
    for (const [field, values] of Object.entries({
      name: ['', 'x'.repeat(256), null, 5, 'a\0'],
      website_id: [[999], null, [shop, 999], { a: 1 }],
      'website_id[0]': ['x', '-1', '01'],
      id: [id + 1],
      _link: ['/tag/999', null],
    })) {
      for (const value of values) {
        const name = field.replace('[0]', '');
        assertInvalidField(await rest.put(`/tag/${id}`, { [name]: value }), field);
      }
    }
    assertInvalidField(await rest.post('/tag', { name: 'New', website_id: [999] }), 'website_id');
    assertError(await rest.put(`/tag/${id}`, { website_list: [] }), 400, "Field 'website_list' is unknown.");
    assertError(await readOnlyRest.post('/tag', 'name=Reader'), 403, 'Forbidden');
    assertError(await readOnlyRest.put(`/tag/${id}`, 'name=Reader'), 403, 'Forbidden');
    assertError(await readOnlyRest.delete(`/tag/${id}`), 403, 'Forbidden');
    assertError(await rest.send('PATCH', `/tag/${id}`), 405);
  });

  test('its name is unique in the account, ignoring case in every alphabet', async () => {
    const { rest, otherAccount } = server;
    const id = await createResource(rest, 'tag', { name: 'STRASSE' });
    for (const name of ['STRASSE', 'strasse', 'Straße']) {
      assertError(await rest.post('/tag', { name }), 409, "Value of field 'name' is already used.");
    }
    const other = await createResource(rest, 'tag', { name: 'Other' });
    assertError(await rest.put(`/tag/${other}`, { name: 'strasse' }), 409);
    assertOk(await rest.put(`/tag/${id}`, { name: 'Straße' }));
    assertOk(await otherAccount.post('/tag', { name: 'strasse' }), 201);
  });

  test('the filter website_id; tags of another account are unknown', async () => {
    const { rest, otherAccount } = server;
    const only = await createResource(rest, 'tag', { name: 'Only the bank', website_id: [bank] });
    const both = await createResource(rest, 'tag', { name: 'Both', website_id: [shop, bank] });
    const withoutWebsite = await createResource(rest, 'tag', { name: 'None', website_id: [] });
    const listed = `filters[id]=${only},${both},${withoutWebsite}`;
    assert.deepEqual(await listIds(rest, `/tag?${listed}`), [withoutWebsite, both, only]);
    assert.deepEqual(await listIds(rest, `/tag?${listed}&filters[website_id]=${bank}`), [both, only]);
    assert.deepEqual(await listIds(rest, `/tag?${listed}&filters[website_id]=${shop}`), [both]);
    assertError(
      await rest.get('/tag?filters[name]=x'),
      400,
      "Filter 'name' is unknown. Allowed filters: id, website_id.",
    );
    assert.deepEqual(await listIds(otherAccount, `/tag?${listed}`), []);
    assertError(await otherAccount.delete(`/tag/${both}`), 404);
    assertError(await otherAccount.put(`/tag/${both}`, { name: 'x' }), 404);
  });

  test('a deleted tag is removed from conversations; a deleted website is removed from tags', async () => {
    const { rest, seeder, installation } = server;
    const site = await createResource(rest, 'website', { label: 'Short-lived', url: 'https://example.com' });
    const gone = await createResource(rest, 'tag', { name: 'Gone', website_id: [site, shop] });
    const stays = await createResource(rest, 'tag', { name: 'Stays' });
    const conversation = await seeder.addConversation({ createdAt: installation.clock.now, websiteId: site });
    await seeder.addTag(conversation, gone);
    await seeder.addTag(conversation, stays);
    assertOk(await rest.delete(`/website/${site}`));
    assert.deepEqual((await rest.get(`/tag/${gone}`)).body.data.website_id, [shop]);
    assert.deepEqual((await findEvent('tag.updated', gone))?.changes.values, { websiteList: [shop] });
    assert.deepEqual((await rest.get(`/tag/${stays}`)).body.data.website_id, [shop, bank]);
    assert.deepEqual(await listIds(rest, `/tag?filters[website_id]=${site}`), []);
    assertOk(await rest.delete(`/tag/${gone}`));
    assert.deepEqual((await rest.get(`/conversation/${conversation}`)).body.data.tag_list, [stays]);
    assert.deepEqual(await listIds(rest, `/conversation?filters[tag_id]=${gone}`), []);
  });

  test('a write with the same key is performed once', async () => {
    const { rest } = server;
    const headers = { 'Idempotency-Key': 'tag-once' };
    const first = await rest.post('/tag', { name: 'Once' }, headers);
    const second = await rest.post('/tag', { name: 'Once' }, headers);
    assert.deepEqual([second.status, second.body], [201, first.body]);
    assert.equal(second.headers.get('idempotency-replayed'), 'true');
  });
});
