import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createResource } from '../../support/fixtures/resources.ts';
import { openSite, type Site, type SiteOperator, type SiteVisitor } from '../../support/fixtures/site.ts';

let site: Site;
let operator: SiteOperator;
before(async () => {
  site = await openSite();
  operator = await site.createOperator({ name: 'Robert Real', pseudo: 'Bob', chat_max_number: 50 });
});
after(() => site.stop());

const READ = `query($id:ID!,$after:Int,$first:Int){conversation(id:$id){
  id state channel language operator{pseudo} queuePosition closedBy closedAt acceptedAt messageCount
  messages(after:$after,first:$first){sequence clientId author text at operator{pseudo}} satisfaction{welcome comment}}}`;
const CLOSE =
  'mutation($id:ID!){conversationClose(input:{id:$id}){conversation{state closedBy} userErrors{code message field}}}';
const ANSWER = `mutation($input:SatisfactionAnswerInput!){satisfactionAnswer(input:$input){
  satisfaction{welcome resolution delay comment at} userErrors{code message field}}}`;

const read = async (visitor: SiteVisitor, id: string, window: object = {}) =>
  (await visitor.run(READ, { id, ...window })).data.conversation;
const startWith = async (visitor: SiteVisitor, input: object) => {
  const { data, errors } = await visitor.run(
    'mutation($input:ConversationStartInput!){conversationStart(input:$input){conversation{id} userErrors{field code message}}}',
    { input: { channel: 'CHAT', ...input } },
  );
  assert.deepEqual(errors, []);
  return data.conversationStart;
};

test('rules 16 and 17: a visitor starts a conversation, sends messages, closes it and answers the survey', async () => {
  const visitor = await site.createVisitor({ language: 'en' });
  const started = await visitor.startConversation({ message: 'Hello' });
  assert.deepEqual([started.state, started.operator, started.messageCount], ['OFFERED', null, 1]);
  assert.equal(
    (await visitor.run(ANSWER, { input: { conversationId: started.id, welcome: 5, resolution: 5, delay: 5 } })).data
      .satisfactionAnswer.userErrors[0].code,
    'STATE',
    'no operator has accepted it yet',
  );
  await operator.acceptOffer(started.id);
  await operator.sendMessage(started.id, 'Good morning');
  assert.equal((await visitor.sendMessage(started.id, 'A question')).message.sequence, 4);

  const running = await read(visitor, started.id);
  assert.equal(running.state, 'ACTIVE');
  assert.deepEqual(running.operator, { pseudo: 'Bob' }, 'no other field of the operator');
  assert.deepEqual(
    running.messages.map((message: { sequence: number; author: string; text: string; operator: object | null }) => [
      ...[message.sequence, message.author, message.text, message.operator],
    ]),
    [
      [1, 'VISITOR', 'Hello', null],
      [2, 'NOTICE', 'Bob joined the conversation.', null],
      [3, 'OPERATOR', 'Good morning', { pseudo: 'Bob' }],
      [4, 'VISITOR', 'A question', null],
    ],
  );

  const closed = (await visitor.run(CLOSE, { id: started.id })).data.conversationClose;
  assert.deepEqual(closed, { conversation: { state: 'CLOSED', closedBy: 'VISITOR' }, userErrors: [] });
  const answers = { conversationId: started.id, welcome: 5, resolution: 4, delay: 1, comment: 'Très bien 👍' };
  const { satisfaction } = (await visitor.run(ANSWER, { input: answers })).data.satisfactionAnswer;
  const { at, ...ratings } = satisfaction;
  assert.ok(Date.parse(at) > 0);
  assert.deepEqual({ conversationId: started.id, ...ratings }, answers);
  const { data } = await site.admin.run(
    'query($id:String){satisfactions(filter:{conversationId:$id}){nodes{noteWelcome noteResolution noteDelay comment operator{pseudo}}}}',
    { id: started.id },
  );
  assert.deepEqual(data.satisfactions.nodes, [
    { noteWelcome: 5, noteResolution: 4, noteDelay: 1, comment: 'Très bien 👍', operator: { pseudo: 'Bob' } },
  ]);
});

test('rule 17: of ten concurrent survey answers exactly one is stored', async () => {
  const visitor = await site.createVisitor();
  const { id } = await visitor.startConversation();
  await operator.acceptOffer(id);
  const input = { conversationId: id, welcome: 1, resolution: 1, delay: 1 };
  const responses = await Promise.all(Array.from({ length: 10 }, () => visitor.run(ANSWER, { input })));
  const codes = responses.map(({ data }) => data.satisfactionAnswer.userErrors[0]?.code ?? 'done').sort();
  assert.deepEqual(codes, [...Array(9).fill('STATE'), 'done']);
  const events = await site.admin.run(
    'query($id:ID){events(filter:{types:["satisfaction.answered"],subjectType:"conversation",subjectId:$id},first:10){nodes{fields values}}}',
    { id },
  );
  assert.equal(events.data.events.nodes.length, 1);
});

test('ratings are from 1 to 5, and a comment has at most 2000 characters', async () => {
  const visitor = await site.createVisitor();
  const { id } = await visitor.startConversation();
  await operator.acceptOffer(id);
  const good = { conversationId: id, welcome: 1, resolution: 5, delay: 3 };
  for (const [wrong, field] of [
    [{ welcome: 0 }, 'welcome'],
    [{ resolution: 6 }, 'resolution'],
    [{ delay: -1 }, 'delay'],
    [{ comment: 'x'.repeat(2001) }, 'comment'],
    [{ comment: 'a\0' }, 'comment'],
  ] as const) {
    const { userErrors } = (await visitor.run(ANSWER, { input: { ...good, ...wrong } })).data.satisfactionAnswer;
    assert.deepEqual([userErrors[0].code, userErrors[0].field], ['INVALID', ['input', field]]);
  }
  const { userErrors } = (await visitor.run(ANSWER, { input: { ...good, comment: 'x'.repeat(2000) } })).data
    .satisfactionAnswer;
  assert.deepEqual(userErrors, []);
});

test('rule 18: a closed conversation rejects messages and a second close with STATE', async () => {
  const visitor = await site.createVisitor();
  const { id } = await visitor.startConversation({ message: 'one' });
  const sent = await visitor.sendMessage(id, 'two', 'second');
  await visitor.run(CLOSE, { id });
  const before = await read(visitor, id);
  assert.equal((await visitor.sendMessage(id, 'three')).userErrors[0].code, 'STATE');
  const repeated = (await visitor.run(CLOSE, { id })).data.conversationClose;
  assert.deepEqual([repeated.conversation, repeated.userErrors[0].code], [null, 'STATE']);
  assert.deepEqual(await read(visitor, id), before);
  assert.deepEqual(
    (await visitor.sendMessage(id, 'two', 'second')).message,
    sent.message,
    'a retry stores no new message',
  );
});

test('rule 18: retried starts and messages have no further effect', async () => {
  const visitor = await site.createVisitor();
  const starts = await Promise.all(
    Array.from({ length: 5 }, () => startWith(visitor, { clientId: 'start', message: 'Hello' })),
  );
  assert.equal(new Set(starts.map(({ conversation }) => conversation.id)).size, 1);
  const silent = [await startWith(visitor, { clientId: 'silent' }), await startWith(visitor, { clientId: 'silent' })];
  assert.equal(silent[0].conversation.id, silent[1].conversation.id, 'even without a message');
  assert.equal((await visitor.run('{conversations{totalCount}}')).data.conversations.totalCount, 2);
  const { id } = starts[0].conversation;
  const sent = await Promise.all(Array.from({ length: 5 }, () => visitor.sendMessage(id, 'once', 'm1')));
  assert.deepEqual(new Set(sent.map(({ message }) => message.sequence)), new Set([2]));
  const other = await visitor.sendMessage(id, 'another text', 'm1');
  assert.deepEqual([other.message, other.userErrors[0].code], [null, 'CONFLICT']);
  assert.equal((await read(visitor, id)).messageCount, 2);
  const stranger = await site.createVisitor();
  const theirs = await startWith(stranger, { clientId: 'start' });
  assert.notEqual(theirs.conversation.id, id, 'client ids are scoped to a visitor');
});

test('rule 18: messages after a sequence number are returned without gaps', async () => {
  const visitor = await site.createVisitor();
  const { id } = await visitor.startConversation({ message: '1' });
  for (let number = 2; number <= 130; number += 1) await visitor.sendMessage(id, String(number));
  const texts = async (window: object) =>
    (await read(visitor, id, window)).messages.map(({ text }: { text: string }) => Number(text));
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
  assert.deepEqual(await texts({}), range(1, 130));
  assert.deepEqual(await texts({ after: 100 }), range(101, 130));
  assert.deepEqual(await texts({ after: 3, first: 2 }), [4, 5]);
  assert.deepEqual(await texts({ after: 130 }), []);
  for (const window of [{ after: -1 }, { first: 1001 }, { first: -1 }]) {
    assert.equal((await visitor.run(READ, { id, ...window })).errors[0]?.extensions.code, 'BAD_REQUEST');
  }
});

test('text is returned byte for byte; text that cannot be stored is rejected', async () => {
  const visitor = await site.createVisitor();
  const { id } = await visitor.startConversation();
  await operator.acceptOffer(id);
  const good = [
    ...[
      'x'.repeat(10_000),
      ' \n\t\r\n ',
      '\u0001\u001f\u007f\u0085',
      'e\u0301 é',
      '\u202eleft',
      '\u{10ffff}\u{1f469}\u200d\u{1f4bb}',
    ],
    ...['\ufeff', '\ufffe\uffff', '<script>"\'\\ %s {{x}}', '�', 'ﷺ', "'; drop table messages; --", '0', 'null'],
  ];
  for (const text of good) assert.deepEqual((await visitor.sendMessage(id, text)).userErrors, [], JSON.stringify(text));
  const { messages } = await read(visitor, id);
  assert.deepEqual(
    messages.slice(1).map((message: { text: string }) => message.text),
    good,
  );
  const seen = await operator.run('query($id:ID!){conversation(id:$id){messages{text}}}', { id });
  assert.deepEqual(
    seen.data.conversation.messages.slice(1).map((message: { text: string }) => message.text),
    good,
  );
  for (const text of ['', 'x'.repeat(10_001), 'a\0b', '\0', '\ud800', 'a\udc00b', '\ud83d']) {
    const { message, userErrors } = await visitor.sendMessage(id, text);
    assert.equal(message, null);
    assert.deepEqual([userErrors[0].code, userErrors[0].field], ['INVALID', ['input', 'text']]);
    assert.equal((await startWith(visitor, { message: text })).userErrors[0].field[1], 'message');
  }
  for (const clientId of ['', 'x'.repeat(65), '\0']) {
    assert.deepEqual((await visitor.sendMessage(id, 'text', clientId)).userErrors[0].field, ['input', 'clientId']);
  }
  assert.equal((await read(visitor, id)).messageCount, good.length + 1);
});

test('a start requires an existing skill, an existing group and a valid language', async () => {
  const visitor = await site.createVisitor();
  for (const [input, field] of [
    [{ skillId: '900001' }, 'skillId'],
    [{ skillId: 'x' }, 'skillId'],
    [{ groupId: '900001' }, 'groupId'],
    [{ language: 'english' }, 'language'],
  ] as const) {
    const { conversation, userErrors } = await startWith(visitor, input);
    assert.deepEqual([conversation, userErrors[0].code, userErrors[0].field], [null, 'INVALID', ['input', field]]);
  }
});

test('rule 13: a conversation that no operator could serve is refused immediately, and counted', async () => {
  const visitor = await site.createVisitor();
  const { conversation, userErrors } = await startWith(visitor, { channel: 'VIDEO' });
  assert.deepEqual([conversation, userErrors[0].code], [null, 'STATE']);
  assert.match(userErrors[0].message, /No operator serves this website/);
  const { data } = await site.admin.run('{statistics{refusedNumber}}');
  assert.equal(data.statistics.refusedNumber, 1);
});

test('rule 13: queued visitors see their queue position advance', async () => {
  const skill = await createResource(site.rest, 'skill', { name: 'Rare' });
  const rare = await site.createOperator({ skill_list: [skill], chat_max_number: 1 });
  const visitors = await Promise.all(Array.from({ length: 4 }, () => site.createVisitor()));
  const ids: string[] = [];
  for (const visitor of visitors) ids.push((await visitor.startConversation({ skillId: skill })).id);
  const queuePositions = () =>
    Promise.all(visitors.map(async (visitor, index) => (await read(visitor, ids[index] as string)).queuePosition));
  assert.deepEqual(await queuePositions(), [null, 1, 2, 3]);
  await rare.acceptOffer(ids[0] as string);
  await visitors[1]?.run(CLOSE, { id: ids[1] });
  assert.deepEqual(await queuePositions(), [null, null, 1, 2]);
  await visitors[0]?.run(CLOSE, { id: ids[0] });
  assert.deepEqual(await queuePositions(), [null, null, null, 1]);
});

test('the number of open conversations per visitor is limited, and they are listed newest first', async () => {
  const visitor = await site.createVisitor();
  const ids: string[] = [];
  for (let index = 0; index < 5; index += 1) ids.unshift((await visitor.startConversation()).id);
  assert.equal((await startWith(visitor, {})).userErrors[0].code, 'LIMIT');
  const page = async (args: string) =>
    (await visitor.run(`{conversations${args}{totalCount nodes{id} pageInfo{hasNextPage endCursor}}}`)).data
      .conversations;
  const all = await page('');
  assert.deepEqual([all.totalCount, all.nodes.map(({ id }: { id: string }) => id)], [5, ids]);
  const first = await page('(first:2)');
  assert.equal(first.pageInfo.hasNextPage, true);
  const rest = await page(`(first:10,after:"${first.pageInfo.endCursor}")`);
  assert.deepEqual(
    rest.nodes.map(({ id }: { id: string }) => id),
    ids.slice(2),
  );
});

test('rule 17: availability does not reveal the number of operators', async () => {
  const visitor = await site.createVisitor();
  const skill = await createResource(site.rest, 'skill', { name: 'Requested' });
  const readAvailability = async (args = '') => {
    const { data, errors } = await visitor.run(
      `{availability${args}{chat{isAvailable waiting} call{isAvailable waiting} video{isAvailable waiting}}}`,
    );
    return data?.availability ?? errors[0]?.extensions.code;
  };
  const { chat, call } = await readAvailability();
  assert.deepEqual([chat.isAvailable, call.isAvailable], [true, false]);
  assert.equal((await readAvailability(`(skillId:${skill})`)).chat.isAvailable, false);
  await site.createOperator({ skill_list: [skill], language_list: ['de'], chat_max_number: 1, call_enabled: true });
  assert.equal((await readAvailability(`(skillId:${skill},language:"fr")`)).chat.isAvailable, false);
  assert.deepEqual(await readAvailability(`(skillId:${skill},language:"de")`), {
    chat: { isAvailable: true, waiting: 0 },
    call: { isAvailable: true, waiting: 0 },
    video: { isAvailable: false, waiting: 0 },
  });
  const german = await site.createVisitor({ language: 'de' });
  const { data } = await german.run(`{availability(skillId:${skill}){chat{isAvailable}}}`);
  assert.equal(data.availability.chat.isAvailable, true, 'the language defaults to that of the session');
  for (const args of ['(skillId:900001)', '(skillId:"x")', '(language:"english")'])
    assert.equal(await readAvailability(args), 'BAD_REQUEST');
  const staff = await visitor.run('{availability{chat{operatorsConnected}}}');
  assert.match(staff.errors[0]?.message ?? '', /Cannot query field/);
});

test('a refused conversation has a reason and parameters for programs', async () => {
  const visitor = await site.createVisitor();
  for (let count = 0; count < 5; count += 1) await visitor.startConversation({});
  const { data } = await visitor.run(
    `mutation{conversationStart(input:{channel:CHAT}){conversation{id closeReason}
      userErrors{field code reason parameters{name value}}}}`,
  );
  assert.deepEqual(data.conversationStart, {
    conversation: null,
    userErrors: [{ field: null, code: 'LIMIT', reason: 'too_many_open', parameters: [{ name: 'limit', value: '5' }] }],
  });
});
