import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertError, assertInvalidField, assertOk } from '../../support/clients/envelope.ts';
import { type RestClient, type RestResponse, restClient } from '../../support/clients/rest.ts';
import { createOperator } from '../../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

type Live = RestResponse['body'];
const CHANNELS = ['chat', 'call', 'video'] as const;

let switchboard: Switchboard;
let rest: RestClient;
/** The live states of all operators who ever logged in. */
let allLive: Live[];
let operators: Map<number, Live>;
before(async () => {
  switchboard = await startSwitchboard({ demo: true });
  rest = restClient(switchboard.url, switchboard.key);
  allLive = (await rest.get('/operator/live?connected=0&filters[id]=*')).body.data;
  const list = await rest.get('/operator?full=1&limit=100');
  operators = new Map(list.body.data.map((operator: Live) => [operator.id, operator]));
});
after(() => switchboard.stop());

const hasSkillOrGroup = ({ id }: Live) => {
  const operator = operators.get(id);
  return operator.group_id !== null || operator.skill_list.length > 0;
};
const isListedByDefault = (live: Live) =>
  live.connected && CHANNELS.some((channel) => live[channel].enabled && live[channel].available);
const idsIn = (rows: Live[]) => rows.map((row) => row.id);

test('the live state has connected, and five fields per channel', async () => {
  assert.ok(allLive.length > 30);
  for (const live of allLive) {
    const operator = operators.get(live.id);
    assert.deepEqual(Object.keys(live), ['id', 'connected', 'chat', 'call', 'video']);
    for (const channel of CHANNELS) {
      const { enabled, slot_number, slot_max_number, busy, available } = live[channel];
      assert.deepEqual(Object.keys(live[channel]), ['enabled', 'slot_number', 'slot_max_number', 'busy', 'available']);
      assert.equal(enabled, operator[`${channel}_enabled`]);
      assert.equal(slot_max_number, channel === 'chat' ? operator.chat_max_number : 1);
      assert.equal(typeof available, 'boolean');
      const blocked = channel === 'call' && live.chat.slot_number > 0 && !operator.chat_and_call;
      assert.equal(busy, slot_number >= slot_max_number || blocked, `${live.id} ${channel}`);
    }
    const single = await rest.get(`/operator/${live.id}/live`);
    assert.deepEqual(single.body, { meta: { status: 'success' }, data: live });
  }
  assert.ok(allLive.some((live) => live.chat.slot_number > 0));
  assert.ok(
    allLive.some((live) => !live.connected && live.chat.available),
    'offline operators keep their flags',
  );
  assert.ok(allLive.some((live) => !live.call.enabled && !live.call.available));
});

test('the default list has connected operators with an enabled and available channel; those with a skill or group are only counted', async () => {
  const { body } = await rest.get('/operator/live');
  const present = allLive.filter(isListedByDefault);
  const listed = present.filter((live) => !hasSkillOrGroup(live));
  const omittedCount = present.length - listed.length;
  assert.ok(listed.length > 0 && omittedCount > 0);
  assert.deepEqual(body.data, listed);
  assert.match(
    body.meta.notice,
    new RegExp(
      `^${omittedCount} operators who hold skills or belong to a group are left out: .* or filter by id, email, external_id or name\\.$`,
    ),
  );
  assert.deepEqual(body.pagination, { page: 1, pages: 1, limit: listed.length, count: listed.length });
  assert.deepEqual((await rest.get('/operator/live?connected=1')).body, body, '1 is the default');
});

test('connected=0 lists all operators who ever logged in, regardless of their flags', async () => {
  const listed = allLive.filter((live) => !hasSkillOrGroup(live));
  for (const query of ['connected=0', 'filters[connected]=0']) {
    const { body } = await rest.get(`/operator/live?${query}`);
    assert.deepEqual(body.data, listed, query);
    assert.match(body.meta.notice, new RegExp(`^${allLive.length - listed.length} operators`));
  }
  assert.ok(listed.some((live) => !live.connected));
  const never = [...operators.keys()].filter((id) => !idsIn(allLive).includes(id));
  assert.ok(never.length > 0, 'some operators never logged in');
  for (const id of never) {
    assert.equal((await rest.get(`/operator/${id}/live`)).body.data.connected, false);
    assert.deepEqual((await rest.get(`/operator/live?connected=0&filters[id]=${id}`)).body.data, []);
  }
});

test('any other value of connected is refused', async () => {
  for (const value of ['2', '-1', '', 'true', 'false', '00', 'x']) {
    assertInvalidField(await rest.get(`/operator/live?connected=${value}`), 'connected');
    assertInvalidField(await rest.get(`/operator/live?filters[connected]=${value}`), 'filters[connected]');
  }
  assertError(await rest.get('/operator/live?connected=0&connected=0'), 400);
  assertError(await rest.get('/operator?filters[connected]=0'), 400, /^Filter 'connected' is unknown/);
});

test('filters by skill, group or operator leave no operator out', async () => {
  const present = allLive.filter(isListedByDefault);
  const operatorLive = present.find(hasSkillOrGroup);
  const { email, external_id, group_id, skill_list } = operators.get(operatorLive.id);
  const cases: [string, (live: Live) => boolean][] = [
    ['filters[skill_id]=*', (live) => operators.get(live.id).skill_list.length > 0],
    ['filters[group_id]=*', (live) => operators.get(live.id).group_id !== null],
    [`filters[skill_id]=${skill_list[0]}`, (live) => operators.get(live.id).skill_list.includes(skill_list[0])],
    [`filters[group_id]=${group_id}`, (live) => operators.get(live.id).group_id === group_id],
    ['filters[id]=*', () => true],
    [`filters[id]=${operatorLive.id}`, (live) => live.id === operatorLive.id],
    [`filters[email]=${email}`, (live) => live.id === operatorLive.id],
    [`filters[external_id]=${external_id}`, (live) => live.id === operatorLive.id],
    ['filters[name]=*', () => true],
  ];
  for (const [query, holds] of cases) {
    const { body } = await rest.get(`/operator/live?${query}`);
    assert.deepEqual(body.data, present.filter(holds), query);
    assert.equal(body.meta.notice, undefined, query);
    const all = await rest.get(`/operator/live?connected=0&${query}`);
    assert.deepEqual(all.body.data, allLive.filter(holds), query);
    assert.equal(all.body.meta.notice, undefined, query);
  }
});

test('other filters still leave out operators with skills or groups', async () => {
  for (const query of ['filters[website_id]=1', 'filters[website_list]=1,2']) {
    const websites = query.includes('list') ? [1, 2] : [1];
    const holds = (live: Live) => websites.some((id) => operators.get(live.id).website_list.includes(id));
    for (const [connected, rows] of [
      ['1', allLive.filter(isListedByDefault)],
      ['0', allLive],
    ] as const) {
      const { body } = await rest.get(`/operator/live?connected=${connected}&${query}`);
      const matching = rows.filter(holds);
      assert.deepEqual(
        body.data,
        matching.filter((live) => !hasSkillOrGroup(live)),
        query,
      );
      assert.match(body.meta.notice, new RegExp(`^${matching.filter(hasSkillOrGroup).length} operator`));
    }
  }
  const both = await rest.get('/operator/live?filters[name]=a*&filters[group_id]=*&filters[skill_id]=*');
  assertOk(both);
});

test('the list is paged only on request', async () => {
  const { body: whole } = await rest.get('/operator/live?connected=0&filters[id]=*');
  assert.deepEqual(whole.pagination, { page: 1, pages: 1, limit: allLive.length, count: allLive.length });
  assert.deepEqual(
    idsIn(whole.data),
    idsIn(whole.data).sort((a, b) => b - a),
  );
  for (const query of ['connected=0&filters[id]=*', 'filters[id]=*', 'connected=0', 'connected=1']) {
    const all = (await rest.get(`/operator/live?${query}`)).body;
    const collected: Live[] = [];
    for (let page = 1, pages = 1; page <= pages; page++) {
      const part = (await rest.get(`/operator/live?${query}&limit=4&page=${page}`)).body;
      assert.deepEqual({ ...part.pagination, pages: 0 }, { page, pages: 0, limit: 4, count: all.data.length });
      pages = part.pagination.pages;
      assert.equal(part.meta.notice, all.meta.notice);
      collected.push(...part.data);
    }
    assert.deepEqual(collected, all.data, query);
  }
  assert.equal((await rest.get('/operator/live?connected=0&page=1')).body.pagination.limit, 20);
  assert.deepEqual((await rest.get('/operator/live?connected=0&page=50')).body.data, []);
});

test('PUT sets the flags on any channel, enabled or not, connected or not', async () => {
  const { id } = await createOperator(rest, { chat_enabled: false });
  const path = `/operator/${id}/live`;
  const flags = async () => {
    const { data } = (await rest.get(path)).body;
    return [data.connected, ...CHANNELS.map((channel) => data[channel].available)];
  };
  assert.deepEqual(await flags(), [false, false, false, false]);
  const put = async (body: string | object, message: string, expected: boolean[]) => {
    const response = await rest.put(path, body);
    assertOk(response);
    assert.deepEqual(response.body, { meta: { status: 'success', message } });
    assert.deepEqual(await flags(), expected, message);
  };
  await put('chat[available]=1', 'Operator is now available for chat channel.', [false, true, false, false]);
  await put('chat[available]=1', 'Operator is now available for chat channel.', [false, true, false, false]);
  await put('call%5Bavailable%5D=0', 'Operator is now unavailable for call channel.', [false, true, false, false]);
  await put({ video: { available: true } }, 'Operator is now available for video channel.', [false, true, false, true]);
  await put({ video: { available: '0' } }, 'Operator is now unavailable for video channel.', [
    false,
    true,
    false,
    false,
  ]);
  await put('connected=0', 'Operator is now offline.', [false, true, false, false]);
  await put(
    'connected=0&video[available]=1&chat[available]=0&call[available]=1',
    'Operator is now unavailable for chat channel. Operator is now available for call channel. ' +
      'Operator is now available for video channel. Operator is now offline.',
    [false, false, true, true],
  );
});

test('going offline keeps the flags and removes the operator from the list', async () => {
  const operatorLive = allLive.find((live) => isListedByDefault(live) && !hasSkillOrGroup(live));
  assert.ok(idsIn((await rest.get('/operator/live')).body.data).includes(operatorLive.id));
  const response = await rest.put(`/operator/${operatorLive.id}/live`, 'connected=0');
  assert.equal(response.body.meta.message, 'Operator is now offline.');
  const { data } = (await rest.get(`/operator/${operatorLive.id}/live`)).body;
  assert.deepEqual(data, { ...operatorLive, connected: false });
  assert.ok(!idsIn((await rest.get('/operator/live')).body.data).includes(operatorLive.id));
  assert.ok(idsIn((await rest.get('/operator/live?connected=0')).body.data).includes(operatorLive.id));
});

test('an operator without an enabled and available channel is not listed', async () => {
  const operatorLive = allLive.findLast((live) => isListedByDefault(live) && !hasSkillOrGroup(live));
  const listed = async () => idsIn((await rest.get('/operator/live')).body.data).includes(operatorLive.id);
  assert.ok(await listed());
  assertOk(
    await rest.put(`/operator/${operatorLive.id}/live`, 'chat[available]=0&call[available]=0&video[available]=0'),
  );
  assert.ok(!(await listed()));
  assert.equal((await rest.get(`/operator/${operatorLive.id}/live`)).body.data.connected, true);
  assertOk(await rest.put(`/operator/${operatorLive.id}/live`, 'call[available]=1'));
  assertOk(await rest.put(`/operator/${operatorLive.id}`, { call_enabled: false }));
  assert.ok(!(await listed()), 'available alone is not enough');
  assertOk(await rest.put(`/operator/${operatorLive.id}`, { call_enabled: true }));
  assert.ok(await listed());
});

test('PUT refuses invalid and unknown fields and then changes nothing', async () => {
  const { id } = await createOperator(rest);
  const path = `/operator/${id}/live`;
  const before = (await rest.get(path)).body;
  for (const value of ['1', '2', '', 'true', 'yes', '-0']) {
    assertInvalidField(await rest.put(path, `chat[available]=1&connected=${value}`), 'connected');
  }
  for (const value of ['2', '', 'yes', '-1']) {
    assertInvalidField(await rest.put(path, `call[available]=1&chat[available]=${value}`), 'chat[available]');
  }
  assertError(await rest.put(path, ''), 400, "Field 'chat[available]' is missing.");
  assertError(await rest.put(path, {}), 400);
  assertError(await rest.put(path, { chat: {} }), 400, "Field 'chat[available]' is missing.");
  assertInvalidField(await rest.put(path, { chat: 1, video: { available: true } }), 'chat');
  assertError(await rest.put(path, 'chat[available]=1&sms[available]=1'), 400, "Field 'sms' is unknown.");
  assertError(await rest.put(path, 'chat[available]=1&chat[busy]=1'), 400, "Field 'chat[busy]' is unknown.");
  assert.deepEqual((await rest.get(path)).body, before);
});

test('lowering chat_max_number below the slots in use makes the operator busy and closes nothing', async () => {
  const operatorLive = allLive.find((live) => live.chat.slot_number > 0 && live.chat.slot_max_number > 1);
  assert.equal(operatorLive.chat.busy, false);
  assertOk(await rest.put(`/operator/${operatorLive.id}`, { chat_max_number: 1 }));
  const { data } = (await rest.get(`/operator/${operatorLive.id}/live`)).body;
  assert.deepEqual(data.chat, { ...operatorLive.chat, slot_max_number: 1, busy: true });
});

test('the first token counts as the first login', async () => {
  const password = 'a fine old phrase';
  const { id, email } = await createOperator(rest, { password });
  const listed = async () => idsIn((await rest.get('/operator/live?connected=0')).body.data).includes(id);
  assert.ok(!(await listed()));
  const response = await fetch(`${switchboard.url}/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'password', username: email, password }),
  });
  assert.equal(response.status, 200);
  assert.ok(await listed());
  assert.equal(
    (await rest.get(`/operator/${id}/live`)).body.data.connected,
    false,
    'a token does not connect the operator',
  );
});

test('an operator is offline as soon as the lease expires', async () => {
  const operatorLive = allLive.findLast((live) => live.connected);
  const end = 'update operator_live set lease_until = ? where account_id = 1 and operator_id = ?';
  await switchboard.storedData.query(end, Date.now() - 1, operatorLive.id);
  assert.equal((await rest.get(`/operator/${operatorLive.id}/live`)).body.data.connected, false);
});
