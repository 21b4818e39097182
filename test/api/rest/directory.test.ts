import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertError, assertInvalidField, assertOk } from '../../support/clients/envelope.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { createOperator, createResource, listIds } from '../../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

let switchboard: Switchboard;
let rest: RestClient;
before(async () => {
  switchboard = await startSwitchboard();
  rest = restClient(switchboard.url, switchboard.key);
});
after(() => switchboard.stop());

const DATE = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;

test('the client is the account itself, and read-only', async () => {
  const list = await rest.get('/client');
  assert.deepEqual(list.body, {
    meta: { status: 'success' },
    data: [{ id: 1, _link: '/client/1' }],
    pagination: { page: 1, pages: 1, limit: 20, count: 1 },
  });
  const client = { id: 1, lang: 'en', premium_enabled: false, _link: '/client/1' };
  assert.deepEqual((await rest.get('/client/1')).body.data, client);
  assert.deepEqual((await rest.get('/client?full=1')).body.data, [client]);
  assert.deepEqual((await rest.get('/client?fields[]=lang')).body.data, [{ id: 1, lang: 'en', _link: '/client/1' }]);
  assert.deepEqual((await rest.get('/client?page=2')).body.data, []);
  assertError(await rest.get('/client/2'), 404, "Unknown 'client' with 'id' 2.");
  assertError(await rest.put('/client/1', 'lang=fr'), 405);
  assertError(await rest.delete('/client/1'), 405);
});

test('a website has defaults, and invalid fields are rejected', async () => {
  const created = await rest.post('/website', 'url=https://www.example.com/a?b=c&label=Shop');
  assertOk(created, 201);
  const { id } = created.body.data;
  assert.equal(created.headers.get('location'), `/api/2/website/${id}`);
  const website = {
    id,
    url: 'https://www.example.com/a?b=c',
    label: 'Shop',
    client_id: 1,
    currency: 'EUR',
    language_admin: 'en',
    timezone: 'UTC',
    _link: `/website/${id}`,
  };
  assert.deepEqual(created.body.data, website);
  assert.deepEqual((await rest.get(`/website/${id}`)).body.data, website);
  assert.deepEqual((await rest.get('/website?full=1')).body.data, [website]);

  const put = (fields: object) => rest.put(`/website/${id}`, fields);
  assert.deepEqual((await put(website)).body.data, website, 'clients can send back what they read');
  const change = { label: 'Büro', currency: 'CHF', language_admin: 'de', timezone: 'Europe/Zurich' };
  assert.deepEqual((await put(change)).body.data, { ...website, ...change });
  assert.deepEqual((await put({ url: 'http://localhost:8080' })).body.data, {
    ...website,
    ...change,
    url: 'http://localhost:8080',
  });
  for (const [sent, stored] of [
    ['www.example.com', 'https://www.example.com'],
    ['example.com:8443/a?b=https://c#d', 'https://example.com:8443/a?b=https://c#d'],
    ['//cdn.example.com/x', 'https://cdn.example.com/x'],
    ['localhost:3000', 'https://localhost:3000'],
    ['bücher.example', 'https://bücher.example'],
    ['HTTP://EXAMPLE.COM', 'HTTP://EXAMPLE.COM'],
  ]) {
    assert.equal((await put({ url: sent })).body.data.url, stored);
  }
  for (const [field, values] of Object.entries({
    url: [
      '',
      'example',
      '/example.com',
      '?example.com',
      'alice@example.com',
      'mailto:alice@example.com',
      'ftp://example.com',
      'example.com:x',
      'example com',
      `e.com/${'x'.repeat(1990)}`,
      `${'a.'.repeat(300_000)} `, // a regular expression that backtracks never ends
      `${'.'.repeat(600_000)} `,
      'javascript:alert(1)',
      'https://',
      'https://a b.com',
      null,
      `https://e.com/${'x'.repeat(2000)}`,
      'https://e.com/\0',
    ],
    label: ['', 'x'.repeat(256), null, 5, 'a\0'],
    currency: ['eur', 'EURO', 'XXXX', '', null],
    language_admin: ['it', '', null],
    timezone: ['Nowhere/City', '+02:00', '', null, 5],
    id: [id + 1, 'x'],
    client_id: [2, null],
    _link: ['/website/999', null],
  })) {
    for (const value of values) assertInvalidField(await put({ [field]: value }), field);
  }
  assertError(await rest.post('/website', {}), 400, "Field 'url' is missing.");
  assertError(await rest.post('/website', { url: 'https://a.example' }), 400, "Field 'label' is missing.");
  assertError(await put({ colour: 'red' }), 400, "Field 'colour' is unknown.");
  const removed = await rest.delete(`/website/${id}`);
  assert.deepEqual(removed.body, { meta: { status: 'success' } });
  assertError(await rest.get(`/website/${id}`), 404);
});

test('a group returns its fields and ancestors', async () => {
  const top = await createResource(rest, 'group', { name: 'Top' });
  const middle = await createResource(rest, 'group', { name: 'Middle', parent_id: top });
  const created = await rest.post('/group', { name: 'Low', parent_id: String(middle) });
  assertOk(created, 201);
  const { id, created_at } = created.body.data;
  assert.match(created_at, DATE);
  assert.ok(Math.abs(Date.parse(`${created_at.replace(' ', 'T')}Z`) - Date.now()) < 60_000, 'in UTC');
  const group = {
    id,
    name: 'Low',
    created_at,
    parent_id: middle,
    parent_list: [middle, top],
    operator_list: [],
    _link: `/group/${id}`,
  };
  assert.deepEqual(created.body.data, group);
  assert.deepEqual(Object.keys(created.body.data), Object.keys(group));
  const member = await createOperator(rest, { group_id: id });
  const withMember = { ...group, operator_list: [member.id] };
  assert.deepEqual((await rest.get(`/group/${id}`)).body.data, withMember);
  assert.deepEqual((await rest.get(`/group?full=1&filters[id]=${id}`)).body.data, [withMember]);
  assert.deepEqual((await rest.put(`/group/${id}`, withMember)).body.data, withMember);
  assert.deepEqual((await rest.put(`/group/${id}`, 'parent_id=')).body.data.parent_list, []);
  assert.deepEqual((await rest.put(`/group/${id}`, { parent_id: top })).body.data.parent_list, [top]);
  assert.equal((await rest.put(`/group/${id}`, { name: 'Lower' })).body.data.parent_id, top);
  assertError(await rest.put(`/group/${id}`, { order: 1 }), 400, "Field 'order' is unknown.");
});

test('a skill returns its fields', async () => {
  const parent = await createResource(rest, 'skill', { name: 'Parent' });
  const created = await rest.post('/skill', `name=Child&order=7&parent_id=${parent}`);
  assertOk(created, 201);
  const { id, created_at } = created.body.data;
  assert.match(created_at, DATE);
  const skill = {
    id,
    name: 'Child',
    order: 7,
    created_at,
    parent_id: parent,
    operator_list: [],
    _link: `/skill/${id}`,
  };
  assert.deepEqual(created.body.data, skill);
  assert.deepEqual(Object.keys(created.body.data), Object.keys(skill));
  const members = [
    (await createOperator(rest, { skill_list: [id] })).id,
    (await createOperator(rest, { skill_list: [id, parent] })).id,
  ];
  const withMembers = { ...skill, operator_list: members };
  assert.deepEqual((await rest.get(`/skill/${id}`)).body.data, withMembers);
  assert.deepEqual((await rest.put(`/skill/${id}`, withMembers)).body.data, withMembers);
  assert.deepEqual(await listIds(rest, `/skill?filters[operator_id]=${members[1]}`), [id, parent]);
  assert.equal((await rest.post('/skill', { name: 'Plain' })).body.data.order, 0);
  for (const bad of [-1, 1_000_001, 'x', null, ''])
    assertInvalidField(await rest.put(`/skill/${id}`, { order: bad }), 'order');
});

for (const kind of ['group', 'skill']) {
  test(`a ${kind} rejects invalid names, read-only fields and cyclic parents`, async () => {
    const a = await createResource(rest, kind, { name: 'A' });
    const b = await createResource(rest, kind, { name: 'B', parent_id: a });
    const c = await createResource(rest, kind, { name: 'C', parent_id: b });
    assertError(await rest.post(`/${kind}`, {}), 400, "Field 'name' is missing.");
    for (const bad of ['', 'x'.repeat(256), null, 5, 'a\0']) {
      assertInvalidField(await rest.put(`/${kind}/${a}`, { name: bad }), 'name');
    }
    for (const parent of [a, b, c])
      assertInvalidField(await rest.put(`/${kind}/${a}`, { parent_id: parent }), 'parent_id');
    assertInvalidField(await rest.put(`/${kind}/${b}`, { parent_id: c }), 'parent_id');
    for (const bad of [99_999, 0, 'x', '1e1', -1]) {
      assertInvalidField(await rest.put(`/${kind}/${a}`, { parent_id: bad }), 'parent_id');
      assertInvalidField(await rest.post(`/${kind}`, { name: 'N', parent_id: bad }), 'parent_id');
    }
    assertOk(await rest.put(`/${kind}/${c}`, { parent_id: a }));
    assertOk(await rest.put(`/${kind}/${b}`, { parent_id: c }));
    for (const [field, value] of Object.entries({
      id: b,
      created_at: '2020-01-01 00:00:00',
      operator_list: [1],
      _link: `/${kind}/${b}`,
    })) {
      assertInvalidField(await rest.put(`/${kind}/${a}`, { [field]: value }), field);
    }
    if (kind === 'group') assertInvalidField(await rest.put(`/group/${b}`, { parent_list: [a] }), 'parent_list');
  });

  test(`two concurrent moves of a ${kind} never create a cycle`, async () => {
    const a = await createResource(rest, kind, { name: 'A' });
    const b = await createResource(rest, kind, { name: 'B' });
    const both = await Promise.all([
      rest.put(`/${kind}/${a}`, { parent_id: b }),
      rest.put(`/${kind}/${b}`, { parent_id: a }),
    ]);
    assert.deepEqual(both.map((response) => response.status).sort(), [200, 400]);
  });
}

/** Inserts the row directly: conversations have no REST writes. */
async function openConversation(fields: { websiteId: number; skillId: number; groupId: number }): Promise<void> {
  await switchboard.storedData.query(
    `insert into conversations (account_id, id, channel, website_id, skill_id, group_id, language, state, created_at)
     values (1, (select count(*) + 1 from conversations), 'chat', ?, ?, ?, 'en', 'queued', 0)`,
    ...[fields.websiteId, fields.skillId, fields.groupId],
  );
}

test('a resource in use cannot be deleted, and the error counts the uses', async () => {
  const site = await createResource(rest, 'website', { label: 'W', url: 'https://w.example.com' });
  const group = await createResource(rest, 'group', { name: 'G' });
  const skill = await createResource(rest, 'skill', { name: 'S' });
  const child = await createResource(rest, 'group', { name: 'Child', parent_id: group });
  const children = [
    await createResource(rest, 'skill', { name: 'C', parent_id: skill }),
    await createResource(rest, 'skill', { name: 'D', parent_id: skill }),
  ];
  const fields = { group_id: group, skill_list: [skill], website_list: [site] };
  const operators = [await createOperator(rest, fields), await createOperator(rest, fields)];
  await openConversation({ websiteId: site, skillId: skill, groupId: group });
  assertOk(await rest.put(`/operator/${operators[0].id}`, { ...fields, name: 'Renamed' })); // must not count twice

  const assertInUse = async (path: string, uses: string) => {
    const [, resource, id] = path.split('/');
    assertError(await rest.delete(path), 409, `The ${resource} ${id} is in use: ${uses}.`);
    assertOk(await rest.get(path));
  };
  await assertInUse(`/website/${site}`, 'operators (2), open conversations (1)');
  await assertInUse(`/group/${group}`, 'operators (2), child groups (1), open conversations (1)');
  await assertInUse(`/skill/${skill}`, 'operators (2), child skills (2), open conversations (1)');

  assertOk(await rest.delete(`/operator/${operators[0].id}`));
  assertOk(await rest.delete(`/group/${child}`));
  for (const id of children) assertOk(await rest.delete(`/skill/${id}`));
  for (const path of [`/website/${site}`, `/group/${group}`, `/skill/${skill}`])
    await assertInUse(path, 'operators (1), open conversations (1)');

  await switchboard.storedData.query("update conversations set state = 'closed', closed_at = 1");
  for (const path of [`/website/${site}`, `/group/${group}`, `/skill/${skill}`])
    await assertInUse(path, 'operators (1)');

  assertOk(await rest.put(`/operator/${operators[1].id}`, { group_id: null, skill_list: [], website_list: [] }));
  for (const path of [`/website/${site}`, `/group/${group}`, `/skill/${skill}`]) {
    assertOk(await rest.delete(path));
    assertError(await rest.get(path), 404);
  }
});

test('afterwards the doctor command finds no problems', async () => {
  const { code, stdout, stderr } = await switchboard.runCommand(['doctor']);
  assert.equal(code, 0, stdout + stderr);
});
