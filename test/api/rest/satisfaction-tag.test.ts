import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertBadValue, assertOk, assertRefused } from '../../support/clients/envelope.ts';
import { add, idsOf } from '../../support/people/people.ts';
import { type PastServer, startPast } from '../../support/processes/past-server.ts';

let past: PastServer;
before(async () => {
  past = await startPast();
});
after(() => past.stop());

const event = async (type: string, id: number) => {
  const { read } = past.installation.database;
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
  test('a survey shows every field, with the spelling of the interface', async () => {
    const { rows, rest, reader } = past;
    const id = await rows.satisfaction(70, {
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
    const answer = await reader.get(`/satisfaction/${id}`);
    assert.deepEqual(answer.body, { meta: { status: 'success' }, data: satisfaction });
    assert.deepEqual(Object.keys(answer.body.data), Object.keys(satisfaction));
    assert.deepEqual((await rest.get('/satisfaction?full=1')).body.data, [satisfaction]);
    assert.deepEqual((await rest.get('/satisfaction?fields[]=node_delay')).body.data, [
      { id, node_delay: 3, _link: `/satisfaction/${id}` },
    ]);
    assertRefused(await rest.get('/satisfaction/999'), 404, "Unknown 'satisfaction' with 'id' 999.");
  });

  test('filters by website, operator, conversation and period, which may be long', async () => {
    const { rows, strangersRows, rest } = past;
    const day = (month: number, date: number) => Date.UTC(2024, month, date, 12);
    const a = await rows.satisfaction(71, { websiteId: 5, operatorId: 1, createdAt: day(0, 1) });
    const b = await rows.satisfaction(72, { websiteId: 5, operatorId: 2, createdAt: day(5, 1) });
    const c = await rows.satisfaction(73, { websiteId: 6, operatorId: null, createdAt: day(11, 31) });
    await strangersRows.satisfaction(74, { id: 800, websiteId: 5, createdAt: day(5, 1) });
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
      assert.deepEqual(await idsOf(rest, `/satisfaction?${filters}`), expected, filters);
    }
    assertBadValue(await rest.get('/satisfaction?filters[from]=x'), 'filters[from]');
    assertBadValue(await rest.get('/satisfaction?filters[from]=2024-02-01&filters[to]=2024-01-01'), 'filters[to]');
    assertRefused(
      await rest.get('/satisfaction?filters[note]=1'),
      400,
      "Filter 'note' is unknown. Filters here: id, website_id, operator_id, conversation_id, from, to.",
    );
    assertRefused(await rest.get('/satisfaction/800'), 404);
  });

  test('nothing can be written', async () => {
    for (const [method, path] of [
      ['POST', '/satisfaction'],
      ['PUT', '/satisfaction/1'],
      ['DELETE', '/satisfaction/1'],
    ] as const) {
      const answer = await past.rest.send(method, path);
      assertRefused(answer, 405);
      assert.equal(answer.headers.get('allow'), 'GET, HEAD, OPTIONS');
    }
  });
});

describe('tag', () => {
  let shop: number;
  let bank: number;
  before(async () => {
    shop = await add(past.rest, 'website', { label: 'Shop', url: 'https://shop.example.com' });
    bank = await add(past.rest, 'website', { label: 'Bank', url: 'https://bank.example.com' });
  });

  test('is made, read, changed and deleted, and each change is announced', async () => {
    const { rest, reader } = past;
    const created = await rest.post('/tag', 'name=Refund');
    assertOk(created, 201);
    const { id } = created.body.data;
    assert.equal(created.headers.get('location'), `/api/2/tag/${id}`);
    const tag = { id, name: 'Refund', website_id: [shop, bank], _link: `/tag/${id}` };
    assert.deepEqual(created.body.data, tag, 'all websites unless it names some');
    assert.deepEqual(Object.keys(created.body.data), Object.keys(tag));
    assert.deepEqual((await event('tag.created', id))?.changes.values, { name: 'Refund', websiteList: [shop, bank] });
    assert.deepEqual((await reader.get(`/tag/${id}`)).body.data, tag);
    assert.deepEqual((await rest.get('/tag?full=1')).body.data, [tag]);
    assert.deepEqual((await rest.get('/tag')).body.data, [{ id, _link: `/tag/${id}` }]);

    const put = (fields: string | object) => rest.put(`/tag/${id}`, fields);
    assert.deepEqual((await put(tag)).body.data, tag, 'what was read can be sent back');
    assert.deepEqual((await put({ name: 'refund' })).body.data, { ...tag, name: 'refund' });
    assert.deepEqual((await event('tag.updated', id))?.changes, { fields: ['name'], values: { name: 'refund' } });
    assert.deepEqual((await put(`website_id=${bank}`)).body.data.website_id, [bank]);
    assert.deepEqual((await put(`website_id[]=${bank}&website_id[]=${shop}&website_id[]=${bank}`)).body.data, {
      ...tag,
      name: 'refund',
    });
    assert.deepEqual((await put('website_id=')).body.data.website_id, []);
    assert.deepEqual((await put({ website_id: [String(shop)] })).body.data.website_id, [shop]);

    const removed = await rest.delete(`/tag/${id}`);
    assert.deepEqual(removed.body, { meta: { status: 'success' } });
    assert.ok(await event('tag.deleted', id));
    for (const answer of [await rest.get(`/tag/${id}`), await put({ name: 'x' }), await rest.delete(`/tag/${id}`)]) {
      assertRefused(answer, 404, `Unknown 'tag' with 'id' ${id}.`);
    }
    const again = await rest.post('/tag', { name: 'Refund', website_id: [] });
    assert.equal(again.body.data.id, id + 1, 'a number is never used twice');
  });

  test('bad input is refused, each with what is allowed', async () => {
    const { rest, reader } = past;
    const id = await add(rest, 'tag', { name: 'Bad' });
    assertRefused(await rest.post('/tag', {}), 400, "Field 'name' is missing.");
    for (const [field, values] of Object.entries({
      name: ['', 'x'.repeat(256), null, 5, 'a\0'],
      website_id: [[999], null, [shop, 999], { a: 1 }],
      'website_id[0]': ['x', '-1', '01'],
      id: [id + 1],
      _link: ['/tag/999', null],
    })) {
      for (const value of values) {
        const name = field.replace('[0]', '');
        assertBadValue(await rest.put(`/tag/${id}`, { [name]: value }), field);
      }
    }
    assertBadValue(await rest.post('/tag', { name: 'New', website_id: [999] }), 'website_id');
    assertRefused(await rest.put(`/tag/${id}`, { website_list: [] }), 400, "Field 'website_list' is unknown.");
    assertRefused(await reader.post('/tag', 'name=Reader'), 403, 'Forbidden');
    assertRefused(await reader.put(`/tag/${id}`, 'name=Reader'), 403, 'Forbidden');
    assertRefused(await reader.delete(`/tag/${id}`), 403, 'Forbidden');
    assertRefused(await rest.send('PATCH', `/tag/${id}`), 405);
  });

  test('its name is unique in the account, without regard to case and in every alphabet', async () => {
    const { rest, stranger } = past;
    const id = await add(rest, 'tag', { name: 'STRASSE' });
    for (const name of ['STRASSE', 'strasse', 'Straße']) {
      assertRefused(await rest.post('/tag', { name }), 409, "Value of field 'name' is already used.");
    }
    const other = await add(rest, 'tag', { name: 'Other' });
    assertRefused(await rest.put(`/tag/${other}`, { name: 'strasse' }), 409);
    assertOk(await rest.put(`/tag/${id}`, { name: 'Straße' }));
    assertOk(await stranger.post('/tag', { name: 'strasse' }), 201);
  });

  test('the filter website_id; tags of another account are unknown', async () => {
    const { rest, stranger } = past;
    const only = await add(rest, 'tag', { name: 'Only the bank', website_id: [bank] });
    const both = await add(rest, 'tag', { name: 'Both', website_id: [shop, bank] });
    const none = await add(rest, 'tag', { name: 'None', website_id: [] });
    const listed = `filters[id]=${only},${both},${none}`;
    assert.deepEqual(await idsOf(rest, `/tag?${listed}`), [none, both, only]);
    assert.deepEqual(await idsOf(rest, `/tag?${listed}&filters[website_id]=${bank}`), [both, only]);
    assert.deepEqual(await idsOf(rest, `/tag?${listed}&filters[website_id]=${shop}`), [both]);
    assertRefused(
      await rest.get('/tag?filters[name]=x'),
      400,
      "Filter 'name' is unknown. Filters here: id, website_id.",
    );
    assert.deepEqual(await idsOf(stranger, `/tag?${listed}`), []);
    assertRefused(await stranger.delete(`/tag/${both}`), 404);
    assertRefused(await stranger.put(`/tag/${both}`, { name: 'x' }), 404);
  });

  test('a deleted tag is off every conversation; a deleted website is off every tag', async () => {
    const { rest, rows, installation } = past;
    const site = await add(rest, 'website', { label: 'Short-lived', url: 'https://example.com' });
    const gone = await add(rest, 'tag', { name: 'Gone', website_id: [site, shop] });
    const stays = await add(rest, 'tag', { name: 'Stays' });
    const conversation = await rows.conversation({ createdAt: installation.clock.now, websiteId: site });
    await rows.tagged(conversation, gone);
    await rows.tagged(conversation, stays);
    assertOk(await rest.delete(`/website/${site}`));
    assert.deepEqual((await rest.get(`/tag/${gone}`)).body.data.website_id, [shop]);
    assert.deepEqual((await event('tag.updated', gone))?.changes.values, { websiteList: [shop] });
    assert.deepEqual((await rest.get(`/tag/${stays}`)).body.data.website_id, [shop, bank]);
    assert.deepEqual(await idsOf(rest, `/tag?filters[website_id]=${site}`), []);
    assertOk(await rest.delete(`/tag/${gone}`));
    assert.deepEqual((await rest.get(`/conversation/${conversation}`)).body.data.tag_list, [stays]);
    assert.deepEqual(await idsOf(rest, `/conversation?filters[tag_id]=${gone}`), []);
  });

  test('the same write with the same key is done once', async () => {
    const { rest } = past;
    const headers = { 'Idempotency-Key': 'tag-once' };
    const first = await rest.post('/tag', { name: 'Once' }, headers);
    const second = await rest.post('/tag', { name: 'Once' }, headers);
    assert.deepEqual([second.status, second.body], [201, first.body]);
    assert.equal(second.headers.get('idempotency-replayed'), 'true');
  });
});
