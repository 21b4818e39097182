import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertError, assertInvalidField, assertOk } from '../../support/clients/envelope.ts';
import { type RestClient, restClient } from '../../support/clients/rest.ts';
import { createOperator, createResource, listIds } from '../../support/fixtures/resources.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';

let switchboard: Switchboard;
let rest: RestClient;
const operators = new Map<string, number>();
let groups: number[];
let skills: number[];
let sites: number[];

before(async () => {
  switchboard = await startSwitchboard();
  rest = restClient(switchboard.url, switchboard.key);
  groups = [await createResource(rest, 'group', { name: 'Europe' })];
  groups.push(await createResource(rest, 'group', { name: 'France', parent_id: groups[0] }));
  groups.push(await createResource(rest, 'group', { name: 'ΟΔΟΣ 100%', parent_id: groups[0] }));
  skills = [await createResource(rest, 'skill', { name: 'Sales' })];
  skills.push(await createResource(rest, 'skill', { name: 'Billing', parent_id: skills[0] }));
  sites = [await createResource(rest, 'website', { label: 'Shop', url: 'https://shop.example.com/A_b' })];
  sites.push(await createResource(rest, 'website', { label: 'ШОП', url: 'https://other.example.org' }));
  const operatorFields: Record<string, Record<string, unknown>> = {
    Straße: { group_id: groups[0], skill_list: [skills[0]], website_list: [sites[0]], external_id: 'X-1' },
    'Smith%Jones': { group_id: groups[1], skill_list: skills, website_list: sites, external_id: 'x-2' },
    Smith_Jones: { group_id: groups[1], website_list: [sites[1]], external_id: 'Y*1' },
    SmithXJones: { website_list: [], email: 'Smith.X@Example.COM' },
    Οδυσσεύς: { website_list: [], external_id: 'ÀÉÎ' },
    Иванова: { website_list: [] },
    İstanbul: { website_list: [] },
    'back\\slash': { website_list: [] },
    '😀 smile': { website_list: [] },
  };
  for (const [name, fields] of Object.entries(operatorFields)) {
    operators.set(name, (await createOperator(rest, { name, ...fields })).id);
  }
});
after(() => switchboard.stop());

const ids = (...names: string[]) => names.map((name) => operators.get(name) as number).sort((a, b) => b - a);
const q = (name: string, value: string | number) => `filters[${name}]=${encodeURIComponent(value)}`;
const found = (...filters: string[]) => listIds(rest, `/operator?${filters.join('&')}`);

test('text: matches the whole value, ignoring case in every alphabet', async () => {
  const cases: [string, string[]][] = [
    ['Straße', ['Straße']],
    ['STRASSE', ['Straße']],
    ['strasse', ['Straße']],
    ['STRAẞE', ['Straße']],
    ['Stra', []],
    ['ΟΔΥΣΣΕΎΣ', ['Οδυσσεύς']],
    ['οδυσσεύσ', ['Οδυσσεύς']],
    ['ИВАНОВА', ['Иванова']],
    ['иванова', ['Иванова']],
    ['i\u0307STANBUL', ['İstanbul']],
    ['İSTANBUL', ['İstanbul']],
    ['istanbul', []],
    ['smithxjones', ['SmithXJones']],
    ['', []],
  ];
  for (const [text, names] of cases) assert.deepEqual(await found(q('name', text)), ids(...names), text);
});

test('text: * matches any text at the end, at the start, inside, and alone', async () => {
  const cases: [string, string[]][] = [
    ['smith*', ['Smith%Jones', 'Smith_Jones', 'SmithXJones']],
    ['SMITH*JONES', ['Smith%Jones', 'Smith_Jones', 'SmithXJones']],
    ['*jones', ['Smith%Jones', 'Smith_Jones', 'SmithXJones']],
    ['*XJ*', ['SmithXJones']],
    ['STRASS*', ['Straße']],
    ['stras*', ['Straße']],
    ['*ΣΣ*', ['Οδυσσεύς']],
    ['ОДИН*', []],
    ['ива*', ['Иванова']],
    ['😀*', ['😀 smile']],
    ['smith*jones*x', []],
    ['s*t*a*s*e', ['Straße']],
  ];
  for (const [text, names] of cases) assert.deepEqual(await found(q('name', text)), ids(...names), text);
  const allIds = await listIds(rest, '/operator');
  for (const all of ['*', '**', '*****']) assert.deepEqual(await found(q('name', all)), allIds);
});

test('text: % and _ and \\ match themselves', async () => {
  const cases: [string, string[]][] = [
    ['smith%jones', ['Smith%Jones']],
    ['smith_jones', ['Smith_Jones']],
    ['smith%*', ['Smith%Jones']],
    ['smith_*', ['Smith_Jones']],
    ['*%*', ['Smith%Jones']],
    ['*_j*', ['Smith_Jones']],
    ['*_*%*', []],
    ['%', []],
    ['*\\*', ['back\\slash']],
    ['back\\slash', ['back\\slash']],
    ['back\\\\slash', []],
    ['ba*\\s*h', ['back\\slash']],
  ];
  for (const [text, names] of cases) assert.deepEqual(await found(q('name', text)), ids(...names), text);
});

test('text: more than five * or 255 characters are rejected', async () => {
  assertOk(await rest.get(`/operator?${q('name', 'a*b*c*d*e*')}`));
  assertInvalidField(await rest.get(`/operator?${q('name', 'a*b*c*d*e*f*')}`), 'filters[name]');
  assertOk(await rest.get(`/operator?${q('name', 'x'.repeat(255))}`));
  assertInvalidField(await rest.get(`/operator?${q('name', 'x'.repeat(256))}`), 'filters[name]');
  assertInvalidField(await rest.get('/operator?filters[name]=a%00'), 'filters[name]');
  assertError(await rest.get('/operator?filters[name]=%ED%A0%80'), 400);
  assertInvalidField(await rest.get('/operator?filters[name]=a&filters[name]=b'), 'filters[name]');
  assertInvalidField(await rest.get('/operator?filters[name][x]=a'), 'filters[name]');
});

test('email and external_id are compared in the same way', async () => {
  assert.deepEqual(await found(q('email', 'smith.x@example.com')), ids('SmithXJones'));
  assert.deepEqual(await found(q('email', 'SMITH.X@*')), ids('SmithXJones'));
  assert.deepEqual(await found(q('email', '*.x@*.com')), ids('SmithXJones'));
  assert.deepEqual(await found(q('external_id', 'x-1')), ids('Straße'));
  assert.deepEqual(await found(q('external_id', 'X-*')), ids('Straße', 'Smith%Jones'));
  assert.deepEqual(await found(q('external_id', 'àéî')), ids('Οδυσσεύς'));
  const withExternalId = ids('Straße', 'Smith%Jones', 'Smith_Jones', 'Οδυσσεύς');
  assert.deepEqual(await found(q('external_id', '*')), withExternalId);
  assert.deepEqual(await found(q('external_id', '**')), withExternalId);
});

test('identifiers: a filter accepts one, a comma list, brackets, and * on the decimal text', async () => {
  const allIds = await listIds(rest, '/operator');
  const [newest = 0, second = 0] = allIds;
  assert.equal(allIds[0], 10);
  assert.deepEqual(await found(q('id', newest)), [newest]);
  assert.deepEqual(await found(q('id', `${second},${newest},${second}`)), [newest, second]);
  assert.deepEqual(await found(q('id', `${second}, ${newest}`)), [newest, second]);
  assert.deepEqual(await found(`filters[id][]=${second}&filters[id][]=${newest}`), [newest, second]);
  assert.deepEqual(await found(q('id', 999)), []);
  for (const [pattern, expected] of [
    ['1*', [10, 1]],
    ['*0', [10]],
    ['*', allIds],
    ['1*0', [10]],
    ['10*', [10]],
    ['0*', []],
    ['*1*', [10, 1]],
    ['9007199254740991*', []],
    ['**2', [2]],
  ] as const) {
    assert.deepEqual(await found(q('id', pattern)), expected, pattern);
  }
  for (const bad of [
    '',
    'x',
    '1e1',
    '0',
    '01',
    '-1',
    '1,',
    ',',
    '1,x',
    '1,*',
    '1*,2',
    '9007199254740993',
    '1*2*3*4*5*6*',
    'a*',
    '0x1',
  ]) {
    assertInvalidField(await rest.get(`/operator?${q('id', bad)}`), 'filters[id]');
  }
});

test('identifiers: a list can have 500, not 501', async () => {
  const list = (count: number, first = 1) => Array.from({ length: count }, (_, index) => first + index).join(',');
  for (const name of ['id', 'group_id', 'website_id', 'website_list', 'skill_id']) {
    assertOk(await rest.get(`/operator?${q(name, list(500))}`));
    assertInvalidField(await rest.get(`/operator?${q(name, list(501))}`), `filters[${name}]`);
  }
  assert.equal((await found(q('id', list(500)))).length, 10);
  assertOk(await rest.get(`/operator?filters[id]=${list(500, 9_007_199_254_740_400)}`));
  assertInvalidField(
    await rest.get(`/operator?${Array.from({ length: 501 }, () => 'filters[id][]=1').join('&')}`),
    'filters[id]',
  );
});

test('operators can be filtered by group, website and skill', async () => {
  const [europe = 0, france = 0] = groups;
  const [sales = 0, billing = 0] = skills;
  const [shop = 0, other = 0] = sites;
  const cases: [string, string | number, string[]][] = [
    ['group_id', europe, ['Straße']],
    ['group_id', france, ['Smith%Jones', 'Smith_Jones']],
    ['group_id', `${europe},${france}`, ['Straße', 'Smith%Jones', 'Smith_Jones']],
    ['group_id', '*', ['Straße', 'Smith%Jones', 'Smith_Jones']],
    ['group_id', 99, []],
    ['website_id', shop, ['Straße', 'Smith%Jones']],
    ['website_id', other, ['Smith%Jones', 'Smith_Jones']],
    ['website_id', '*', ['Straße', 'Smith%Jones', 'Smith_Jones']],
    ['website_list', `${shop},${other}`, ['Straße', 'Smith%Jones', 'Smith_Jones']],
    ['website_list', other, ['Smith%Jones', 'Smith_Jones']],
    ['website_list', `${other}*`, ['Smith%Jones', 'Smith_Jones']],
    ['skill_id', sales, ['Straße', 'Smith%Jones']],
    ['skill_id', billing, ['Smith%Jones']],
    ['skill_id', `${sales},${billing}`, ['Straße', 'Smith%Jones']],
    ['skill_id', '*', ['Straße', 'Smith%Jones']],
  ];
  for (const [name, value, names] of cases) {
    assert.deepEqual(await found(q(name, value)), ids(...names), `${name} ${value}`);
  }
});

test('several filters: all must match', async () => {
  const [, france = 0] = groups;
  const [shop = 0, other = 0] = sites;
  const [sales = 0] = skills;
  assert.deepEqual(await found(q('name', 'smith*'), q('group_id', france)), ids('Smith%Jones', 'Smith_Jones'));
  assert.deepEqual(await found(q('name', 'smith*'), q('website_id', shop)), ids('Smith%Jones'));
  assert.deepEqual(await found(q('website_id', shop), q('website_list', other)), ids('Smith%Jones'));
  assert.deepEqual(await found(q('group_id', france), q('skill_id', sales)), ids('Smith%Jones'));
  assert.deepEqual(await found(q('id', 1), q('name', 'smith*')), []);
  const all = ['id', 'group_id', 'website_id', 'website_list', 'skill_id', 'name', 'external_id', 'email'];
  assert.deepEqual(await found(...all.map((name) => q(name, '*'))), ids('Straße', 'Smith%Jones'));
});

test('an unknown filter is refused, and the allowed ones are listed', async () => {
  const known: Record<string, string> = {
    '/operator': 'id, group_id, website_id, website_list, skill_id, name, external_id, email',
    '/operator/live': 'id, group_id, website_id, website_list, skill_id, name, external_id, email',
    '/client': 'id',
    '/website': 'id, label, url',
    '/group': 'id, name, parent_id',
    '/skill': 'id, name, operator_id, parent_id',
  };
  for (const [path, filters] of Object.entries(known)) {
    for (const name of ['foo', 'constructor', 'toString', 'hasOwnProperty', 'ID', 'groupId']) {
      const response = await rest.get(`${path}?filters[${name}]=1`);
      assertError(response, 400, `Filter '${name}' is unknown. Allowed filters: ${filters}.`);
    }
    assertError(await rest.get(`${path}?filters[]=1`), 400);
    assertError(await rest.get(`${path}?filters=name`), 400);
    assertOk(await rest.get(`${path}?filters[id]=1`));
  }
});

test('groups, skills and websites can be filtered by their fields', async () => {
  const [europe = 0, france = 0, odos = 0] = groups;
  const [sales = 0, billing = 0] = skills;
  const [shop = 0, other = 0] = sites;
  const cases: [string, string, string | number, number[]][] = [
    ['group', 'name', 'FRANCE', [france]],
    ['group', 'name', '*e', [france, europe].filter((id) => id !== 0)],
    ['group', 'name', 'οδος*', [odos]],
    ['group', 'name', '*%', [odos]],
    ['group', 'parent_id', europe, [odos, france]],
    ['group', 'parent_id', '*', [odos, france]],
    ['group', 'id', `${europe},${odos}`, [odos, europe]],
    ['skill', 'name', 'b*', [billing]],
    ['skill', 'parent_id', sales, [billing]],
    ['skill', 'operator_id', operators.get('Straße') ?? 0, [sales]],
    ['skill', 'operator_id', operators.get('Smith%Jones') ?? 0, [billing, sales]],
    ['skill', 'operator_id', operators.get('Иванова') ?? 0, []],
    ['skill', 'operator_id', '*', [billing, sales]],
    ['skill', 'id', sales, [sales]],
    ['website', 'label', 'шоп', [other]],
    ['website', 'label', 'SH*', [shop]],
    ['website', 'url', 'HTTPS://SHOP.*', [shop]],
    ['website', 'url', '*a_b', [shop]],
    ['website', 'url', '*example*', [other, shop]],
    ['website', 'id', '*', [other, shop]],
    ['client', 'id', 1, [1]],
    ['client', 'id', '1*', [1]],
    ['client', 'id', '*2', []],
    ['client', 'id', '2,3', []],
  ];
  for (const [resource, name, value, expected] of cases) {
    assert.deepEqual(await listIds(rest, `/${resource}?${q(name, value)}`), expected, `${resource} ${name} ${value}`);
  }
});
