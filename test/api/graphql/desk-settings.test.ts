import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type DeskOperator, type Desks, startDesks } from '../../support/fixtures/desks.ts';

let desks: Desks;
let admin: DeskOperator;
before(async () => {
  desks = await startDesks();
  admin = await desks.createOperator({ roles: ['admin'] });
});
after(() => desks.stop());

const FIELDS = 'operatorsMayTake shareVisitorHistory waitingWarningSeconds pauseReasons';
const DEFAULTS = { operatorsMayTake: false, shareVisitorHistory: true, waitingWarningSeconds: 120, pauseReasons: [] };

async function update(input: object, client = admin) {
  const { data, errors } = await client.run(
    `mutation($input:AccountUpdateInput!){accountUpdate(input:$input){account{${FIELDS}} userErrors{field code}}}`,
    { input },
  );
  return { ...data?.accountUpdate, codes: errors.map(({ extensions }) => extensions.code) };
}

const read = async (client: DeskOperator) => (await client.run(`{account{${FIELDS}}}`)).data.account;

test('the settings of the desk have defaults, admins change them, and every operator reads them', async () => {
  const expert = await desks.createOperator({ roles: ['expert'] });
  assert.deepEqual(await read(expert), DEFAULTS);
  const changed = {
    operatorsMayTake: true,
    shareVisitorHistory: false,
    waitingWarningSeconds: 45,
    pauseReasons: ['Pause déjeuner', 'After work', '🏃'],
  };
  const position = await desks.fixture.readPosition();
  const updated = await update(changed);
  assert.deepEqual([updated.account, updated.userErrors], [changed, []]);
  assert.deepEqual(await read(expert), changed, 'in this order');
  const [event, ...others] = await desks.fixture.loadEventsAfter(position);
  assert.deepEqual([event?.type, event?.changes.values, others.length], ['account.updated', changed, 0]);
  await update({ pauseReasons: changed.pauseReasons });
  assert.equal(await desks.fixture.readPosition(), position + 1, 'without a change there is no event');
  await update({ offerSeconds: 40 });
  assert.deepEqual(await read(expert), changed, 'other settings leave them alone');
  assert.deepEqual((await update({ operatorsMayTake: false }, expert)).codes, ['FORBIDDEN']);
  assert.deepEqual((await update(DEFAULTS)).account, DEFAULTS);
});

test('a setting outside its limits is a user error', async () => {
  const invalid = {
    waitingWarningSeconds: [9, 3601],
    pauseReasons: [[''], ['x'.repeat(41)], ['Lunch', 'Lunch'], Array.from({ length: 21 }, (_, n) => `Reason ${n}`)],
    operatorsMayTake: [null],
    shareVisitorHistory: [null],
  };
  for (const [name, values] of Object.entries(invalid)) {
    for (const value of values) {
      const { userErrors } = await update({ [name]: value });
      assert.deepEqual(userErrors?.[0]?.code, 'INVALID', `${name}: ${JSON.stringify(value)}`);
    }
  }
  assert.equal((await update({ pauseReasons: [' '] })).userErrors[0]?.code, 'MISSING');
  const limits = { waitingWarningSeconds: 3600, pauseReasons: Array.from({ length: 20 }, (_, n) => `${n}`.repeat(20)) };
  assert.deepEqual((await update(limits)).userErrors, []);
  assert.deepEqual((await update({ waitingWarningSeconds: 10 })).userErrors, []);
  await update(DEFAULTS);
});
