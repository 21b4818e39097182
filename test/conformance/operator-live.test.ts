import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { assertFail, type Json, openTarget } from './target.ts';

// The REST interface cannot connect an operator; the demo data has connected ones.
const target = await openTarget({ demo: true });
after(() => target.close());
const { rest } = target;
const CHANNELS = ['chat', 'call', 'video'] as const;

const { id } = await target.operator({ chat_max_number: 4, call_enabled: true });
const readLive = async (operator: number): Promise<Json> => (await rest.get(`/operator/${operator}/live`)).body.data;
const setLive = (operator: number, body: string | object) => rest.put(`/operator/${operator}/live`, body);

/** Tests may change demo operators only: others on an external service are real people at work. */
const demoOperators: Json[] = (await rest.get('/operator/live?filters[external_id]=demo-*')).body.data;
const connectedOperators: Json[] = (await rest.get('/operator/live')).body.data;
const connectedDemo = demoOperators.at(-1);
const [chattingDemo] = demoOperators.filter(({ chat }) => chat.slot_number === 1);
const skipUnless = (found: unknown, reason: string) => ({ skip: target.isExternal && !found && reason });
const needsConnected = skipUnless(connectedOperators[0], 'no operator is connected to this service');
const needsConnectedDemo = skipUnless(connectedDemo, 'this service has no connected demo operator to take offline');
const needsChattingDemo = skipUnless(chattingDemo, 'this service has no demo operator with a running chat');

test('GET /operator/<id>/live returns the live availability of one operator in data', async () => {
  const { status, body } = await rest.get(`/operator/${id}/live`);
  assert.equal(status, 200);
  assert.equal(body.meta.status, 'success');
  assert.deepEqual(Object.keys(body.data).sort(), ['call', 'chat', 'connected', 'id', 'video']);
});

test('Live availability: id is an integer, the operator identifier', async () => {
  assert.equal((await readLive(id)).id, id);
});

test('Live availability: connected is a boolean, false for an operator without a session', async () => {
  assert.equal((await readLive(id)).connected, false);
});

test('Live availability: connected is true for an operator with a session', needsConnected, async () => {
  assert.equal((await readLive(connectedOperators[0].id)).connected, true);
});

for (const channel of CHANNELS) {
  test(`Live availability: ${channel} is an object with the five fields of a channel`, async () => {
    const state = (await readLive(id))[channel];
    assert.deepEqual(Object.keys(state).sort(), ['available', 'busy', 'enabled', 'slot_max_number', 'slot_number']);
  });

  test(`Live availability: ${channel} enabled is a boolean that follows ${channel}_enabled`, async () => {
    for (const enabled of [true, false]) {
      await rest.put(`/operator/${id}`, { [`${channel}_enabled`]: enabled });
      assert.equal((await readLive(id))[channel].enabled, enabled);
    }
  });

  test(`Live availability: ${channel} slot_number is an integer, 0 without conversations`, async () => {
    assert.equal((await readLive(id))[channel].slot_number, 0);
  });

  test(`Live availability: ${channel} busy is a boolean, false without conversations`, async () => {
    assert.equal((await readLive(id))[channel].busy, false);
  });

  test(`States: ${channel} unavailable becomes available by PUT ${channel}[available]=1`, async () => {
    await setLive(id, `${channel}[available]=0`);
    assert.equal((await readLive(id))[channel].available, false);
    const { status, body } = await setLive(id, `${channel}[available]=1`);
    assert.equal(status, 200);
    assert.deepEqual(body, {
      meta: { status: 'success', message: `Operator is now available for ${channel} channel.` },
    });
    assert.equal((await readLive(id))[channel].available, true);
  });

  test(`States: ${channel} available becomes unavailable by PUT ${channel}[available]=0`, async () => {
    await setLive(id, `${channel}[available]=1`);
    const before = await readLive(id);
    const { status, body } = await setLive(id, `${channel}[available]=0`);
    assert.equal(status, 200);
    assert.deepEqual(body, {
      meta: { status: 'success', message: `Operator is now unavailable for ${channel} channel.` },
    });
    assert.deepEqual(await readLive(id), { ...before, [channel]: { ...before[channel], available: false } });
  });

  test(`PUT /operator/<id>/live: ${channel}[available] accepts only 1 or 0`, async () => {
    const before = await readLive(id);
    for (const value of ['2', '-1', '', 'yes']) {
      const response = await setLive(id, `${channel}[available]=${value}`);
      assertFail(response, 400, `Value of field '${channel}[available]' is not valid.`);
    }
    assert.deepEqual(await readLive(id), before);
  });
}

test('Live availability: slot_max_number is an integer: chat_max_number for chat, 1 for call and video', async () => {
  const { chat, call, video } = await readLive(id);
  assert.deepEqual([chat.slot_max_number, call.slot_max_number, video.slot_max_number], [4, 1, 1]);
  await rest.put(`/operator/${id}`, { chat_max_number: 9 });
  assert.equal((await readLive(id)).chat.slot_max_number, 9);
});

test(
  'Live availability: slot_number counts the slots in use, and busy is true when all are in use',
  needsChattingDemo,
  async (t) => {
    const { chat } = await readLive(chattingDemo.id);
    assert.equal(chat.slot_number, 1);
    t.after(() => rest.put(`/operator/${chattingDemo.id}`, { chat_max_number: chat.slot_max_number }));
    for (const [max, busy] of [
      [2, false],
      [1, true],
    ] as const) {
      await rest.put(`/operator/${chattingDemo.id}`, { chat_max_number: max });
      assert.equal((await readLive(chattingDemo.id)).chat.busy, busy, `1 of ${max}`);
    }
  },
);

test('PUT /operator/<id>/live: several fields in one request are all set', async () => {
  const { body } = await setLive(id, 'chat[available]=1&call[available]=0&video[available]=1');
  assert.equal(
    body.meta.message,
    'Operator is now available for chat channel. Operator is now unavailable for call channel. Operator is now available for video channel.',
  );
  const { chat, call, video } = await readLive(id);
  assert.deepEqual([chat.available, call.available, video.available], [true, false, true]);
});

test('PUT /operator/<id>/live: if one field is invalid, none is set', async () => {
  await setLive(id, 'chat[available]=1');
  assert.equal((await setLive(id, 'chat[available]=0&call[available]=7')).status, 400);
  assert.equal((await readLive(id)).chat.available, true);
});

test('PUT /operator/<id>/live: accepts JSON as well as a form', async () => {
  await setLive(id, 'chat[available]=0');
  assert.equal((await setLive(id, { chat: { available: 1 } })).status, 200);
  assert.equal((await readLive(id)).chat.available, true);
});

test('PUT /operator/<id>/live: a request without any field is rejected', async () => {
  assert.equal((await setLive(id, '')).status, 400);
});

test('PUT /operator/<id>/live: connected accepts 0, the only possible value', async () => {
  for (const value of ['1', 'true', '2', '']) {
    assertFail(await setLive(id, `connected=${value}`), 400, "Value of field 'connected' is not valid.");
  }
  const { status, body } = await setLive(id, 'connected=0');
  assert.equal(status, 200);
  assert.deepEqual(body, { meta: { status: 'success', message: 'Operator is now offline.' } });
});

test(
  'States: connected becomes offline by PUT connected=0; the channels stay unchanged',
  needsConnectedDemo,
  async () => {
    const before = await readLive(connectedDemo.id);
    assert.equal(before.connected, true);
    assert.equal((await setLive(connectedDemo.id, 'connected=0')).status, 200);
    assert.deepEqual(await readLive(connectedDemo.id), { ...before, connected: false });
  },
);
