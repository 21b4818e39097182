import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type DeskOperator, type Desks, startDesks } from '../../support/fixtures/desks.ts';

let desks: Desks;
let admin: DeskOperator;
before(async () => {
  desks = await startDesks();
  admin = await desks.createOperator({ roles: ['admin'], chatEnabled: false }, { connected: false });
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

/** Runs a mutation; returns the conversation and the errors. */
async function mutate(operator: DeskOperator, name: keyof typeof MUTATIONS, input: object) {
  const query = `mutation($input:${MUTATIONS[name]}!){${name}(input:$input){conversation{${FIELDS}} ${ERRORS}}}`;
  const { data, errors } = await operator.run(query, { input });
  return { conversation: data?.[name]?.conversation, userErrors: data?.[name]?.userErrors, errors };
}

async function sendMessage(operator: DeskOperator, input: object) {
  const query = `mutation($input:MessageSendInput!){messageSend(input:$input){message{sequence clientId author text at operator{id}} ${ERRORS}}}`;
  const { data, errors } = await operator.run(query, { input });
  return { message: data?.messageSend?.message, userErrors: data?.messageSend?.userErrors, errors };
}

async function readConversation(operator: DeskOperator, id: number | string, fields = FIELDS) {
  const { data, errors } = await operator.run(`query($id:ID!){conversation(id:$id){${fields}}}`, { id });
  return { conversation: data?.conversation, errors };
}

/** Creates an operator with a separate skill, who alone gets the offers of conversations that ask for it. */
async function createSpecialist(fields: object = {}, presence?: { connected?: boolean }) {
  const skillId = await desks.fixture.createSkill();
  const operator = await desks.createOperator({ skillList: [skillId], ...fields }, presence ?? { connected: true });
  const startOffered = (input: object = {}) => desks.fixture.startConversation({ skillId, ...input });
  const startActive = async (input: object = {}) => desks.fixture.accept(await startOffered(input));
  return { skillId, operator, startOffered, startActive };
}

const codes = (errors: readonly { extensions: { code: string } }[]) => errors.map((error) => error.extensions.code);

test('rule 16: a conversation has its fields, and the timestamps of each state', async () => {
  const { operator, skillId } = await createSpecialist();
  const visitor = await desks.fixture.createVisitor();
  const { id } = await desks.fixture.startConversation({ skillId, message: 'Hello 👋', clientId: 'first' }, visitor);
  const offered = (await readConversation(operator, id)).conversation;
  assert.deepEqual(
    [offered.state, offered.channel, offered.language, offered.operator.id, offered.skill.id, offered.hasWaited],
    ['OFFERED', 'CHAT', 'en', String(operator.id), String(skillId), false],
  );
  assert.equal(Date.parse(offered.offerUntil) - Date.parse(offered.offeredAt), 30_000);
  assert.deepEqual(
    [offered.acceptedAt, offered.firstAnswerAt, offered.closedAt, offered.closedBy],
    Array(4).fill(null),
  );
  assert.deepEqual(
    [offered.website.id, offered.visitor.uniqueId],
    [String(desks.fixture.websiteId), `visitor-${visitor.visitorId}`],
  );
  const { at, ...hello } = offered.messages[0];
  assert.deepEqual(hello, { sequence: 1, clientId: 'first', author: 'VISITOR', text: 'Hello 👋', operator: null });
  assert.equal(at, offered.createdAt);

  const accepted = await mutate(operator, 'offerAccept', { conversationId: id });
  assert.deepEqual([accepted.errors, accepted.userErrors], [[], []]);
  assert.deepEqual([accepted.conversation.state, accepted.conversation.offerUntil], ['ACTIVE', null]);
  assert.ok(accepted.conversation.acceptedAt);
  desks.fixture.installation.clock.advance(1500);
  const sent = await sendMessage(operator, { conversationId: id, clientId: 'a1', text: 'Good day' });
  assert.deepEqual(
    [sent.message.sequence, sent.message.author, sent.message.operator.id],
    [3, 'OPERATOR', String(operator.id)],
  );
  const closed = (await mutate(operator, 'conversationClose', { id })).conversation;
  assert.deepEqual([closed.state, closed.closedBy, closed.messageCount], ['CLOSED', 'OPERATOR', 3]);
  assert.equal(Date.parse(closed.firstAnswerAt) - Date.parse(closed.acceptedAt), 1500);
});

test('rule 12: accepting an offer a second time changes nothing', async () => {
  const { operator, startOffered } = await createSpecialist();
  const { id } = await startOffered();
  const first = await mutate(operator, 'offerAccept', { conversationId: id });
  desks.fixture.installation.clock.advance(1000);
  const second = await mutate(operator, 'offerAccept', { conversationId: id });
  assert.deepEqual(second.userErrors, []);
  assert.equal(second.conversation.acceptedAt, first.conversation.acceptedAt);
});

test('rule 12: an offer that has ended cannot be accepted or declined, however it ended', async () => {
  const { operator, startOffered, skillId } = await createSpecialist();
  const assertEnded = async (id: number, formerOperator = operator) => {
    const before = await desks.fixture.loadConversation(id);
    for (const name of ['offerAccept', 'offerDecline'] as const) {
      const { conversation, userErrors, errors } = await mutate(formerOperator, name, { conversationId: id });
      assert.deepEqual(
        [conversation, errors, userErrors.map((error: { code: string }) => error.code)],
        [null, [], ['STATE']],
      );
      assert.match(userErrors[0].message, /no longer open/);
    }
    assert.deepEqual(await desks.fixture.loadConversation(id), before);
  };
  const declined = await startOffered();
  await mutate(operator, 'offerDecline', { conversationId: declined.id });
  await assertEnded(declined.id);
  const missed = await startOffered();
  await desks.fixture.advanceTime(30_000);
  await assertEnded(missed.id);
  const other = await desks.createOperator({ skillList: [skillId] });
  const otherOffer = await startOffered();
  await assertEnded(otherOffer.id, other);
  const closed = await startOffered();
  await mutate(admin, 'conversationClose', { id: closed.id });
  await assertEnded(closed.id);
});

test('rule 12: an operator who declines gets no offer for a minute, and the conversation keeps its queue position', async () => {
  const { operator, startOffered } = await createSpecialist();
  const { id, createdAt } = await startOffered();
  desks.fixture.installation.clock.advance(2000);
  const { conversation } = await mutate(operator, 'offerDecline', { conversationId: id });
  assert.deepEqual([conversation.state, conversation.operator, conversation.queuePosition], ['QUEUED', null, 1]);
  assert.equal((await desks.fixture.loadConversation(id)).queueOrder, createdAt);
  await desks.fixture.advanceTime(59_999);
  assert.equal((await desks.fixture.loadConversation(id)).state, 'queued');
  await desks.fixture.advanceTime(1);
  assert.equal((await desks.fixture.loadConversation(id)).operatorId, operator.id);
});

test('rule 18: resending a message with the same client id returns the same message', async () => {
  const { operator, startActive } = await createSpecialist();
  const { id } = await startActive();
  const input = { conversationId: id, clientId: 'x-1', text: 'Only once' };
  const [first, ...duplicates] = await Promise.all(Array.from({ length: 5 }, () => sendMessage(operator, input)));
  for (const other of duplicates) assert.deepEqual(other, first);
  await mutate(operator, 'conversationClose', { id });
  assert.deepEqual((await sendMessage(operator, input)).message, first?.message, 'also after closing');
  assert.equal((await desks.fixture.loadConversation(id)).messageCount, 2);
  const { userErrors } = await sendMessage(operator, { ...input, text: 'Another text' });
  assert.deepEqual(userErrors, [
    {
      field: ['input', 'clientId'],
      message: 'clientId was already used for a message with another text.',
      code: 'CONFLICT',
    },
  ]);
  const unnamed = await startActive();
  for (const sequence of [2, 3]) {
    assert.equal(
      (await sendMessage(operator, { conversationId: unnamed.id, text: 'Twice' })).message.sequence,
      sequence,
    );
  }
});

test('rule 16: messages are read after a sequence number or from the end, without gaps', async () => {
  const { operator, startActive } = await createSpecialist();
  const { id } = await startActive();
  for (let n = 2; n <= 7; n += 1) await sendMessage(operator, { conversationId: id, text: `${n}` });
  const sequencesOf = async (args: string) =>
    (await readConversation(operator, id, `messages${args}{sequence}`)).conversation.messages.map(
      (row: { sequence: number }) => row.sequence,
    );
  assert.deepEqual(await sequencesOf(''), [1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(await sequencesOf('(after:2,first:3)'), [3, 4, 5]);
  assert.deepEqual(await sequencesOf('(after:7)'), []);
  assert.deepEqual(await sequencesOf('(last:2)'), [6, 7]);
  assert.deepEqual(await sequencesOf('(last:50)'), [1, 2, 3, 4, 5, 6, 7]);
  assert.deepEqual(await sequencesOf('(first:0)'), []);
  for (const args of ['(first:101)', '(last:101)', '(first:-1)', '(first:1,last:1)', '(after:1,last:1)']) {
    assert.deepEqual(
      codes((await readConversation(operator, id, `messages${args}{sequence}`)).errors),
      ['BAD_REQUEST'],
      args,
    );
  }
});

test('a document that may fetch too many messages is rejected before any read', async () => {
  const query = (args: string, size = 100) =>
    admin.run(`{conversations(first:${size}){nodes{messages${args}{sequence operator{id}}}}}`);
  for (const args of ['(first:100)', '(last:100)', '']) {
    assert.deepEqual(codes((await query(args)).errors), ['TOO_COMPLEX'], args);
  }
  assert.deepEqual((await query('(first:20)')).errors, []);
  assert.deepEqual((await query('', 20)).errors, []);
});

test('any Unicode text is returned as sent; NUL, lone surrogates, empty and too long texts are rejected', async () => {
  const { operator, startActive } = await createSpecialist();
  const { id } = await startActive();
  const text = 'ÄÖ\u0301 \u202e عربى 漢字 🧑‍🚀\r\n\t\u0001  ';
  assert.equal((await sendMessage(operator, { conversationId: id, text })).message.text, text);
  assert.equal(
    (await sendMessage(operator, { conversationId: id, text: '💬'.repeat(5000) })).message.text.length,
    10_000,
  );
  for (const wrong of ['', 'a\u0000b', 'half \ud800', 'x'.repeat(10_001)]) {
    const { message, userErrors } = await sendMessage(operator, { conversationId: id, text: wrong });
    assert.equal(message, null);
    assert.deepEqual([userErrors[0].field, userErrors[0].code], [['input', 'text'], 'INVALID']);
  }
  for (const clientId of ['', 'x'.repeat(65), '\u0000']) {
    const { userErrors } = await sendMessage(operator, { conversationId: id, clientId, text: 'x' });
    assert.deepEqual(userErrors[0].field, ['input', 'clientId']);
  }
  assert.equal((await desks.fixture.loadConversation(id)).messageCount, 3);
});

test('a change that a closed conversation does not allow is a user error and has no effect', async () => {
  const { operator, startActive } = await createSpecialist({ videoEnabled: true, chatToVideo: true });
  const other = await createSpecialist();
  const { id } = await startActive();
  assert.deepEqual((await mutate(operator, 'conversationClose', { id })).userErrors, []);
  const before = await desks.fixture.loadConversation(id);
  const position = await desks.fixture.readPosition();
  for (const { userErrors } of [
    await mutate(operator, 'conversationClose', { id }),
    await mutate(admin, 'conversationClose', { id }),
    await sendMessage(operator, { conversationId: id, clientId: 'late', text: 'Too late' }),
    await mutate(operator, 'conversationTransfer', { id, operatorId: other.operator.id }),
    await mutate(operator, 'conversationEscalate', { id }),
    await mutate(admin, 'conversationTake', { id, operatorId: other.operator.id, force: true }),
  ]) {
    assert.deepEqual(userErrors, [{ field: null, message: 'The conversation is closed.', code: 'STATE' }]);
  }
  assert.deepEqual(await desks.fixture.loadConversation(id), before);
  assert.equal(await desks.fixture.readPosition(), position);
  assert.deepEqual(await desks.fixture.findBrokenInvariants(), []);
});

test('a closing line is stored together with the close, or not at all', async () => {
  const { operator, startActive } = await createSpecialist();
  const { id } = await startActive();
  const before = await desks.fixture.loadConversation(id);
  for (const text of ['', 'x'.repeat(10_001), 'NUL \u0000']) {
    const { userErrors } = await mutate(operator, 'conversationClose', { id, text });
    assert.deepEqual(
      userErrors.map(({ code, field }: { code: string; field: string }) => [code, field]),
      [['INVALID', ['input', 'text']]],
    );
  }
  const asAdmin = await mutate(admin, 'conversationClose', { id, text: 'Not their conversation' });
  assert.deepEqual(codes(asAdmin.errors), ['FORBIDDEN']);
  assert.deepEqual(await desks.fixture.loadConversation(id), before, 'still open, without a message');

  const { conversation, userErrors } = await mutate(operator, 'conversationClose', { id, text: 'Goodbye' });
  assert.deepEqual(userErrors, []);
  const { messages, messageCount, state, closedAt } = conversation;
  const last = messages.at(-1);
  assert.deepEqual(
    [state, last.author, last.text, last.operator.id],
    ['CLOSED', 'OPERATOR', 'Goodbye', String(operator.id)],
  );
  assert.deepEqual(
    [last.sequence, messageCount, last.at],
    [before.messageCount + 1, before.messageCount + 1, closedAt],
  );

  const closer = 'closedBy closedByOperator{id}';
  assert.deepEqual((await readConversation(operator, id, closer)).conversation, {
    ...{ closedBy: 'OPERATOR', closedByOperator: { id: String(operator.id) } },
  });
  const other = await startActive();
  await mutate(admin, 'conversationClose', { id: other.id });
  assert.equal((await readConversation(admin, other.id, closer)).conversation.closedByOperator.id, String(admin.id));

  const again = await mutate(operator, 'conversationClose', { id, text: 'Goodbye' });
  assert.deepEqual(again.userErrors[0].code, 'STATE');
  assert.equal((await desks.fixture.loadConversation(id)).messageCount, before.messageCount + 1, 'stored once');
  assert.deepEqual(await desks.fixture.findBrokenInvariants(), []);
});

test('an offer must be accepted before messages, closing, transfer and escalation', async () => {
  const { operator, startOffered } = await createSpecialist();
  const other = await createSpecialist();
  const { id } = await startOffered();
  for (const { userErrors } of [
    await sendMessage(operator, { conversationId: id, text: 'Hello' }),
    await mutate(operator, 'conversationClose', { id }),
    await mutate(operator, 'conversationTransfer', { id, operatorId: other.operator.id }),
    await mutate(operator, 'conversationEscalate', { id }),
  ]) {
    assert.deepEqual([userErrors[0].code, userErrors.length], ['STATE', 1]);
  }
  assert.equal((await desks.fixture.loadConversation(id)).state, 'offered');
});

test('rule 15: a transfer to an operator offers the conversation, and the previous operator loses access', async () => {
  const from = await createSpecialist();
  const target = await createSpecialist();
  const { id } = await from.startActive();
  const { conversation, userErrors } = await mutate(from.operator, 'conversationTransfer', {
    id,
    operatorId: target.operator.id,
  });
  assert.deepEqual(
    [userErrors, conversation.state, conversation.operator.id],
    [[], 'OFFERED', String(target.operator.id)],
  );
  assert.deepEqual(codes((await readConversation(from.operator, id)).errors), ['FORBIDDEN']);
  assert.deepEqual(codes((await sendMessage(from.operator, { conversationId: id, text: 'Still me' })).errors), [
    'FORBIDDEN',
  ]);
  assert.equal((await mutate(target.operator, 'offerAccept', { conversationId: id })).conversation.state, 'ACTIVE');
  assert.equal((await desks.fixture.loadLiveState(from.operator.id)).chat.slots, 0);
});

test('rule 15: a transfer to a skill or a group requeues the conversation and offers it to one of their operators', async () => {
  const from = await createSpecialist();
  const target = await createSpecialist();
  const { id } = await from.startActive();
  const bySkill = await mutate(from.operator, 'conversationTransfer', { id, skillId: target.skillId });
  assert.deepEqual(
    [bySkill.conversation.state, bySkill.conversation.operator.id],
    ['OFFERED', String(target.operator.id)],
  );
  await mutate(target.operator, 'offerAccept', { conversationId: id });
  const groupId = await desks.fixture.createGroup();
  const member = await desks.createOperator({ groupId, skillList: [target.skillId] }, { connected: true });
  const byGroup = await mutate(target.operator, 'conversationTransfer', { id, groupId });
  assert.deepEqual(
    [byGroup.conversation.group.id, byGroup.conversation.operator.id],
    [String(groupId), String(member.id)],
  );
});

test('rule 15: a transfer respects capacity unless a manager forces it, which is recorded', async () => {
  const from = await createSpecialist();
  const full = await createSpecialist({ chatMaxNumber: 1 });
  await full.startActive();
  const { id } = await from.startActive();
  const before = await desks.fixture.loadConversation(id);
  const rejected = await mutate(from.operator, 'conversationTransfer', { id, operatorId: full.operator.id });
  assert.deepEqual(
    rejected.userErrors.map((error: { code: string }) => error.code),
    ['STATE'],
  );
  const force = { id, operatorId: full.operator.id, force: true };
  assert.deepEqual(codes((await mutate(from.operator, 'conversationTransfer', force)).errors), ['FORBIDDEN']);
  assert.deepEqual(await desks.fixture.loadConversation(id), before);
  const forced = await mutate(admin, 'conversationTransfer', force);
  assert.deepEqual([forced.userErrors, forced.conversation.operator.id], [[], String(full.operator.id)]);
  assert.equal((await desks.fixture.loadLiveState(full.operator.id)).chat.slots, 2);
  const { data } = await admin.run(`{routingDecisions(conversationId:${id}){cause forced actor{type id}}}`);
  assert.deepEqual(data.routingDecisions.at(-1), {
    cause: 'TRANSFER',
    forced: true,
    actor: { type: 'OPERATOR', id: String(admin.id) },
  });
});

test('a transfer without a target, to the same operator or to several targets is a user error', async () => {
  const { operator, startActive, skillId } = await createSpecialist();
  const { id } = await startActive();
  const transferErrors = async (input: object) => {
    const { userErrors } = await mutate(operator, 'conversationTransfer', { id, ...input });
    return userErrors.map(({ field, code }: { field: string[]; code: string }) => [field?.at(-1), code]);
  };
  assert.deepEqual(await transferErrors({}), [['operatorId', 'MISSING']]);
  assert.deepEqual(await transferErrors({ operatorId: null }), [['operatorId', 'MISSING']]);
  assert.deepEqual(await transferErrors({ operatorId: admin.id, skillId }), [['operatorId', 'INVALID']]);
  assert.deepEqual(await transferErrors({ operatorId: '999999' }), [['operatorId', 'INVALID']]);
  assert.deepEqual(await transferErrors({ operatorId: 'x' }), [['operatorId', 'INVALID']]);
  assert.deepEqual(await transferErrors({ operatorId: operator.id }), [['operatorId', 'INVALID']]);
  assert.deepEqual(await transferErrors({ skillId: '999999' }), [['skillId', 'INVALID']]);
  assert.deepEqual(await transferErrors({ groupId: '999999' }), [['groupId', 'INVALID']]);
  assert.deepEqual(await transferErrors({ skillId: await desks.fixture.createSkill() }), [[undefined, 'STATE']]);
  assert.equal((await desks.fixture.loadConversation(id)).operatorId, operator.id);
});

test('rule 15: a manager assigns a conversation immediately, from the queue, an offer or another operator', async () => {
  const groupId = await desks.fixture.createGroup();
  const manager = await desks.createOperator({ roles: ['manager'], groupId, chatEnabled: false });
  const first = await createSpecialist({ groupId });
  const second = await createSpecialist({ groupId });
  const offered = await first.startOffered();
  const taken = await mutate(manager, 'conversationTake', { id: offered.id, operatorId: second.operator.id });
  assert.deepEqual(
    [taken.userErrors, taken.conversation.state, taken.conversation.operator.id],
    [[], 'ACTIVE', String(second.operator.id)],
  );
  const repeated = await mutate(manager, 'conversationTake', { id: offered.id, operatorId: second.operator.id });
  assert.equal(repeated.userErrors[0].code, 'STATE');
  const returned = await mutate(manager, 'conversationTake', { id: offered.id, operatorId: first.operator.id });
  assert.equal(returned.conversation.operator.id, String(first.operator.id));
  assert.deepEqual(
    [
      (await desks.fixture.loadLiveState(first.operator.id)).chat.slots,
      (await desks.fixture.loadLiveState(second.operator.id)).chat.slots,
    ],
    [1, 0],
  );
  for (const operator of [first.operator, second.operator]) {
    const { errors } = await mutate(operator, 'conversationTake', { id: offered.id, operatorId: second.operator.id });
    assert.deepEqual(codes(errors), ['FORBIDDEN']);
  }
  const outsider = await createSpecialist();
  const outside = await mutate(manager, 'conversationTake', { id: offered.id, operatorId: outsider.operator.id });
  assert.deepEqual(codes(outside.errors), ['FORBIDDEN'], 'only within the groups of the manager');
  const outsideConversation = await outsider.startActive();
  const { errors } = await mutate(manager, 'conversationTake', {
    id: outsideConversation.id,
    operatorId: first.operator.id,
  });
  assert.deepEqual(codes(errors), ['FORBIDDEN']);
  const unknownOperator = await mutate(admin, 'conversationTake', { id: offered.id, operatorId: '999999' });
  assert.equal(unknownOperator.userErrors[0].code, 'UNKNOWN_ID');
});

test('rule 6: a chat escalates to video in one step and keeps its slot', async () => {
  const { operator, startActive } = await createSpecialist({ videoEnabled: true, chatToVideo: true });
  const chat = await startActive();
  const { conversation, userErrors } = await mutate(operator, 'conversationEscalate', { id: chat.id });
  assert.deepEqual(userErrors, []);
  assert.deepEqual(
    [conversation.channel, conversation.state, conversation.escalatedFrom.id, conversation.operator.id],
    ['VIDEO', 'ACTIVE', String(chat.id), String(operator.id)],
  );
  const live = await desks.fixture.loadLiveState(operator.id);
  assert.deepEqual([live.chat.slots, live.video.slots], [1, 1]);
  for (const id of [chat.id, conversation.id]) {
    assert.equal((await mutate(operator, 'conversationEscalate', { id })).userErrors[0].code, 'STATE');
  }
  const plain = await createSpecialist();
  const plainChat = await plain.startActive();
  assert.equal(
    (await mutate(plain.operator, 'conversationEscalate', { id: plainChat.id })).userErrors[0].code,
    'STATE',
  );
  assert.deepEqual(codes((await mutate(admin, 'conversationEscalate', { id: plainChat.id })).errors), ['FORBIDDEN']);
});

test('escalatedFrom is FORBIDDEN for an operator who may not see the chat', async () => {
  const { operator, startActive } = await createSpecialist({ videoEnabled: true, chatToVideo: true });
  const other = await createSpecialist();
  const chat = await startActive();
  const { conversation: video } = await mutate(operator, 'conversationEscalate', { id: chat.id });
  await mutate(operator, 'conversationTransfer', { id: chat.id, operatorId: other.operator.id });
  const { conversation, errors } = await readConversation(operator, video.id, 'id escalatedFrom{id}');
  assert.deepEqual([conversation, codes(errors)], [{ id: video.id, escalatedFrom: null }, ['FORBIDDEN']]);
});

test('tags are replaced as a whole, by the operator of the conversation or a manager', async () => {
  const { installation, transact } = desks.fixture;
  const tagIds: number[] = [];
  for (const name of ['Refund', 'Praise']) {
    tagIds.push((await installation.tags.create(transact, installation.caller, { name })).id);
  }
  const { operator, startActive } = await createSpecialist();
  const { id } = await startActive();
  const both = await mutate(operator, 'conversationTag', { id, tagIds: [...tagIds, ...tagIds] });
  assert.deepEqual(both.conversation.tags.map((tag: { name: string }) => tag.name).sort(), ['Praise', 'Refund']);
  assert.deepEqual((await mutate(admin, 'conversationTag', { id, tagIds: [] })).conversation.tags, []);
  const wrong = await mutate(operator, 'conversationTag', { id, tagIds: [tagIds[0], '999999'] });
  assert.deepEqual([wrong.userErrors[0].field, wrong.userErrors[0].code], [['input', 'tagIds'], 'INVALID']);
  const many = await mutate(operator, 'conversationTag', { id, tagIds: Array(101).fill(tagIds[0]) });
  assert.equal(many.userErrors[0].code, 'INVALID');
  await mutate(operator, 'conversationClose', { id });
  const late = await mutate(operator, 'conversationTag', { id, tagIds });
  assert.equal(late.conversation.tags.length, 2, 'also after closing');
  const { data } = await operator.run(`{conversations(filter:{tagId:"${tagIds[1]}"}){nodes{id}}}`);
  assert.deepEqual(data.conversations.nodes, [{ id: String(id) }]);
});

test('an unknown identifier is UNKNOWN_ID in a mutation and null in a query', async () => {
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
      const { conversation, userErrors } = await mutate(admin, name, input);
      assert.deepEqual([conversation, userErrors?.[0]?.code], [null, 'UNKNOWN_ID'], `${name} ${id}`);
    }
    assert.equal((await sendMessage(admin, { conversationId: id, text: 'x' })).userErrors[0].code, 'UNKNOWN_ID');
    assert.deepEqual(await readConversation(admin, id), { conversation: null, errors: [] });
  }
});

test('operators see their own conversations, managers those of their groups, admins all', async () => {
  const groupId = await desks.fixture.createGroup();
  const subgroupId = await desks.fixture.createGroup(groupId);
  const manager = await desks.createOperator({ roles: ['manager'], groupId, chatEnabled: false });
  const inside = await createSpecialist({ groupId: subgroupId });
  const outside = await createSpecialist();
  const [insideConversation, outsideConversation] = [await inside.startActive(), await outside.startActive()];
  const waiting = await desks.fixture.startConversation({ groupId, skillId: inside.skillId, channel: 'chat' });
  const visibleIds = async (operator: DeskOperator) => {
    const ids = `${insideConversation.id},${outsideConversation.id},${waiting.id}`;
    const { data } = await operator.run(`{conversations(filter:{id:"${ids}"}){totalCount nodes{id}}}`);
    assert.equal(data.conversations.totalCount, data.conversations.nodes.length);
    return data.conversations.nodes.map((node: { id: string }) => Number(node.id));
  };
  assert.deepEqual(await visibleIds(inside.operator), [waiting.id, insideConversation.id]);
  assert.deepEqual(await visibleIds(outside.operator), [outsideConversation.id]);
  assert.deepEqual(await visibleIds(manager), [waiting.id, insideConversation.id]);
  assert.deepEqual(await visibleIds(admin), [waiting.id, outsideConversation.id, insideConversation.id]);
  assert.deepEqual(codes((await readConversation(inside.operator, outsideConversation.id)).errors), ['FORBIDDEN']);
  assert.deepEqual(codes((await readConversation(manager, outsideConversation.id)).errors), ['FORBIDDEN']);
  assert.deepEqual((await readConversation(manager, insideConversation.id)).errors, []);
});

test('conversations support all filters, alone and combined, and paging', async () => {
  const { operator, startActive, skillId } = await createSpecialist({ chatMaxNumber: 20 });
  const ids: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    desks.fixture.installation.clock.advance(1000);
    ids.push((await startActive()).id);
  }
  const [oldest, second, , fourth] = ids as [number, number, number, number];
  await mutate(operator, 'conversationClose', { id: oldest });
  const { createdAt } = await desks.fixture.loadConversation(fourth);
  const createdAtIso = new Date(createdAt).toISOString();
  const findIds = async (filter: string, rest = '') => {
    const { data, errors } = await admin.run(
      `{conversations(filter:{skillId:"${skillId}" ${filter}} ${rest}){totalCount nodes{id} pageInfo{hasNextPage endCursor}}}`,
    );
    assert.deepEqual(errors, []);
    return data.conversations.nodes.map((node: { id: string }) => Number(node.id));
  };
  const all = ids.toReversed();
  assert.deepEqual(await findIds(''), all);
  assert.deepEqual(await findIds('state:CLOSED'), [oldest]);
  assert.deepEqual(await findIds('state:ACTIVE channel:CHAT language:"en"'), all.slice(0, 4));
  assert.deepEqual(await findIds('channel:CALL'), []);
  assert.deepEqual(await findIds('language:"fr"'), []);
  assert.deepEqual(await findIds('waiting:true'), []);
  assert.deepEqual(await findIds('waiting:false'), all);
  assert.deepEqual(await findIds(`from:"${createdAtIso}"`), all.slice(0, 2));
  assert.deepEqual(await findIds(`to:"${createdAtIso}"`), all.slice(2));
  assert.deepEqual(await findIds(`operatorId:"${operator.id}" websiteId:"${desks.fixture.websiteId}"`), all);
  assert.deepEqual(await findIds('websiteId:"99999"'), []);
  const { visitorId } = await desks.fixture.loadConversation(second);
  assert.deepEqual(await findIds(`visitorId:"${visitorId}"`), [second]);
  assert.deepEqual(await findIds('', 'first:2'), all.slice(0, 2));
  const first = await admin.run(
    `{conversations(filter:{skillId:"${skillId}"} first:2){totalCount pageInfo{endCursor}}}`,
  );
  assert.equal(first.data.conversations.totalCount, 5);
  assert.deepEqual(
    await findIds('', `first:2 after:"${first.data.conversations.pageInfo.endCursor}"`),
    all.slice(2, 4),
  );
  for (const filter of ['id:"x"', 'language:"english"', 'tagId:"1,x"']) {
    const { errors } = await admin.run(`{conversations(filter:{${filter}}){nodes{id}}}`);
    assert.deepEqual(codes(errors), ['BAD_REQUEST'], filter);
  }
});

test('queue positions are the same for one conversation and in a list', async () => {
  const { skillId, operator } = await createSpecialist();
  await desks.fixture.setAvailable(operator.id, 'chat', false);
  const started = [];
  for (let n = 0; n < 4; n += 1) started.push(await desks.fixture.startConversation({ skillId }));
  await mutate(admin, 'conversationClose', { id: started[1]?.id });
  const { data } = await admin.run(
    `{conversations(filter:{skillId:"${skillId}" state:QUEUED}){nodes{id queuePosition}}}`,
  );
  assert.deepEqual(
    data.conversations.nodes.map((node: { queuePosition: number }) => node.queuePosition),
    [3, 2, 1],
  );
  const single = await admin.run(`{conversation(id:${started[3]?.id}){queuePosition}}`);
  assert.equal(single.data.conversation.queuePosition, 3);
});

test('a mutation with an Idempotency-Key runs once, and a repetition gets the same response', async () => {
  const { operator, startActive } = await createSpecialist();
  const { id } = await startActive();
  const run = () =>
    operator.run(
      `mutation{messageSend(input:{conversationId:${id} text:"keyed"}){message{sequence text} ${ERRORS}}}`,
      {},
      { 'Idempotency-Key': `keyed-${id}` },
    );
  const first = await run();
  assert.deepEqual((await run()).data, first.data);
  assert.equal((await desks.fixture.loadConversation(id)).messageCount, 2);
});

test('admins change the account settings within bounds, and an event announces it', async () => {
  const position = await desks.fixture.readPosition();
  const update = (input: string, client = admin) =>
    client.run(
      `mutation{accountUpdate(input:{${input}}){account{name autoAccept offerSeconds queueLimit lowestPriorityFirst} ${ERRORS}}}`,
    );
  const { data } = await update('autoAccept:true offerSeconds:45 queueLimit:7 lowestPriorityFirst:true name:"Acme"');
  assert.deepEqual(data.accountUpdate, {
    account: { name: 'Acme', autoAccept: true, offerSeconds: 45, queueLimit: 7, lowestPriorityFirst: true },
    userErrors: [],
  });
  const [event, ...otherEvents] = await desks.fixture.loadEventsAfter(position);
  assert.deepEqual(
    [event?.type, event?.actorId, event?.changes.values.offerSeconds, otherEvents],
    ['account.updated', admin.id, 45, []],
  );
  await update('offerSeconds:45');
  assert.equal(await desks.fixture.readPosition(), position + 1, 'without a change there is no event');
  for (const input of [
    'offerSeconds:4',
    'offerSeconds:301',
    'queueLimit:-1',
    'queueLimit:100001',
    'autoAccept:null',
    'name:""',
  ]) {
    const response = await update(input);
    assert.equal(response.data.accountUpdate.userErrors[0]?.code, 'INVALID', input);
  }
  const { data: blank } = await update('name:" "');
  assert.equal(blank.accountUpdate.userErrors[0]?.code, 'MISSING');
  const { operator, startOffered } = await createSpecialist();
  assert.equal((await startOffered()).state, 'active', 'rule 12: without an offer');
  assert.deepEqual(codes((await update('autoAccept:false', operator)).errors), ['FORBIDDEN']);
  const { data: readable, errors } = await operator.run('{account{autoAccept offerSeconds queueLimit}}');
  assert.deepEqual(
    [readable.account, codes(errors)],
    [{ autoAccept: true, offerSeconds: 45, queueLimit: null }, ['FORBIDDEN']],
  );
  await update('autoAccept:false offerSeconds:30 queueLimit:1000 lowestPriorityFirst:false');
});

test('all invariants hold after the tests above', async () => {
  assert.deepEqual(await desks.fixture.findBrokenInvariants(), []);
});
