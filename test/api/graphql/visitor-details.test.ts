import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { VisitorCaller } from '../../../src/core/kernel/caller.ts';
import { type DeskOperator, type Desks, startDesks } from '../../support/fixtures/desks.ts';

let desks: Desks;
let admin: DeskOperator;
before(async () => {
  desks = await startDesks();
  admin = await desks.createOperator({ roles: ['admin'], chatEnabled: false });
});
after(() => desks.stop());
beforeEach(() => setShared(true));

async function setShared(shareVisitorHistory: boolean): Promise<void> {
  const { accounts, caller } = desks.fixture.installation;
  await accounts.update(desks.fixture.transact, caller, { shareVisitorHistory });
}

const codesOf = (errors: readonly { extensions: { code: string } }[]) => errors.map((error) => error.extensions.code);

/** Creates a connected operator with a separate skill, who alone gets the conversations that ask for it. */
async function createSpecialist(fields: object = {}) {
  const skillId = await desks.fixture.createSkill();
  const operator = await desks.createOperator({ skillList: [skillId], ...fields }, { connected: true });
  const serve = async (visitor: VisitorCaller) => {
    const offered = await desks.fixture.startConversation({ skillId, message: 'My number is 12' }, visitor);
    return desks.fixture.accept(offered);
  };
  const serveBefore = async (visitor: VisitorCaller) => desks.fixture.close(await serve(visitor));
  return { operator, skillId, serve, serveBefore };
}

async function readHistory({ run }: DeskOperator, conversationId: number) {
  const { data, errors } = await run(
    `query($id:ID!){conversation(id:$id){visitor{conversations(first:2){
      totalCount pageInfo{hasNextPage} nodes{id messages{text} notes{text} tags{id}}}}}}`,
    { id: conversationId },
  );
  assert.deepEqual(errors, []);
  const { totalCount, nodes } = data.conversation.visitor.conversations;
  return { totalCount, ids: nodes.map(({ id }: { id: string }) => Number(id)), nodes };
}

async function reads({ run }: DeskOperator, id: number): Promise<boolean> {
  const { data, errors } = await run('query($id:ID!){conversation(id:$id){messages{text} visitor{id}}}', { id });
  if (errors.length === 0) return data.conversation.messages[0].text === 'My number is 12';
  assert.deepEqual(codesOf(errors), ['FORBIDDEN']);
  return false;
}

test('operators read the earlier conversations of a visitor while they serve them, newest first', async () => {
  const visitor = await desks.fixture.createVisitor();
  const colleague = await createSpecialist();
  const earlier = [await colleague.serveBefore(visitor), await colleague.serveBefore(visitor)];
  const running = await colleague.serve(visitor);
  const { operator, serve } = await createSpecialist();
  const [first, second] = earlier.map(({ id }) => id);
  assert.equal(await reads(operator, first as number), false, 'does not serve the visitor yet');
  const own = await serve(visitor);
  const history = await readHistory(operator, own.id);
  assert.deepEqual([history.totalCount, history.ids], [3, [own.id, second]]);
  assert.deepEqual(
    history.nodes[1].messages.map(({ text }: { text: string }) => text).includes('My number is 12'),
    true,
  );
  assert.deepEqual([await reads(operator, first as number), await reads(operator, running.id)], [true, false]);
  const { errors } = await operator.run(`mutation{conversationTag(input:{id:${first} tagIds:[]}){userErrors{code}}}`);
  assert.deepEqual(codesOf(errors), ['FORBIDDEN'], 'reading is no right to change');
  const { data } = await operator.run('{conversations(first:100){nodes{id}}}');
  assert.deepEqual(data.conversations.nodes, [{ id: String(own.id) }], 'the list has own ones only');
  await setShared(false);
  assert.deepEqual((await readHistory(operator, own.id)).ids, [own.id]);
  assert.equal(await reads(operator, first as number), false);
  await setShared(true);
  await desks.fixture.close(own);
  assert.deepEqual((await readHistory(operator, own.id)).ids, [own.id], 'the right ended with the conversation');
  assert.equal(await reads(operator, first as number), false);
});

test('an offer gives the right too, an expert never has it, and managers have it beyond their groups', async () => {
  const visitor = await desks.fixture.createVisitor();
  const earlier = await (await createSpecialist()).serveBefore(visitor);
  const expert = await createSpecialist({ roles: ['expert'] });
  const ofExpert = await expert.serve(visitor);
  assert.deepEqual((await readHistory(expert.operator, ofExpert.id)).ids, [ofExpert.id]);
  assert.equal(await reads(expert.operator, earlier.id), false);
  const offeredTo = await createSpecialist();
  await desks.fixture.startConversation({ skillId: offeredTo.skillId }, visitor);
  assert.equal(await reads(offeredTo.operator, earlier.id), true);
  const manager = await createSpecialist({ roles: ['manager'], groupId: await desks.fixture.createGroup() });
  assert.equal(await reads(manager.operator, earlier.id), false);
  await manager.serve(visitor);
  assert.equal(await reads(manager.operator, earlier.id), true);
  assert.equal(await reads(admin, earlier.id), true);
});

test('another visitor stays hidden', async () => {
  const earlier = await (await createSpecialist()).serveBefore(await desks.fixture.createVisitor());
  const { operator, serve } = await createSpecialist();
  await serve(await desks.fixture.createVisitor());
  assert.equal(await reads(operator, earlier.id), false);
});

async function readVisitor({ run }: DeskOperator, { visitorId }: VisitorCaller) {
  const { data, errors } = await run('query($id:ID!){visitor(id:$id){id email}}', { id: visitorId });
  return errors.length > 0 ? codesOf(errors)[0] : data.visitor && 'read';
}

const UPDATE = `mutation($input:VisitorUpdateInput!){visitorUpdate(input:$input){
  visitor{firstname lastname email phone address zip city country} userErrors{field code message}}}`;

async function edit({ run }: DeskOperator, { visitorId }: VisitorCaller, input: object = { firstname: 'Ada' }) {
  const { data, errors } = await run(UPDATE, { input: { id: visitorId, ...input } });
  const { visitor, userErrors } = data?.visitorUpdate ?? {};
  return {
    visitor,
    userErrors,
    codes: [...codesOf(errors), ...(userErrors ?? []).map(({ code }: { code: string }) => code)],
  };
}

test('details of a visitor: experts read while they serve, operators read and edit of own conversations', async () => {
  const visitor = await desks.fixture.createVisitor();
  const { operator, serveBefore } = await createSpecialist();
  const expert = await createSpecialist({ roles: ['expert'] });
  const stranger = await desks.createOperator();
  await serveBefore(visitor);
  const ofExpert = await expert.serve(visitor);
  const group = await desks.fixture.createGroup();
  const manager = await desks.createOperator({ roles: ['manager'], groupId: group });
  const rights = async (client: DeskOperator) => [
    await readVisitor(client, visitor),
    (await edit(client, visitor)).codes,
  ];
  assert.deepEqual(await rights(operator), ['read', []]);
  assert.deepEqual(await rights(expert.operator), ['read', ['FORBIDDEN']]);
  assert.deepEqual(await rights(stranger), ['FORBIDDEN', ['FORBIDDEN']]);
  assert.deepEqual(await rights(manager), [null, ['FORBIDDEN']]);
  assert.deepEqual(await rights(admin), ['read', []]);
  const member = await createSpecialist({ groupId: group });
  await member.serveBefore(visitor);
  assert.deepEqual(await rights(manager), ['read', []]);
  await desks.fixture.close(ofExpert);
  assert.deepEqual(await rights(expert.operator), ['FORBIDDEN', ['FORBIDDEN']], 'it is over');
  const { data, errors } = await expert.operator.run(`{conversation(id:${ofExpert.id}){id visitor{id}}}`);
  assert.deepEqual([data.conversation, codesOf(errors)], [{ id: String(ofExpert.id), visitor: null }, ['FORBIDDEN']]);
  assert.deepEqual((await edit(admin, { ...visitor, visitorId: 999_999 })).codes, ['UNKNOWN_ID']);
  assert.deepEqual((await edit(stranger, { ...visitor, visitorId: 999_999 })).codes, ['FORBIDDEN']);
});

test('an edit is announced to the desks that serve the visitor, with names and without values', async () => {
  const visitor = await desks.fixture.createVisitor();
  const { operator, serve } = await createSpecialist();
  const colleague = await createSpecialist();
  await serve(visitor);
  const own = await colleague.serve(visitor);
  const desk = await colleague.operator.connect().subscribe('subscription{deskEvents{type visitorId}}');
  const position = await desks.fixture.readPosition();
  const input = {
    firstname: 'Ada',
    lastname: 'Lovelace',
    email: 'ada@example.com',
    phone: '1',
    address: 'A 1',
    zip: '2',
    city: 'C',
    country: 'D',
  };
  const { visitor: edited, codes } = await edit(operator, visitor, input);
  assert.deepEqual([edited, codes], [input, []]);
  await desk.waitUntil((results) =>
    results.some(({ data }) => data.deskEvents.visitorId === String(visitor.visitorId)),
  );
  const events = await desks.fixture.loadEventsAfter(position);
  const updates = events.filter(({ type }) => type === 'visitor.updated');
  assert.deepEqual(
    updates.map(({ changes, actorId }) => [changes.fields.toSorted(), Object.keys(changes.values), actorId]),
    Array(2).fill([Object.keys(input).toSorted(), ['operatorId'], operator.id]),
  );
  assert.doesNotMatch(JSON.stringify(events), /Lovelace|ada@/);
  const { data } = await colleague.operator.run(`{conversation(id:${own.id}){visitor{email}}}`);
  assert.equal(data.conversation.visitor.email, 'ada@example.com');
  const before = await desks.fixture.readPosition();
  await edit(operator, visitor, input);
  assert.equal(await desks.fixture.readPosition(), before, 'nothing changed');
});

test('what the website signed is not edited, and input is checked', async () => {
  const visitor = await desks.fixture.createVisitor();
  const { operator, serve } = await createSpecialist();
  await serve(visitor);
  await edit(operator, visitor, { email: 'signed@example.com' });
  const { installation, transact } = desks.fixture;
  await transact((tx) =>
    tx.db
      .insertInto('visitorContext')
      .values({
        ...{ accountId: installation.accountId, visitorId: visitor.visitorId, page: '', title: '', referrer: '' },
        ...{
          timezone: '',
          language: '',
          fields: '[]',
          verifiedFields: '[]',
          verifiedDetails: '["email"]',
          updatedAt: 1,
        },
      })
      .execute(),
  );
  const { userErrors, codes } = await edit(operator, visitor, { email: 'other@example.com' });
  assert.deepEqual([codes, userErrors[0].field], [['STATE'], ['input', 'email']]);
  assert.deepEqual(
    (await edit(operator, visitor, { email: 'signed@example.com', city: 'Paris' })).codes,
    [],
    'the same',
  );
  assert.deepEqual((await edit(operator, visitor, { firstname: 'x'.repeat(101) })).codes, ['INVALID']);
  assert.deepEqual((await edit(operator, visitor, { firstname: null })).codes, ['INVALID']);
  const { errors } = await operator.run(UPDATE, { input: { id: visitor.visitorId, externalId: 'mine' } });
  assert.deepEqual(codesOf(errors), ['BAD_REQUEST']);
});

test('operators read who transferred a conversation to them', async () => {
  const from = await createSpecialist();
  const to = await createSpecialist();
  const { id } = await from.serve(await desks.fixture.createVisitor());
  await from.operator.run(
    `mutation{conversationTransfer(input:{id:${id} operatorId:${to.operator.id}}){userErrors{code}}}`,
  );
  const { data } = await to.operator.run(`{routingDecisions(conversationId:${id}){cause actor{type id name}}}`);
  const { data: own } = await from.operator.run('{viewer{pseudo}}');
  assert.deepEqual(data.routingDecisions.at(-1), {
    cause: 'TRANSFER',
    actor: { type: 'OPERATOR', id: String(from.operator.id), name: own.viewer.pseudo },
  });
});

test('operators read why a conversation was routed to them, and no more about others', async () => {
  const skillId = await desks.fixture.createSkill();
  const create = (fields: object = {}) =>
    desks.createOperator({ skillList: [skillId], ...fields }, { connected: true });
  const operators = [await create(), await create()];
  const conversation = await desks.fixture.startConversation({ skillId });
  const [operator, other] = (operators[0]?.id === conversation.operatorId ? operators : operators.toReversed()) as [
    DeskOperator,
    DeskOperator,
  ];
  const run = ({ run: send }: DeskOperator, fields: string) =>
    send(`{routingDecisions(conversationId:${conversation.id}){${fields}}}`);
  const safe =
    'cause forced actor{type id name} operator{pseudo} ranked{servedLast share operator{id}} excluded{reason count}';
  const { data, errors } = await run(operator, safe);
  assert.deepEqual([errors, data.routingDecisions[0].ranked.length], [[], 2]);
  assert.deepEqual(data.routingDecisions[0].actor, { type: 'VISITOR', id: null, name: null });
  const details = await run(operator, 'ranked{operator{id} priority assignedAt}');
  const [own, foreign] = details.data.routingDecisions[0].ranked.toSorted((a: { operator: { id: string } }) =>
    a.operator.id === String(operator.id) ? -1 : 1,
  );
  assert.equal(typeof own.priority, 'number');
  assert.deepEqual([foreign.priority, foreign.assignedAt], [null, null]);
  assert.deepEqual(codesOf(details.errors), ['FORBIDDEN', 'FORBIDDEN']);
  assert.deepEqual(codesOf((await run(operator, `whyNot(operatorId:${other.id})`)).errors), ['FORBIDDEN']);
  assert.deepEqual((await run(operator, `whyNot(operatorId:${operator.id})`)).errors, []);
  assert.deepEqual(codesOf((await run(other, 'id')).errors), ['FORBIDDEN'], 'not their conversation');
  const expert = await createSpecialist({ roles: ['expert'] });
  const ofExpert = await expert.serve(await desks.fixture.createVisitor());
  const refused = await expert.operator.run(`{routingDecisions(conversationId:${ofExpert.id}){id}}`);
  assert.deepEqual(codesOf(refused.errors), ['FORBIDDEN']);
});
