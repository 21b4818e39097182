import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { keyClient } from '../../support/clients/graphql.ts';
import { createReadKey, createResource } from '../../support/fixtures/resources.ts';
import { openSite, type Site, type SiteOperator, type SiteVisitor } from '../../support/fixtures/site.ts';

let site: Site;
before(async () => {
  site = await openSite();
});
after(() => site.stop());

const ADD = `mutation($input:NoteAddInput!){noteAdd(input:$input){
  note{id conversationId afterSequence operator{pseudo} text clientId at} userErrors{field code message}}}`;
const NOTES = `query($id:ID!,$after:ID,$first:Int,$last:Int){conversation(id:$id){messageCount
  notes(after:$after,first:$first,last:$last){id afterSequence operator{id} text clientId}}}`;

type Runner = Pick<SiteOperator, 'run'>;

async function add({ run }: Runner, conversationId: string, text: string, clientId = text) {
  const { data, errors } = await run(ADD, { input: { conversationId, clientId, text } });
  return data?.noteAdd ?? { code: errors[0]?.extensions.code };
}

async function readNotes({ run }: Runner, id: string, args: object = {}) {
  const { data, errors } = await run(NOTES, { id, ...args });
  assert.deepEqual(errors, []);
  return data.conversation.notes;
}

const textsOf = (notes: readonly { text: string }[]) => notes.map(({ text }) => text);

/** An active conversation of an operator with a separate skill, so that routing chooses them. */
async function startActive(fields: object = {}): Promise<{
  operator: SiteOperator;
  visitor: SiteVisitor;
  id: string;
  skillId: number;
}> {
  const skillId = await createResource(site.rest, 'skill', { name: 'Skill' });
  const operator = await site.createOperator({ pseudo: 'Bob', skill_list: [skillId], ...fields });
  const visitor = await site.createVisitor();
  const { id } = await visitor.startConversation({ message: 'Hello', skillId: String(skillId) });
  await operator.acceptOffer(id);
  return { operator, visitor, id, skillId };
}

const close = ({ run }: Runner, id: string) =>
  run('mutation($id:ID!){conversationClose(input:{id:$id}){userErrors{code}}}', { id });

test('a note is placed after the newest message, and changes nothing that is counted', async () => {
  const { operator, visitor, id } = await startActive();
  const { note, userErrors } = await add(operator, id, ' A difficult\ncustomer ', 'n1');
  assert.deepEqual(userErrors, []);
  assert.deepEqual(
    { ...note, id: '', at: '' },
    {
      ...{ id: '', conversationId: id, afterSequence: 2, operator: { pseudo: 'Bob' } },
      ...{ text: ' A difficult\ncustomer ', clientId: 'n1', at: '' },
    },
  );
  await visitor.sendMessage(id, 'Anyone?');
  await add(operator, id, 'second');
  await add(operator, id, 'third');
  const { data } = await operator.run(NOTES, { id });
  assert.equal(data.conversation.messageCount, 3);
  assert.deepEqual(
    data.conversation.notes.map(({ afterSequence, text }: { afterSequence: number; text: string }) => [
      afterSequence,
      text,
    ]),
    [
      [2, ' A difficult\ncustomer '],
      [3, 'second'],
      [3, 'third'],
    ],
  );
});

test('adding a note again stores it once; another text is a conflict; another author may use the same client id', async () => {
  const { operator, id } = await startActive();
  const [first, second] = await Promise.all([add(operator, id, 'once', 'same'), add(operator, id, 'once', 'same')]);
  assert.equal(first.note.id, second.note.id);
  const conflict = await add(operator, id, 'another', 'same');
  assert.deepEqual([conflict.userErrors[0].code, conflict.userErrors[0].field], ['CONFLICT', ['input', 'clientId']]);
  assert.deepEqual((await add(site.admin, id, 'of the admin', 'same')).userErrors, []);
  assert.deepEqual(textsOf(await readNotes(operator, id)), ['once', 'of the admin']);
  await close(operator, id);
  assert.equal((await add(operator, id, 'once', 'same')).note.id, first.note.id, 'also after the close');
});

test('text and client id are checked', async () => {
  const { operator, id } = await startActive();
  for (const [text, clientId, field] of [
    ['', 'a', 'text'],
    ['x'.repeat(10_001), 'a', 'text'],
    ['text', '', 'clientId'],
    ['text', 'x'.repeat(65), 'clientId'],
  ] as const) {
    assert.deepEqual(
      (await add(operator, id, text, clientId)).userErrors[0].field,
      ['input', field],
      `${field}: ${text}`,
    );
  }
  assert.deepEqual((await add(operator, '999999', 'text')).userErrors[0].code, 'UNKNOWN_ID');
  assert.deepEqual((await add(operator, id, 'x'.repeat(10_000), 'long')).userErrors, []);
});

test('operators note in active conversations only, managers and admins in every state', async () => {
  const { operator, visitor, id, skillId } = await startActive();
  const manager = await site.createOperator({ roles: ['manager'], skill_list: [skillId] }, { connected: false });
  const expert = await startActive({ roles: ['expert'] });
  assert.deepEqual((await add(expert.operator, expert.id, 'of an expert')).userErrors, []);
  assert.equal((await add(expert.operator, id, 'of another')).code, 'FORBIDDEN');
  const offered = await visitor.startConversation({ skillId: String(skillId) });
  assert.equal((await add(operator, offered.id, 'too early')).userErrors[0].code, 'STATE');
  assert.deepEqual((await add(manager, offered.id, 'before it starts')).userErrors, []);
  await close(operator, id);
  assert.equal((await add(operator, id, 'too late')).userErrors[0].code, 'STATE');
  assert.deepEqual((await add(manager, id, 'of the manager')).userErrors, []);
  assert.deepEqual((await add(site.admin, id, 'of the admin')).userErrors, []);
  assert.deepEqual(textsOf(await readNotes(operator, id)), ['of the manager', 'of the admin']);
});

test('a write key can add a note, without an operator; a read key can only read it', async () => {
  const { operator, id } = await startActive();
  const writeKey = keyClient(site.url, site.switchboard.key);
  const readKey = keyClient(site.url, await createReadKey(site.switchboard));
  const { note } = await add(writeKey, id, 'from the CRM');
  assert.deepEqual([note.operator, (await add(writeKey, id, 'from the CRM')).note.id], [null, note.id]);
  assert.equal((await add(readKey, id, 'no')).code, 'FORBIDDEN');
  assert.deepEqual(textsOf(await readNotes(readKey, id)), ['from the CRM']);
  assert.equal((await readNotes(operator, id))[0].operator, null);
});

test('the notes of a deleted operator stay, without their author', async () => {
  const { operator, id } = await startActive();
  await add(operator, id, 'remains');
  await close(operator, id);
  await site.admin.run('mutation($id:ID!){operatorDelete(input:{id:$id}){userErrors{code}}}', { id: operator.id });
  const [note] = await readNotes(site.admin, id);
  assert.deepEqual([note.text, note.operator], ['remains', null]);
});

test('windows: the first, those after one, and the newest, for several conversations at once', async () => {
  const { operator, visitor, id, skillId } = await startActive();
  for (const text of ['a', 'b', 'c', 'd']) await add(operator, id, text);
  const other = await visitor.startConversation({ skillId: String(skillId) });
  await operator.acceptOffer(other.id);
  await add(operator, other.id, 'e');
  const [, b] = await readNotes(operator, id);
  for (const [args, expected] of [
    [{}, 'abcd'],
    [{ first: 2 }, 'ab'],
    [{ after: b.id }, 'cd'],
    [{ after: b.id, first: 1 }, 'c'],
    [{ last: 3 }, 'bcd'],
    [{ last: 100 }, 'abcd'],
    [{ first: 0 }, ''],
    [{ last: 0 }, ''],
  ] as const)
    assert.equal(textsOf(await readNotes(operator, id, args)).join(''), expected, JSON.stringify(args));
  const { data } = await operator.run(
    `{conversations(filter:{operatorId:"${operator.id}"}){nodes{id notes(first:3){text} newest:notes(last:1){text}}}}`,
  );
  const byId = Object.fromEntries(
    data.conversations.nodes.map((node: { id: string; notes: []; newest: [] }) => [
      node.id,
      [textsOf(node.notes).join(''), textsOf(node.newest).join('')],
    ]),
  );
  assert.deepEqual(byId, { [id]: ['abc', 'd'], [other.id]: ['e', 'e'] });
  for (const args of [{ first: 101 }, { last: 101 }, { last: 1, first: 1 }, { last: 1, after: b.id }, { after: 'x' }]) {
    const { errors } = await operator.run(NOTES, { id, ...args });
    assert.equal(errors[0]?.extensions.code, 'BAD_REQUEST', JSON.stringify(args));
  }
});

const TRANSFER = `mutation($input:ConversationTransferInput!){conversationTransfer(input:$input){
  conversation{state operator{id}} userErrors{field code}}}`;

test('a transfer takes a note along, which the next operator reads; a transfer that fails leaves none', async () => {
  const { operator, id, skillId } = await startActive();
  const other = await site.createOperator({ skill_list: [skillId] });
  const offline = await site.createOperator({}, { connected: false });
  const transfer = async (operatorId: number, note: string) => {
    const { data } = await operator.run(TRANSFER, { input: { id, operatorId, note } });
    return data.conversationTransfer;
  };
  assert.equal((await transfer(offline.id, 'lost')).userErrors[0].code, 'STATE');
  assert.deepEqual((await transfer(other.id, '')).userErrors[0].field, ['input', 'note']);
  assert.deepEqual(await readNotes(operator, id), []);
  const desk = await operator.openSocket().subscribe(`subscription{deskEvents{${EVENT}}}`);
  const moved = await transfer(other.id, 'Wants an invoice');
  assert.deepEqual(moved, { conversation: { state: 'OFFERED', operator: { id: String(other.id) } }, userErrors: [] });
  const [note] = await readNotes(other, id);
  assert.deepEqual(
    { ...note, id: '' },
    { id: '', afterSequence: 2, operator: { id: String(operator.id) }, text: 'Wants an invoice', clientId: null },
  );
  await desk.waitUntil((results) => results.some(({ data }) => data.deskEvents.type === 'conversation.transferred'));
  const types = desk.results.map(({ data }) => data.deskEvents.type);
  assert.ok(types.indexOf('note.created') < types.indexOf('conversation.transferred'), types.join());
});

const TARGETS = `query($id:ID!,$text:String){transferTargets(conversationId:$id,text:$text){
  operators{operator{id pseudo name} routable obstacles} groups{group{name} operatorsRoutable}
  skills{skill{id} operatorsConnected operatorsRoutable}}}`;

test('transfer targets: an expert reads pseudonyms, and not who speaks which language', async () => {
  const expert = await startActive({ roles: ['expert'], pseudo: 'Ex', language_list: ['en', 'fr'] });
  const pseudo = 'Visible';
  const other = await site.createOperator({ name: 'Hidden', pseudo, language_list: ['de'], skill_list: [] });
  const read = async ({ run }: Runner, id: string, text: string) => {
    const { data, errors } = await run(TARGETS, { id, text });
    return { found: data?.transferTargets?.operators, codes: errors.map(({ extensions }) => extensions.code) };
  };
  const operator = { id: String(other.id), pseudo };
  assert.deepEqual(await read(expert.operator, expert.id, 'visib'), {
    found: [{ operator: { ...operator, name: null }, routable: true, obstacles: ['LACKS_SKILL'] }],
    codes: ['FORBIDDEN'],
  });
  assert.deepEqual((await read(expert.operator, expert.id, 'hidden')).found, []);
  assert.deepEqual(await read(site.admin, expert.id, 'hidden'), {
    found: [
      { operator: { ...operator, name: 'Hidden' }, routable: true, obstacles: ['LACKS_SKILL', 'OTHER_LANGUAGE'] },
    ],
    codes: [],
  });
  const stranger = await site.createOperator({}, { connected: false });
  assert.deepEqual((await read(stranger, expert.id, '')).codes, ['FORBIDDEN']);
  assert.deepEqual(await read(site.admin, '999999', ''), { found: undefined, codes: [] });
});

const EVENT = 'position type conversationId message{sequence} note{id text operator{id}}';

// biome-ignore lint/suspicious/noExplicitAny: raw events
const noteEvents = (results: readonly any[], field: string) =>
  results.map(({ data }) => data[field]).filter(({ type }) => type === 'note.created');

test('desks of the operator and observers of the conversation receive the note, and its event has no text', async () => {
  const { operator, id } = await startActive();
  const other = await startActive();
  const desk = await operator.openSocket().subscribe(`subscription{deskEvents{${EVENT}}}`);
  const otherDesk = await other.operator.openSocket().subscribe(`subscription{deskEvents{${EVENT}}}`);
  const watch = await site.openAdminSocket().subscribe(`subscription{conversationEvents(id:${id}){${EVENT}}}`);
  const { note } = await add(site.admin, id, 'for your eyes');
  for (const [subscription, field] of [
    [desk, 'deskEvents'],
    [watch, 'conversationEvents'],
  ] as const) {
    await subscription.waitUntil((results) => noteEvents(results, field).length > 0);
    const [event] = noteEvents(subscription.results, field);
    const read = { ...event, position: '' };
    const expected = { id: note.id, text: 'for your eyes', operator: { id: '1' } };
    assert.deepEqual(read, { position: '', type: 'note.created', conversationId: id, message: null, note: expected });
  }
  await add(site.admin, other.id, 'theirs');
  await otherDesk.waitUntil((results) => noteEvents(results, 'deskEvents').length > 0);
  assert.deepEqual(
    noteEvents(otherDesk.results, 'deskEvents').map((event) => event.note.text),
    ['theirs'],
  );
  const { data } = await site.admin.run('{events(last:50,filter:{types:["note.created"]}){nodes{fields values}}}');
  assert.ok(data.events.nodes.length >= 2);
  assert.doesNotMatch(JSON.stringify(data), /for your eyes|theirs/);
});
