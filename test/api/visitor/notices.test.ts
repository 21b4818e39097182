import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openSite, type Site } from '../../support/fixtures/site.ts';

let site: Site;
before(async () => {
  site = await openSite();
});
after(() => site.stop());

const MESSAGES = 'messages{sequence author text notice{code parameters{name value}}}';
const READ = `query($id:ID!){conversation(id:$id){${MESSAGES}}}`;

test('rule 27: every reader gets a notice in their language, REST in that of the website', async () => {
  await site.rest.put(`/website/${site.websiteId}`, { language_admin: 'es' });
  const operator = await site.createOperator({
    pseudo: 'Ana',
    language_admin: 'fr',
    language_list: ['de', 'it', 'fr'],
  });
  const visitor = await site.createVisitor({ language: 'de' });
  const { id } = await visitor.startConversation({ message: 'Guten Tag' });
  const socket = visitor.openSocket();
  const events = await socket.subscribe('subscription($id:ID!){conversationEvents(id:$id){type message{text}}}', {
    id,
  });
  await operator.acceptOffer(id);
  const notice = { code: 'operator_joined', parameters: [{ name: 'pseudo', value: 'Ana' }] };
  const readBy = async (reader: Pick<typeof operator, 'run'>) => {
    const { data, errors } = await reader.run(READ, { id });
    assert.deepEqual(errors, []);
    return data.conversation.messages;
  };
  assert.deepEqual(await readBy(visitor as never), [
    { sequence: 1, author: 'VISITOR', text: 'Guten Tag', notice: null },
    { sequence: 2, author: 'NOTICE', text: 'Ana ist der Unterhaltung beigetreten.', notice },
  ]);
  const textFor = async (reader: Pick<typeof operator, 'run'>) => (await readBy(reader)).at(-1).text;
  assert.equal(await textFor(operator), 'Ana a rejoint la conversation.');
  assert.equal(await textFor(site.admin), 'Ana joined the conversation.');
  await events.waitUntil((results) => JSON.stringify(results).includes('Ana ist der Unterhaltung beigetreten.'));
  socket.end();

  const history = async () => (await site.rest.get(`/conversation/${id}`)).body.data.history;
  const [type, date, text, at] = (await history()).at(-1);
  assert.deepEqual(
    [type, text, Date.parse(`${date.replace(' ', 'T')}Z`)],
    [3, 'Ana se ha unido a la conversación.', at - (at % 1000)],
  );
  await site.rest.put(`/website/${site.websiteId}`, { language_admin: 'de' });
  assert.equal((await history()).at(-1)[2], 'Ana ist der Unterhaltung beigetreten.');
});

test('rule 27: notices of earlier and of later versions keep their text in every interface', async () => {
  const operator = await site.createOperator({ pseudo: 'Bob', language_list: ['en'] });
  const visitor = await site.createVisitor({ language: 'en' });
  const { id } = await visitor.startConversation();
  await operator.acceptOffer(id);
  const { query } = site.switchboard.storedData;
  const change = 'update messages set text = ?, notice_code = ? where conversation_id = ? and sequence = 1';
  for (const [text, code] of [
    ['The operator is back.', null],
    ['Something new.', 'of_a_newer_version'],
  ] as const) {
    await query(change, text, code, id);
    for (const reader of [visitor, operator]) {
      const { data } = await reader.run(READ, { id });
      assert.equal(data.conversation.messages[0].text, text);
      assert.equal(data.conversation.messages[0].notice?.code ?? null, code);
    }
    assert.equal((await site.rest.get(`/conversation/${id}`)).body.data.history[0][2], text);
  }
});

test("rule 27: a visitor whose language has no texts reads the website's", async () => {
  await site.rest.put(`/website/${site.websiteId}`, { language_admin: 'es' });
  const operator = await site.createOperator({ pseudo: 'Eva', language_list: ['it'] });
  const visitor = await site.createVisitor({ language: 'it' });
  const { id } = await visitor.startConversation();
  await operator.acceptOffer(id);
  const { data } = await visitor.run(READ, { id });
  assert.equal(data.conversation.messages[0].text, 'Eva se ha unido a la conversación.');
});
