import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertFail, idsOf, type Json, logIn, openTarget, PASSWORD } from './target.ts';

// Nothing in the interface connects an operator; the demo data has operators who are.
const target = await openTarget({ demo: true });
after(() => target.close());
const { rest, mark } = target;
const CHANNELS = ['chat', 'call', 'video'] as const;

const set = (operator: number, body: string) => rest.put(`/operator/${operator}/live`, body);

/** An operator who logged in once, and is offline. */
async function visitor(fields: object): Promise<Json> {
  const operator = await target.operator({ password: PASSWORD, ...fields });
  const login = { username: operator.email, password: PASSWORD, grant_type: 'password' };
  assert.equal((await logIn(target.url, login)).status, 200);
  return operator;
}

const [group, skill, website] = [await target.group(), await target.skill(), await target.website()];
const plain = await visitor({
  name: `${mark} Plain`,
  external_id: `${mark}/plain`,
  email: `${mark}.plain@example.com`,
  website_list: [website.id],
});
const skilled = await visitor({ name: `${mark} Skilled`, skill_list: [skill.id] });
const grouped = await visitor({ name: `${mark} Grouped`, group_id: group.id });
const never = await target.operator({ name: `${mark} Never` });
const ours = `filters[name]=${mark}*`;

/** Only operators of the demo data may be changed: others on a foreign service are real people at work. */
const demo: Json[] = (await rest.get('/operator/live?filters[external_id]=demo-*')).body.data;
const connected: Json[] = (await rest.get('/operator/live')).body.data;
const [colleague] = demo.filter(({ chat }) => chat.enabled && chat.available);
const needs = (found: unknown, reason: string) => ({ skip: target.foreign && !found && reason });
const withConnected = needs(connected[0], 'nobody is connected to this service');
const withColleague = needs(colleague, 'this service has no connected demo operator who could be changed');

test('GET /operator/live gives an array of live availability objects', withConnected, async () => {
  const { status, body } = await rest.get('/operator/live');
  assert.equal(status, 200);
  assert.equal(body.meta.status, 'success');
  const fields = ['id', 'connected', ...CHANNELS];
  for (const item of body.data) assert.deepEqual(Object.keys(item), fields);
});

test(
  'GET /operator/live: has pagination, and shows all on one page unless a page is asked for',
  withConnected,
  async () => {
    const { data, pagination } = (await rest.get('/operator/live')).body;
    assert.equal(pagination.count, data.length);
    assert.equal(pagination.pages, 1);
    const second = await rest.get('/operator/live?limit=1&page=2');
    assert.deepEqual(idsOf(second), idsOf({ ...second, body: { data } }).slice(1, 2));
    assert.equal(second.body.pagination.count, data.length);
  },
);

test(
  'GET /operator/live rule 1: by default only operators who are connected and available are returned',
  withConnected,
  async () => {
    const { data } = (await rest.get('/operator/live')).body;
    assert.ok(data.length > 0);
    for (const item of data) {
      assert.equal(item.connected, true, `operator ${item.id}`);
      assert.ok(
        CHANNELS.some((channel) => item[channel].enabled && item[channel].available),
        `operator ${item.id}`,
      );
    }
  },
);

test('GET /operator/live rule 1: an offline operator is not returned by default, available or not', async () => {
  await set(plain.id, 'chat[available]=1');
  assert.deepEqual(idsOf(await rest.get(`/operator/live?filters[id]=${plain.id}`)), []);
});

test(
  'GET /operator/live rule 1: a connected operator is returned while available on a channel',
  withColleague,
  async (t) => {
    const one = `/operator/live?filters[id]=${colleague.id}`;
    const flags = (value: (channel: (typeof CHANNELS)[number]) => number) =>
      CHANNELS.map((channel) => `${channel}[available]=${value(channel)}`).join('&');
    t.after(() =>
      set(
        colleague.id,
        flags((channel) => Number(colleague[channel].available)),
      ),
    );
    await set(
      colleague.id,
      flags(() => 0),
    );
    assert.deepEqual(idsOf(await rest.get(one)), []);
    await set(colleague.id, 'chat[available]=1');
    assert.deepEqual(idsOf(await rest.get(one)), [colleague.id]);
  },
);

test('GET /operator/live rule 2: with connected=0 offline operators are also returned', async () => {
  const ids = idsOf(await rest.get(`/operator/live?connected=0&filters[id]=${plain.id}`));
  assert.deepEqual(ids, [plain.id]);
});

test('GET /operator/live rule 2: with connected=0 connected operators are still returned', withConnected, async () => {
  const [{ id: one }] = connected;
  assert.deepEqual(idsOf(await rest.get(`/operator/live?connected=0&filters[id]=${one}`)), [one]);
});

test('GET /operator/live rule 2: only operators that logged in at least once appear', async () => {
  assert.deepEqual(idsOf(await rest.get(`/operator/live?connected=0&filters[id]=${never.id}`)), []);
});

test('GET /operator/live: connected takes 0 or 1', async () => {
  assert.equal((await rest.get('/operator/live?connected=1')).status, 200);
  assertFail(await rest.get('/operator/live?connected=2'), 400, "Value of field 'connected' is not valid.");
});

test('GET /operator/live rule 3: operators with skills or groups are left out unless the request specifies them', async () => {
  const { body } = await rest.get(`/operator/live?connected=0&${ours}`);
  assert.deepEqual(
    body.data.map((item: Json) => item.id),
    [plain.id],
  );
  assert.match(body.meta.notice, /^2 operators/);
});

test('GET /operator/live rule 3: the default list leaves them out, too', withColleague, async () => {
  const theirs = 'filters[external_id]=demo-*';
  const operators: Json[] = (await rest.get(`/operator?${theirs}&full=1&limit=100`)).body.data;
  const plainOnes = operators.filter((one) => one.skill_list.length === 0 && one.group_id === null);
  const everyone = idsOf(await rest.get(`/operator/live?${theirs}`));
  const shown = idsOf(await rest.get('/operator/live')).filter((id) => everyone.includes(id));
  assert.deepEqual(
    shown,
    everyone.filter((id) => plainOnes.some((one) => one.id === id)),
  );
  assert.ok(shown.length < everyone.length);
});

test('GET /operator/live rule 3: specifying the skill returns its operators', async () => {
  assert.deepEqual(idsOf(await rest.get(`/operator/live?connected=0&filters[skill_id]=${skill.id}`)), [skilled.id]);
});

test('GET /operator/live rule 3: specifying the group returns its operators', async () => {
  assert.deepEqual(idsOf(await rest.get(`/operator/live?connected=0&filters[group_id]=${group.id}`)), [grouped.id]);
});

for (const [filter, value, expected] of [
  ['id', `${plain.id}`, plain.id],
  ['group_id', `${group.id}`, grouped.id],
  ['website_id', `${website.id}`, plain.id],
  ['website_list', `${website.id},987654321`, plain.id],
  ['skill_id', `${skill.id}`, skilled.id],
  ['name', `${mark} Pl*`, plain.id],
  ['external_id', `${mark}/plain`, plain.id],
  ['email', `${mark}.plain@*`, plain.id],
] as const) {
  test(`GET /operator/live: takes the filter ${filter} of the operator list`, async () => {
    assert.deepEqual(idsOf(await rest.get(`/operator/live?connected=0&filters[${filter}]=${value}`)), [expected]);
  });
}

test('GET /operator/live: a filter that the operator list does not have is refused', async () => {
  assertFail(await rest.get('/operator/live?filters[shoe_size]=44'), 400, /'shoe_size' is unknown/);
});
