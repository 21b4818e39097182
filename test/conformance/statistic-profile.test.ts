import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Json, openTarget } from './target.ts';

// The demo data has operators with a history: conversations, surveys, profiles.
const target = await openTarget({ demo: true });
after(() => target.close());
const { rest } = target;

const { id } = await target.operator();
const statisticOf = async (operator: number) => (await rest.get(`/operator/${operator}/statistic`)).body.data;
const profileOf = async (operator: number) => (await rest.get(`/operator/${operator}/profile`)).body.data;

const [demoOperator] = (await rest.get('/operator?filters[external_id]=demo-1')).body.data;
const needsHistory = {
  skip: target.isExternal && !demoOperator && 'this service has no demo operators with a known history',
};

test('GET /operator/<id>/statistic returns the statistics in data', async () => {
  const { status, body } = await rest.get(`/operator/${id}/statistic`);
  assert.equal(status, 200);
  assert.equal(body.meta.status, 'success');
  assert.deepEqual(Object.keys(body.data).sort(), [
    'conversation_number',
    'experience',
    'id',
    'satisfaction_global_rate',
  ]);
});

test('Operator statistics: id is an integer, the operator identifier', async () => {
  assert.equal((await statisticOf(id)).id, id);
});

test('Operator statistics: conversation_number is an integer, 0 for a new operator', async () => {
  assert.equal((await statisticOf(id)).conversation_number, 0);
});

test(
  'Operator statistics: conversation_number counts the conversations that the operator handled',
  needsHistory,
  async () => {
    const { conversation_number: handled } = await statisticOf(demoOperator.id);
    assert.ok(Number.isInteger(handled) && handled > 0, String(handled));
  },
);

test('Operator statistics: satisfaction_global_rate is a number, 0 without surveys', async () => {
  assert.equal((await statisticOf(id)).satisfaction_global_rate, 0);
});

test(
  'Operator statistics: satisfaction_global_rate is the average satisfaction, between 0 and 1',
  needsHistory,
  async () => {
    const { satisfaction_global_rate: rate } = await statisticOf(demoOperator.id);
    assert.ok(rate > 0 && rate < 1, String(rate));
  },
);

test('Operator statistics: experience is an integer, 0 for a new operator', async () => {
  assert.equal((await statisticOf(id)).experience, 0);
});

test(
  'Operator statistics: experience grows by 10 with each conversation handled to its end',
  needsHistory,
  async () => {
    const { experience, conversation_number: handled } = await statisticOf(demoOperator.id);
    const { chat, call, video } = (await rest.get(`/operator/${demoOperator.id}/live`)).body.data;
    const running = chat.slot_number + call.slot_number + video.slot_number;
    assert.ok(handled > running);
    assert.equal(experience, (handled - running) * 10);
  },
);

test('GET /operator/<id>/profile returns the profile in data', async () => {
  const { status, body } = await rest.get(`/operator/${id}/profile`);
  assert.equal(status, 200);
  assert.equal(body.meta.status, 'success');
  assert.deepEqual(Object.keys(body.data).sort(), [
    'city',
    'country',
    'description',
    'facebook',
    'status',
    'twitter',
    'user_id',
  ]);
});

test('Operator profile: user_id is an integer, the operator identifier', async () => {
  assert.equal((await profileOf(id)).user_id, id);
});

for (const [field, value] of [
  ['status', 'Back at two'],
  ['description', 'Ten years of shoes.\nAnd boots.'],
  ['facebook', 'alice.martin'],
  ['twitter', '@alice'],
  ['city', 'Zürich'],
  ['country', 'Schweiz'],
] as const) {
  test(`Operator profile: ${field} is a string, empty until it is set`, async () => {
    const { id: operator } = await target.operator();
    const empty: Json = await profileOf(operator);
    assert.equal(empty[field], '');
    assert.equal((await rest.put(`/operator/${operator}/profile`, { [field]: value })).status, 200);
    assert.deepEqual(await profileOf(operator), { ...empty, [field]: value });
  });
}
