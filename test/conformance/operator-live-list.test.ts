import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertFail, idsOf, type Json, logIn, openTarget, PASSWORD } from './target.ts';

// The REST interface cannot connect an operator; the demo data has connected ones.
const target = await openTarget({ demo: true });
after(() => target.close());
const { rest, runPrefix } = target;
const CHANNELS = ['chat', 'call', 'video'] as const;

const setLive = (operator: number, body: string) => rest.put(`/operator/${operator}/live`, body);

/** Creates an operator who has logged in once and is offline. */
async function createOfflineOperator(fields: object): Promise<Json> {
  const operator = await target.operator({ password: PASSWORD, ...fields });
  const login = { username: operator.email, password: PASSWORD, grant_type: 'password' };
  assert.equal((await logIn(target.url, login)).status, 200);
  return operator;
}

const [group, skill, website] = [await target.group(), await target.skill(), await target.website()];
const plain = await createOfflineOperator({
  name: `${runPrefix} Plain`,
  external_id: `${runPrefix}/plain`,
  email: `${runPrefix}.plain@example.com`,
  website_list: [website.id],
});
const skilled = await createOfflineOperator({
  name: `${runPrefix} Skilled`,
  website_list: [website.id],
  skill_list: [skill.id],
});
const grouped = await createOfflineOperator({
  name: `${runPrefix} Grouped`,
  website_list: [website.id],
  group_id: group.id,
});
const neverLoggedIn = await target.operator({ name: `${runPrefix} Never` });

/** Tests may change demo operators only: others on an external service are real people at work. */
const demoOperators: Json[] = (await rest.get('/operator/live?filters[external_id]=demo-*')).body.data;
const connectedOperators: Json[] = (await rest.get('/operator/live')).body.data;
const [availableDemo] = demoOperators.filter(({ chat }) => chat.enabled && chat.available);
const skipUnless = (found: unknown, reason: string) => ({ skip: target.isExternal && !found && reason });
const needsConnected = skipUnless(connectedOperators[0], 'no operator is connected to this service');
const needsAvailableDemo = skipUnless(availableDemo, 'this service has no available demo operator');

test('GET /operator/live returns an array of live availability objects', needsConnected, async () => {
  const { status, body } = await rest.get('/operator/live');
  assert.equal(status, 200);
  assert.equal(body.meta.status, 'success');
  const fields = ['id', 'connected', ...CHANNELS];
  for (const item of body.data) assert.deepEqual(Object.keys(item), fields);
});

test(
  'GET /operator/live: has pagination, and returns all operators on one page unless the request sets a page',
  needsConnected,
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
  needsConnected,
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
  await setLive(plain.id, 'chat[available]=1');
  assert.deepEqual(idsOf(await rest.get(`/operator/live?filters[id]=${plain.id}`)), []);
});

test(
  'GET /operator/live rule 1: a connected operator is returned while available on a channel',
  needsAvailableDemo,
  async (t) => {
    const path = `/operator/live?filters[id]=${availableDemo.id}`;
    const flags = (value: (channel: (typeof CHANNELS)[number]) => number) =>
      CHANNELS.map((channel) => `${channel}[available]=${value(channel)}`).join('&');
    t.after(() =>
      setLive(
        availableDemo.id,
        flags((channel) => Number(availableDemo[channel].available)),
      ),
    );
    await setLive(
      availableDemo.id,
      flags(() => 0),
    );
    assert.deepEqual(idsOf(await rest.get(path)), []);
    await setLive(availableDemo.id, 'chat[available]=1');
    assert.deepEqual(idsOf(await rest.get(path)), [availableDemo.id]);
  },
);

test('GET /operator/live rule 2: with connected=0 offline operators are also returned', async () => {
  const ids = idsOf(await rest.get(`/operator/live?connected=0&filters[id]=${plain.id}`));
  assert.deepEqual(ids, [plain.id]);
});

test('GET /operator/live rule 2: with connected=0 connected operators are still returned', needsConnected, async () => {
  const [{ id }] = connectedOperators;
  assert.deepEqual(idsOf(await rest.get(`/operator/live?connected=0&filters[id]=${id}`)), [id]);
});

test('GET /operator/live rule 2: only operators that logged in at least once appear', async () => {
  assert.deepEqual(idsOf(await rest.get(`/operator/live?connected=0&filters[id]=${neverLoggedIn.id}`)), []);
});

test('GET /operator/live: connected accepts 0 or 1', async () => {
  assert.equal((await rest.get('/operator/live?connected=1')).status, 200);
  assertFail(await rest.get('/operator/live?connected=2'), 400, "Value of field 'connected' is not valid.");
});

test('GET /operator/live rule 3: operators with skills or groups are left out unless the request specifies them', async () => {
  const { body } = await rest.get(`/operator/live?connected=0&filters[website_id]=${website.id}`);
  assert.deepEqual(
    body.data.map((item: Json) => item.id),
    [plain.id],
  );
  assert.match(body.meta.notice, /^2 operators/);
});

test('GET /operator/live rule 3: the default list leaves them out too', needsAvailableDemo, async () => {
  const demoFilter = 'filters[external_id]=demo-*';
  const operators: Json[] = (await rest.get(`/operator?${demoFilter}&full=1&limit=100`)).body.data;
  const unassigned = operators.filter((operator) => operator.skill_list.length === 0 && operator.group_id === null);
  const demoIds = idsOf(await rest.get(`/operator/live?${demoFilter}`));
  const listedIds = idsOf(await rest.get('/operator/live')).filter((id) => demoIds.includes(id));
  assert.deepEqual(
    listedIds,
    demoIds.filter((id) => unassigned.some((operator) => operator.id === id)),
  );
  assert.ok(listedIds.length < demoIds.length);
});

test('GET /operator/live rule 3: a filter by name specifies the operators', async () => {
  const { body } = await rest.get(`/operator/live?connected=0&filters[name]=${runPrefix}*`);
  assert.deepEqual(body.data.map((item: Json) => item.id).sort(), [plain.id, skilled.id, grouped.id].sort());
  assert.equal(body.meta.notice, undefined);
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
  ['name', `${runPrefix} Pl*`, plain.id],
  ['external_id', `${runPrefix}/plain`, plain.id],
  ['email', `${runPrefix}.plain@*`, plain.id],
] as const) {
  test(`GET /operator/live: accepts the filter ${filter} of the operator list`, async () => {
    assert.deepEqual(idsOf(await rest.get(`/operator/live?connected=0&filters[${filter}]=${value}`)), [expected]);
  });
}

test('GET /operator/live: an unknown filter is rejected', async () => {
  assertFail(await rest.get('/operator/live?filters[shoe_size]=44'), 400, /'shoe_size' is unknown/);
});
