import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Desks, type Person, startDesks } from '../../support/people/desk.ts';

let desks: Desks;
let admin: Person;
before(async () => {
  desks = await startDesks();
  admin = await desks.person({ roles: ['admin'], chatEnabled: false }, { away: true });
});
after(() => desks.stop());

const FIELDS = `id channel state language createdAt hasWaited offeredAt offerUntil acceptedAt firstAnswerAt closedAt closedBy
  messageCount queuePosition website{id} visitor{uniqueId} skill{id} group{id} operator{id} tags{id name} escalatedFrom{id}
  satisfaction{id} messages{sequence clientId author text at operator{id}}`;
const ERRORS = 'userErrors{field message code}';

const MUTATIONS = {
  offerAccept: 'OfferAcceptInput',
  offerDecline: 'OfferDeclineInput',
  conversationTransfer: 'ConversationTransferInput',
  conversationEscalate: 'ConversationEscalateInput',
  conversationTag: 'ConversationTagInput',
  conversationClose: 'ConversationCloseInput',
  conversationTake: 'ConversationTakeInput',
} as const;

/** A mutation as somebody; answers with the conversation, or with what is wrong. */
async function change(person: Person, name: keyof typeof MUTATIONS, input: object) {
  const query = `mutation($input:${MUTATIONS[name]}!){${name}(input:$input){conversation{${FIELDS}} ${ERRORS}}}`;
  const { data, errors } = await person.run(query, { input });
  return { conversation: data?.[name]?.conversation, userErrors: data?.[name]?.userErrors, errors };
}

async function send(person: Person, input: object) {
  const query = `mutation($input:MessageSendInput!){messageSend(input:$input){message{sequence clientId author text at operator{id}} ${ERRORS}}}`;
  const { data, errors } = await person.run(query, { input });
  return { message: data?.messageSend?.message, userErrors: data?.messageSend?.userErrors, errors };
}

async function read(person: Person, id: number | string, fields = FIELDS) {
  const { data, errors } = await person.run(`query($id:ID!){conversation(id:$id){${fields}}}`, { id });
  return { conversation: data?.conversation, errors };
}

/** A skill of one's own: nobody else is asked for what asks for it. */
async function alone(fields: object = {}, presence?: { away?: boolean }) {
  const skillId = await desks.world.skill();
  const person = await desks.person({ skillList: [skillId], ...fields }, presence ?? { away: false });
  const offered = (input: object = {}) => desks.world.start({ skillId, ...input });
  const running = async (input: object = {}) => desks.world.accept(await offered(input));
  return { skillId, person, offered, running };
}

const codes = (errors: readonly { extensions: { code: string } }[]) => errors.map((error) => error.extensions.code);

test('rule 16: a conversation has its fields, and the moments of each state', async () => {
  const { person, skillId } = await alone();
  const visitor = await desks.world.visitor();
  const { id } = await desks.world.start({ skillId, message: 'Hello 👋', clientId: 'first' }, visitor);
  const offered = (await read(person, id)).conversation;
  assert.deepEqual(
    [offered.state, offered.channel, offered.language, offered.operator.id, offered.skill.id, offered.hasWaited],
    ['OFFERED', 'CHAT', 'en', String(person.id), String(skillId), false],
  );
  assert.equal(Date.parse(offered.offerUntil) - Date.parse(offered.offeredAt), 30_000);
  assert.deepEqual(
    [offered.acceptedAt, offered.firstAnswerAt, offered.closedAt, offered.closedBy],
    Array(4).fill(null),
  );
  assert.deepEqual(
    [offered.website.id, offered.visitor.uniqueId],
    [String(desks.world.websiteId), `visitor-${visitor.visitorId}`],
  );
  const { at, ...hello } = offered.messages[0];
  assert.deepEqual(hello, { sequence: 1, clientId: 'first', author: 'VISITOR', text: 'Hello 👋', operator: null });
  assert.equal(at, offered.createdAt);

  const accepted = await change(person, 'offerAccept', { conversationId: id });
  assert.deepEqual([accepted.errors, accepted.userErrors], [[], []]);
  assert.deepEqual([accepted.conversation.state, accepted.conversation.offerUntil], ['ACTIVE', null]);
  assert.ok(accepted.conversation.acceptedAt);
  desks.world.installation.clock.advance(1500);
  const answer = await send(person, { conversationId: id, clientId: 'a1', text: 'Good day' });
  assert.deepEqual(
    [answer.message.sequence, answer.message.author, answer.message.operator.id],
    [2, 'OPERATOR', String(person.id)],
  );
  const closed = (await change(person, 'conversationClose', { id })).conversation;
  assert.deepEqual([closed.state, closed.closedBy, closed.messageCount], ['CLOSED', 'OPERATOR', 2]);
  assert.equal(Date.parse(closed.firstAnswerAt) - Date.parse(closed.acceptedAt), 1500);
});

test('rule 12: an offer is accepted once, and a second yes is harmless', async () => {
  const { person, offered } = await alone();
  const { id } = await offered();
  const first = await change(person, 'offerAccept', { conversationId: id });
  desks.world.installation.clock.advance(1000);
  const second = await change(person, 'offerAccept', { conversationId: id });
  assert.deepEqual(second.userErrors, []);
  assert.equal(second.conversation.acceptedAt, first.conversation.acceptedAt);
});

test('rule 12: an offer that is gone cannot be accepted or declined, whatever became of it', async () => {
  const { person, offered, skillId } = await alone();
  const gone = async (id: number, who = person) => {
    const before = await desks.world.conversation(id);
    for (const name of ['offerAccept', 'offerDecline'] as const) {
      const { conversation, userErrors, errors } = await change(who, name, { conversationId: id });
      assert.deepEqual(
        [conversation, errors, userErrors.map((error: { code: string }) => error.code)],
        [null, [], ['STATE']],
      );
      assert.match(userErrors[0].message, /gone/);
    }
    assert.deepEqual(await desks.world.conversation(id), before);
  };
  const declined = await offered();
  await change(person, 'offerDecline', { conversationId: declined.id });
  await gone(declined.id);
  const missed = await offered();
  await desks.world.pass(30_000);
  await gone(missed.id);
  const others = await desks.person({ skillList: [skillId] });
  const theirs = await offered();
  await gone(theirs.id, others);
  const closed = await offered();
  await change(admin, 'conversationClose', { id: closed.id });
  await gone(closed.id);
});

test('rule 12: who declines is not asked again for a minute, and the conversation keeps its place', async () => {
  const { person, offered } = await alone();
  const { id, createdAt } = await offered();
  desks.world.installation.clock.advance(2000);
  const { conversation } = await change(person, 'offerDecline', { conversationId: id });
  assert.deepEqual([conversation.state, conversation.operator, conversation.queuePosition], ['QUEUED', null, 1]);
  assert.equal((await desks.world.conversation(id)).queueOrder, createdAt);
  await desks.world.pass(59_999);
  assert.equal((await desks.world.conversation(id)).state, 'queued');
  await desks.world.pass(1);
  assert.equal((await desks.world.conversation(id)).operatorId, person.id);
});

test('rule 18: a message sent again with the same client id is the same message', async () => {
  const { person, running } = await alone();
  const { id } = await running();
  const input = { conversationId: id, clientId: 'x-1', text: 'Only once' };
  const [first, ...again] = await Promise.all(Array.from({ length: 5 }, () => send(person, input)));
  for (const other of again) assert.deepEqual(other, first);
  await change(person, 'conversationClose', { id });
  assert.deepEqual((await send(person, input)).message, first?.message, 'also after the end');
  assert.equal((await desks.world.conversation(id)).messageCount, 1);
  const { userErrors } = await send(person, { ...input, text: 'Another text' });
  assert.deepEqual(userErrors, [
    { field: ['input', 'clientId'], message: 'clientId was used for another text already.', code: 'CONFLICT' },
  ]);
  const unnamed = await running();
  for (const sequence of [1, 2]) {
    assert.equal((await send(person, { conversationId: unnamed.id, text: 'Twice' })).message.sequence, sequence);
  }
});

test('rule 16: messages are read after a number or from the end, without holes', async () => {
  const { person, running } = await alone();
  const { id } = await running();
  for (let n = 1; n <= 7; n += 1) await send(person, { conversationId: id, text: `${n}` });
  const numbers = async (args: string) =>
    (await read(person, id, `messages${args}{sequence}`)).conversation.messages.map(
      (row: { sequence: number }) => row.sequence,
    );
  assert.deepEqual(await numbers(''), [1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(await numbers('(after:2,first:3)'), [3, 4, 5]);
  assert.deepEqual(await numbers('(after:7)'), []);
  assert.deepEqual(await numbers('(last:2)'), [6, 7]);
  assert.deepEqual(await numbers('(last:50)'), [1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(await numbers('(first:0)'), []);
  for (const args of ['(first:101)', '(last:101)', '(first:-1)', '(first:1,last:1)', '(after:1,last:1)']) {
    assert.deepEqual(codes((await read(person, id, `messages${args}{sequence}`)).errors), ['BAD_REQUEST'], args);
  }
});

test('a document that may fetch too many messages is refused before anything is read', async () => {
  const ask = (args: string, size = 100) =>
    admin.run(`{conversations(first:${size}){nodes{messages${args}{sequence operator{id}}}}}`);
  for (const args of ['(first:100)', '(last:100)', '']) {
    assert.deepEqual(codes((await ask(args)).errors), ['TOO_COMPLEX'], args);
  }
  assert.deepEqual((await ask('(first:20)')).errors, []);
  assert.deepEqual((await ask('', 20)).errors, []);
});

test('any Unicode comes back as it was sent; NUL, half surrogates, nothing and too much are refused', async () => {
  const { person, running } = await alone();
  const { id } = await running();
  const text = 'ÄÖ\u0301 \u202e عربى 漢字 🧑‍🚀\r\n\t\u0001  ';
  assert.equal((await send(person, { conversationId: id, text })).message.text, text);
  assert.equal((await send(person, { conversationId: id, text: '💬'.repeat(5000) })).message.text.length, 10_000);
  for (const wrong of ['', 'a\u0000b', 'half \ud800', 'x'.repeat(10_001)]) {
    const { message, userErrors } = await send(person, { conversationId: id, text: wrong });
    assert.equal(message, null);
    assert.deepEqual([userErrors[0].field, userErrors[0].code], [['input', 'text'], 'INVALID']);
  }
  for (const clientId of ['', 'x'.repeat(65), '\u0000']) {
    const { userErrors } = await send(person, { conversationId: id, clientId, text: 'x' });
    assert.deepEqual(userErrors[0].field, ['input', 'clientId']);
  }
  assert.equal((await desks.world.conversation(id)).messageCount, 2);
});

test('what a closed conversation does not allow is a user error, and nothing is changed', async () => {
  const { person, running } = await alone({ videoEnabled: true, chatToVideo: true });
  const other = await alone();
  const { id } = await running();
  assert.deepEqual((await change(person, 'conversationClose', { id })).userErrors, []);
  const before = await desks.world.conversation(id);
  const position = await desks.world.position();
  for (const { userErrors } of [
    await change(person, 'conversationClose', { id }),
    await change(admin, 'conversationClose', { id }),
    await send(person, { conversationId: id, clientId: 'late', text: 'Too late' }),
    await change(person, 'conversationTransfer', { id, operatorId: other.person.id }),
    await change(person, 'conversationEscalate', { id }),
    await change(admin, 'conversationTake', { id, operatorId: other.person.id, force: true }),
  ]) {
    assert.deepEqual(userErrors, [{ field: null, message: 'The conversation is closed.', code: 'STATE' }]);
  }
  assert.deepEqual(await desks.world.conversation(id), before);
  assert.equal(await desks.world.position(), position);
  assert.deepEqual(await desks.world.brokenInvariants(), []);
});

test('what an open offer does not allow: writing, closing, passing on and escalating come after the answer', async () => {
  const { person, offered } = await alone();
  const other = await alone();
  const { id } = await offered();
  for (const { userErrors } of [
    await send(person, { conversationId: id, text: 'Hello' }),
    await change(person, 'conversationClose', { id }),
    await change(person, 'conversationTransfer', { id, operatorId: other.person.id }),
    await change(person, 'conversationEscalate', { id }),
  ]) {
    assert.deepEqual([userErrors[0].code, userErrors.length], ['STATE', 1]);
  }
  assert.equal((await desks.world.conversation(id)).state, 'offered');
});

test('rule 15: to an operator, who is asked first; whoever passed it on has no part in it any more', async () => {
  const from = await alone();
  const to = await alone();
  const { id } = await from.running();
  const { conversation, userErrors } = await change(from.person, 'conversationTransfer', {
    id,
    operatorId: to.person.id,
  });
  assert.deepEqual([userErrors, conversation.state, conversation.operator.id], [[], 'OFFERED', String(to.person.id)]);
  assert.deepEqual(codes((await read(from.person, id)).errors), ['FORBIDDEN']);
  assert.deepEqual(codes((await send(from.person, { conversationId: id, text: 'Still me' })).errors), ['FORBIDDEN']);
  assert.equal((await change(to.person, 'offerAccept', { conversationId: id })).conversation.state, 'ACTIVE');
  assert.equal((await desks.world.live(from.person.id)).chat.slots, 0);
});

test('rule 15: to a skill or a group it goes back into the queue, and somebody of them is asked', async () => {
  const from = await alone();
  const to = await alone();
  const { id } = await from.running();
  const bySkill = await change(from.person, 'conversationTransfer', { id, skillId: to.skillId });
  assert.deepEqual([bySkill.conversation.state, bySkill.conversation.operator.id], ['OFFERED', String(to.person.id)]);
  await change(to.person, 'offerAccept', { conversationId: id });
  const groupId = await desks.world.group();
  const member = await desks.person({ groupId, skillList: [to.skillId] }, { away: false });
  const byGroup = await change(to.person, 'conversationTransfer', { id, groupId });
  assert.deepEqual(
    [byGroup.conversation.group.id, byGroup.conversation.operator.id],
    [String(groupId), String(member.id)],
  );
});

test('rule 15: a transfer obeys capacity unless a manager forces it, which is recorded', async () => {
  const from = await alone();
  const full = await alone({ chatMaxNumber: 1 });
  await full.running();
  const { id } = await from.running();
  const before = await desks.world.conversation(id);
  const refused = await change(from.person, 'conversationTransfer', { id, operatorId: full.person.id });
  assert.deepEqual(
    refused.userErrors.map((error: { code: string }) => error.code),
    ['STATE'],
  );
  const force = { id, operatorId: full.person.id, force: true };
  assert.deepEqual(codes((await change(from.person, 'conversationTransfer', force)).errors), ['FORBIDDEN']);
  assert.deepEqual(await desks.world.conversation(id), before);
  const forced = await change(admin, 'conversationTransfer', force);
  assert.deepEqual([forced.userErrors, forced.conversation.operator.id], [[], String(full.person.id)]);
  assert.equal((await desks.world.live(full.person.id)).chat.slots, 2);
  const { data } = await admin.run(`{routingDecisions(conversationId:${id}){cause forced actor{type id}}}`);
  assert.deepEqual(data.routingDecisions.at(-1), {
    cause: 'TRANSFER',
    forced: true,
    actor: { type: 'OPERATOR', id: String(admin.id) },
  });
});

test('a transfer to nobody, to oneself or to too many is a user error', async () => {
  const { person, running, skillId } = await alone();
  const { id } = await running();
  const problem = async (input: object) => {
    const { userErrors } = await change(person, 'conversationTransfer', { id, ...input });
    return userErrors.map(({ field, code }: { field: string[]; code: string }) => [field?.at(-1), code]);
  };
  assert.deepEqual(await problem({}), [['operatorId', 'MISSING']]);
  assert.deepEqual(await problem({ operatorId: null }), [['operatorId', 'MISSING']]);
  assert.deepEqual(await problem({ operatorId: admin.id, skillId }), [['operatorId', 'INVALID']]);
  assert.deepEqual(await problem({ operatorId: '999999' }), [['operatorId', 'INVALID']]);
  assert.deepEqual(await problem({ operatorId: 'x' }), [['operatorId', 'INVALID']]);
  assert.deepEqual(await problem({ operatorId: person.id }), [['operatorId', 'INVALID']]);
  assert.deepEqual(await problem({ skillId: '999999' }), [['skillId', 'INVALID']]);
  assert.deepEqual(await problem({ groupId: '999999' }), [['groupId', 'INVALID']]);
  assert.deepEqual(await problem({ skillId: await desks.world.skill() }), [[undefined, 'STATE']]);
  assert.equal((await desks.world.conversation(id)).operatorId, person.id);
});

test('rule 15: a manager gives a conversation to somebody at once, from the queue, an offer or another operator', async () => {
  const groupId = await desks.world.group();
  const manager = await desks.person({ roles: ['manager'], groupId, chatEnabled: false });
  const one = await alone({ groupId });
  const two = await alone({ groupId });
  const offered = await one.offered();
  const taken = await change(manager, 'conversationTake', { id: offered.id, operatorId: two.person.id });
  assert.deepEqual(
    [taken.userErrors, taken.conversation.state, taken.conversation.operator.id],
    [[], 'ACTIVE', String(two.person.id)],
  );
  const again = await change(manager, 'conversationTake', { id: offered.id, operatorId: two.person.id });
  assert.equal(again.userErrors[0].code, 'STATE');
  const back = await change(manager, 'conversationTake', { id: offered.id, operatorId: one.person.id });
  assert.equal(back.conversation.operator.id, String(one.person.id));
  assert.deepEqual(
    [(await desks.world.live(one.person.id)).chat.slots, (await desks.world.live(two.person.id)).chat.slots],
    [1, 0],
  );
  for (const who of [one.person, two.person]) {
    const { errors } = await change(who, 'conversationTake', { id: offered.id, operatorId: two.person.id });
    assert.deepEqual(codes(errors), ['FORBIDDEN']);
  }
  const stranger = await alone();
  const outside = await change(manager, 'conversationTake', { id: offered.id, operatorId: stranger.person.id });
  assert.deepEqual(codes(outside.errors), ['FORBIDDEN'], 'not out of the own groups');
  const notTheirs = await stranger.running();
  const { errors } = await change(manager, 'conversationTake', { id: notTheirs.id, operatorId: one.person.id });
  assert.deepEqual(codes(errors), ['FORBIDDEN']);
  const nobody = await change(admin, 'conversationTake', { id: offered.id, operatorId: '999999' });
  assert.equal(nobody.userErrors[0].code, 'UNKNOWN_ID');
});

test('rule 6: a chat becomes a video in one step, its own slot kept', async () => {
  const { person, running } = await alone({ videoEnabled: true, chatToVideo: true });
  const chat = await running();
  const { conversation, userErrors } = await change(person, 'conversationEscalate', { id: chat.id });
  assert.deepEqual(userErrors, []);
  assert.deepEqual(
    [conversation.channel, conversation.state, conversation.escalatedFrom.id, conversation.operator.id],
    ['VIDEO', 'ACTIVE', String(chat.id), String(person.id)],
  );
  const live = await desks.world.live(person.id);
  assert.deepEqual([live.chat.slots, live.video.slots], [1, 1]);
  for (const id of [chat.id, conversation.id]) {
    assert.equal((await change(person, 'conversationEscalate', { id })).userErrors[0].code, 'STATE');
  }
  const plain = await alone();
  const own = await plain.running();
  assert.equal((await change(plain.person, 'conversationEscalate', { id: own.id })).userErrors[0].code, 'STATE');
  assert.deepEqual(codes((await change(admin, 'conversationEscalate', { id: own.id })).errors), ['FORBIDDEN']);
});

test('the chat behind a video is not shown to whoever may not see it', async () => {
  const { person, running } = await alone({ videoEnabled: true, chatToVideo: true });
  const other = await alone();
  const chat = await running();
  const { conversation: video } = await change(person, 'conversationEscalate', { id: chat.id });
  await change(person, 'conversationTransfer', { id: chat.id, operatorId: other.person.id });
  const { conversation, errors } = await read(person, video.id, 'id escalatedFrom{id}');
  assert.deepEqual([conversation, codes(errors)], [{ id: video.id, escalatedFrom: null }, ['FORBIDDEN']]);
});

test('tags are set all at once, by whoever has the conversation or manages them', async () => {
  const { installation, transact } = desks.world;
  const tagIds: number[] = [];
  for (const name of ['Refund', 'Praise']) {
    tagIds.push((await installation.tags.create(transact, installation.caller, { name })).id);
  }
  const { person, running } = await alone();
  const { id } = await running();
  const both = await change(person, 'conversationTag', { id, tagIds: [...tagIds, ...tagIds] });
  assert.deepEqual(both.conversation.tags.map((tag: { name: string }) => tag.name).sort(), ['Praise', 'Refund']);
  assert.deepEqual((await change(admin, 'conversationTag', { id, tagIds: [] })).conversation.tags, []);
  const wrong = await change(person, 'conversationTag', { id, tagIds: [tagIds[0], '999999'] });
  assert.deepEqual([wrong.userErrors[0].field, wrong.userErrors[0].code], [['input', 'tagIds'], 'INVALID']);
  const many = await change(person, 'conversationTag', { id, tagIds: Array(101).fill(tagIds[0]) });
  assert.equal(many.userErrors[0].code, 'INVALID');
  await change(person, 'conversationClose', { id });
  const late = await change(person, 'conversationTag', { id, tagIds });
  assert.equal(late.conversation.tags.length, 2, 'also after the end');
  const { data } = await person.run(`{conversations(filter:{tagId:"${tagIds[1]}"}){nodes{id}}}`);
  assert.deepEqual(data.conversations.nodes, [{ id: String(id) }]);
});

test('an identifier that names nothing is UNKNOWN_ID in a change and null in a query', async () => {
  for (const id of ['999999', 'x', '', '0', '-1', '1e3']) {
    for (const [name, input] of [
      ['offerAccept', { conversationId: id }],
      ['offerDecline', { conversationId: id }],
      ['conversationTransfer', { id, operatorId: admin.id }],
      ['conversationEscalate', { id }],
      ['conversationTag', { id, tagIds: [] }],
      ['conversationClose', { id }],
      ['conversationTake', { id, operatorId: admin.id }],
    ] as const) {
      const { conversation, userErrors } = await change(admin, name, input);
      assert.deepEqual([conversation, userErrors?.[0]?.code], [null, 'UNKNOWN_ID'], `${name} ${id}`);
    }
    assert.equal((await send(admin, { conversationId: id, text: 'x' })).userErrors[0].code, 'UNKNOWN_ID');
    assert.deepEqual(await read(admin, id), { conversation: null, errors: [] });
  }
});

test('who sees which conversations: operators their own, managers those of their groups, admins all', async () => {
  const groupId = await desks.world.group();
  const under = await desks.world.group(groupId);
  const manager = await desks.person({ roles: ['manager'], groupId, chatEnabled: false });
  const inside = await alone({ groupId: under });
  const outside = await alone();
  const [one, two] = [await inside.running(), await outside.running()];
  const waiting = await desks.world.start({ groupId, skillId: inside.skillId, channel: 'chat' });
  const seen = async (person: Person) => {
    const ids = `${one.id},${two.id},${waiting.id}`;
    const { data } = await person.run(`{conversations(filter:{id:"${ids}"}){totalCount nodes{id}}}`);
    assert.equal(data.conversations.totalCount, data.conversations.nodes.length);
    return data.conversations.nodes.map((node: { id: string }) => Number(node.id));
  };
  assert.deepEqual(await seen(inside.person), [waiting.id, one.id]);
  assert.deepEqual(await seen(outside.person), [two.id]);
  assert.deepEqual(await seen(manager), [waiting.id, one.id]);
  assert.deepEqual(await seen(admin), [waiting.id, two.id, one.id]);
  assert.deepEqual(codes((await read(inside.person, two.id)).errors), ['FORBIDDEN']);
  assert.deepEqual(codes((await read(manager, two.id)).errors), ['FORBIDDEN']);
  assert.deepEqual((await read(manager, one.id)).errors, []);
});

test('conversations are filtered by everything, and paged like every list', async () => {
  const { person, running, skillId } = await alone({ chatMaxNumber: 20 });
  const ids: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    desks.world.installation.clock.advance(1000);
    ids.push((await running()).id);
  }
  const [oldest, second, , fourth] = ids as [number, number, number, number];
  await change(person, 'conversationClose', { id: oldest });
  const { createdAt } = await desks.world.conversation(fourth);
  const moment = new Date(createdAt).toISOString();
  const found = async (filter: string, rest = '') => {
    const { data, errors } = await admin.run(
      `{conversations(filter:{skillId:"${skillId}" ${filter}} ${rest}){totalCount nodes{id} pageInfo{hasNextPage endCursor}}}`,
    );
    assert.deepEqual(errors, []);
    return data.conversations.nodes.map((node: { id: string }) => Number(node.id));
  };
  const all = ids.toReversed();
  assert.deepEqual(await found(''), all);
  assert.deepEqual(await found('state:CLOSED'), [oldest]);
  assert.deepEqual(await found('state:ACTIVE channel:CHAT language:"en"'), all.slice(0, 4));
  assert.deepEqual(await found('channel:CALL'), []);
  assert.deepEqual(await found('language:"fr"'), []);
  assert.deepEqual(await found('waiting:true'), []);
  assert.deepEqual(await found('waiting:false'), all);
  assert.deepEqual(await found(`from:"${moment}"`), all.slice(0, 2));
  assert.deepEqual(await found(`to:"${moment}"`), all.slice(2));
  assert.deepEqual(await found(`operatorId:"${person.id}" websiteId:"${desks.world.websiteId}"`), all);
  assert.deepEqual(await found('websiteId:"99999"'), []);
  const { visitorId } = await desks.world.conversation(second);
  assert.deepEqual(await found(`visitorId:"${visitorId}"`), [second]);
  assert.deepEqual(await found('', 'first:2'), all.slice(0, 2));
  const first = await admin.run(
    `{conversations(filter:{skillId:"${skillId}"} first:2){totalCount pageInfo{endCursor}}}`,
  );
  assert.equal(first.data.conversations.totalCount, 5);
  assert.deepEqual(await found('', `first:2 after:"${first.data.conversations.pageInfo.endCursor}"`), all.slice(2, 4));
  for (const filter of ['id:"x"', 'language:"english"', 'tagId:"1,x"']) {
    const { errors } = await admin.run(`{conversations(filter:{${filter}}){nodes{id}}}`);
    assert.deepEqual(codes(errors), ['BAD_REQUEST'], filter);
  }
});

test('places in the queue are counted the same for one and for many', async () => {
  const { skillId, person } = await alone();
  await desks.world.setAvailable(person.id, 'chat', false);
  const started = [];
  for (let n = 0; n < 4; n += 1) started.push(await desks.world.start({ skillId }));
  await change(admin, 'conversationClose', { id: started[1]?.id });
  const { data } = await admin.run(
    `{conversations(filter:{skillId:"${skillId}" state:QUEUED}){nodes{id queuePosition}}}`,
  );
  assert.deepEqual(
    data.conversations.nodes.map((node: { queuePosition: number }) => node.queuePosition),
    [3, 2, 1],
  );
  const one = await admin.run(`{conversation(id:${started[3]?.id}){queuePosition}}`);
  assert.equal(one.data.conversation.queuePosition, 3);
});

test('a change with an Idempotency-Key is made once, and answered again', async () => {
  const { person, running } = await alone();
  const { id } = await running();
  const run = () =>
    person.run(
      `mutation{messageSend(input:{conversationId:${id} text:"keyed"}){message{sequence text} ${ERRORS}}}`,
      {},
      { 'Idempotency-Key': `keyed-${id}` },
    );
  const first = await run();
  assert.deepEqual((await run()).data, first.data);
  assert.equal((await desks.world.conversation(id)).messageCount, 1);
});

test('the settings of the account: admins change them, within bounds, and it is announced', async () => {
  const position = await desks.world.position();
  const update = (input: string, who = admin) =>
    who.run(
      `mutation{accountUpdate(input:{${input}}){account{name autoAccept offerSeconds queueLimit lowestPriorityFirst} ${ERRORS}}}`,
    );
  const { data } = await update('autoAccept:true offerSeconds:45 queueLimit:7 lowestPriorityFirst:true name:"Acme"');
  assert.deepEqual(data.accountUpdate, {
    account: { name: 'Acme', autoAccept: true, offerSeconds: 45, queueLimit: 7, lowestPriorityFirst: true },
    userErrors: [],
  });
  const [event, ...more] = await desks.world.eventsAfter(position);
  assert.deepEqual(
    [event?.type, event?.actorId, event?.changes.values.offerSeconds, more],
    ['account.updated', admin.id, 45, []],
  );
  await update('offerSeconds:45');
  assert.equal(await desks.world.position(), position + 1, 'nothing changed, nothing is announced');
  for (const input of [
    'offerSeconds:4',
    'offerSeconds:301',
    'queueLimit:-1',
    'queueLimit:100001',
    'autoAccept:null',
    'name:""',
    'name:" "',
  ]) {
    const answer = await update(input);
    assert.equal(answer.data.accountUpdate.userErrors[0]?.code, 'INVALID', input);
  }
  const { person, offered } = await alone();
  assert.equal((await offered()).state, 'active', 'rule 12: without an offer');
  assert.deepEqual(codes((await update('autoAccept:false', person)).errors), ['FORBIDDEN']);
  const { data: own, errors } = await person.run('{account{autoAccept offerSeconds queueLimit}}');
  assert.deepEqual(
    [own.account, codes(errors)],
    [{ autoAccept: true, offerSeconds: 45, queueLimit: null }, ['FORBIDDEN']],
  );
  await update('autoAccept:false offerSeconds:30 queueLimit:1000 lowestPriorityFirst:false');
});

test('nothing of all this broke what must always hold', async () => {
  assert.deepEqual(await desks.world.brokenInvariants(), []);
});
