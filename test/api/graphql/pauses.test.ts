import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type DeskOperator, type Desks, startDesks } from '../../support/fixtures/desks.ts';

let desks: Desks;
let admin: DeskOperator;
before(async () => {
  desks = await startDesks();
  admin = await desks.createOperator({ roles: ['admin'], chatEnabled: false });
  await setReasons(['Lunch', 'Training']);
});
after(() => desks.stop());

// biome-ignore lint/suspicious/noExplicitAny: responses
type Data = any;

async function setReasons(pauseReasons: readonly string[]): Promise<void> {
  const update = 'mutation($input:AccountUpdateInput!){accountUpdate(input:$input){userErrors{message}}}';
  const { data } = await admin.run(update, { input: { pauseReasons } });
  assert.deepEqual(data.accountUpdate.userErrors, []);
}

const CHANGE = 'changedBy{type id name} changedAt changedReason';
const LIVE = `live{connected pauseReason takenOffline{by{type id name} at reason} chat{available ${CHANGE}} call{available ${CHANGE}}}`;

async function readLive(viewer: DeskOperator, id: number): Promise<Data> {
  const { data, errors } = await viewer.run(`query($id:ID!){operator(id:$id){${LIVE}}}`, { id });
  assert.deepEqual(errors, []);
  return data.operator.live;
}

async function setAvailability(viewer: DeskOperator, input: object): Promise<Data> {
  const { data, errors } = await viewer.run(
    `mutation($input:OperatorAvailabilityUpdateInput!){operatorAvailabilityUpdate(input:$input){
      operator{live{pauseReason}} userErrors{field code message}}}`,
    { input },
  );
  assert.deepEqual(errors, []);
  return data.operatorAvailabilityUpdate;
}

const pauseOf = async (operator: DeskOperator) => (await readLive(operator, operator.id)).pauseReason;
const createOperator = () => desks.createOperator({ callEnabled: true });

test('a pause has a reason of the account until a channel becomes available', async () => {
  const operator = await createOperator();
  const paused = await setAvailability(operator, { chat: false, call: false, pauseReason: 'Lunch' });
  assert.deepEqual(paused, { operator: { live: { pauseReason: 'Lunch' } }, userErrors: [] });
  const other = await desks.createOperator({ roles: ['expert'] });
  const { data } = await other.run('query($id:ID!){operator(id:$id){live{pauseReason}}}', { id: operator.id });
  assert.equal(data.operator.live.pauseReason, 'Lunch');
  await setAvailability(operator, { chat: false, pauseReason: 'Training' });
  assert.equal(await pauseOf(operator), 'Training');
  await setAvailability(operator, { call: false });
  assert.equal(await pauseOf(operator), 'Training');
  await setAvailability(operator, { call: true });
  assert.equal(await pauseOf(operator), null);
  await setAvailability(operator, { call: false });
  assert.equal(await pauseOf(operator), null);
  await setAvailability(operator, { call: false, pauseReason: 'Lunch' });
  await setAvailability(operator, { pauseReason: null, call: false });
  assert.equal(await pauseOf(operator), null);
});

test('a reason that was given while another channel is on counts from when that is off', async () => {
  const operator = await createOperator();
  await setAvailability(operator, { chat: false, pauseReason: 'Lunch' });
  assert.equal(await pauseOf(operator), null);
  await setAvailability(operator, { call: false });
  assert.equal(await pauseOf(operator), 'Lunch');
});

test('a reason must be one of the account, and belong to channels that are turned off', async () => {
  const operator = await createOperator();
  const messageOf = async (input: object) => {
    const { userErrors } = await setAvailability(operator, input);
    assert.deepEqual(
      userErrors.map(({ field, code }: Data) => [field, code]),
      [[['input', 'pauseReason'], 'INVALID']],
    );
    return userErrors[0].message;
  };
  assert.equal(await messageOf({ chat: false, pauseReason: 'Tea' }), 'pauseReason must be one of: Lunch, Training.');
  for (const channels of [{ chat: true }, { chat: false, call: true }])
    assert.match(await messageOf({ ...channels, pauseReason: 'Lunch' }), /only allowed when channels are turned off/);
  const without = await setAvailability(operator, { pauseReason: 'Lunch' });
  assert.equal(without.userErrors[0].code, 'MISSING');
  await setReasons([]);
  assert.match(await messageOf({ chat: false, pauseReason: 'Lunch' }), /must be omitted: the account has none/);
  await setReasons(['Lunch', 'Training']);
  assert.equal((await readLive(operator, operator.id)).chat.available, true);
});

test('history and events have the reason', async () => {
  const operator = await createOperator();
  await setAvailability(operator, { chat: false, call: false, pauseReason: 'Lunch' });
  await setAvailability(operator, { chat: false, pauseReason: 'Training' });
  await setAvailability(operator, { chat: false, pauseReason: 'Training' });
  await setAvailability(operator, { chat: true });
  const { data } = await operator.run(
    'query($id:ID!){liveHistory(operatorId:$id,first:4){nodes{kind live{pauseReason}}}}',
    {
      id: operator.id,
    },
  );
  assert.deepEqual(
    data.liveHistory.nodes.map(({ kind, live }: Data) => [kind, live.pauseReason]),
    [null, 'Training', 'Lunch', null].map((reason) => ['AVAILABILITY', reason]),
  );
  const filter = { types: ['operator.availability_updated'], subjectType: 'operator', subjectId: operator.id };
  const events = await admin.run('query($filter:EventFilter){events(filter:$filter,last:3){nodes{fields values}}}', {
    filter,
  });
  assert.deepEqual(events.data.events.nodes, [
    {
      fields: ['chatAvailable', 'callAvailable', 'pauseReason'],
      values: { chatAvailable: false, callAvailable: false, pauseReason: 'Lunch' },
    },
    { fields: ['pauseReason'], values: { pauseReason: 'Training' } },
    { fields: ['chatAvailable', 'pauseReason'], values: { chatAvailable: true, pauseReason: null } },
  ]);
});

test('an operator sees who turned a channel off, and why', async () => {
  const operator = await createOperator();
  const { clock } = desks.fixture.installation;
  await desks.fixture.advanceTime(1000);
  const at = new Date(clock.now).toISOString();
  await setAvailability(admin, { id: operator.id, chat: false });
  await desks.fixture.advanceTime(1000);
  await setAvailability(operator, { chat: false, call: true });
  const { data } = await admin.run('{viewer{pseudo}}');
  const live = await readLive(operator, operator.id);
  assert.deepEqual(live.chat, {
    available: false,
    changedBy: { type: 'OPERATOR', id: String(admin.id), name: data.viewer.pseudo },
    changedAt: at,
    changedReason: null,
  });
  assert.deepEqual([live.call.changedBy.id, live.takenOffline], [String(operator.id), null]);
  assert.deepEqual(await readLive(admin, operator.id), live);
});

test('an operator who was taken offline sees by whom, also if they were offline already', async () => {
  const { data } = await admin.run('{viewer{pseudo}}');
  for (const connected of [true, false]) {
    const operator = await desks.createOperator({ callEnabled: true }, { connected });
    await desks.fixture.advanceTime(1000);
    assert.equal((await readLive(operator, operator.id)).takenOffline, null);
    const at = new Date(desks.fixture.installation.clock.now).toISOString();
    const disconnect = `mutation($id:ID!){operatorDisconnect(input:{id:$id}){operator{${LIVE}} userErrors{code}}}`;
    await admin.run(disconnect, { id: operator.id });
    const live = await readLive(operator, operator.id);
    assert.deepEqual(
      [live.connected, live.takenOffline],
      [
        false,
        { by: { type: 'OPERATOR', id: String(admin.id), name: data.viewer.pseudo }, at, reason: 'taken_offline' },
      ],
    );
    const connect = `mutation{operatorConnect(input:{ttlSeconds:60}){operator{${LIVE}} userErrors{code}}}`;
    const back = (await operator.run(connect)).data.operatorConnect.operator.live;
    assert.deepEqual([back.connected, back.takenOffline], [true, null]);
    await operator.run(disconnect, { id: operator.id });
    assert.equal((await readLive(operator, operator.id)).takenOffline, null);
  }
});

test('who changed a live state is for the operator and those who may change them, and only of the present', async () => {
  const operator = await createOperator();
  const other = await createOperator();
  const { data, errors } = await other.run(
    `query($id:ID!){operator(id:$id){live{connected takenOffline{at} chat{available changedBy{id}}}}}`,
    {
      id: operator.id,
    },
  );
  assert.deepEqual(data.operator.live, {
    connected: false,
    takenOffline: null,
    chat: { available: true, changedBy: null },
  });
  assert.deepEqual(
    errors.map(({ extensions }) => extensions.code),
    ['FORBIDDEN', 'FORBIDDEN'],
  );
  const history = `query($id:ID!){liveHistory(operatorId:$id,first:1){nodes{live{takenOffline{at} chat{changedBy{id}}}}}}`;
  const past = await operator.run(history, { id: operator.id });
  assert.deepEqual(
    [past.errors, past.data.liveHistory.nodes[0].live],
    [[], { takenOffline: null, chat: { changedBy: null } }],
  );
});
