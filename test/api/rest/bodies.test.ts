import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertError, assertInvalidField, assertOk } from '../../support/clients/envelope.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { createOperator, createResource, newOperatorFields } from '../../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

let switchboard: Switchboard;
let rest: RestClient;
let id: number;
let sites: number[];
before(async () => {
  switchboard = await startSwitchboard();
  rest = restClient(switchboard.url, switchboard.key);
  sites = [];
  for (const label of ['A', 'B', 'C']) {
    sites.push(await createResource(rest, 'website', { label, url: `https://${label}.example.com` }));
  }
  id = (await createOperator(rest)).id;
});
after(() => switchboard.stop());

const put = (body: string | object) => rest.put(`/operator/${id}`, body);

test('a form accepts lists as brackets, numbered brackets, commas, repeated keys, and empty', async () => {
  const [a, b, c] = sites as [number, number, number];
  const cases: [string, number[]][] = [
    [`website_list[]=${a}`, [a]],
    [`website_list[]=${a}&website_list[]=${c}`, [a, c]],
    [`website_list%5B%5D=${b}`, [b]],
    [`website_list[0]=${a}&website_list[1]=${b}`, [a, b]],
    [`website_list[7]=${c}`, [c]],
    [`website_list=${a},${b}`, [a, b]],
    [`website_list=${b}, ${a}, ${b}`, [a, b]],
    [`website_list=${a}&website_list=${c}`, [a, c]],
    ['website_list=', []],
    ['website_list[]=', []],
  ];
  for (const [body, expected] of cases) {
    assertOk(await put({ website_list: [b] }));
    const response = await put(body);
    assertOk(response);
    assert.deepEqual(response.body.data.website_list, expected, body);
  }
  for (const body of ['website_list[a]=1', 'website_list[][x]=1', 'website_list=1,,2', 'website_list=1;2']) {
    assert.equal((await put(body)).status, 400, body);
  }
});

test('a key repeated where one value is expected is refused', async () => {
  assertInvalidField(await put('name=A&name=B'), 'name');
  assertInvalidField(await put('name[]=A'), 'name');
  assertInvalidField(await put('chat_enabled=1&chat_enabled=1'), 'chat_enabled');
  assertInvalidField(
    await put('call_config[type]=ANSWER_FROM_DESK&call_config[type]=ANSWER_FROM_DESK'),
    'call_config[type]',
  );
  assertInvalidField(await rest.put(`/operator/${id}/live`, 'connected=0&connected=0'), 'connected');
  assertError(await rest.put(`/operator/${id}/live`, 'chat=1&chat[available]=1'), 400);
});

test('an empty value sets a nullable field to null, and is refused for other fields', async () => {
  const group = await createResource(rest, 'group', { name: 'G' });
  assertOk(await put({ group_id: group, external_id: 'x1' }));
  const { body } = await put('group_id=&external_id=');
  assert.equal(body.data.group_id, null);
  assert.equal(body.data.external_id, null);
  assertInvalidField(await put('chat_max_number='), 'chat_max_number');
  assertInvalidField(await put('chat_enabled='), 'chat_enabled');
  assertInvalidField(await put('name='), 'name');
});

test('booleans can be 1, 0, true and false, in JSON also as strings', async () => {
  for (const [text, value] of [
    ['1', true],
    ['0', false],
    ['true', true],
    ['false', false],
    ['TRUE', true],
    ['True', true],
    ['FALSE', false],
  ] as const) {
    assertOk(await put({ video_enabled: !value }));
    assert.equal((await put(`video_enabled=${text}`)).body.data.video_enabled, value, `form ${text}`);
    assertOk(await put({ video_enabled: !value }));
    assert.equal((await put({ video_enabled: text })).body.data.video_enabled, value, `JSON "${text}"`);
    assertOk(await put({ video_enabled: !value }));
    assert.equal(
      (await put({ video_enabled: JSON.parse(text.toLowerCase()) })).body.data.video_enabled,
      value,
      `JSON ${text}`,
    );
  }
  for (const bad of ['yes', 'on', '2', '-1', 'tRuE1', '01', 'null', '1.0', ' 1']) {
    assertInvalidField(await put(`video_enabled=${bad}`), 'video_enabled');
  }
  for (const bad of ['2', 'null', '[]', '{}', '1.5', '1e0', '-0']) {
    assertInvalidField(await json(`{"video_enabled":${bad}}`), 'video_enabled');
  }
});

/** Takes JSON text, because an object would lose the notation of its numbers. */
const json = (body: string) =>
  rest.send('PUT', `/operator/${id}`, { body, headers: { 'Content-Type': 'application/json' } });

test('integers are plain digits in the safe range', async () => {
  for (const good of ['7', '50', '1']) {
    assert.equal((await put(`chat_max_number=${good}`)).body.data.chat_max_number, Number(good));
    assert.equal((await put({ chat_max_number: good })).body.data.chat_max_number, Number(good));
    assert.equal((await json(`{"chat_max_number":${good}}`)).body.data.chat_max_number, Number(good));
  }
  for (const bad of [
    '1e1',
    '0x1f',
    '12abc',
    '01',
    '9007199254740993',
    '+5',
    '-5',
    '5.0',
    ' 5',
    '5 ',
    '٣',
    '5\0',
    '0b1',
  ]) {
    assertInvalidField(await put(`chat_max_number=${encodeURIComponent(bad)}`), 'chat_max_number');
    assertInvalidField(await put({ chat_max_number: bad }), 'chat_max_number');
  }
  for (const bad of [
    '1e1',
    '1E0',
    '-3',
    '0.5',
    '3.01',
    '9007199254740993.0',
    '-3.0',
    'true',
    'null',
    '[3]',
    '{}',
    '9007199254740993',
  ]) {
    assertInvalidField(await json(`{"chat_max_number":${bad}}`), 'chat_max_number');
  }
  for (const bad of ['1e0', '9007199254740993', '0', '0.0', '-1', '1.5', '"1e0"', '"01"', '"1.0"']) {
    assertInvalidField(await json(`{"group_id":${bad}}`), 'group_id');
    assertInvalidField(await json(`{"website_list":[${bad}]}`), 'website_list[0]');
  }
  for (const bad of ['1e1', '"10.0"', '"1e1"', '5', '"010"']) {
    assertInvalidField(await json(`{"chat_priority":${bad}}`), 'chat_priority');
  }
  const read = await rest.get(`/operator/${id}`);
  assert.equal(read.body.data.chat_max_number, 1, 'a refused value changes nothing');
});

test('text is stored as sent; NUL and lone surrogates are refused', async () => {
  for (const text of [
    '  spaces  ',
    'a+b&c=d%20',
    'é',
    'e\u0301',
    '👩‍👩‍👧',
    '\u202e\ufeff',
    "'; drop table operators; --",
    '<b>&amp;',
  ]) {
    assert.equal((await put({ first_name: text })).body.data.first_name, text);
    const form = await put(`first_name=${encodeURIComponent(text)}`);
    assert.equal(form.body.data.first_name, text);
    assert.equal((await rest.get(`/operator/${id}`)).body.data.first_name, text);
  }
  assert.equal((await put('first_name=a+b%2Bc')).body.data.first_name, 'a b+c');
  for (const field of ['name', 'first_name', 'pseudo', 'external_id', 'password']) {
    for (const bad of ['a long text with \0', 'half \ud800 of it', '\udc00 the other half']) {
      assertInvalidField(await put({ [field]: bad }), field);
    }
    assertInvalidField(await put(`${field}=a+long+text%00`), field);
  }
  assertError(await put('first_name=%ED%A0%80'), 400);
  assertError(await put('first_name=%FF'), 400);
});

test('a JSON number with a fraction of zero is an integer', async () => {
  assert.equal((await json('{"chat_max_number":7.0}')).body.data.chat_max_number, 7);
  assert.equal((await json('{"chat_priority":10.00,"chat_enabled":0.0}')).body.data.chat_priority, 10);
  assert.deepEqual((await json(`{"website_list":[${sites[0]}.0]}`)).body.data.website_list, [sites[0]]);
});

test('a required text of white space only counts as missing', async () => {
  for (const blank of [' ', '\t\r\n', '\u00a0\u3000']) {
    assertError(await rest.post('/operator', newOperatorFields({ name: blank })), 400, "Field 'name' is missing.");
    assertError(await put({ name: blank }), 400, "Field 'name' is missing.");
    const website = { label: blank, url: 'https://blank.example.com' };
    assertError(await rest.post('/website', website), 400, "Field 'label' is missing.");
    for (const kind of ['group', 'skill', 'tag']) {
      const response = await rest.post(`/${kind}`, { name: blank });
      assertError(response, 400, "Field 'name' is missing.");
      assert.match(
        response.body.meta.errors[0].message,
        /^Field 'name' is missing: it must be text of 1 to 255 characters/,
      );
    }
  }
  const name = ' a name with spaces around it ';
  assert.equal((await put({ name })).body.data.name, name, 'kept as it was sent');
  assert.equal((await put({ pseudo: '  ' })).body.data.pseudo, '  ', 'an optional text may be blank');
});

test('text has a minimum and a maximum length', async () => {
  assertOk(await put({ name: 'x'.repeat(255) }));
  assertInvalidField(await put({ name: 'x'.repeat(256) }), 'name');
  assertInvalidField(await put({ name: '' }), 'name');
  assertInvalidField(await put({ name: 5 }), 'name');
  assertInvalidField(await put({ name: null }), 'name');
});

test('without Content-Type a body is read as form; other types are 415', async () => {
  const bytes = (body: string, type: string | undefined, otherHeaders: Record<string, string> = {}) =>
    fetch(`${switchboard.url}/api/2/operator/${id}`, {
      method: 'PUT',
      body: new TextEncoder().encode(body),
      headers: {
        'X-API-Key': switchboard.key,
        ...(type === undefined ? {} : { 'Content-Type': type }),
        ...otherHeaders,
      },
    }).then(async (response) => ({ status: response.status, body: JSON.parse(await response.text()) }));
  const plain = await bytes('name=Untyped', undefined);
  assertOk(plain);
  assert.equal(plain.body.data.name, 'Untyped');
  for (const type of [
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'application/json;charset="UTF-8"',
    'application/json; charset=utf8',
  ]) {
    assertOk(await bytes('{"name":"Typed"}', type));
  }
  assertOk(await bytes('name=Typed', 'application/x-www-form-urlencoded; charset=UTF-8'));
  for (const type of [
    'text/plain',
    'multipart/mixed; boundary=x',
    'application/xml',
    'application/jsonx',
    'application/json; charset=latin1',
    'nonsense',
  ]) {
    assertError(await bytes('name=A', type), 415, /application\/json|media type/);
  }
  assertError(await bytes('name=A', 'application/x-www-form-urlencoded', { 'Content-Encoding': 'gzip' }), 415);
  assertError(await rest.send('POST', '/operator', { body: '', headers: { 'Content-Type': 'text/plain' } }), 415);
});

test('an object or a malformed number in place of another type is refused, whatever it contains', async () => {
  for (const body of ['name[length][x]=1', 'name[x]=1', 'name[length]=5', 'name[toString]=1']) {
    assertInvalidField(await put(body), 'name');
  }
  assertInvalidField(await put('website_list[length][x]=1'), 'website_list');
  assertInvalidField(await put('chat_max_number[valueOf]=1'), 'chat_max_number');
  assertInvalidField(await put('chat_enabled[x]=1'), 'chat_enabled');
  assertInvalidField(await json('{"name":{"length":{"valueOf":1,"toString":1}}}'), 'name');
  assertInvalidField(await json('{"website_list":{"length":{"valueOf":1,"toString":1}}}'), 'website_list');
  for (const bad of ['1e3', '1.5', '-1', '7', 'true', '"x"', '[]']) {
    assertInvalidField(await json(`{"call_config":${bad}}`), 'call_config');
  }
  for (const bad of ['1e3', '1.5', '[]', '{}']) assertInvalidField(await json(`{"name":${bad}}`), 'name');
});

test('a body that is not a valid JSON object is refused', async () => {
  for (const body of ['{', '[1]', '"name"', 'null', '12', '{"name":"A",}', "{'name':1}", 'name=A', '\u0000']) {
    assertError(await json(body), 400, /JSON/);
  }
  assertError(
    await rest.send('POST', '/operator', { body: '', headers: { 'Content-Type': 'application/json' } }),
    400,
    "Field 'name' is missing.",
  );
});

test('writes read only the key from the query', async () => {
  const query = 'page=0&limit=x&fields[0]=name&filters[foo]=1&name=Ignored&full=1&_=1';
  const response = await rest.post(`/operator?${query}`, newOperatorFields({ name: 'Kept' }));
  assertOk(response, 201);
  assert.equal(response.body.data.name, 'Kept');
  const created = response.body.data;
  assert.ok('chat_enabled' in created, 'the full object, whatever fields the query selects');
  assertOk(await rest.put(`/operator/${created.id}?${query}`, { pseudo: 'P' }));
  assertOk(await rest.put(`/operator/${created.id}/live?${query}&connected=0`, 'chat[available]=1'));
  const { body } = await rest.put(`/operator/${created.id}/live?connected=0`, '');
  assert.equal(body.meta.status, 'fail', 'a field in the query is ignored');
  assertOk(await rest.delete(`/operator/${created.id}?${query}`));
});

test('a repeated name in a JSON object is refused', async () => {
  const send = (body: string) =>
    rest.send('POST', '/website', { body, headers: { 'Content-Type': 'application/json' } });
  assertError(
    await send('{"label":"A","url":"https://a.example.com","label":"B"}'),
    400,
    "Value of field 'label' is not valid.",
  );
  assertError(await send('{"label":"A","la\\u0062el":"B"}'), 400, "Value of field 'label' is not valid.");
  assertOk(await send('{"label":"with \\"label\\": inside, {and} brackets","url":"https://a.example.com"}'), 201);
});
