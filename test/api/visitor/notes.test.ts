import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isObjectType } from 'graphql';
import { visitorSchema } from '../../../src/api/visitor/schema.ts';
import { EVENT_TYPES, isVisibleToVisitors } from '../../../src/core/webhooks/event-types.ts';
import { openSite, type Site, type SiteOperator } from '../../support/fixtures/site.ts';

const SECRET = 'no word of it to the visitor';

let site: Site;
let operator: SiteOperator;
before(async () => {
  site = await openSite();
  operator = await site.createOperator({ chat_max_number: 50 });
});
after(() => site.stop());

const addNote = (conversationId: string, clientId: string) =>
  operator.runMutation('mutation($input:NoteAddInput!){noteAdd(input:$input){userErrors{message}}}', {
    input: { conversationId, clientId, text: SECRET },
  });

const EVENTS =
  'subscription($id:ID!){conversationEvents(id:$id){type message{sequence text} conversation{messageCount}}}';

test('the visitors’ schema has no notes', () => {
  const names = Object.values(visitorSchema.getTypeMap()).flatMap((type) => [
    type.name,
    ...(isObjectType(type) ? Object.keys(type.getFields()) : []),
  ]);
  assert.deepEqual(
    names.filter((name) => /^notes?($|[A-Z])/i.test(name)).filter((name) => !/^notice/i.test(name)),
    [],
  );
});

test('visitors receive only the types of a list, which has no notes', () => {
  assert.ok(EVENT_TYPES.includes('note.created'));
  for (const fields of [[], ['notes'], ['messages'], ['escalatedTo']])
    assert.equal(isVisibleToVisitors('note.created', fields), false);
});

test('a visitor who follows the conversation receives the messages around a note, and nothing about the note', async () => {
  const visitor = await site.createVisitor();
  const { id } = await visitor.startConversation({ message: 'Hello' });
  await operator.acceptOffer(id);
  const subscription = await visitor.openSocket().subscribe(EVENTS, { id });
  await operator.sendMessage(id, 'before');
  await addNote(id, 'n1');
  await operator.sendMessage(id, 'after');
  const eventsOf = () => subscription.results.map(({ data }) => data.conversationEvents);
  await subscription.waitUntil(() => eventsOf().some(({ message }) => message?.text === 'after'));
  assert.deepEqual(
    eventsOf().map(({ type, message }) => [type, message.sequence, message.text]),
    [
      ['message.created', 3, 'before'],
      ['message.created', 4, 'after'],
    ],
  );
  const { data } = await visitor.run(
    'query($id:ID!){conversation(id:$id){messageCount unreadCount messages{sequence text}}}',
    { id },
  );
  assert.deepEqual([data.conversation.messageCount, data.conversation.messages.length], [4, 4]);
  assert.doesNotMatch(JSON.stringify([data, subscription.results]), new RegExp(SECRET));
});

test('the REST history and the figures are the same with and without notes', async () => {
  const read = async (id: string) => {
    const { body } = await site.rest.get(`/conversation/${id}`);
    const statistics = await site.admin.run('{statistics{conversationNumber answeredNumber firstAnswerSeconds}}');
    return JSON.stringify([body, statistics.data]);
  };
  const visitor = await site.createVisitor();
  const { id } = await visitor.startConversation({ message: 'Hello' });
  await operator.acceptOffer(id);
  const before = await read(id);
  assert.match(before, /Hello/);
  await addNote(id, 'n1');
  assert.equal(await read(id), before);
});

test('the row of the conversation is the same with and without a note', async () => {
  const visitor = await site.createVisitor();
  const { id } = await visitor.startConversation({ message: 'Hello' });
  await operator.acceptOffer(id);
  const { storedData } = site.switchboard;
  const readRow = async () =>
    JSON.stringify((await storedData.query(`select * from conversations where id = ${id}`))[0]);
  const before = await readRow();
  await addNote(id, 'n1');
  assert.equal(await readRow(), before);
});
