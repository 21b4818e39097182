import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertBadValue, assertOk, assertRefused } from '../../support/clients/envelope.ts';
import { type RestAnswer, type RestClient, restClient } from '../../support/clients/rest.ts';
import { addOperator } from '../../support/people/people.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

type Live = RestAnswer['body'];
const CHANNELS = ['chat', 'call', 'video'] as const;

let switchboard: Switchboard;
let rest: RestClient;
/** All who ever logged in, as one read shows them. */
let everyone: Live[];
let operators: Map<number, Live>;
before(async () => {
  switchboard = await startSwitchboard({ demo: true });
  rest = restClient(switchboard.url, switchboard.key);
  everyone = (await rest.get('/operator/live?connected=0&filters[id]=*')).body.data;
  const list = await rest.get('/operator?full=1&limit=100');
  operators = new Map(list.body.data.map((operator: Live) => [operator.id, operator]));
});
after(() => switchboard.stop());

const isNamedOnly = ({ id }: Live) => {
  const operator = operators.get(id);
  return operator.group_id !== null || operator.skill_list.length > 0;
};
const isPresent = (live: Live) =>
  live.connected && CHANNELS.some((channel) => live[channel].enabled && live[channel].available);
const idsIn = (rows: Live[]) => rows.map((row) => row.id);

test('one operator: connected, and for each channel its five numbers', async () => {
  assert.ok(everyone.length > 30);
  for (const live of everyone) {
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
  assert.ok(everyone.some((live) => live.chat.slot_number > 0));
  assert.ok(
    everyone.some((live) => !live.connected && live.chat.available),
    'the flags are there offline too',
  );
  assert.ok(everyone.some((live) => !live.call.enabled && !live.call.available));
});

test('by default: connected and, on a channel, enabled and available; those with skill or group are counted', async () => {
  const { body } = await rest.get('/operator/live');
  const present = everyone.filter(isPresent);
  const shown = present.filter((live) => !isNamedOnly(live));
  const leftOut = present.length - shown.length;
  assert.ok(shown.length > 0 && leftOut > 0);
  assert.deepEqual(body.data, shown);
  assert.match(body.meta.notice, new RegExp(`^${leftOut} operators who hold skills or belong to a group are left out`));
  assert.deepEqual(body.pagination, { page: 1, pages: 1, limit: shown.length, count: shown.length });
  assert.deepEqual((await rest.get('/operator/live?connected=1')).body, body, '1 is the default');
});

test('with connected=0: everyone who ever logged in, whatever the flags', async () => {
  const shown = everyone.filter((live) => !isNamedOnly(live));
  for (const query of ['connected=0', 'filters[connected]=0']) {
    const { body } = await rest.get(`/operator/live?${query}`);
    assert.deepEqual(body.data, shown, query);
    assert.match(body.meta.notice, new RegExp(`^${everyone.length - shown.length} operators`));
  }
  assert.ok(shown.some((live) => !live.connected));
  const never = [...operators.keys()].filter((id) => !idsIn(everyone).includes(id));
  assert.ok(never.length > 0, 'somebody never logged in');
  for (const id of never) {
    assert.equal((await rest.get(`/operator/${id}/live`)).body.data.connected, false);
    assert.deepEqual((await rest.get(`/operator/live?connected=0&filters[id]=${id}`)).body.data, []);
  }
});

test('any other value of connected is refused', async () => {
  for (const value of ['2', '-1', '', 'true', 'false', '00', 'x']) {
    assertBadValue(await rest.get(`/operator/live?connected=${value}`), 'connected');
    assertBadValue(await rest.get(`/operator/live?filters[connected]=${value}`), 'filters[connected]');
  }
  assertRefused(await rest.get('/operator/live?connected=0&connected=0'), 400);
  assertRefused(await rest.get('/operator?filters[connected]=0'), 400, /^Filter 'connected' is unknown/);
});

test('naming skills, groups or people leaves nobody out', async () => {
  const present = everyone.filter(isPresent);
  const one = present.find(isNamedOnly);
  const { email, external_id, group_id, skill_list } = operators.get(one.id);
  const cases: [string, (live: Live) => boolean][] = [
    ['filters[skill_id]=*', (live) => operators.get(live.id).skill_list.length > 0],
    ['filters[group_id]=*', (live) => operators.get(live.id).group_id !== null],
    [`filters[skill_id]=${skill_list[0]}`, (live) => operators.get(live.id).skill_list.includes(skill_list[0])],
    [`filters[group_id]=${group_id}`, (live) => operators.get(live.id).group_id === group_id],
    ['filters[id]=*', () => true],
    [`filters[id]=${one.id}`, (live) => live.id === one.id],
    [`filters[email]=${email}`, (live) => live.id === one.id],
    [`filters[external_id]=${external_id}`, (live) => live.id === one.id],
  ];
  for (const [query, holds] of cases) {
    const { body } = await rest.get(`/operator/live?${query}`);
    assert.deepEqual(body.data, present.filter(holds), query);
    assert.equal(body.meta.notice, undefined, query);
    const all = await rest.get(`/operator/live?connected=0&${query}`);
    assert.deepEqual(all.body.data, everyone.filter(holds), query);
    assert.equal(all.body.meta.notice, undefined, query);
  }
});

test('other filters still leave out those who must be named', async () => {
  for (const query of ['filters[name]=*', 'filters[website_id]=1', 'filters[website_list]=1,2']) {
    const websites = query.includes('list') ? [1, 2] : [1];
    const holds = (live: Live) =>
      query.includes('name') || websites.some((id) => operators.get(live.id).website_list.includes(id));
    for (const [connected, rows] of [
      ['1', everyone.filter(isPresent)],
      ['0', everyone],
    ] as const) {
      const { body } = await rest.get(`/operator/live?connected=${connected}&${query}`);
      const matching = rows.filter(holds);
      assert.deepEqual(
        body.data,
        matching.filter((live) => !isNamedOnly(live)),
        query,
      );
      assert.match(body.meta.notice, new RegExp(`^${matching.filter(isNamedOnly).length} operator`));
    }
  }
  const both = await rest.get('/operator/live?filters[name]=a*&filters[group_id]=*&filters[skill_id]=*');
  assertOk(both);
});

test('pages, where they are asked for', async () => {
  const { body: whole } = await rest.get('/operator/live?connected=0&filters[id]=*');
  assert.deepEqual(whole.pagination, { page: 1, pages: 1, limit: everyone.length, count: everyone.length });
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

test('PUT sets the flags as told, on any channel, enabled or not, connected or not', async () => {
  const { id } = await addOperator(rest, { chat_enabled: false });
  const path = `/operator/${id}/live`;
  const flags = async () => {
    const { data } = (await rest.get(path)).body;
    return [data.connected, ...CHANNELS.map((channel) => data[channel].available)];
  };
  assert.deepEqual(await flags(), [false, false, false, false]);
  const put = async (body: string | object, message: string, expected: boolean[]) => {
    const answer = await rest.put(path, body);
    assertOk(answer);
    assert.deepEqual(answer.body, { meta: { status: 'success', message } });
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

test('going offline keeps the flags and takes the operator off the list', async () => {
  const one = everyone.find((live) => isPresent(live) && !isNamedOnly(live));
  assert.ok(idsIn((await rest.get('/operator/live')).body.data).includes(one.id));
  const answer = await rest.put(`/operator/${one.id}/live`, 'connected=0');
  assert.equal(answer.body.meta.message, 'Operator is now offline.');
  const { data } = (await rest.get(`/operator/${one.id}/live`)).body;
  assert.deepEqual(data, { ...one, connected: false });
  assert.ok(!idsIn((await rest.get('/operator/live')).body.data).includes(one.id));
  assert.ok(idsIn((await rest.get('/operator/live?connected=0')).body.data).includes(one.id));
});

test('switching a channel off or disabling it takes the operator off the list', async () => {
  const one = everyone.findLast((live) => isPresent(live) && !isNamedOnly(live));
  const listed = async () => idsIn((await rest.get('/operator/live')).body.data).includes(one.id);
  assert.ok(await listed());
  assertOk(await rest.put(`/operator/${one.id}/live`, 'chat[available]=0&call[available]=0&video[available]=0'));
  assert.ok(!(await listed()));
  assert.equal((await rest.get(`/operator/${one.id}/live`)).body.data.connected, true);
  assertOk(await rest.put(`/operator/${one.id}/live`, 'call[available]=1'));
  assertOk(await rest.put(`/operator/${one.id}`, { call_enabled: false }));
  assert.ok(!(await listed()), 'available alone is not enough');
  assertOk(await rest.put(`/operator/${one.id}`, { call_enabled: true }));
  assert.ok(await listed());
});

test('PUT refuses what is not its own, and changes nothing then', async () => {
  const { id } = await addOperator(rest);
  const path = `/operator/${id}/live`;
  const before = (await rest.get(path)).body;
  for (const value of ['1', '2', '', 'true', 'yes', '-0']) {
    assertBadValue(await rest.put(path, `chat[available]=1&connected=${value}`), 'connected');
  }
  for (const value of ['2', '', 'yes', '-1']) {
    assertBadValue(await rest.put(path, `call[available]=1&chat[available]=${value}`), 'chat[available]');
  }
  assertRefused(await rest.put(path, ''), 400, "Field 'chat[available]' is missing.");
  assertRefused(await rest.put(path, {}), 400);
  assertRefused(await rest.put(path, { chat: {} }), 400, "Field 'chat[available]' is missing.");
  assertBadValue(await rest.put(path, { chat: 1, video: { available: true } }), 'chat');
  assertRefused(await rest.put(path, 'chat[available]=1&sms[available]=1'), 400, "Field 'sms' is unknown.");
  assertRefused(await rest.put(path, 'chat[available]=1&chat[busy]=1'), 400, "Field 'chat[busy]' is unknown.");
  assert.deepEqual((await rest.get(path)).body, before);
});

test('lowering chat_max_number under the present use makes busy and closes nothing', async () => {
  const one = everyone.find((live) => live.chat.slot_number > 0 && live.chat.slot_max_number > 1);
  assert.equal(one.chat.busy, false);
  assertOk(await rest.put(`/operator/${one.id}`, { chat_max_number: 1 }));
  const { data } = (await rest.get(`/operator/${one.id}/live`)).body;
  assert.deepEqual(data.chat, { ...one.chat, slot_max_number: 1, busy: true });
});

test('a first token is a first login', async () => {
  const password = 'a fine old phrase';
  const { id, email } = await addOperator(rest, { password });
  const listed = async () => idsIn((await rest.get('/operator/live?connected=0')).body.data).includes(id);
  assert.ok(!(await listed()));
  const response = await fetch(`${switchboard.url}/oauth2/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'password', username: email, password }),
  });
  assert.equal(response.status, 200);
  assert.ok(await listed());
  assert.equal((await rest.get(`/operator/${id}/live`)).body.data.connected, false, 'a token is no desk');
});

test('a lease that has passed is an operator who is gone, without anybody telling', async () => {
  const one = everyone.findLast((live) => live.connected);
  const end = 'update operator_live set lease_until = ? where account_id = 1 and operator_id = ?';
  await switchboard.stored.rows(end, Date.now() - 1, one.id);
  assert.equal((await rest.get(`/operator/${one.id}/live`)).body.data.connected, false);
});
