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
beforeEach(() => setMayTake(false));

async function setMayTake(operatorsMayTake: boolean): Promise<void> {
  const { accounts, caller } = desks.fixture.installation;
  await accounts.update(desks.fixture.transact, caller, { operatorsMayTake });
}

const codesOf = (errors: readonly { extensions: { code: string } }[]) => errors.map((error) => error.extensions.code);

/** A skill of which no operator is connected, so that its conversations wait. */
async function createLine() {
  const skillId = await desks.fixture.createSkill();
  const start = async (input: object = {}, visitor?: VisitorCaller) =>
    (await desks.fixture.startConversation({ skillId, ...input }, visitor)).id;
  const create = (fields: object = {}, presence = { connected: false }) =>
    desks.createOperator({ skillList: [skillId], ...fields }, presence);
  return { skillId, start, create };
}

async function listWaiting({ run }: DeskOperator): Promise<number[]> {
  const { data, errors } = await run(
    '{conversations(filter:{waiting:true} first:100){totalCount nodes{id state messages(last:1){text}}}}',
  );
  assert.deepEqual(errors, []);
  assert.equal(data.conversations.totalCount, data.conversations.nodes.length);
  return data.conversations.nodes.map(({ id }: { id: string }) => Number(id));
}

async function reads({ run }: DeskOperator, id: number): Promise<boolean> {
  const { data, errors } = await run('query($id:ID!){conversation(id:$id){id messages{text}}}', { id });
  if (errors.length === 0) return data.conversation.id === String(id);
  assert.deepEqual(codesOf(errors), ['FORBIDDEN']);
  return false;
}

async function take({ run }: DeskOperator, id: number, operatorId: number, force = false) {
  const { data, errors } = await run(
    `mutation($input:ConversationTakeInput!){conversationTake(input:$input){
      conversation{state operator{id}} userErrors{code message}}}`,
    { input: { id, operatorId, force } },
  );
  const { conversation, userErrors } = data?.conversationTake ?? {};
  return {
    conversation,
    codes: [...codesOf(errors), ...(userErrors ?? []).map((error: { code: string }) => error.code)],
  };
}

test('operators see waiting conversations that they could serve, only with the setting', async () => {
  const { start, create, skillId } = await createLine();
  const [operator, expert] = [await create(), await create({ roles: ['expert'] })];
  const website = await desks.fixture.createWebsite();
  const group = await desks.fixture.createGroup();
  const id = await start({ message: 'Is anyone there?' });
  const others = {
    'another skill': await desks.createOperator({ skillList: [await desks.fixture.createSkill()] }),
    'another website': await create({ websiteList: [website] }),
    'another language': await create({ languageList: ['fr'] }),
    'no chat': await create({ chatEnabled: false }),
    'an expert': expert,
  };
  const inGroup = (await desks.fixture.startConversation({ skillId, groupId: group }).catch(() => undefined))?.id;
  assert.equal(inGroup, undefined, 'no operator of the group could serve it');
  assert.deepEqual([await listWaiting(operator), await reads(operator, id)], [[], false]);
  await setMayTake(true);
  assert.deepEqual([await listWaiting(operator), await reads(operator, id)], [[id], true]);
  for (const [why, other] of Object.entries(others))
    assert.deepEqual([await listWaiting(other), await reads(other, id)], [[], false], why);
  const parentGroup = await desks.fixture.createGroup();
  const member = await create({ groupId: await desks.fixture.createGroup(parentGroup) });
  const ofGroup = await start({ groupId: parentGroup });
  assert.deepEqual([await listWaiting(operator), await listWaiting(member)], [[id], [ofGroup, id]]);
});

test('seeing a waiting conversation is no right to change it', async () => {
  const { start, create } = await createLine();
  const operator = await create();
  const id = await start();
  await setMayTake(true);
  for (const mutation of [
    `conversationClose(input:{id:${id}})`,
    `conversationTag(input:{id:${id} tagIds:[]})`,
    `conversationTransfer(input:{id:${id} operatorId:${operator.id}})`,
    `messageSend(input:{conversationId:${id} text:"Hello"})`,
  ]) {
    const { errors } = await operator.run(`mutation{${mutation}{userErrors{code}}}`);
    assert.deepEqual(codesOf(errors), ['FORBIDDEN'], mutation);
  }
  for (const query of [
    `transferTargets(conversationId:${id}){operators{operator{id}}}`,
    `routingDecisions(conversationId:${id}){id}`,
  ]) {
    const { errors } = await operator.run(`{${query}}`);
    assert.deepEqual(codesOf(errors), ['FORBIDDEN'], query);
  }
});

test('an operator takes a waiting conversation within their capacity, and for no one else', async () => {
  const { start, create } = await createLine();
  const [operator, colleague] = [await create({ chatMaxNumber: 1 }), await create({ roles: ['expert'] })];
  const [first, second] = [await start(), await start()];
  assert.deepEqual((await take(operator, first, operator.id)).codes, ['FORBIDDEN'], 'the setting is off');
  await setMayTake(true);
  assert.deepEqual((await take(operator, first, operator.id)).codes, ['STATE'], 'not connected');
  await desks.fixture.setAvailable(operator.id, 'chat', false);
  await desks.fixture.connect(operator.id);
  assert.deepEqual((await take(operator, first, operator.id)).codes, ['STATE'], 'not available');
  assert.deepEqual((await take(operator, first, operator.id, true)).codes, ['FORBIDDEN'], 'never forced');
  assert.deepEqual((await take(operator, first, colleague.id)).codes, ['FORBIDDEN']);
  assert.deepEqual((await take(colleague, first, colleague.id)).codes, ['FORBIDDEN'], 'an expert');
  const stranger = await desks.createOperator({ skillList: [] });
  assert.deepEqual((await take(stranger, first, stranger.id)).codes, ['FORBIDDEN'], 'could not serve it');

  const { id: declined } = await desks.fixture.loadConversation(second);
  await desks.fixture.setAvailable(operator.id, 'chat', true);
  const offered = await desks.fixture.loadConversation(first);
  assert.equal(offered.state, 'offered');
  await desks.fixture.decline(offered);
  assert.equal((await desks.fixture.loadConversation(declined)).state, 'offered');
  await desks.fixture.decline(await desks.fixture.loadConversation(declined));
  const taken = await take(operator, first, operator.id);
  assert.deepEqual(taken, { conversation: { state: 'ACTIVE', operator: { id: String(operator.id) } }, codes: [] });
  assert.deepEqual((await take(operator, second, operator.id)).codes, ['STATE'], 'no free slot');
  assert.deepEqual((await take(operator, first, operator.id)).codes, ['STATE'], 'already theirs');
  assert.deepEqual(await desks.fixture.findBrokenInvariants(), []);
});

test('an offer of another operator is not taken away, the own one is accepted', async () => {
  const { start, create } = await createLine();
  const [first, second] = [
    await create({}, { connected: true }),
    await create({ chatPriority: 0 }, { connected: true }),
  ];
  await setMayTake(true);
  const id = await start();
  const { operatorId } = await desks.fixture.loadConversation(id);
  const [offeredTo, other] = operatorId === first.id ? [first, second] : [second, first];
  assert.equal(await reads(other, id), false, 'an offered one does not wait for them');
  assert.deepEqual((await take(other, id, other.id)).codes, ['STATE']);
  assert.equal((await desks.fixture.loadConversation(id)).operatorId, offeredTo.id);
  assert.equal((await take(offeredTo, id, offeredTo.id)).conversation.state, 'ACTIVE');
  assert.deepEqual((await take(other, id, other.id)).codes, ['STATE'], 'nor a running one');
  assert.deepEqual(await desks.fixture.findBrokenInvariants(), []);
});

test('two operators who take the same conversation: one gets it', async () => {
  const { start, create } = await createLine();
  const operators = [await create(), await create(), await create()];
  await setMayTake(true);
  const id = await start();
  for (const { id: operatorId } of operators) {
    await desks.fixture.setAvailable(operatorId, 'chat', false);
    await desks.fixture.connect(operatorId);
  }
  const { database, accountId } = desks.fixture.installation;
  await database.transaction(async ({ db }) => {
    await db.updateTable('operatorLive').set({ chatAvailable: 1 }).where('accountId', '=', accountId).execute();
  });
  const results = await Promise.all(operators.map((operator) => take(operator, id, operator.id)));
  assert.deepEqual(results.map(({ codes }) => codes).sort(), [[], ['STATE'], ['STATE']]);
});

test('managers take what they could serve as operators do, and force only within their groups', async () => {
  const { start, create } = await createLine();
  const group = await desks.fixture.createGroup();
  const manager = await create({ roles: ['manager'], groupId: group, chatMaxNumber: 1 });
  const [outside, free] = [await start(), await start({ groupId: group })];
  assert.deepEqual([await reads(manager, outside), await reads(manager, free)], [false, true]);
  await setMayTake(true);
  assert.equal(await reads(manager, outside), true);
  assert.deepEqual((await take(manager, outside, manager.id, true)).codes, ['FORBIDDEN'], 'not of their groups');
  assert.equal((await take(manager, free, manager.id, true)).conversation.state, 'ACTIVE', 'as before');
});

/** What a subscription has sent, as identifiers. */
const toIds = (
  results: readonly { data: { queue: { conversations: { id: string; visitorPresent?: boolean | null }[] } } }[],
) => results.map(({ data }) => data.queue.conversations.map(({ id }) => Number(id)));
const QUEUE = 'subscription{queue{totalCount conversations{id state messageCount visitor{id}}}}';

const sees = (expected: readonly number[]) => (results: Parameters<typeof toIds>[0]) =>
  String(toIds(results).at(-1)) === String(expected);

test('the queue is sent at once and after changes, and begins when the setting is turned on', async () => {
  const { start, create } = await createLine();
  const [operator, expert] = [await create(), await create({ roles: ['expert'] })];
  const first = await start();
  const queue = await operator.connect().subscribe(QUEUE);
  const ofExpert = await expert.connect().subscribe(QUEUE);
  await queue.waitUntil(sees([]));
  assert.deepEqual(queue.results[0].data.queue, { totalCount: 0, conversations: [] });
  await setMayTake(true);
  await queue.waitUntil(sees([first]));
  const second = await start();
  await queue.waitUntil(sees([first, second]));
  assert.equal(queue.results.at(-1).data.queue.totalCount, 2);
  assert.equal((await desks.fixture.loadLiveState(operator.id)).connected, false, 'does not connect the operator');
  await desks.fixture.installation.conversations.close(desks.fixture.transact, desks.fixture.installation.caller, {
    id: first,
  });
  await queue.waitUntil(sees([second]));
  const { visitorId } = await desks.fixture.loadConversation(second);
  await desks.fixture.installation.conversations.sendAsVisitor(
    desks.fixture.transact,
    { ...(await desks.fixture.createVisitor()), visitorId: visitorId ?? 0 },
    { conversationId: second, text: 'Still here', clientId: null },
  );
  await queue.waitUntil((results) => results.at(-1).data.queue.conversations[0]?.messageCount > 0);
  await setMayTake(false);
  await queue.waitUntil(sees([]));
  assert.deepEqual(toIds(ofExpert.results), [[]], 'nothing has changed for an expert');
});

test('the queue follows skills, and managers see their groups, admins and keys everything', async () => {
  const { start, create } = await createLine();
  const group = await desks.fixture.createGroup();
  const member = await create({ groupId: group });
  const manager = await desks.createOperator({ roles: ['manager'], groupId: group, skillList: [] });
  const [free, ofGroup] = [await start(), await start({ groupId: group })];
  const [managed, all] = [await manager.connect().subscribe(QUEUE), await admin.connect().subscribe(QUEUE)];
  await managed.waitUntil(sees([ofGroup]));
  await all.waitUntil((results) => [free, ofGroup].every((id) => toIds(results).at(-1)?.includes(id)));
  await setMayTake(true);
  const queue = await member.connect().subscribe(QUEUE);
  await queue.waitUntil(sees([free, ofGroup]));
  const { operators, caller } = desks.fixture.installation;
  await operators.update(desks.fixture.transact, caller, member.id, { skillList: [] });
  await queue.waitUntil(sees([]));
});

test('a burst of changes is sent at most once per second, and ends with the current queue', async () => {
  const { start, create } = await createLine();
  const operator = await create();
  await setMayTake(true);
  const queue = await operator.connect().subscribe(QUEUE);
  await queue.waitUntil((results) => results.length === 1);
  const begin = performance.now();
  const ids: number[] = [];
  for (let count = 0; count < 60; count += 1) ids.push(await start());
  await queue.waitUntil(sees(ids));
  const seconds = (performance.now() - begin) / 1000;
  assert.ok(queue.results.length <= seconds + 2, `${queue.results.length} in ${seconds} s`);
});

test('the longest list has 100 conversations, and all are counted', async () => {
  const { start, create } = await createLine();
  const operator = await create();
  const ids: number[] = [];
  for (let count = 0; count < 103; count += 1) ids.push(await start());
  await setMayTake(true);
  const queue = await operator.connect().subscribe('subscription{queue{totalCount conversations{id}}}');
  await queue.waitUntil(sees(ids.slice(0, 100)));
  assert.equal(queue.results.at(-1).data.queue.totalCount, 103);
});

test('many desks share the reads of a change', async () => {
  const { start, create } = await createLine();
  await setMayTake(true);
  const queues = [];
  for (let count = 0; count < 12; count += 1) queues.push(await (await create()).connect().subscribe(QUEUE));
  const first = await start();
  for (const queue of queues) await queue.waitUntil(sees([first]));
  const { database } = desks.fixture.installation;
  const read = database.readOffThread;
  let reads = 0;
  database.readOffThread = ((query) => {
    reads += 1;
    return read.call(database, query);
  }) as typeof read;
  try {
    const begin = performance.now();
    const second = await start();
    for (const queue of queues) await queue.waitUntil(sees([first, second]));
    const seconds = (performance.now() - begin) / 1000;
    assert.ok(reads >= 1 && reads <= seconds + 2, `${reads} reads of the queue for ${queues.length} desks`);
  } finally {
    database.readOffThread = read;
  }
});

test('the queue, the list and the pure rule agree on who could serve what', async () => {
  const { fixture } = desks;
  await setMayTake(true);
  const parent = await fixture.createSkill();
  const skills = [parent, await fixture.createSkill(parent)];
  const top = await fixture.createGroup();
  const groups = [top, await fixture.createGroup(top)];
  const websites = [fixture.websiteId, await fixture.createWebsite()];
  const operators: DeskOperator[] = [];
  for (let number = 0; number < 16; number += 1) {
    operators.push(
      await desks.createOperator({
        skillList: skills.filter((_, bit) => (number >> bit) & 1),
        groupId: [null, ...groups][number % 3] ?? null,
        websiteList: number % 5 === 0 ? [websites[1] as number] : websites,
        languageList: number % 4 === 0 ? ['fr'] : ['en', 'fr'],
        callEnabled: number % 2 === 0,
      }),
    );
  }
  const visitors = await Promise.all(websites.map((id) => fixture.createVisitor(id)));
  for (const visitor of visitors)
    for (const skillId of [undefined, ...skills])
      for (const groupId of [undefined, ...groups])
        for (const channel of ['chat', 'call'] as const)
          for (const language of ['en', 'fr'])
            await fixture
              .startConversation(
                { skillId, groupId, channel, language },
                { ...(await fixture.createVisitor(visitor.websiteId)) },
              )
              .catch(() => undefined); // refused: no operator could serve it
  const found = new Set<number>();
  for (const operator of operators) {
    const listed = (await listWaiting(operator)).sort((a, b) => a - b);
    const queue = await operator.connect().subscribe(QUEUE);
    await queue.waitUntil((results) => results.length > 0);
    assert.deepEqual(
      toIds(queue.results)[0]?.sort((a, b) => a - b),
      listed,
    );
    found.add(listed.length);
    for (const id of listed.slice(0, 3)) assert.ok(await reads(operator, id));
  }
  assert.ok(found.size > 3, `operators see different lists: ${[...found]}`);
});

test('the queue is sent again when a waiting visitor leaves, comes back, ends the conversation or stays away', async () => {
  const { start, create } = await createLine();
  const operator = await create();
  await setMayTake(true);
  const { visitorPresence, conversations, clock } = desks.fixture.installation;
  const startAs = async () => {
    const visitor = await desks.fixture.createVisitor();
    visitorPresence.noteSocket(visitor);
    await visitorPresence.flush();
    return { visitor, id: await start({}, visitor) };
  };
  const [leaving, ending] = [await startAs(), await startAs()];
  const last = await start();
  const queue = await operator.connect().subscribe('subscription{queue{conversations{id visitorPresent}}}');
  /** The own ones among those of the tests before, with who is absent. */
  const list = (results: Parameters<typeof toIds>[0]): string[] =>
    (results.at(-1)?.data.queue.conversations ?? []).flatMap(({ id, visitorPresent }) =>
      [leaving.id, ending.id, last].includes(Number(id)) ? `${id}${visitorPresent === false ? ' left' : ''}` : [],
    );
  const waitFor = (...expected: (string | number)[]) =>
    queue.waitUntil((results) => String(list(results)) === String(expected));
  await waitFor(leaving.id, ending.id, last);

  clock.advance(29_000);
  visitorPresence.noteSocket(ending.visitor);
  await visitorPresence.flush();
  await desks.fixture.advanceTime(2000); // the other one has not answered for 31 s
  await waitFor(ending.id, last, `${leaving.id} left`);
  visitorPresence.noteSocket(leaving.visitor);
  await visitorPresence.flush();
  await waitFor(leaving.id, ending.id, last);

  await conversations.closeAsVisitor(desks.fixture.transact, ending.visitor, ending.id);
  await waitFor(leaving.id, last);
  await desks.fixture.advanceTime(40_000);
  await waitFor(last, `${leaving.id} left`);
  await desks.fixture.advanceTime(400_000); // longer than the website waits
  await waitFor(last);
});
