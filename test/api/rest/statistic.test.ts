import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { assertError, assertInvalidField, assertOk } from '../../support/clients/envelope.ts';
import { createOperator, createResource } from '../../support/fixtures/resources.ts';
import { type SeededServer, startSeededServer } from '../../support/processes/seeded-server.ts';

const SECOND = 1000;
const DAY = 24 * 3600 * SECOND;
const INDICATORS = [
  'conversation_number',
  'answered_number',
  'first_answer_seconds',
  'waiting_seconds',
  'abandoned_number',
  'refused_number',
  'satisfaction_rate',
  'experience',
  'connected_seconds',
  'contact_number',
  'contact_duration',
  'contact_waiting_duration',
  'contact_waiting_number',
];
const ON_REQUEST = 'contact_simultaneous_number';
const NOTHING = {
  conversation_number: 0,
  answered_number: 0,
  first_answer_seconds: null,
  waiting_seconds: null,
  abandoned_number: 0,
  refused_number: 0,
  satisfaction_rate: null,
  experience: 0,
  connected_seconds: 0,
  contact_number: 0,
  contact_duration: null,
  contact_waiting_duration: null,
  contact_waiting_number: 0,
};

let server: SeededServer;
let shop: number;
let bank: number;
let group: number;
let skill: number;
let alice: number;
let bob: number;

/** Starts on the given day of the month; accepted, answered and closed after the given seconds. */
async function addConversation(day: number, fields: object, accepted?: number, answered?: number, closed?: number) {
  const createdAt = Date.UTC(2026, 0, day, 10);
  const after = (seconds: number | undefined) => (seconds === undefined ? null : createdAt + seconds * SECOND);
  const times = { acceptedAt: after(accepted), firstAnswerAt: after(answered), closedAt: after(closed) };
  const state = closed === undefined ? 'active' : 'closed';
  return server.seeder.addConversation({ createdAt, state, websiteId: shop, ...times, ...fields });
}

before(async () => {
  server = await startSeededServer();
  const { rest, seeder, installation, otherAccountSeeder } = server;
  shop = await createResource(rest, 'website', { label: 'Shop', url: 'https://shop.example.com' });
  bank = await createResource(rest, 'website', { label: 'Bank', url: 'https://bank.example.com' });
  group = await createResource(rest, 'group', { name: 'Group' });
  skill = await createResource(rest, 'skill', { name: 'Skill' });
  alice = (await createOperator(rest, { group_id: group, skill_list: [skill] })).id;
  bob = (await createOperator(rest)).id;
  const firstId = await addConversation(
    1,
    { operatorId: alice, skillId: skill, closedBy: 'operator', hasWaited: 1 },
    10,
    14,
    100,
  );
  const secondId = await addConversation(2, { operatorId: alice, channel: 'call', closedBy: 'visitor' }, 20, 26, 100);
  await addConversation(3, { operatorId: bob, websiteId: bank, groupId: group }, 30);
  const abandoned = { skillId: skill, groupId: group, closedBy: 'visitor', hasWaited: 1 };
  await addConversation(4, abandoned, undefined, undefined, 50);
  await addConversation(5, { skillId: skill, closedBy: 'api_key' }, undefined, undefined, 50);
  await seeder.addSatisfaction(firstId, { noteWelcome: 5, noteResolution: 5, noteDelay: 5, operatorId: alice });
  await seeder.addSatisfaction(secondId, { noteWelcome: 1, noteResolution: 2, noteDelay: 3, operatorId: alice });
  await otherAccountSeeder.addConversation({ id: 900, createdAt: Date.UTC(2026, 0, 1), acceptedAt: 1, operatorId: 1 });
  await installation.database.transaction(async ({ db }) => {
    await db
      .insertInto('refusals')
      .values({ accountId: 1, day: '2026-01-02', websiteId: shop, reason: 'queue_full', count: 4 })
      .execute();
  });
  await setConnectedTime(alice, 600);
});
after(() => server.stop());

/** Replaces the operator's live history: connected for the given seconds, two days ago. */
async function setConnectedTime(operatorId: number, seconds: number): Promise<void> {
  const { database, clock } = server.installation;
  await database.transaction(async ({ db }) => {
    const row = await db
      .selectFrom('liveHistory')
      .selectAll()
      .where('operatorId', '=', operatorId)
      .where('accountId', '=', 1)
      .executeTakeFirstOrThrow();
    await db.deleteFrom('liveHistory').where('operatorId', '=', operatorId).execute();
    const start = clock.now - 2 * DAY;
    for (const [version, at, connected] of [
      [1, start, 1],
      [2, start + seconds * SECOND, 0],
    ] as const) {
      await db
        .insertInto('liveHistory')
        .values({ ...row, version, at, connected })
        .execute();
    }
  });
}

const data = async (query = '') => {
  const response = await server.readOnlyRest.get(`/statistic${query}`);
  assertOk(response);
  return response.body.data;
};

describe('GET /statistic without a resource', () => {
  test('rule 19: returns one object keyed by indicator, computed from the account', async () => {
    const response = await server.rest.get('/statistic');
    assert.deepEqual(response.body, {
      meta: { status: 'success' },
      data: {
        conversation_number: 3,
        answered_number: 2,
        first_answer_seconds: 5,
        waiting_seconds: 20,
        abandoned_number: 1,
        refused_number: 4,
        satisfaction_rate: 0.7,
        experience: 20,
        connected_seconds: 600,
        contact_number: 3,
        contact_duration: 85,
        contact_waiting_duration: 30,
        contact_waiting_number: 2,
      },
    });
    assert.deepEqual(Object.keys(response.body.data), INDICATORS);
    assert.deepEqual(await data('?full=1&limit=100'), response.body.data);
  });

  test('rule 19: can be filtered by website, channel and period', async () => {
    const indicators = '&filters[indicators]=conversation_number,abandoned_number';
    for (const [query, conversations, abandoned] of [
      [`?filters[website_list]=${shop}`, 2, 1],
      [`?filters[website_list]=${bank}`, 1, 0],
      [`?filters[website_list]=${shop},${bank}`, 3, 1],
      [`?filters[website_list][]=${shop}&filters[website_list][]=${bank}`, 3, 1],
      [`?filters[website_id]=${bank}`, 1, 0],
      [`?filters[website_id]=${shop},${bank}`, 3, 1],
      [`?filters[website_id][]=${shop}&filters[website_id][]=${bank}`, 3, 1],
      ['?filters[channel]=call', 1, 0],
      ['?filters[channel]=chat,video', 2, 1],
      ['?filters[from]=2026-01-02', 2, 1],
      ['?filters[to]=2026-01-02', 2, 0],
      ['?filters[from]=2026-01-02&filters[to]=2026-01-02', 1, 0],
      ['?filters[from]=2026-01-02+10:00:01&filters[to]=2026-01-04+09:59:59', 1, 0],
      ['?filters[from]=2020-01-01&filters[to]=2026-12-31', 3, 1],
      [`?filters[channel]=chat&filters[website_list]=${shop}&filters[from]=2026-01-01`, 1, 1],
      ['?filters[website_list]=999', 0, 0],
    ] as const) {
      const expected = { conversation_number: conversations, abandoned_number: abandoned };
      assert.deepEqual(await data(query + indicators), expected, query);
    }
  });

  test('refusals are counted by website and day only', async () => {
    const refused = async (query: string) => (await data(`?filters[indicators]=refused_number${query}`)).refused_number;
    assert.equal(await refused(''), 4);
    assert.equal(await refused(`&filters[website_list]=${bank}`), 0);
    assert.equal(await refused('&filters[from]=2026-01-02+18:00:00'), 4);
    assert.equal(await refused('&filters[from]=2026-01-03'), 0);
    assert.equal(await refused('&filters[channel]=chat'), null);
  });

  test('indicators: comma list, brackets or fields; unknown ones are refused', async () => {
    assert.deepEqual(await data('?filters[indicators]=experience'), { experience: 20 });
    assert.deepEqual(await data('?filters[indicators]=connected_seconds'), { connected_seconds: 600 });
    const twoAnswered = { answered_number: 2, experience: 20 };
    assert.deepEqual(await data('?filters[indicators]=experience,answered_number'), twoAnswered);
    assert.deepEqual(
      await data('?filters[indicators][]=experience&filters[indicators][]=answered_number'),
      twoAnswered,
    );
    assert.deepEqual(
      await data('?filters[indicators][0]=experience&filters[indicators][1]=answered_number'),
      twoAnswered,
    );
    assert.deepEqual(await data('?fields[]=experience&fields[]=answered_number&fields[]=email'), twoAnswered);
    assert.deepEqual(Object.keys(await data('?fields[]=email')), INDICATORS);
    assert.deepEqual(await data(`?fields[]=${ON_REQUEST}`), { [ON_REQUEST]: 1 });
    for (const bad of ['', 'nothing', 'experience,nothing', 'EXPERIENCE']) {
      const response = await server.rest.get(`/statistic?filters[indicators]=${bad}`);
      assertInvalidField(response, 'filters[indicators]');
      assert.ok(response.body.meta.errors[0].message.includes([...INDICATORS, ON_REQUEST].join(', ')));
    }
  });
});

describe('GET /statistic with a resource', () => {
  test('rule 19: returns rows by operator, newest first, including those without conversations', async () => {
    const response = await server.rest.get('/statistic?filters[resource]=operator');
    assertOk(response);
    assert.deepEqual(response.body.pagination, { page: 1, pages: 1, limit: 20, count: 3 });
    const rowOf = (id: number) => ({ id, resource: 'operator', resource_id: id });
    assert.deepEqual(response.body.data, [
      {
        ...rowOf(bob),
        ...NOTHING,
        conversation_number: 1,
        waiting_seconds: 30,
        refused_number: null,
        contact_number: 1,
      },
      {
        ...rowOf(alice),
        conversation_number: 2,
        answered_number: 2,
        first_answer_seconds: 5,
        waiting_seconds: 15,
        abandoned_number: 0,
        refused_number: null,
        satisfaction_rate: 0.7,
        experience: 20,
        connected_seconds: 600,
        contact_number: 2,
        contact_duration: 85,
        contact_waiting_duration: 10,
        contact_waiting_number: 1,
      },
      { ...rowOf(1), ...NOTHING, refused_number: null },
    ]);
    assert.deepEqual(Object.keys(response.body.data[0]), ['id', 'resource', 'resource_id', ...INDICATORS]);
  });

  test('rule 19: returns rows by group and by skill', async () => {
    const rowOf = (resource: string, id: number) => ({ id, resource, resource_id: id });
    const indicators = '&filters[indicators]=conversation_number,abandoned_number,connected_seconds';
    // A conversation counts for the group of its operator or, without an operator, for the requested group.
    assert.deepEqual(await data(`?filters[resource]=group${indicators}`), [
      { ...rowOf('group', group), conversation_number: 2, abandoned_number: 1, connected_seconds: 600 },
    ]);
    assert.deepEqual(await data(`?filters[resource]=skill${indicators}`), [
      { ...rowOf('skill', skill), conversation_number: 1, abandoned_number: 1, connected_seconds: 600 },
    ]);
  });

  test('supports resource_id, pages and the other filters', async () => {
    const rows = async (query: string) =>
      (await data(`?filters[resource]=operator&filters[indicators]=conversation_number${query}`)).map(
        (row: { resource_id: number; conversation_number: number }) => [row.resource_id, row.conversation_number],
      );
    assert.deepEqual(await rows(`&filters[resource_id]=${alice}`), [[alice, 2]]);
    assert.deepEqual(await rows(`&filters[resource_id]=${alice},${bob}&filters[channel]=call`), [
      [bob, 0],
      [alice, 1],
    ]);
    assert.deepEqual(await rows(`&filters[resource_id]=${bob}&filters[website_list]=${shop}`), [[bob, 0]]);
    assert.deepEqual(await rows('&filters[resource_id]=999'), []);
    assert.deepEqual(await rows('&limit=1&page=2'), [[alice, 2]]);
    assert.deepEqual(await data(`?filters[resource]=operator&filters[resource_id]=${alice}&fields[]=experience`), [
      { id: alice, resource: 'operator', resource_id: alice, experience: 20 },
    ]);
  });
});

test('invalid filters and other methods are rejected, and data of another account is excluded', async () => {
  const { rest, otherAccount } = server;
  assertError(
    await rest.get('/statistic?filters[id]=1'),
    400,
    "Filter 'id' is unknown. Allowed filters: website_list, website_id, channel, resource, resource_id, indicators, from, to.",
  );
  for (const [filter, values] of Object.entries({
    resource: ['', 'website', 'operator,group', 'OPERATOR'],
    channel: ['mail', ''],
    website_list: ['x', ''],
    from: ['x', '2026-02-31'],
    to: ['x'],
  })) {
    for (const value of values) {
      assertInvalidField(await rest.get(`/statistic?filters[${filter}]=${value}`), `filters[${filter}]`);
    }
  }
  assertInvalidField(await rest.get('/statistic?filters[resource_id]=1'), 'filters[resource_id]');
  assertInvalidField(await rest.get('/statistic?filters[from]=2026-01-02&filters[to]=2026-01-01'), 'filters[to]');
  assertInvalidField(
    await rest.get(`/statistic?filters[website_list]=${shop}&filters[website_id]=${bank}`),
    'filters[website_id]',
  );
  assertInvalidField(await rest.get('/statistic?limit=0'), 'limit');
  assertError(await rest.get('/statistic/1'), 404, "Unknown 'statistic' with 'id' 1.");
  assertError(await rest.get('/statistic/x%20y/'), 404, "Unknown 'statistic' with 'id' x y.");
  assertError(await rest.get('/statistic/1/live'), 404, "Unknown resource 'statistic/1/live'.");
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const response = await rest.send(method, '/statistic');
    assertError(response, 405);
    assert.equal(response.headers.get('allow'), 'GET, HEAD, OPTIONS');
  }
  const theirs = (await otherAccount.get('/statistic')).body.data;
  assert.equal(theirs.conversation_number, 1);
  assert.equal(theirs.connected_seconds, 0);
});

test("the indicators of a public client's example are computed from the rows", async () => {
  const { seeder, installation } = server;
  const operator = (await createOperator(server.rest)).id;
  const day = Date.UTC(2026, 5, 1);
  const at = (seconds: number) => day + seconds * SECOND;
  const add = (created: number, accepted: number, closed: number, fields = {}) =>
    seeder.addConversation({
      operatorId: operator,
      createdAt: at(created),
      acceptedAt: at(accepted),
      closedAt: at(closed),
      closedBy: 'operator',
      ...fields,
    });
  // Two overlap from 30 to 50; the third runs alone; the fourth was transferred from this operator after 20 seconds.
  await add(0, 10, 50, { hasWaited: 1 });
  await add(29, 30, 60);
  await add(100, 100, 130);
  const transferred = await add(200, 220, 300, { operatorId: bob, changedHands: 1, hasWaited: 1 });
  await installation.database.transaction(async ({ db }) => {
    for (const [operatorId, acceptedAt] of [
      [operator, at(220)],
      [bob, at(240)],
    ] as const) {
      const handling = { accountId: 1, conversationId: transferred, operatorId, acceptedAt, firstAnswerAt: null };
      await db.insertInto('handlings').values(handling).execute();
    }
  });
  const indicators =
    'contact_number,contact_duration,contact_waiting_duration,contact_waiting_number,contact_simultaneous_number';
  const query = `?filters[from]=2026-06-01&filters[to]=2026-06-01&filters[indicators]=${indicators}`;
  assert.deepEqual(await data(`${query}&filters[resource]=operator&filters[resource_id]=${operator},${bob}`), [
    {
      ...{ id: operator, resource: 'operator', resource_id: operator, contact_number: 4 },
      contact_duration: (40 + 30 + 30 + 20) / 4,
      contact_waiting_duration: (10 + 20) / 2,
      contact_waiting_number: 2,
      contact_simultaneous_number: 1.2, // 120 seconds of conversations in 100 seconds
    },
    {
      ...{ id: bob, resource: 'operator', resource_id: bob, contact_number: 1 },
      contact_duration: 60,
      contact_waiting_duration: null,
      contact_waiting_number: 0,
      contact_simultaneous_number: 1,
    },
  ]);
  assert.deepEqual(await data(query), {
    contact_number: 4,
    contact_duration: (40 + 30 + 30 + 80) / 4,
    contact_waiting_duration: 15,
    contact_waiting_number: 2,
    contact_simultaneous_number: 1.13, // 180 seconds of conversations in 160 seconds
  });
});
