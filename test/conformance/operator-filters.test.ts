import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertFail, idsOf, openTarget } from './target.ts';

const target = await openTarget();
after(() => target.close());
const { rest, runPrefix } = target;

const [group, otherGroup] = [await target.group(), await target.group()];
const [skill, otherSkill] = [await target.skill(), await target.skill()];
const [shop, bank, blog] = [await target.website(), await target.website(), await target.website()];

const ann = await target.operator({
  name: `${runPrefix} Ann`,
  external_id: `${runPrefix}/ann`,
  email: `${runPrefix}.ann@example.com`,
  group_id: group.id,
  skill_list: [skill.id],
  website_list: [shop.id],
});
const bob = await target.operator({
  name: `${runPrefix} Bob`,
  external_id: `${runPrefix}/bob`,
  email: `${runPrefix}.bob@example.com`,
  group_id: otherGroup.id,
  skill_list: [skill.id, otherSkill.id],
  website_list: [bank.id],
});
const cyd = await target.operator({ name: `${runPrefix} Cyd`, website_list: [shop.id, blog.id] });

/** Ids of the three operators that match; others of the account are ignored. */
async function findIds(query: string): Promise<number[]> {
  return idsOf(await rest.get(`/operator?${query}&limit=100`)).filter((id) => [ann.id, bob.id, cyd.id].includes(id));
}
const allIds = [cyd.id, bob.id, ann.id];

test('Operator list filters: filters[id] accepts an operator identifier', async () => {
  const response = await rest.get(`/operator?filters[id]=${bob.id}`);
  assert.deepEqual(idsOf(response), [bob.id]);
  assert.equal(response.body.pagination.count, 1);
});

test('Operator list filters: filters[group_id] accepts a group identifier', async () => {
  assert.deepEqual(idsOf(await rest.get(`/operator?filters[group_id]=${group.id}`)), [ann.id]);
  assert.deepEqual(idsOf(await rest.get(`/operator?filters[group_id]=${otherGroup.id}`)), [bob.id]);
});

test('Operator list filters: filters[website_id] accepts a website identifier', async () => {
  assert.deepEqual(await findIds(`filters[website_id]=${shop.id}`), [cyd.id, ann.id]);
  assert.deepEqual(await findIds(`filters[website_id]=${bank.id}`), [bob.id]);
});

test('Operator list filters: filters[website_list] accepts website identifiers, comma-separated', async () => {
  assert.deepEqual(await findIds(`filters[website_list]=${bank.id},${blog.id}`), [cyd.id, bob.id]);
  assert.deepEqual(await findIds(`filters[website_list]=${shop.id},${bank.id},${blog.id}`), allIds);
});

test('Operator list filters: filters[website_list] accepts a single website identifier', async () => {
  assert.deepEqual(await findIds(`filters[website_list]=${blog.id}`), [cyd.id]);
});

test('Operator list filters: filters[website_list] lists an operator of several websites once', async () => {
  const response = await rest.get(`/operator?filters[website_list]=${shop.id},${blog.id}&filters[name]=${runPrefix}*`);
  assert.deepEqual(idsOf(response), [cyd.id, ann.id]);
  assert.equal(response.body.pagination.count, 2);
});

test('Operator list filters: filters[skill_id] accepts a skill identifier', async () => {
  assert.deepEqual(idsOf(await rest.get(`/operator?filters[skill_id]=${skill.id}`)), [bob.id, ann.id]);
  assert.deepEqual(idsOf(await rest.get(`/operator?filters[skill_id]=${otherSkill.id}`)), [bob.id]);
});

test('Operator list filters: filters[name] accepts an operator name in any case', async () => {
  assert.deepEqual(idsOf(await rest.get(`/operator?filters[name]=${runPrefix} Ann`)), [ann.id]);
  assert.deepEqual(idsOf(await rest.get(`/operator?filters[name]=${runPrefix.toUpperCase()} ANN`)), [ann.id]);
});

test('Operator list filters: filters[external_id] accepts an external identifier', async () => {
  assert.deepEqual(idsOf(await rest.get(`/operator?filters[external_id]=${runPrefix}/bob`)), [bob.id]);
});

test('Operator list filters: filters[email] accepts an operator e-mail in any case', async () => {
  assert.deepEqual(idsOf(await rest.get(`/operator?filters[email]=${runPrefix}.ann@example.com`)), [ann.id]);
  assert.deepEqual(idsOf(await rest.get(`/operator?filters[email]=${runPrefix}.ANN@Example.com`)), [ann.id]);
});

for (const [filter, value, expected] of [
  ['name', `${runPrefix}*`, allIds],
  ['name', `${runPrefix} *b`, [bob.id]],
  ['external_id', `${runPrefix}/*`, [bob.id, ann.id]],
  ['email', `${runPrefix}.*@example.com`, [bob.id, ann.id]],
  ['email', `*${runPrefix}.b*`, [bob.id]],
] as const) {
  const pattern = value.replace(runPrefix, '…');
  test(`Operator list filters: * broadens the match of filters[${filter}]: ${pattern}`, async () => {
    assert.deepEqual(await findIds(`filters[${filter}]=${value}`), expected);
  });
}

for (const [filter, id, expected] of [
  ['id', cyd.id, [cyd.id]],
  ['group_id', group.id, [ann.id]],
  ['website_id', shop.id, [cyd.id, ann.id]],
  ['website_list', bank.id, [bob.id]],
  ['skill_id', otherSkill.id, [bob.id]],
] as const) {
  test(`Operator list filters: * broadens the match of filters[${filter}], on the digits`, async () => {
    const digits = String(id);
    for (const value of [`${digits}*`, `*${digits}`, `${digits[0]}*${digits.slice(1)}`]) {
      const ids = await findIds(`filters[${filter}]=${value}&filters[name]=${runPrefix}*`);
      for (const expectedId of expected) assert.ok(ids.includes(expectedId), value);
    }
  });

  test(`Operator list filters: filters[${filter}] with an unknown identifier returns no operators`, async () => {
    assert.deepEqual(idsOf(await rest.get(`/operator?filters[${filter}]=987654321`)), []);
  });

  test(`Operator list filters: filters[${filter}] that is not an identifier is rejected`, async () => {
    const response = await rest.get(`/operator?filters[${filter}]=abc`);
    assertFail(response, 400, `Value of field 'filters[${filter}]' is not valid.`);
  });
}

test('Operator list filters: filters[id] without * matches exactly', async () => {
  const ids = idsOf(await rest.get(`/operator?filters[id]=${String(cyd.id).slice(0, -1) || '987654321'}`));
  assert.equal(ids.includes(cyd.id), false);
});

test('Operator list filters: an operator must match all filters', async () => {
  assert.deepEqual(await findIds(`filters[skill_id]=${skill.id}&filters[website_id]=${bank.id}`), [bob.id]);
  assert.deepEqual(await findIds(`filters[group_id]=${group.id}&filters[name]=${runPrefix} Bob`), []);
});

test('Operator list filters: reflect a change of the operator', async () => {
  const moved = await target.operator({ name: `${runPrefix} Dan`, skill_list: [skill.id] });
  await rest.put(`/operator/${moved.id}`, { skill_list: [], group_id: group.id, name: `${runPrefix} Eve` });
  const idFilter = `filters[id]=${moved.id}`;
  assert.deepEqual(idsOf(await rest.get(`/operator?${idFilter}&filters[skill_id]=${skill.id}`)), []);
  assert.deepEqual(idsOf(await rest.get(`/operator?${idFilter}&filters[group_id]=${group.id}`)), [moved.id]);
  assert.deepEqual(idsOf(await rest.get(`/operator?filters[name]=${runPrefix} Eve`)), [moved.id]);
  assert.equal((await rest.delete(`/operator/${moved.id}`)).status, 200);
  assert.deepEqual(idsOf(await rest.get(`/operator?filters[group_id]=${group.id}`)), [ann.id]);
});
