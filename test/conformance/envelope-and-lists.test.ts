import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertFail, call, idsOf, type Json, openTarget } from './target.ts';

const target = await openTarget();
after(() => target.close());
const { rest } = target;

// One more than fits into the largest page. The name filter excludes the other groups of the account.
const GROUP_COUNT = 101;
const groupIds: number[] = [];
const prefix = target.unique('many');
for (let number = 0; number < GROUP_COUNT; number++)
  groupIds.push((await target.group({ name: `${prefix} ${number}` })).id);
const nameFilter = `filters[name]=${prefix}*`;
const newestFirst = groupIds.toSorted((a, b) => b - a);

const operator = await target.operator();

test('Envelope: meta.status is success on a read', async () => {
  assert.equal((await rest.get('/operator')).body.meta.status, 'success');
  assert.equal((await rest.get(`/operator/${operator.id}`)).body.meta.status, 'success');
});

test('Envelope: meta.status is error when the request is not authenticated', async () => {
  assert.equal((await call(`${target.url}/api/2/operator`)).body.meta.status, 'error');
});

test('Envelope: meta.status is fail when the target does not exist', async () => {
  assert.equal((await rest.get('/operator/987654321')).body.meta.status, 'fail');
});

test('Envelope: meta.message is a string, present on errors', async () => {
  const rejected = await rest.put(`/operator/${operator.id}`, { chat_max_number: 'many' });
  for (const { body } of [
    rejected,
    await rest.get('/operator/987654321'),
    await call(`${target.url}/api/2/operator`),
  ]) {
    assert.equal(typeof body.meta.message, 'string');
    assert.notEqual(body.meta.message, '');
  }
});

test('Envelope: meta.message is present on the availability update', async () => {
  const { body } = await rest.put(`/operator/${operator.id}/live`, 'chat[available]=1');
  assert.equal(body.meta.status, 'success');
  assert.equal(typeof body.meta.message, 'string');
});

test('Envelope: meta.message is absent on a successful read', async () => {
  assert.equal('message' in (await rest.get('/operator')).body.meta, false);
  assert.equal('message' in (await rest.get(`/operator/${operator.id}`)).body.meta, false);
});

test('Envelope: data is an object on a single read, without pagination', async () => {
  const { body } = await rest.get(`/operator/${operator.id}`);
  assert.equal(Array.isArray(body.data), false);
  assert.equal(body.data.id, operator.id);
  assert.equal('pagination' in body, false);
});

test('Envelope: data is an array on a list read, with pagination', async () => {
  const { body } = await rest.get('/operator');
  assert.ok(Array.isArray(body.data));
  assert.deepEqual(Object.keys(body).sort(), ['data', 'meta', 'pagination']);
});

test('Envelope: is JSON, on errors too', async () => {
  for (const path of ['/operator', '/operator/987654321', '/no-such-resource']) {
    assert.match((await rest.get(path)).headers.get('content-type') ?? '', /^application\/json/, path);
  }
});

for (const resource of ['operator', 'client', 'website', 'group', 'skill'] as const) {
  const getItem = async () => {
    if (resource === 'client') return (await rest.get('/client')).body.data[0];
    return resource === 'operator' ? operator : await target[resource]();
  };

  test(`Generic reads: GET /${resource} returns an envelope with a data array and pagination`, async () => {
    const { id } = await getItem();
    const { status, body } = await rest.get(`/${resource}?filters[id]=${id}`);
    assert.equal(status, 200);
    assert.equal(body.meta.status, 'success');
    assert.deepEqual(body.data, [{ id, _link: `/${resource}/${id}` }]);
    assert.equal(body.pagination.count, 1);
  });

  test(`Generic reads: GET /${resource}/<id> returns an envelope with all fields and _link in a data object`, async () => {
    const { id } = await getItem();
    const { status, body } = await rest.get(`/${resource}/${id}`);
    assert.equal(status, 200);
    assert.equal(body.meta.status, 'success');
    assert.equal(body.data.id, id);
    assert.equal(body.data._link, `/${resource}/${id}`);
    assert.ok(Object.keys(body.data).length > 2, 'more than id and _link');
  });
}

test('List items: carry id and _link, a path of the form /<resource>/<id>', async () => {
  const { data } = (await rest.get(`/group?${nameFilter}&limit=3`)).body;
  const expected = newestFirst.slice(0, 3).map((id) => ({ id, _link: `/group/${id}` }));
  assert.deepEqual(data, expected);
});

test('List items: the path in _link leads to the item', async () => {
  const [item] = (await rest.get(`/group?${nameFilter}&limit=1`)).body.data;
  assert.equal((await rest.get(item._link)).body.data.id, item.id);
});

test('Pagination: page, pages, limit and count, all integers, and nothing else', async () => {
  const { pagination } = (await rest.get(`/group?${nameFilter}`)).body;
  assert.deepEqual(Object.keys(pagination).sort(), ['count', 'limit', 'page', 'pages']);
  for (const [name, value] of Object.entries(pagination)) assert.ok(Number.isInteger(value), name);
});

test('Pagination: page is the current page number', async () => {
  assert.equal((await rest.get(`/group?${nameFilter}`)).body.pagination.page, 1);
  assert.equal((await rest.get(`/group?${nameFilter}&page=3&limit=10`)).body.pagination.page, 3);
});

test('Pagination: pages is the total number of pages', async () => {
  assert.equal((await rest.get(`/group?${nameFilter}&limit=10`)).body.pagination.pages, 11);
  assert.equal((await rest.get(`/group?${nameFilter}&limit=100`)).body.pagination.pages, 2);
});

test('Pagination: limit is the page size', async () => {
  assert.equal((await rest.get(`/group?${nameFilter}&limit=7`)).body.pagination.limit, 7);
});

test('Pagination: count is the number of items', async () => {
  assert.equal((await rest.get(`/group?${nameFilter}&limit=10`)).body.pagination.count, GROUP_COUNT);
});

test('Pagination: a list without items has count 0 and one page', async () => {
  const { data, pagination } = (await rest.get(`/group?filters[name]=${target.unique('unused')}`)).body;
  assert.deepEqual(data, []);
  assert.deepEqual(pagination, { page: 1, pages: 1, limit: 20, count: 0 });
});

test('Query parameters: page is the page number, and all pages together contain each item once', async () => {
  const seen: number[] = [];
  for (let page = 1; page <= 11; page++) {
    const ids = idsOf(await rest.get(`/group?${nameFilter}&limit=10&page=${page}`));
    assert.equal(ids.length, page <= 10 ? 10 : 1, `page ${page}`);
    seen.push(...ids);
  }
  assert.deepEqual(seen, newestFirst);
});

test('Query parameters: a page after the last is empty, with the actual page count', async () => {
  const { data, pagination } = (await rest.get(`/group?${nameFilter}&limit=100&page=3`)).body;
  assert.deepEqual(data, []);
  assert.deepEqual(pagination, { page: 3, pages: 2, limit: 100, count: GROUP_COUNT });
});

test('Query parameters: limit is the maximum number of resources per page', async () => {
  for (const limit of [1, 5, 99, 100]) {
    assert.equal(idsOf(await rest.get(`/group?${nameFilter}&limit=${limit}`)).length, limit);
  }
});

test('Query parameters: without limit a page has 20 resources', async () => {
  const { data, pagination } = (await rest.get(`/group?${nameFilter}`)).body;
  assert.equal(data.length, 20);
  assert.equal(pagination.limit, 20);
});

test('Limits: the maximum value of limit is 100; a larger one counts as 100', async () => {
  for (const limit of [101, 1000]) {
    const { data, pagination } = (await rest.get(`/group?${nameFilter}&limit=${limit}`)).body;
    assert.equal(data.length, 100);
    assert.deepEqual(pagination, { page: 1, pages: 2, limit: 100, count: GROUP_COUNT });
  }
});

for (const name of ['page', 'limit']) {
  test(`Query parameters: a ${name} that is not a positive integer is rejected`, async () => {
    for (const value of ['0', '-1', 'x', '1.5', '']) {
      assertFail(await rest.get(`/group?${name}=${value}`), 400, `Value of field '${name}' is not valid.`);
    }
  });
}

test('Query parameters: full=1 returns all fields of the resource', async () => {
  const [item] = (await rest.get(`/operator?filters[id]=${operator.id}&full=1`)).body.data;
  assert.deepEqual(item, (await rest.get(`/operator/${operator.id}`)).body.data);
  assert.ok(Object.keys(item).length > 20);
});

test('Query parameters: without full, or with full=0, a list item is id and _link', async () => {
  for (const query of ['', '&full=0']) {
    const [item] = (await rest.get(`/operator?filters[id]=${operator.id}${query}`)).body.data;
    assert.deepEqual(item, { id: operator.id, _link: `/operator/${operator.id}` });
  }
});

test('Query parameters: filters[<field>] filters by field value', async () => {
  const ids = idsOf(await rest.get(`/group?filters[name]=${prefix} 57`));
  assert.deepEqual(ids, [groupIds[57]]);
});

test('Query parameters: the brackets of filters[<field>] may be percent-encoded', async () => {
  const ids = idsOf(await rest.get(`/group?filters%5Bname%5D=${encodeURIComponent(`${prefix} 57`)}`));
  assert.deepEqual(ids, [groupIds[57]]);
});

test('Query parameters: an item must match all filters', async () => {
  const [first, second] = groupIds;
  assert.deepEqual(idsOf(await rest.get(`/group?filters[id]=${first}&filters[name]=${prefix} 0`)), [first]);
  assert.deepEqual(idsOf(await rest.get(`/group?filters[id]=${second}&filters[name]=${prefix} 0`)), []);
});

test('Query parameters: * at the end of a filter value broadens the match', async () => {
  const expected = [5, ...Array.from({ length: 10 }, (_, digit) => 50 + digit)].map(
    (number) => groupIds[number] as number,
  );
  assert.deepEqual(
    idsOf(await rest.get(`/group?filters[name]=${prefix} 5*`)),
    expected.toSorted((a, b) => b - a),
  );
});

test('Query parameters: * at the beginning or in the middle of a filter value broadens the match', async () => {
  const suffix = prefix.slice(5); // without `confo`
  assert.deepEqual(idsOf(await rest.get(`/group?filters[name]=*${suffix} 57`)), [groupIds[57]]);
  assert.deepEqual(idsOf(await rest.get(`/group?filters[name]=con*${suffix} 57`)), [groupIds[57]]);
});

test('Query parameters: without * a filter value matches the whole field', async () => {
  assert.deepEqual(idsOf(await rest.get(`/group?filters[name]=${prefix}`)), []);
});

test('Query parameters: only * is a wildcard; % and _ match themselves', async () => {
  const name = target.unique('sale_100%');
  const { id } = await target.group({ name });
  assert.deepEqual(idsOf(await rest.get(`/group?filters[name]=${encodeURIComponent(name)}`)), [id]);
  // Also with *: the pattern search must not treat them as wildcards.
  for (const other of [`${prefix}_57`, `${prefix}%25`, `*${prefix}_57`, `*${prefix}%25`]) {
    assert.deepEqual(idsOf(await rest.get(`/group?filters[name]=${other}`)), [], other);
  }
});

test('Query parameters: an unknown filter is rejected with a list of the known ones', async () => {
  const response = await rest.get('/operator?filters[shoe_size]=44');
  assertFail(response, 400, /'shoe_size' is unknown/);
  for (const name of ['id', 'group_id', 'website_id', 'website_list', 'skill_id', 'name', 'external_id', 'email']) {
    assert.match(response.body.meta.message, new RegExp(`\\b${name}\\b`));
  }
});

test('List reads: the newest items come first', async () => {
  const ids = (await rest.get(`/group?${nameFilter}&limit=100`)).body.data.map((item: Json) => item.id);
  assert.deepEqual(ids, newestFirst.slice(0, 100));
});
