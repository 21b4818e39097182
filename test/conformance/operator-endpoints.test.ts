import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertFail, idsOf, type Json, openTarget, PASSWORD } from './target.ts';

const target = await openTarget();
after(() => target.close());
const { rest } = target;

const { id } = await target.operator();
const readOperator = async (): Promise<Json> => (await rest.get(`/operator/${id}`)).body.data;

test('GET /operator lists operators', async () => {
  assert.deepEqual(idsOf(await rest.get(`/operator?filters[id]=${id}`)), [id]);
  const { data } = (await rest.get('/operator?limit=1')).body;
  assert.equal(data.length, 1);
});

test('GET /operator/<id> returns the operator details', async () => {
  const { status, body } = await rest.get(`/operator/${id}`);
  assert.equal(status, 200);
  assert.equal(body.data.id, id);
  assert.equal(body.data._link, `/operator/${id}`);
});

test('POST /operator creates an operator and returns it', async () => {
  const name = target.unique('operator');
  const created = await target.create('operator', { name, email: `${name}@example.com`, website_list: [] });
  assert.equal(created.name, name);
  assert.equal(created._link, `/operator/${created.id}`);
  assert.deepEqual((await rest.get(`/operator/${created.id}`)).body.data, created);
});

test('POST /operator returns the URL of the new operator in Location', async () => {
  const fields = {
    name: target.unique('operator'),
    email: `${target.unique('operator')}@example.com`,
    website_list: [],
  };
  const { status, headers, body } = await rest.post('/operator', fields);
  await rest.delete(`/operator/${body.data.id}`);
  assert.equal(status, 201);
  assert.ok(headers.get('location')?.endsWith(`/api/2/operator/${body.data.id}`));
});

test('POST /operator accepts a form as well as JSON', async () => {
  const name = target.unique('operator');
  const form = `name=${name}&email=${name}@example.com&chat_max_number=7&call_enabled=1&language_list[]=fr&language_list[]=de&website_list=&call_config[type]=ANSWER_FROM_DESK`;
  const { status, body } = await rest.post('/operator', form);
  assert.equal(status, 201, JSON.stringify(body));
  await rest.delete(`/operator/${body.data.id}`);
  assert.equal(body.data.chat_max_number, 7);
  assert.equal(body.data.call_enabled, true);
  assert.deepEqual(body.data.language_list, ['fr', 'de']);
  assert.deepEqual(body.data.website_list, []);
});

test('PUT /operator/<id> updates only the fields of the request', async () => {
  const before = await readOperator();
  const { status, body } = await rest.put(`/operator/${id}`, { first_name: 'Ada' });
  assert.equal(status, 200);
  assert.deepEqual(body.data, { ...before, first_name: 'Ada' });
  assert.deepEqual(await readOperator(), body.data);
});

test('PUT /operator/<id> accepts an operator exactly as it was read', async () => {
  const before = await readOperator();
  const { status, body } = await rest.put(`/operator/${id}`, before);
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body.data, before);
});

test('PUT /operator/<id> does not change the identifier or the single sign-on token', async () => {
  assertFail(await rest.put(`/operator/${id}`, { id: id + 1 }), 400, "Value of field 'id' is not valid.");
  assertFail(await rest.put(`/operator/${id}`, { sso_key: 'mine' }), 400, "Value of field 'sso_key' is not valid.");
});

test('DELETE /operator/<id> deletes an operator and returns only meta', async () => {
  const { id: deletedId } = await target.operator();
  const { status, body } = await rest.delete(`/operator/${deletedId}`);
  assert.equal(status, 200);
  assert.deepEqual(body, { meta: { status: 'success' } });
  assert.equal((await rest.get(`/operator/${deletedId}`)).status, 404);
  assert.deepEqual(idsOf(await rest.get(`/operator?filters[id]=${deletedId}`)), []);
});

test('POST /operator requires email and name', async () => {
  const [name, email] = [target.unique('operator'), `${target.unique('operator')}@example.com`];
  assertFail(await rest.post('/operator', { email }), 400, "Field 'name' is missing.");
  assertFail(await rest.post('/operator', { name }), 400, "Field 'email' is missing.");
});

test('POST /operator gives every other field its default', async () => {
  const name = target.unique('operator');
  // It works on all websites, existing ones too: delete it immediately.
  const { status, body } = await rest.post('/operator', { name, email: `${name}@example.com`, first_name: 'Ada' });
  assert.equal(status, 201, JSON.stringify(body));
  assert.equal((await rest.delete(`/operator/${body.data.id}`)).status, 200);
  const { id: _id, sso_key: _key, website_list: websites, _link, ...others } = body.data;
  assert.ok(Array.isArray(websites));
  assert.deepEqual(others, {
    name,
    first_name: 'Ada',
    pseudo: 'Ada',
    email: `${name}@example.com`,
    external_id: null,
    role: 'operator',
    roles: ['operator'],
    chat_enabled: true,
    call_enabled: false,
    video_enabled: false,
    chat_max_number: 3,
    chat_and_call: false,
    chat_to_video: false,
    chat_priority: 0,
    call_priority: 0,
    video_priority: 0,
    language_list: ['en'],
    language_admin: 'en',
    group_id: null,
    skill_list: [],
    call_config: { type: 'ANSWER_FROM_DESK', ask_phone_number_at_every_connection: false },
  });
});

test('POST /operator: the password is write-only', async () => {
  const created = await target.operator({ password: PASSWORD });
  const { data } = (await rest.get(`/operator/${created.id}`)).body;
  for (const body of [created, data]) assert.equal(JSON.stringify(body).includes(PASSWORD), false);
});
