import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertError, assertInvalidField, assertOk } from '../../support/clients/envelope.ts';
import { createResource, listIds } from '../../support/fixtures/resources.ts';
import { type SeededServer, startSeededServer } from '../../support/processes/seeded-server.ts';

const SECOND = 1000;
const DAY = 24 * 3600 * SECOND;

let server: SeededServer;
let now: number;
let shop: number;
let bank: number;
let sales: number;
let refund: number;
let praise: number;

before(async () => {
  server = await startSeededServer();
  now = server.installation.clock.now; // 2026-01-15 12:00
  const { rest } = server;
  shop = await createResource(rest, 'website', { label: 'Shop', url: 'https://shop.example.com' });
  bank = await createResource(rest, 'website', { label: 'Bank', url: 'https://bank.example.com' });
  sales = await createResource(rest, 'skill', { name: 'Sales' });
  refund = await createResource(rest, 'tag', { name: 'Refund' });
  praise = await createResource(rest, 'tag', { name: 'Praise' });
});
after(() => server.stop());

/** The fields of a new conversation. */
const EMPTY = {
  channel: 'chat',
  visitor_uid: null,
  history: [],
  operator_answer: false,
  operator_closed: false,
  waitinglist: false,
  closed_at: null,
  operator_id: null,
  skill_id: null,
  tag_list: [],
};

describe('GET /conversation/<id>', () => {
  test('rule 16: a conversation has exactly the documented fields and an ordered history', async () => {
    const { seeder, rest, readOnlyRest } = server;
    const visitor = await seeder.addVisitor({ uniqueId: 'abc-1' });
    const createdAt = Date.UTC(2026, 0, 10, 9, 30, 0, 250);
    const id = await seeder.addConversation({
      channel: 'call',
      visitorId: visitor,
      createdAt,
      acceptedAt: createdAt + 5000,
      firstAnswerAt: createdAt + 8000,
      closedAt: createdAt + 60_000,
      closedBy: 'operator',
      closedById: 1,
      hasWaited: 1,
      websiteId: shop,
      operatorId: 1,
      skillId: sales,
    });
    const text = 'Ünïcode 👍 "quoted"\n<b>\u2028';
    await seeder.addMessage(id, { text, at: createdAt });
    await seeder.addMessage(id, { authorType: 'operator', authorId: 1, text: 'Hello', at: createdAt + 8000 });
    await seeder.addMessage(id, { authorType: 'notice', text: 'The operator is back.', at: createdAt + 9000 });
    await seeder.addTag(id, praise);
    await seeder.addTag(id, refund);
    const conversation = {
      id,
      channel: 'call',
      visitor_uid: 'abc-1',
      history: [
        [2, '2026-01-10 09:30:00', text, createdAt],
        [1, '2026-01-10 09:30:08', 'Hello', createdAt + 8000],
        [3, '2026-01-10 09:30:09', 'The operator is back.', createdAt + 9000],
      ],
      operator_answer: true,
      operator_closed: true,
      waitinglist: true,
      created_at: '2026-01-10 09:30:00',
      closed_at: '2026-01-10 09:31:00',
      website_id: shop,
      operator_id: 1,
      skill_id: sales,
      tag_list: [refund, praise],
      _link: `/conversation/${id}`,
    };
    const response = await rest.get(`/conversation/${id}`);
    assert.deepEqual(response.body, { meta: { status: 'success' }, data: conversation });
    assert.deepEqual(Object.keys(response.body.data), Object.keys(conversation));
    assert.deepEqual((await readOnlyRest.get(`/conversation/${id}`)).body, response.body);
    assert.deepEqual((await rest.get(`/conversation?full=1&filters[id]=${id}`)).body.data, [conversation]);
    assert.deepEqual((await rest.get(`/conversation?filters[id]=${id}`)).body.data, [
      { id, _link: `/conversation/${id}` },
    ]);
    assert.deepEqual((await rest.get(`/conversation/${id}?fields[]=tag_list&fields[]=nothing`)).body.data, {
      id,
      tag_list: [refund, praise],
      _link: `/conversation/${id}`,
    });
    const listed = await rest.get(`/conversation?filters[id]=${id}&fields[]=visitor_uid&fields[]=history`);
    assert.deepEqual(Object.keys(listed.body.data[0]), ['id', 'visitor_uid', 'history', '_link']);
    assert.equal(listed.body.data[0].history.length, 3);
  });

  test('a queued conversation has empty fields; operator_closed is false if the operator did not close it', async () => {
    const { seeder, rest } = server;
    const id = await seeder.addConversation({ createdAt: now - DAY, websiteId: shop, state: 'queued' });
    assert.deepEqual((await rest.get(`/conversation/${id}`)).body.data, {
      id,
      ...EMPTY,
      created_at: '2026-01-14 12:00:00',
      website_id: shop,
      _link: `/conversation/${id}`,
    });
    for (const closedBy of ['visitor', 'system', 'api_key'] as const) {
      const closed = await seeder.addConversation({ createdAt: now, websiteId: shop, closedBy, closedAt: now });
      assert.equal((await rest.get(`/conversation/${closed}`)).body.data.operator_closed, false);
    }
  });

  test('is readable at any age; a conversation of another account is unknown', async () => {
    const { seeder, otherAccountSeeder, rest, otherAccount } = server;
    const old = await seeder.addConversation({ createdAt: now - 400 * DAY, websiteId: shop });
    assertOk(await rest.get(`/conversation/${old}`));
    await otherAccountSeeder.addConversation({ id: 9000, createdAt: now });
    assertOk(await otherAccount.get('/conversation/9000'));
    for (const id of ['9000', '99999', '0', 'abc', '1e3']) {
      assertError(await rest.get(`/conversation/${id}`), 404, `Unknown 'conversation' with 'id' ${id}.`);
    }
    assert.equal((await rest.get('/conversation?filters[id]=9000')).body.pagination.count, 0);
  });

  test('a long history is returned completely', async () => {
    const { seeder, rest } = server;
    const id = await seeder.addConversation({ createdAt: now, websiteId: shop });
    const number = 2500;
    await server.installation.database.transaction(async ({ db }) => {
      for (let sequence = 1; sequence <= number; sequence++) {
        const authorType = sequence % 2 === 0 ? 'operator' : 'visitor';
        const row = { accountId: 1, conversationId: id, sequence, authorType, text: `${sequence}`, at: now } as const;
        await db.insertInto('messages').values(row).execute();
      }
      await db.updateTable('conversations').set({ messageCount: number }).where('id', '=', id).execute();
    });
    const { history } = (await rest.get(`/conversation/${id}`)).body.data;
    assert.deepEqual(
      history.map(([type, , text]: [number, string, string]) => [type, text]),
      Array.from({ length: number }, (_, index) => [index % 2 === 0 ? 2 : 1, String(index + 1)]),
    );
  });

  test('/conversation.json-unicode is the same resource', async () => {
    const { rest } = server;
    for (const [old, plain] of [
      ['/conversation.json-unicode?full=1&limit=3', '/conversation?full=1&limit=3'],
      ['/conversation.json-unicode/1', '/conversation/1'],
      ['/conversation.json-unicode/77777', '/conversation/77777'],
      ['/conversation.json-unicode?filters[nothing]=1', '/conversation?filters[nothing]=1'],
    ] as const) {
      const [oldResponse, plainResponse] = [await rest.get(old), await rest.get(plain)];
      assert.deepEqual([oldResponse.status, oldResponse.body], [plainResponse.status, plainResponse.body]);
    }
  });
});

describe('GET /conversation: filters', () => {
  test('rule 16: by channel, website, operator, visitor, skill and tag, alone and combined', async () => {
    const { seeder, rest } = server;
    const from = Date.UTC(2025, 2, 1);
    const period = 'filters[from]=2025-03-01&filters[to]=2025-03-31';
    const add = async (index: number, fields: Parameters<typeof seeder.addConversation>[0]) =>
      seeder.addConversation({ createdAt: from + index * DAY, websiteId: shop, ...fields });
    const chat = await add(1, { operatorId: 1, skillId: sales, visitorId: 500 });
    const call = await add(2, { channel: 'call', websiteId: bank, operatorId: 1 });
    const video = await add(3, { channel: 'video', operatorId: 2, visitorId: 500 });
    const tagged = await add(4, { websiteId: bank });
    await seeder.addTag(tagged, refund);
    await seeder.addTag(tagged, praise);
    await seeder.addTag(chat, refund);
    for (const [filters, expected] of [
      ['', [tagged, video, call, chat]],
      ['filters[channel]=chat', [tagged, chat]],
      ['filters[channel]=call,video', [video, call]],
      ['filters[channel][]=call&filters[channel][]=chat', [tagged, call, chat]],
      [`filters[website_id]=${bank}`, [tagged, call]],
      [`filters[website_id]=${shop},${bank}`, [tagged, video, call, chat]],
      ['filters[operator_id]=1', [call, chat]],
      ['filters[operator_id]=*', [video, call, chat]],
      ['filters[visitor_id]=500', [video, chat]],
      ['filters[visitor_id]=5*', [video, chat]],
      [`filters[skill_id]=${sales}`, [chat]],
      [`filters[tag_id]=${refund}`, [tagged, chat]],
      [`filters[tag_id]=${refund},${praise}`, [tagged, chat]],
      [`filters[tag_id]=${praise}`, [tagged]],
      [`filters[tag_id]=${refund}&filters[channel]=chat&filters[operator_id]=1&filters[visitor_id]=500`, [chat]],
      [`filters[tag_id]=${praise}&filters[operator_id]=1`, []],
      [`filters[id]=${chat},${video}`, [video, chat]],
      ['filters[tag_id]=9999', []],
    ] as const) {
      assert.deepEqual(await listIds(rest, `/conversation?${period}&${filters}`), expected, filters);
    }
  });

  test('unknown filters and invalid values are rejected', async () => {
    const { rest } = server;
    const unknown = await rest.get('/conversation?filters[state]=closed');
    const names = 'id, channel, from, to, website_id, operator_id, visitor_id, skill_id, tag_id';
    assertError(unknown, 400, `Filter 'state' is unknown. Allowed filters: ${names}.`);
    for (const [filter, values] of Object.entries({
      channel: ['', 'mail', 'chat,mail', 'CHAT', 'chat,'],
      website_id: ['', 'x', '1,', '-1'],
      tag_id: ['x'],
      from: ['', 'yesterday', '2026-1-1', '2026-02-30', '2026-13-01', '2026-01-01T00:00:00', '2026-01-01 24:00:00'],
      to: ['2026-01-01 10:00', '2026-01-01 10:00:60', '20260101', '2026-01-01 10:00:00Z', '*'],
    })) {
      for (const value of values) {
        const response = await rest.get(`/conversation?filters[${filter}]=${encodeURIComponent(value)}`);
        assertInvalidField(response, `filters[${filter}]`);
      }
    }
    assertInvalidField(await rest.get('/conversation?filters[from][]=2026-01-01'), 'filters[from]');
    const [error] = (await rest.get('/conversation?filters[from]=now')).body.meta.errors;
    assert.match(error.message, /must be a date \(YYYY-MM-DD\) or a date and time \(YYYY-MM-DD HH:MM:SS\), UTC/);
    const [channel] = (await rest.get('/conversation?filters[channel]=mail')).body.meta.errors;
    assert.match(channel.message, /must be one of chat, call, video/);
  });
});

describe('GET /conversation: the period', () => {
  /** Adds one conversation at each time, on a new website. */
  async function addConversations(...times: number[]): Promise<{ site: string; ids: number[] }> {
    const site = await createResource(server.rest, 'website', { label: 'Period', url: 'https://example.com' });
    const ids: number[] = [];
    for (const createdAt of times) ids.push(await server.seeder.addConversation({ createdAt, websiteId: site }));
    return { site: `filters[website_id]=${site}`, ids };
  }

  test("rule 16: defaults to the last three months by the database's clock", async () => {
    const edge = Date.UTC(2025, 9, 15, 12); // three months before now
    const { site, ids } = await addConversations(edge - 1, edge, now - 1);
    assert.deepEqual(await listIds(server.rest, `/conversation?${site}`), [ids[2], ids[1]]);
    server.installation.clock.advance(1);
    assert.deepEqual(await listIds(server.rest, `/conversation?${site}`), [ids[2]]);
    server.installation.clock.advance(-1);
  });

  test('rule 16: with only one end, covers three months from it', async () => {
    const { site, ids } = await addConversations(
      Date.UTC(2025, 4, 31) - 1,
      Date.UTC(2025, 4, 31),
      Date.UTC(2025, 7, 31) - 1,
      Date.UTC(2025, 7, 31),
      Date.UTC(2025, 8, 1) - 1,
      Date.UTC(2025, 8, 1),
    );
    const found = (query: string) => listIds(server.rest, `/conversation?${site}&${query}`);
    assert.deepEqual(await found('filters[from]=2025-05-31'), [ids[2], ids[1]]);
    // The last day is included completely.
    assert.deepEqual(await found('filters[to]=2025-08-31'), [ids[4], ids[3], ids[2], ids[1]]);
    assert.deepEqual(await found('filters[to]=2025-08-30'), [ids[2], ids[1], ids[0]]);
  });

  test('rule 16: both ends are inclusive, to the second', async () => {
    const noon = Date.UTC(2025, 5, 10, 12);
    const { site, ids } = await addConversations(noon - 1, noon, noon + 5 * SECOND + 999, noon + 6 * SECOND);
    const found = (query: string) => listIds(server.rest, `/conversation?${site}&${query}`);
    const period = 'filters[from]=2025-06-10+12:00:00&filters[to]=2025-06-10%2012:00:05';
    assert.deepEqual(await found(period), [ids[2], ids[1]]);
    assert.deepEqual(await found('filters[from]=2025-06-10&filters[to]=2025-06-10'), ids.toReversed());
    assert.deepEqual(await found('filters[from]=2025-06-11&filters[to]=2025-06-12'), []);
  });

  test('rule 16: a period of more than three months is rejected', async () => {
    const { rest } = server;
    const get = (from: string, to: string) => rest.get(`/conversation?filters[from]=${from}&filters[to]=${to}`);
    for (const [from, to] of [
      ['2025-01-01', '2025-03-31'],
      ['2025-01-01', '2025-04-01'],
      ['2024-11-30', '2025-02-28'],
      ['2025-02-28', '2025-05-31'],
      ['2025-01-01 10:00:00', '2025-04-01 10:00:00'],
    ] as const) {
      assertOk(await get(from, to));
    }
    for (const [from, to] of [
      ['2025-01-01', '2025-04-02'],
      ['2025-01-01', '2026-01-01'],
      ['2025-01-01 10:00:00', '2025-04-01 10:00:01'],
      ['2024-11-29', '2025-03-01'],
    ] as const) {
      const response = await get(from, to);
      assertInvalidField(response, 'filters[to]');
      assert.match(response.body.meta.errors[0].message, /at most 3 months after from/);
    }
    const wrong = await get('2025-03-02', '2025-03-01');
    assertInvalidField(wrong, 'filters[to]');
    assert.match(wrong.body.meta.errors[0].message, /must not be before from/);
  });
});

describe('GET /conversation: pages and writes', () => {
  test('returns pages, newest first', async () => {
    const { rest, seeder } = server;
    const site = await createResource(rest, 'website', { label: 'Pages', url: 'https://example.com' });
    const ids: number[] = [];
    // Ordered by id, not by time.
    for (let number = 0; number < 25; number++) {
      ids.push(await seeder.addConversation({ websiteId: site, createdAt: now - ((number * 7) % 25) * DAY }));
    }
    const path = `/conversation?filters[website_id]=${site}`;
    const first = await rest.get(path);
    assert.deepEqual(first.body.pagination, { page: 1, pages: 2, limit: 20, count: 25 });
    const second = await rest.get(`${path}&page=2`);
    const seen = [...first.body.data, ...second.body.data].map((item) => item.id);
    assert.deepEqual(seen, ids.toReversed());
    const afterLast = await rest.get(`${path}&page=3`);
    assert.deepEqual(afterLast.body.data, []);
    assert.deepEqual(afterLast.body.pagination, { page: 3, pages: 2, limit: 20, count: 25 });
    assertInvalidField(await rest.get(`${path}&limit=0`), 'limit');
    assert.equal((await rest.get(`${path}&limit=1000`)).body.pagination.limit, 100);
  });

  test('writes are not allowed', async () => {
    const { rest } = server;
    for (const [method, path] of [
      ['POST', '/conversation'],
      ['PUT', '/conversation/1'],
      ['DELETE', '/conversation/1'],
      ['DELETE', '/conversation.json-unicode/1'],
    ] as const) {
      const response = await rest.send(method, path);
      assertError(response, 405);
      assert.equal(response.headers.get('allow'), 'GET, HEAD, OPTIONS');
    }
    const head = await rest.send('HEAD', '/conversation/1');
    assert.equal(head.status, 200);
    assert.equal(head.body, undefined);
  });

  test('a key is required', async () => {
    assertError(await server.rest.get('/conversation', { 'X-API-Key': 'nothing' }), 403, 'Forbidden');
  });
});
