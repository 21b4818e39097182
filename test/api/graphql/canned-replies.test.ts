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

const FIELDS = 'id scope group{id} shortcut text language canEdit';
const LIST = `{cannedReplies{${FIELDS}}}`;

// biome-ignore lint/suspicious/noExplicitAny: responses
type Payload = any;

async function mutate(operator: DeskOperator, name: string, input: object): Promise<Payload> {
  const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input!`;
  const result = name.endsWith('Delete')
    ? 'deletedId'
    : name.endsWith('Import')
      ? 'created updated'
      : `cannedReply{${FIELDS}}`;
  const { data, errors } = await operator.run(
    `mutation($input:${type}){${name}(input:$input){${result} userErrors{field code message}}}`,
    { input },
  );
  assert.deepEqual(errors, []);
  return data[name];
}

test('replies are created, read, changed, moved and deleted', async () => {
  const groupId = String(await desks.fixture.createGroup());
  const operator = await desks.createOperator({ groupId: Number(groupId) });
  const text = 'Hello {{visitor.firstname}}';
  const created = await mutate(operator, 'cannedReplyCreate', { scope: 'OWN', shortcut: 'hi', text, language: 'en' });
  const { id } = created.cannedReply;
  const own = { id, scope: 'OWN', group: null, shortcut: 'hi', text, language: 'en', canEdit: true };
  assert.deepEqual(created, { cannedReply: own, userErrors: [] });
  const shared = await mutate(admin, 'cannedReplyCreate', { scope: 'GROUP', groupId, shortcut: 'Group', text: 'x' });
  assert.deepEqual((await operator.run(LIST)).data.cannedReplies, [{ ...shared.cannedReply, canEdit: false }, own]);
  const { cannedReply } = await mutate(operator, 'cannedReplyUpdate', { id, language: null, text: 'Bye' });
  assert.deepEqual(cannedReply, { ...own, language: null, text: 'Bye' });
  const moved = await mutate(admin, 'cannedReplyUpdate', { id: shared.cannedReply.id, scope: 'ACCOUNT' });
  assert.deepEqual(moved.cannedReply, { ...shared.cannedReply, scope: 'ACCOUNT', group: null });
  assert.deepEqual(await mutate(operator, 'cannedReplyDelete', { id }), { deletedId: id, userErrors: [] });
  assert.deepEqual(await mutate(admin, 'cannedReplyDelete', { id: moved.cannedReply.id }), {
    deletedId: moved.cannedReply.id,
    userErrors: [],
  });
});

test('errors name the field, and those of an import the row', async () => {
  const operator = await desks.createOperator();
  const reply = { scope: 'OWN', shortcut: 'hi', text: 'Hello' };
  assert.deepEqual((await mutate(operator, 'cannedReplyCreate', reply)).userErrors, []);
  const errorOf = async (name: string, input: object) => {
    const { userErrors } = await mutate(operator, name, input);
    assert.equal(userErrors.length, 1);
    return userErrors[0];
  };
  const variable = await errorOf('cannedReplyCreate', { ...reply, text: '{{visitor.email}}' });
  assert.deepEqual([variable.field, variable.code], [['input', 'text'], 'INVALID']);
  assert.match(variable.message, /\{\{visitor\.firstname\}\}, \{\{visitor\.name\}\}, \{\{operator\.pseudo\}\}/);
  assert.equal((await errorOf('cannedReplyCreate', { ...reply, shortcut: 'HI' })).code, 'CONFLICT');
  assert.equal((await errorOf('cannedReplyUpdate', { id: '999', text: 'x' })).code, 'UNKNOWN_ID');
  assert.equal((await errorOf('cannedReplyDelete', { id: 'x' })).code, 'UNKNOWN_ID');
  const rows = [
    { shortcut: 'one', text: 'One' },
    { shortcut: 'two words', text: 'Two' },
  ];
  const row = await errorOf('cannedRepliesImport', { scope: 'OWN', replies: rows });
  assert.deepEqual(row.field, ['input', 'replies', '1', 'shortcut']);
  assert.match(row.message, /^shortcut must be .* \(row 2\)\.$/);
  const replies = [rows[0], { shortcut: 'hi', text: 'Good day' }];
  const counts = { created: 1, updated: 1, userErrors: [] };
  assert.deepEqual(await mutate(operator, 'cannedRepliesImport', { scope: 'OWN', replies }), counts);
  const many = Array.from({ length: 499 }, (_, index) => ({ shortcut: `many${index}`, text: 'x' }));
  assert.equal((await errorOf('cannedRepliesImport', { scope: 'OWN', replies: many })).code, 'LIMIT');
});

test('a desk hears of the replies of its operator, of groups and of the account, and of no others', async () => {
  const operator = await desks.createOperator();
  const other = await desks.createOperator();
  const subscribe = (viewer: DeskOperator, after?: string) =>
    viewer
      .connect()
      .subscribe('subscription($after:ID){deskEvents(after:$after){position type}}', after ? { after } : {});
  const subscription = await subscribe(operator);
  await subscription.waitUntil((results) => results.length > 0);
  const typesOf = ({ results }: typeof subscription) =>
    results
      .map(({ data }) => (data as Payload).deskEvents.type)
      .filter((type: string) => type.startsWith('canned_reply'));
  const position = (await operator.run('{eventPosition}')).data.eventPosition;
  const input = { shortcut: 'hi', text: 'Hello' };
  const own = await mutate(operator, 'cannedReplyCreate', { scope: 'OWN', ...input });
  await mutate(other, 'cannedReplyCreate', { scope: 'OWN', ...input });
  const groupId = String(await desks.fixture.createGroup());
  const group = await mutate(admin, 'cannedReplyCreate', { scope: 'GROUP', groupId, ...input });
  await mutate(admin, 'cannedReplyUpdate', { id: group.cannedReply.id, scope: 'OWN' });
  await mutate(admin, 'cannedReplyUpdate', { id: group.cannedReply.id, text: 'Private now' });
  await mutate(operator, 'cannedReplyDelete', { id: own.cannedReply.id });
  const expected = ['created', 'created', 'updated', 'deleted'].map((verb) => `canned_reply.${verb}`);
  await subscription.waitUntil(() => typesOf(subscription).at(-1) === 'canned_reply.deleted');
  assert.deepEqual(typesOf(subscription), expected);

  // What was done in one transaction, or while a desk was away, arrives as one event.
  const replies = Array.from({ length: 100 }, (_, index) => ({ shortcut: `r${index}`, text: 'x' }));
  await mutate(admin, 'cannedRepliesImport', { scope: 'ACCOUNT', replies });
  await subscription.waitUntil(() => typesOf(subscription).length > expected.length);
  const last = await mutate(operator, 'cannedReplyCreate', { scope: 'OWN', ...input });
  await mutate(operator, 'cannedReplyDelete', { id: last.cannedReply.id });
  await subscription.waitUntil(() => typesOf(subscription).at(-1) === 'canned_reply.deleted');
  assert.ok(typesOf(subscription).length <= expected.length + 3);
  const late = await subscribe(operator, position);
  await late.waitUntil(() => typesOf(late).length > 0);
  assert.deepEqual(typesOf(late), ['canned_reply.deleted']);
});

test('preferences that are changed on one desk reach the other', async () => {
  const operator = await desks.createOperator();
  const other = await operator
    .connect()
    .subscribe('subscription{deskEvents{type operator{preferences{sound density}}}}');
  await other.waitUntil((results) => results.length > 0);
  const update =
    'mutation{preferencesUpdate(input:{sound:false,density:COMPACT}){preferences{sound theme} userErrors{code}}}';
  const { data } = await operator.run(update);
  assert.deepEqual(data.preferencesUpdate, { preferences: { sound: false, theme: 'SYSTEM' }, userErrors: [] });
  const findUpdate = () =>
    other.results
      .map((result) => (result.data as Payload).deskEvents)
      .find(({ type }: Payload) => type === 'operator.updated');
  await other.waitUntil(() => findUpdate() !== undefined);
  assert.deepEqual(findUpdate().operator.preferences, { sound: false, density: 'COMPACT' });
});

test('every role may change the own phone pickup, and no other number', async () => {
  const other = await desks.createOperator();
  const update = (operator: DeskOperator, id: number, phoneNumber: string | null) =>
    operator.run(
      `mutation($input:OperatorUpdateInput!){operatorUpdate(input:$input){
        operator{callConfig{type askPhoneNumberAtEveryConnection phoneNumber}} userErrors{field code}}}`,
      { input: { id, callConfig: { type: 'ANSWER_FROM_PHONE', askPhoneNumberAtEveryConnection: true, phoneNumber } } },
    );
  for (const role of ['expert', 'operator', 'manager', 'admin'] as const) {
    const operator = await desks.createOperator({ roles: [role] });
    const { data } = await update(operator, operator.id, '+33123456789');
    assert.deepEqual(data.operatorUpdate, {
      operator: {
        callConfig: { type: 'ANSWER_FROM_PHONE', askPhoneNumberAtEveryConnection: true, phoneNumber: '+33123456789' },
      },
      userErrors: [],
    });
    if (role === 'manager' || role === 'admin') continue;
    const { errors } = await update(operator, other.id, '+33123456789');
    assert.equal(errors[0]?.extensions.code, 'FORBIDDEN');
  }
  const { data } = await update(other, other.id, 'no number');
  assert.deepEqual(data.operatorUpdate.userErrors, [
    { field: ['input', 'callConfig', 'phoneNumber'], code: 'INVALID' },
  ]);
});
