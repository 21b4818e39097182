import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { add } from '../../support/people/people.ts';
import { openSite, type Site, type SiteOperator, type SiteVisitor } from '../../support/people/site.ts';

let site: Site;
let operator: SiteOperator;
before(async () => {
  site = await openSite();
  operator = await site.operator({ name: 'Robert Real', pseudo: 'Bob', chat_max_number: 50 });
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

test('rules 16 and 17: a visitor starts, talks, closes and says what they thought of it', async () => {
  const visitor = await site.visitor({ language: 'en' });
  const started = await visitor.start({ message: 'Hello' });
  assert.deepEqual([started.state, started.operator, started.messageCount], ['OFFERED', null, 1]);
  assert.equal(
    (await visitor.run(ANSWER, { input: { conversationId: started.id, welcome: 5, resolution: 5, delay: 5 } })).data
      .satisfactionAnswer.userErrors[0].code,
    'STATE',
    'nobody has accepted it yet',
  );
  await operator.accept(started.id);
  await operator.send(started.id, 'Good morning');
  assert.equal((await visitor.send(started.id, 'A question')).message.sequence, 3);

  const running = await read(visitor, started.id);
  assert.equal(running.state, 'ACTIVE');
  assert.deepEqual(running.operator, { pseudo: 'Bob' }, 'and nothing else of them');
  assert.deepEqual(
    running.messages.map((message: { sequence: number; author: string; text: string; operator: object | null }) => [
      ...[message.sequence, message.author, message.text, message.operator],
    ]),
    [
      [1, 'VISITOR', 'Hello', null],
      [2, 'OPERATOR', 'Good morning', { pseudo: 'Bob' }],
      [3, 'VISITOR', 'A question', null],
    ],
  );

  const closed = (await visitor.run(CLOSE, { id: started.id })).data.conversationClose;
  assert.deepEqual(closed, { conversation: { state: 'CLOSED', closedBy: 'VISITOR' }, userErrors: [] });
  const answers = { conversationId: started.id, welcome: 5, resolution: 4, delay: 1, comment: 'Très bien 👍' };
  const { satisfaction } = (await visitor.run(ANSWER, { input: answers })).data.satisfactionAnswer;
  const { at, ...notes } = satisfaction;
  assert.ok(Date.parse(at) > 0);
  assert.deepEqual({ conversationId: started.id, ...notes }, answers);
  const { data } = await site.admin.run(
    'query($id:String){satisfactions(filter:{conversationId:$id}){nodes{noteWelcome noteResolution noteDelay comment operator{pseudo}}}}',
    { id: started.id },
  );
  assert.deepEqual(data.satisfactions.nodes, [
    { noteWelcome: 5, noteResolution: 4, noteDelay: 1, comment: 'Très bien 👍', operator: { pseudo: 'Bob' } },
  ]);
});

test('rule 17: a survey is answered once, also when it is sent ten times at once', async () => {
  const visitor = await site.visitor();
  const { id } = await visitor.start();
  await operator.accept(id);
  const input = { conversationId: id, welcome: 1, resolution: 1, delay: 1 };
  const answers = await Promise.all(Array.from({ length: 10 }, () => visitor.run(ANSWER, { input })));
  const codes = answers.map(({ data }) => data.satisfactionAnswer.userErrors[0]?.code ?? 'done').sort();
  assert.deepEqual(codes, [...Array(9).fill('STATE'), 'done']);
  const events = await site.admin.run(
    'query($id:ID){events(filter:{types:["satisfaction.answered"],subjectType:"conversation",subjectId:$id},first:10){nodes{fields values}}}',
    { id },
  );
  assert.equal(events.data.events.nodes.length, 1);
});

test('notes are from 1 to 5, and a comment has at most 2000 characters', async () => {
  const visitor = await site.visitor();
  const { id } = await visitor.start();
  await operator.accept(id);
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

test('rule 18: what is closed takes no message and no second close: STATE, and nothing changes', async () => {
  const visitor = await site.visitor();
  const { id } = await visitor.start({ message: 'one' });
  const sent = await visitor.send(id, 'two', 'second');
  await visitor.run(CLOSE, { id });
  const before = await read(visitor, id);
  assert.equal((await visitor.send(id, 'three')).userErrors[0].code, 'STATE');
  const again = (await visitor.run(CLOSE, { id })).data.conversationClose;
  assert.deepEqual([again.conversation, again.userErrors[0].code], [null, 'STATE']);
  assert.deepEqual(await read(visitor, id), before);
  assert.deepEqual((await visitor.send(id, 'two', 'second')).message, sent.message, 'a resend is no new message');
});

test('rule 18: a start and a message that are sent again are not done twice', async () => {
  const visitor = await site.visitor();
  const starts = await Promise.all(
    Array.from({ length: 5 }, () => startWith(visitor, { clientId: 'start', message: 'Hello' })),
  );
  assert.equal(new Set(starts.map(({ conversation }) => conversation.id)).size, 1);
  const silent = [await startWith(visitor, { clientId: 'silent' }), await startWith(visitor, { clientId: 'silent' })];
  assert.equal(silent[0].conversation.id, silent[1].conversation.id, 'also without a message');
  assert.equal((await visitor.run('{conversations{totalCount}}')).data.conversations.totalCount, 2);
  const { id } = starts[0].conversation;
  const sent = await Promise.all(Array.from({ length: 5 }, () => visitor.send(id, 'once', 'm1')));
  assert.deepEqual(new Set(sent.map(({ message }) => message.sequence)), new Set([2]));
  const other = await visitor.send(id, 'another text', 'm1');
  assert.deepEqual([other.message, other.userErrors[0].code], [null, 'CONFLICT']);
  assert.equal((await read(visitor, id)).messageCount, 2);
  const stranger = await site.visitor();
  const theirs = await startWith(stranger, { clientId: 'start' });
  assert.notEqual(theirs.conversation.id, id, 'the names of one visitor are not those of another');
});

test('rule 18: whoever comes back asks for what comes after their last number and misses nothing', async () => {
  const visitor = await site.visitor();
  const { id } = await visitor.start({ message: '1' });
  for (let number = 2; number <= 130; number += 1) await visitor.send(id, String(number));
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

test('any text comes back byte for byte; what cannot be kept is refused', async () => {
  const visitor = await site.visitor();
  const { id } = await visitor.start();
  await operator.accept(id);
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
  for (const text of good) assert.deepEqual((await visitor.send(id, text)).userErrors, [], JSON.stringify(text));
  const { messages } = await read(visitor, id);
  assert.deepEqual(
    messages.map((message: { text: string }) => message.text),
    good,
  );
  const seen = await operator.run('query($id:ID!){conversation(id:$id){messages{text}}}', { id });
  assert.deepEqual(
    seen.data.conversation.messages.map((message: { text: string }) => message.text),
    good,
  );
  for (const text of ['', 'x'.repeat(10_001), 'a\0b', '\0', '\ud800', 'a\udc00b', '\ud83d']) {
    const { message, userErrors } = await visitor.send(id, text);
    assert.equal(message, null);
    assert.deepEqual([userErrors[0].code, userErrors[0].field], ['INVALID', ['input', 'text']]);
    assert.equal((await startWith(visitor, { message: text })).userErrors[0].field[1], 'message');
  }
  for (const clientId of ['', 'x'.repeat(65), '\0']) {
    assert.deepEqual((await visitor.send(id, 'text', clientId)).userErrors[0].field, ['input', 'clientId']);
  }
  assert.equal((await read(visitor, id)).messageCount, good.length);
});

test('what a start asks for must exist, and be a language', async () => {
  const visitor = await site.visitor();
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

test('rule 13: whom nobody could ever answer is told so at once, and it is counted', async () => {
  const visitor = await site.visitor();
  const { conversation, userErrors } = await startWith(visitor, { channel: 'VIDEO' });
  assert.deepEqual([conversation, userErrors[0].code], [null, 'STATE']);
  assert.match(userErrors[0].message, /Nobody here can answer this/);
  const { data } = await site.admin.run('{statistics{refusedNumber}}');
  assert.equal(data.statistics.refusedNumber, 1);
});

test('rule 13: who waits sees their place, which moves up', async () => {
  const skill = await add(site.rest, 'skill', { name: 'Rare' });
  const rare = await site.operator({ skill_list: [skill], chat_max_number: 1 });
  const visitors = await Promise.all(Array.from({ length: 4 }, () => site.visitor()));
  const ids: string[] = [];
  for (const visitor of visitors) ids.push((await visitor.start({ skillId: skill })).id);
  const places = () =>
    Promise.all(visitors.map(async (visitor, index) => (await read(visitor, ids[index] as string)).queuePosition));
  assert.deepEqual(await places(), [null, 1, 2, 3]);
  await rare.accept(ids[0] as string);
  await visitors[1]?.run(CLOSE, { id: ids[1] });
  assert.deepEqual(await places(), [null, null, 1, 2]);
  await visitors[0]?.run(CLOSE, { id: ids[0] });
  assert.deepEqual(await places(), [null, null, null, 1]);
});

test('a visitor has a few conversations at a time, and lists their own, newest first', async () => {
  const visitor = await site.visitor();
  const ids: string[] = [];
  for (let index = 0; index < 5; index += 1) ids.unshift((await visitor.start()).id);
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

test('rule 17: a page asks whether somebody is free, and learns nothing of how many work there', async () => {
  const visitor = await site.visitor();
  const skill = await add(site.rest, 'skill', { name: 'Asked' });
  const ask = async (args = '') => {
    const { data, errors } = await visitor.run(
      `{availability${args}{chat{isAvailable waiting} call{isAvailable waiting} video{isAvailable waiting}}}`,
    );
    return data?.availability ?? errors[0]?.extensions.code;
  };
  const { chat, call } = await ask();
  assert.deepEqual([chat.isAvailable, call.isAvailable], [true, false]);
  assert.equal((await ask(`(skillId:${skill})`)).chat.isAvailable, false);
  await site.operator({ skill_list: [skill], language_list: ['de'], chat_max_number: 1, call_enabled: true });
  assert.equal((await ask(`(skillId:${skill},language:"fr")`)).chat.isAvailable, false);
  assert.deepEqual(await ask(`(skillId:${skill},language:"de")`), {
    chat: { isAvailable: true, waiting: 0 },
    call: { isAvailable: true, waiting: 0 },
    video: { isAvailable: false, waiting: 0 },
  });
  const german = await site.visitor({ language: 'de' });
  const { data } = await german.run(`{availability(skillId:${skill}){chat{isAvailable}}}`);
  assert.equal(data.availability.chat.isAvailable, true, 'the language of the session counts');
  for (const args of ['(skillId:900001)', '(skillId:"x")', '(language:"english")'])
    assert.equal(await ask(args), 'BAD_REQUEST');
  const staff = await visitor.run('{availability{chat{operatorsConnected}}}');
  assert.match(staff.errors[0]?.message ?? '', /Cannot query field/);
});
