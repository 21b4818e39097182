import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertBadValue, assertOk, assertRefused } from '../../support/clients/envelope.ts';
import { add, idsOf } from '../../support/people/people.ts';
import { type PastServer, startPast } from '../../support/processes/past-server.ts';

const SECOND = 1000;
const DAY = 24 * 3600 * SECOND;

let past: PastServer;
let now: number;
let shop: number;
let bank: number;
let sales: number;
let refund: number;
let praise: number;

before(async () => {
  past = await startPast();
  now = past.installation.clock.now; // 2026-01-15 12:00
  const { rest } = past;
  shop = await add(rest, 'website', { label: 'Shop', url: 'https://shop.example.com' });
  bank = await add(rest, 'website', { label: 'Bank', url: 'https://bank.example.com' });
  sales = await add(rest, 'skill', { name: 'Sales' });
  refund = await add(rest, 'tag', { name: 'Refund' });
  praise = await add(rest, 'tag', { name: 'Praise' });
});
after(() => past.stop());

/** What a conversation shows that nothing is known of. */
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
  test('rule 16: a conversation shows every field, its history in order, and nothing else', async () => {
    const { rows, rest, reader } = past;
    const visitor = await rows.visitor({ uniqueId: 'abc-1' });
    const createdAt = Date.UTC(2026, 0, 10, 9, 30, 0, 250);
    const id = await rows.conversation({
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
    await rows.message(id, { text, at: createdAt });
    await rows.message(id, { authorType: 'operator', authorId: 1, text: 'Hello', at: createdAt + 8000 });
    await rows.message(id, { authorType: 'notice', text: 'The operator is back.', at: createdAt + 9000 });
    await rows.tagged(id, praise);
    await rows.tagged(id, refund);
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
    const answer = await rest.get(`/conversation/${id}`);
    assert.deepEqual(answer.body, { meta: { status: 'success' }, data: conversation });
    assert.deepEqual(Object.keys(answer.body.data), Object.keys(conversation));
    assert.deepEqual((await reader.get(`/conversation/${id}`)).body, answer.body);
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

  test('one of which little is known, and one that runs', async () => {
    const { rows, rest } = past;
    const id = await rows.conversation({ createdAt: now - DAY, websiteId: shop, state: 'queued' });
    assert.deepEqual((await rest.get(`/conversation/${id}`)).body.data, {
      id,
      ...EMPTY,
      created_at: '2026-01-14 12:00:00',
      website_id: shop,
      _link: `/conversation/${id}`,
    });
    for (const closedBy of ['visitor', 'system', 'api_key'] as const) {
      const closed = await rows.conversation({ createdAt: now, websiteId: shop, closedBy, closedAt: now });
      assert.equal((await rest.get(`/conversation/${closed}`)).body.data.operator_closed, false);
    }
  });

  test('is read whatever its age; one of another account, or none, is unknown', async () => {
    const { rows, strangersRows, rest, stranger } = past;
    const old = await rows.conversation({ createdAt: now - 400 * DAY, websiteId: shop });
    assertOk(await rest.get(`/conversation/${old}`));
    await strangersRows.conversation({ id: 9000, createdAt: now });
    assertOk(await stranger.get('/conversation/9000'));
    for (const id of ['9000', '99999', '0', 'abc', '1e3']) {
      assertRefused(await rest.get(`/conversation/${id}`), 404, `Unknown 'conversation' with 'id' ${id}.`);
    }
    assert.equal((await rest.get('/conversation?filters[id]=9000')).body.pagination.count, 0);
  });

  test('many messages come whole', async () => {
    const { rows, rest } = past;
    const id = await rows.conversation({ createdAt: now, websiteId: shop });
    const number = 2500;
    await past.installation.database.transaction(async ({ db }) => {
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
    const { rest } = past;
    for (const [old, plain] of [
      ['/conversation.json-unicode?full=1&limit=3', '/conversation?full=1&limit=3'],
      ['/conversation.json-unicode/1', '/conversation/1'],
      ['/conversation.json-unicode/77777', '/conversation/77777'],
      ['/conversation.json-unicode?filters[nothing]=1', '/conversation?filters[nothing]=1'],
    ] as const) {
      const [one, other] = [await rest.get(old), await rest.get(plain)];
      assert.deepEqual([one.status, one.body], [other.status, other.body]);
    }
  });
});

describe('GET /conversation: filters', () => {
  test('rule 16: by channel, website, operator, visitor, skill and tag, alone and together', async () => {
    const { rows, rest } = past;
    const from = Date.UTC(2025, 2, 1);
    const period = 'filters[from]=2025-03-01&filters[to]=2025-03-31';
    const make = async (index: number, fields: Parameters<typeof rows.conversation>[0]) =>
      rows.conversation({ createdAt: from + index * DAY, websiteId: shop, ...fields });
    const chat = await make(1, { operatorId: 1, skillId: sales, visitorId: 500 });
    const call = await make(2, { channel: 'call', websiteId: bank, operatorId: 1 });
    const video = await make(3, { channel: 'video', operatorId: 2, visitorId: 500 });
    const tagged = await make(4, { websiteId: bank });
    await rows.tagged(tagged, refund);
    await rows.tagged(tagged, praise);
    await rows.tagged(chat, refund);
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
      assert.deepEqual(await idsOf(rest, `/conversation?${period}&${filters}`), expected, filters);
    }
  });

  test('a filter that it does not have, and values that mean nothing', async () => {
    const { rest } = past;
    const unknown = await rest.get('/conversation?filters[state]=closed');
    const names = 'id, channel, from, to, website_id, operator_id, visitor_id, skill_id, tag_id';
    assertRefused(unknown, 400, `Filter 'state' is unknown. Filters here: ${names}.`);
    for (const [filter, values] of Object.entries({
      channel: ['', 'mail', 'chat,mail', 'CHAT', 'chat,'],
      website_id: ['', 'x', '1,', '-1'],
      tag_id: ['x'],
      from: ['', 'yesterday', '2026-1-1', '2026-02-30', '2026-13-01', '2026-01-01T00:00:00', '2026-01-01 24:00:00'],
      to: ['2026-01-01 10:00', '2026-01-01 10:00:60', '20260101', '2026-01-01 10:00:00Z', '*'],
    })) {
      for (const value of values) {
        const answer = await rest.get(`/conversation?filters[${filter}]=${encodeURIComponent(value)}`);
        assertBadValue(answer, `filters[${filter}]`);
      }
    }
    assertBadValue(await rest.get('/conversation?filters[from][]=2026-01-01'), 'filters[from]');
    const [error] = (await rest.get('/conversation?filters[from]=now')).body.meta.errors;
    assert.match(error.message, /must be a day \(YYYY-MM-DD\) or a moment \(YYYY-MM-DD HH:MM:SS\), UTC/);
    const [channel] = (await rest.get('/conversation?filters[channel]=mail')).body.meta.errors;
    assert.match(channel.message, /must be one of chat, call, video/);
  });
});

describe('GET /conversation: the period', () => {
  /** One at each of these moments, on a website of its own. */
  async function at(...moments: number[]): Promise<{ site: string; ids: number[] }> {
    const site = await add(past.rest, 'website', { label: 'Period', url: 'https://example.com' });
    const ids: number[] = [];
    for (const createdAt of moments) ids.push(await past.rows.conversation({ createdAt, websiteId: site }));
    return { site: `filters[website_id]=${site}`, ids };
  }

  test('rule 16: without one, the last three months by the clock of the database', async () => {
    const edge = Date.UTC(2025, 9, 15, 12); // three months before now
    const { site, ids } = await at(edge - 1, edge, now - 1);
    assert.deepEqual(await idsOf(past.rest, `/conversation?${site}`), [ids[2], ids[1]]);
    past.installation.clock.advance(1);
    assert.deepEqual(await idsOf(past.rest, `/conversation?${site}`), [ids[2]]);
    past.installation.clock.advance(-1);
  });

  test('rule 16: with one end, three months from it', async () => {
    const { site, ids } = await at(
      Date.UTC(2025, 4, 31) - 1,
      Date.UTC(2025, 4, 31),
      Date.UTC(2025, 7, 31) - 1,
      Date.UTC(2025, 7, 31),
      Date.UTC(2025, 8, 1) - 1,
      Date.UTC(2025, 8, 1),
    );
    const found = (query: string) => idsOf(past.rest, `/conversation?${site}&${query}`);
    assert.deepEqual(await found('filters[from]=2025-05-31'), [ids[2], ids[1]]);
    // The last day is inside, whole.
    assert.deepEqual(await found('filters[to]=2025-08-31'), [ids[4], ids[3], ids[2], ids[1]]);
    assert.deepEqual(await found('filters[to]=2025-08-30'), [ids[2], ids[1], ids[0]]);
  });

  test('rule 16: both ends are inside, to the second', async () => {
    const noon = Date.UTC(2025, 5, 10, 12);
    const { site, ids } = await at(noon - 1, noon, noon + 5 * SECOND + 999, noon + 6 * SECOND);
    const found = (query: string) => idsOf(past.rest, `/conversation?${site}&${query}`);
    const period = 'filters[from]=2025-06-10+12:00:00&filters[to]=2025-06-10%2012:00:05';
    assert.deepEqual(await found(period), [ids[2], ids[1]]);
    assert.deepEqual(await found('filters[from]=2025-06-10&filters[to]=2025-06-10'), ids.toReversed());
    assert.deepEqual(await found('filters[from]=2025-06-11&filters[to]=2025-06-12'), []);
  });

  test('rule 16: at most three months', async () => {
    const { rest } = past;
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
      const answer = await get(from, to);
      assertBadValue(answer, 'filters[to]');
      assert.match(answer.body.meta.errors[0].message, /at most 3 months after from/);
    }
    const wrong = await get('2025-03-02', '2025-03-01');
    assertBadValue(wrong, 'filters[to]');
    assert.match(wrong.body.meta.errors[0].message, /must not be before from/);
  });
});

describe('GET /conversation: pages and writes', () => {
  test('pages, newest first', async () => {
    const { rest, rows } = past;
    const site = await add(rest, 'website', { label: 'Pages', url: 'https://example.com' });
    const ids: number[] = [];
    // The order is that of the numbers, whatever the moments.
    for (let number = 0; number < 25; number++) {
      ids.push(await rows.conversation({ websiteId: site, createdAt: now - ((number * 7) % 25) * DAY }));
    }
    const path = `/conversation?filters[website_id]=${site}`;
    const first = await rest.get(path);
    assert.deepEqual(first.body.pagination, { page: 1, pages: 2, limit: 20, count: 25 });
    const second = await rest.get(`${path}&page=2`);
    const seen = [...first.body.data, ...second.body.data].map((item) => item.id);
    assert.deepEqual(seen, ids.toReversed());
    const past3 = await rest.get(`${path}&page=3`);
    assert.deepEqual(past3.body.data, []);
    assert.deepEqual(past3.body.pagination, { page: 3, pages: 2, limit: 20, count: 25 });
    assertBadValue(await rest.get(`${path}&limit=0`), 'limit');
    assert.equal((await rest.get(`${path}&limit=1000`)).body.pagination.limit, 100);
  });

  test('nothing can be written', async () => {
    const { rest } = past;
    for (const [method, path] of [
      ['POST', '/conversation'],
      ['PUT', '/conversation/1'],
      ['DELETE', '/conversation/1'],
      ['DELETE', '/conversation.json-unicode/1'],
    ] as const) {
      const answer = await rest.send(method, path);
      assertRefused(answer, 405);
      assert.equal(answer.headers.get('allow'), 'GET, HEAD, OPTIONS');
    }
    const head = await rest.send('HEAD', '/conversation/1');
    assert.equal(head.status, 200);
    assert.equal(head.body, undefined);
  });

  test('a key is needed', async () => {
    assertRefused(await past.rest.get('/conversation', { 'X-API-Key': 'nothing' }), 403, 'Forbidden');
  });
});
