import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertInvalidField, assertOk } from '../../support/clients/envelope.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { createOperator } from '../../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

const OPERATOR_COUNT = 124; // without the admin

let switchboard: Switchboard;
let rest: RestClient;
before(async () => {
  switchboard = await startSwitchboard();
  rest = restClient(switchboard.url, switchboard.key);
  for (let number = 0; number < OPERATOR_COUNT; number++) await createOperator(rest);
});
after(() => switchboard.stop());

const FIELDS = [
  'id',
  'name',
  'first_name',
  'pseudo',
  'email',
  'external_id',
  'role',
  'roles',
  'chat_enabled',
  'call_enabled',
  'video_enabled',
  'chat_max_number',
  'chat_and_call',
  'chat_to_video',
  'chat_priority',
  'call_priority',
  'video_priority',
  'language_list',
  'language_admin',
  'group_id',
  'website_list',
  'skill_list',
  'sso_key',
  'call_config',
  '_link',
];

test('a list item is its id and link; with full it has every field in the documented order', async () => {
  const plain = await rest.get('/operator');
  assert.deepEqual(plain.body.data[0], { id: OPERATOR_COUNT + 1, _link: `/operator/${OPERATOR_COUNT + 1}` });
  for (const full of ['full=1', 'full=true', 'full=TRUE', 'full=True']) {
    const { body } = await rest.get(`/operator?${full}`);
    assert.deepEqual(Object.keys(body.data[0]), FIELDS, full);
  }
  for (const other of ['full=0', 'full=false', 'full=False']) {
    const { body } = await rest.get(`/operator?${other}`);
    assert.deepEqual(Object.keys(body.data[0]), ['id', '_link'], other);
  }
  for (const bad of ['full=', 'full=yes', 'full=2', 'full[]=1']) {
    assertInvalidField(await rest.get(`/operator?${bad}`), 'full');
  }
  assert.deepEqual(Object.keys((await rest.get('/operator/1')).body.data), FIELDS);
});

test('fields selects fields in addition to id and link', async () => {
  const keys = async (query: string) => Object.keys((await rest.get(`/operator${query}`)).body.data[0]);
  assert.deepEqual(await keys('?fields[]=email&fields[]=name'), ['id', 'name', 'email', '_link']);
  assert.deepEqual(await keys('?fields[0]=name'), ['id', 'name', '_link']);
  assert.deepEqual(await keys('?fields[0]=nothing'), ['id', '_link']);
  assert.deepEqual(await keys('?fields[]=call_config&fields[]=nothing'), ['id', 'call_config', '_link']);
  assert.deepEqual(await keys('?fields[]=constructor&fields[]=__proto__'), ['id', '_link']);
  assert.deepEqual(await keys('?fields[a][b]=name'), ['id', '_link']);
  const single = await rest.get('/operator/1?fields[]=email');
  assert.deepEqual(single.body.data, { id: 1, email: 'admin@example.com', _link: '/operator/1' });
});

test('fields takes precedence over full', async () => {
  const { body } = await rest.get('/operator?full=1&fields[]=email');
  assert.deepEqual(Object.keys(body.data[0]), ['id', 'email', '_link']);
  const single = await rest.get('/operator/1?full=1&fields[]=email');
  assert.deepEqual(Object.keys(single.body.data), ['id', 'email', '_link']);
});

test('a page has 20 items by default and at most 100', async () => {
  const first = await rest.get('/operator');
  assert.deepEqual(first.body.pagination, { page: 1, pages: 7, limit: 20, count: OPERATOR_COUNT + 1 });
  assert.equal(first.body.data.length, 20);
  const most = await rest.get('/operator?limit=101');
  assert.deepEqual(most.body.pagination, { page: 1, pages: 2, limit: 100, count: OPERATOR_COUNT + 1 });
  assert.equal(most.body.data.length, 100);
  const huge = await rest.get('/operator?limit=9007199254740991');
  assert.equal(huge.body.pagination.limit, 100);
  const page = await rest.get('/operator?limit=1&page=3');
  assert.deepEqual(page.body.pagination, { page: 3, pages: OPERATOR_COUNT + 1, limit: 1, count: OPERATOR_COUNT + 1 });
  assert.equal(page.body.data[0].id, OPERATOR_COUNT - 1);
});

test('the highest id comes first, and the pages together are the list', async () => {
  const ids: number[] = [];
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { body } = await rest.get(`/operator?limit=7&page=${page}`);
    pages = body.pagination.pages;
    ids.push(...body.data.map((item: { id: number }) => item.id));
  }
  assert.deepEqual(
    ids,
    Array.from({ length: OPERATOR_COUNT + 1 }, (_, index) => OPERATOR_COUNT + 1 - index),
  );
});

test('a page after the last is empty and has the correct pagination', async () => {
  for (const page of [8, 1000, 4_294_967_296, 9_007_199_254_740_991]) {
    for (const limit of [20, 100]) {
      const response = await rest.get(`/operator?page=${page}&limit=${limit}`);
      assertOk(response);
      assert.deepEqual(response.body.data, []);
      assert.deepEqual(response.body.pagination, { page, pages: Math.ceil(125 / limit), limit, count: 125 });
    }
  }
});

test('an empty list has one page', async () => {
  for (const path of ['/skill', '/group', '/website', '/operator?filters[name]=unknown', '/operator/live']) {
    const { body } = await rest.get(path);
    assert.deepEqual(body.data, [], path);
    assert.equal(body.pagination.count, 0);
    assert.equal(body.pagination.pages, 1);
    assert.equal(body.pagination.page, 1);
  }
});

test('page and limit must be integers of at least 1, on every list', async () => {
  for (const path of ['/operator', '/operator/live', '/client', '/website', '/group', '/skill']) {
    for (const name of ['page', 'limit']) {
      for (const bad of ['0', '-1', 'x', '', '1.5', '1e1', '0x1', '01', '9007199254740993', '1 ', '+1']) {
        assertInvalidField(await rest.get(`${path}?${name}=${encodeURIComponent(bad)}`), name);
      }
    }
  }
  assertInvalidField(await rest.get('/operator?page=1&page=2'), 'page');
  assertInvalidField(await rest.get('/operator?limit[]=5'), 'limit');
});

test('unknown parameters of a read are ignored', async () => {
  const plain = await rest.get('/operator');
  for (const query of ['_=123', 'formatHistory=0', 'foo[bar]=1', 'x', '&&&', 'constructor=1&toString=2', 'name=x']) {
    const response = await rest.get(`/operator?${query}`);
    assertOk(response);
    assert.deepEqual(response.body, plain.body, query);
  }
  assertOk(await rest.get('/operator/1?_=123'));
  assertOk(await rest.get('/operator/live?_=123'));
  assertOk(await rest.get('/operator/1/live?_=123&page=0'));
});

test('a deleted operator disappears from the list and its count immediately', async () => {
  const created = await createOperator(rest);
  const before = (await rest.get('/operator')).body.pagination.count;
  assertOk(await rest.delete(`/operator/${created.id}`));
  const { body } = await rest.get('/operator');
  assert.equal(body.pagination.count, before - 1);
  assert.equal(body.data[0].id, OPERATOR_COUNT + 1);
  assert.equal((await createOperator(rest)).id, created.id + 1, 'ids are never reused');
});

test('fields[] applies to live, statistic and profile; without a matching field all are returned', async () => {
  const keys = async (path: string) => Object.keys((await rest.get(path)).body.data);
  assert.deepEqual(await keys('/operator/1/statistic?fields[]=experience'), ['id', 'experience']);
  assert.deepEqual(await keys('/operator/1/profile?fields[]=city&fields[]=nothing'), ['user_id', 'city']);
  assert.deepEqual(await keys('/operator/1/live?fields[]=connected'), ['id', 'connected']);
  assert.equal((await keys('/operator/1/live?fields[]=email')).length, 5);
  const { body } = await rest.get('/operator/live?connected=0&fields[]=chat');
  for (const item of body.data) assert.deepEqual(Object.keys(item), ['id', 'chat']);
});

test('a repeated list request returns the current data', async () => {
  const names = async () => {
    const { body } = await rest.get('/operator?fields[]=name&limit=3');
    return body.data.map(({ name }: { name: string }) => name);
  };
  const before = await names();
  assert.deepEqual(await names(), before);
  const { id } = await createOperator(rest, { name: 'Newcomer' });
  assert.deepEqual(await names(), ['Newcomer', ...before.slice(0, 2)]);
  assertOk(await rest.put(`/operator/${id}`, { name: 'Renamed' }));
  assert.deepEqual(await names(), ['Renamed', ...before.slice(0, 2)]);
  assertOk(await rest.delete(`/operator/${id}`));
  assert.deepEqual(await names(), before);
});
