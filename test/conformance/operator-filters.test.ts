import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertFail, idsOf, openTarget } from './target.ts';

const target = await openTarget();
after(() => target.close());
const { rest, mark } = target;

const [group, otherGroup] = [await target.group(), await target.group()];
const [skill, otherSkill] = [await target.skill(), await target.skill()];
const [shop, bank, blog] = [await target.website(), await target.website(), await target.website()];

const ann = await target.operator({
  name: `${mark} Ann`,
  external_id: `${mark}/ann`,
  email: `${mark}.ann@example.com`,
  group_id: group.id,
  skill_list: [skill.id],
  website_list: [shop.id],
});
const bob = await target.operator({
  name: `${mark} Bob`,
  external_id: `${mark}/bob`,
  email: `${mark}.bob@example.com`,
  group_id: otherGroup.id,
  skill_list: [skill.id, otherSkill.id],
  website_list: [bank.id],
});
const cyd = await target.operator({ name: `${mark} Cyd`, website_list: [shop.id, blog.id] });

/** The operators that pass, of the three; others of the account never count. */
async function found(query: string): Promise<number[]> {
  return idsOf(await rest.get(`/operator?${query}&limit=100`)).filter((id) => [ann.id, bob.id, cyd.id].includes(id));
}
const all = [cyd.id, bob.id, ann.id];

test('Operator list filters: filters[id] takes an operator identifier', async () => {
  const answer = await rest.get(`/operator?filters[id]=${bob.id}`);
  assert.deepEqual(idsOf(answer), [bob.id]);
  assert.equal(answer.body.pagination.count, 1);
});

test('Operator list filters: filters[group_id] takes a group identifier', async () => {
  assert.deepEqual(idsOf(await rest.get(`/operator?filters[group_id]=${group.id}`)), [ann.id]);
  assert.deepEqual(idsOf(await rest.get(`/operator?filters[group_id]=${otherGroup.id}`)), [bob.id]);
});

test('Operator list filters: filters[website_id] takes a website identifier', async () => {
  assert.deepEqual(await found(`filters[website_id]=${shop.id}`), [cyd.id, ann.id]);
  assert.deepEqual(await found(`filters[website_id]=${bank.id}`), [bob.id]);
});

test('Operator list filters: filters[website_list] takes website identifiers, comma-separated', async () => {
  assert.deepEqual(await found(`filters[website_list]=${bank.id},${blog.id}`), [cyd.id, bob.id]);
  assert.deepEqual(await found(`filters[website_list]=${shop.id},${bank.id},${blog.id}`), all);
});

test('Operator list filters: filters[website_list] takes a single website identifier', async () => {
  assert.deepEqual(await found(`filters[website_list]=${blog.id}`), [cyd.id]);
});

test('Operator list filters: filters[website_list] lists an operator once who works on several of them', async () => {
  const answer = await rest.get(`/operator?filters[website_list]=${shop.id},${blog.id}&filters[name]=${mark}*`);
  assert.deepEqual(idsOf(answer), [cyd.id, ann.id]);
  assert.equal(answer.body.pagination.count, 2);
});

test('Operator list filters: filters[skill_id] takes a skill identifier', async () => {
  assert.deepEqual(idsOf(await rest.get(`/operator?filters[skill_id]=${skill.id}`)), [bob.id, ann.id]);
  assert.deepEqual(idsOf(await rest.get(`/operator?filters[skill_id]=${otherSkill.id}`)), [bob.id]);
});

test('Operator list filters: filters[name] takes an operator name, without regard to case', async () => {
  assert.deepEqual(idsOf(await rest.get(`/operator?filters[name]=${mark} Ann`)), [ann.id]);
  assert.deepEqual(idsOf(await rest.get(`/operator?filters[name]=${mark.toUpperCase()} ANN`)), [ann.id]);
});

test('Operator list filters: filters[external_id] takes an external identifier', async () => {
  assert.deepEqual(idsOf(await rest.get(`/operator?filters[external_id]=${mark}/bob`)), [bob.id]);
});

test('Operator list filters: filters[email] takes an operator e-mail, without regard to case', async () => {
  assert.deepEqual(idsOf(await rest.get(`/operator?filters[email]=${mark}.ann@example.com`)), [ann.id]);
  assert.deepEqual(idsOf(await rest.get(`/operator?filters[email]=${mark}.ANN@Example.com`)), [ann.id]);
});

for (const [filter, value, expected] of [
  ['name', `${mark}*`, all],
  ['name', `${mark} *b`, [bob.id]],
  ['external_id', `${mark}/*`, [bob.id, ann.id]],
  ['email', `${mark}.*@example.com`, [bob.id, ann.id]],
  ['email', `*${mark}.b*`, [bob.id]],
] as const) {
  const shown = value.replace(mark, '…');
  test(`Operator list filters: * broadens the match of filters[${filter}]: ${shown}`, async () => {
    assert.deepEqual(await found(`filters[${filter}]=${value}`), expected);
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
      const ids = await found(`filters[${filter}]=${value}&filters[name]=${mark}*`);
      for (const one of expected) assert.ok(ids.includes(one), value);
    }
  });

  test(`Operator list filters: filters[${filter}] of one that does not exist finds nobody`, async () => {
    assert.deepEqual(idsOf(await rest.get(`/operator?filters[${filter}]=987654321`)), []);
  });

  test(`Operator list filters: filters[${filter}] that is no identifier is refused`, async () => {
    const answer = await rest.get(`/operator?filters[${filter}]=abc`);
    assertFail(answer, 400, `Value of field 'filters[${filter}]' is not valid.`);
  });
}

test('Operator list filters: filters[id] does not broaden without *', async () => {
  const ids = idsOf(await rest.get(`/operator?filters[id]=${String(cyd.id).slice(0, -1) || '987654321'}`));
  assert.equal(ids.includes(cyd.id), false);
});

test('Operator list filters: several filters must all hold', async () => {
  assert.deepEqual(await found(`filters[skill_id]=${skill.id}&filters[website_id]=${bank.id}`), [bob.id]);
  assert.deepEqual(await found(`filters[group_id]=${group.id}&filters[name]=${mark} Bob`), []);
});

test('Operator list filters: follow a change of the operator', async () => {
  const moved = await target.operator({ name: `${mark} Dan`, skill_list: [skill.id] });
  await rest.put(`/operator/${moved.id}`, { skill_list: [], group_id: group.id, name: `${mark} Eve` });
  const only = `filters[id]=${moved.id}`;
  assert.deepEqual(idsOf(await rest.get(`/operator?${only}&filters[skill_id]=${skill.id}`)), []);
  assert.deepEqual(idsOf(await rest.get(`/operator?${only}&filters[group_id]=${group.id}`)), [moved.id]);
  assert.deepEqual(idsOf(await rest.get(`/operator?filters[name]=${mark} Eve`)), [moved.id]);
  assert.equal((await rest.delete(`/operator/${moved.id}`)).status, 200);
  assert.deepEqual(idsOf(await rest.get(`/operator?filters[group_id]=${group.id}`)), [ann.id]);
});
