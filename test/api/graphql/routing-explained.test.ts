import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { StoredDecision } from '../../../src/core/engine/routing/explain.ts';
import type { RoutingNeed } from '../../../src/core/engine/routing/needs.ts';
import { type DeskOperator, type Desks, startDesks } from '../../support/fixtures/desks.ts';

let desks: Desks;
let admin: DeskOperator;
before(async () => {
  desks = await startDesks();
  admin = await desks.createOperator({ roles: ['admin'], chatEnabled: false });
});
after(() => desks.stop());

const codes = (errors: readonly { extensions: { code: string } }[]) => errors.map((error) => error.extensions.code);

const DECISION = `at cause forced operator{id} actor{type id name} need{channel website{id} skill{id} group{id} language}
  ranked{operator{id} servedLast priority share assignedAt} excluded{reason count}`;

async function decisionsOf(id: number, person = admin, fields = DECISION) {
  const { data, errors } = await person.run(`{routingDecisions(conversationId:${id}){id ${fields}}}`);
  assert.deepEqual(errors, []);
  return data.routingDecisions;
}

/** The obstacles of an operator in each routing decision about a conversation. */
async function whyNot(conversationId: number, operatorId: number): Promise<string[][]> {
  const decisions = await decisionsOf(conversationId, admin, `whyNot(operatorId:${operatorId})`);
  return decisions.map((decision: { whyNot: string[] }) => decision.whyNot);
}

const disconnect = (person: DeskOperator) => desks.world.disconnect(person.id);

test('rule 11: a decision is stored with the chosen operator, the top candidates and their ranks, and why others were excluded', async () => {
  const { world } = desks;
  const skillId = await world.createSkill();
  const first = await desks.createOperator({ skillList: [skillId], chatPriority: 10 }, { away: false });
  const second = await desks.createOperator({ skillList: [skillId], chatMaxNumber: 2 }, { away: false });
  const third = await desks.createOperator({ skillList: [skillId] }, { away: false });
  await desks.createOperator({ skillList: [skillId] }, { away: true });
  world.installation.clock.advance(1000);
  await world.close(await world.accept(await world.startConversation({ skillId }))); // `first` has had one
  const visitor = await world.createVisitor();
  const { id } = await world.startConversation({ skillId }, visitor);
  const [decision, ...more] = await decisionsOf(id);
  assert.deepEqual(more, []);
  assert.deepEqual([decision.cause, decision.forced, decision.operator.id], ['STARTED', false, String(first.id)]);
  assert.deepEqual(decision.actor, { type: 'VISITOR', id: String(visitor.visitorId), name: null });
  assert.deepEqual(decision.need, {
    channel: 'CHAT',
    website: { id: String(world.websiteId) },
    skill: { id: String(skillId) },
    group: null,
    language: 'en',
  });
  const assignedAt = new Date(world.installation.clock.now).toISOString();
  assert.deepEqual(decision.ranked, [
    { operator: { id: String(first.id) }, servedLast: false, priority: 10, share: 0, assignedAt },
    { operator: { id: String(second.id) }, servedLast: false, priority: 0, share: 0, assignedAt: null },
    { operator: { id: String(third.id) }, servedLast: false, priority: 0, share: 0, assignedAt: null },
  ]);
  const reasons = Object.fromEntries(
    decision.excluded.map((row: { reason: string; count: number }) => [row.reason, row.count]),
  );
  assert.ok(reasons.OFFLINE >= 1 && reasons.LACKS_SKILL >= 1, JSON.stringify(reasons));
  for (const person of [first, second, third]) await disconnect(person);
});

test('rule 11: whyNot answers from the state at the time of the decision, whatever changed since', async () => {
  const { world } = desks;
  const skillId = await world.createSkill();
  const groupId = await world.createGroup();
  const matching = { skillList: [skillId], groupId };
  const { installation, transact } = world;
  const chosen = await desks.createOperator({ ...matching, chatPriority: 10 }, { away: false });
  const free = await desks.createOperator(matching, { away: false });
  const offline = await desks.createOperator(matching);
  const unavailable = await desks.createOperator(matching, { away: false });
  await world.setAvailable(unavailable.id, 'chat', false);
  const unskilled = await desks.createOperator({ groupId }, { away: false });
  const otherGroup = await desks.createOperator({ skillList: [skillId] }, { away: false });
  const french = await desks.createOperator({ ...matching, languageList: ['fr'] }, { away: false });
  const withoutWebsite = await desks.createOperator({ ...matching, websiteList: [] }, { away: false });
  const calling = await desks.createOperator({ ...matching, callEnabled: true }, { away: false });
  await installation.live.update(transact, world.callerFor(calling.id), calling.id, { chat: { available: false } });
  const call = await world.accept(await world.startConversation({ channel: 'call', skillId, groupId }));
  assert.equal(call.operatorId, calling.id);
  await installation.live.update(transact, world.callerFor(calling.id), calling.id, { chat: { available: true } });
  const { id } = await world.startConversation({ skillId, groupId });
  const expected: [DeskOperator, string[]][] = [
    [chosen, []],
    [free, []],
    [offline, ['OFFLINE']],
    [unavailable, ['NOT_AVAILABLE']],
    [unskilled, ['LACKS_SKILL']],
    [otherGroup, ['OTHER_GROUP']],
    [french, ['OTHER_LANGUAGE']],
    [withoutWebsite, ['OTHER_WEBSITE']],
    [calling, ['ON_CALL']],
  ];
  const check = async () => {
    for (const [person, obstacles] of expected) assert.deepEqual(await whyNot(id, person.id), [obstacles]);
  };
  await check();
  await world.connect(offline.id);
  await world.setAvailable(unavailable.id, 'chat', true);
  const change = { ...matching, languageList: ['en', 'de'], websiteList: [world.websiteId] };
  for (const person of [unskilled, otherGroup, french, withoutWebsite]) {
    await installation.operators.update(transact, installation.caller, person.id, change);
  }
  await world.close(call);
  for (const person of [chosen, free]) await disconnect(person);
  const now = await whyNot(id, chosen.id);
  assert.deepEqual(now[0], [], 'also for an operator who has disconnected since');
  await desks.world.advanceTime(1);
  for (const [person, obstacles] of expected) assert.deepEqual((await whyNot(id, person.id))[0], obstacles);
  for (const [person] of expected) await disconnect(person);
});

test('rule 11: decisions in the same millisecond are distinguished: each sees the slots that were left', async () => {
  const { world } = desks;
  const skillId = await world.createSkill();
  const early = await desks.createOperator({ skillList: [skillId], chatMaxNumber: 2 }, { away: false });
  const late = await desks.createOperator({ skillList: [skillId], chatMaxNumber: 2 });
  const started = [];
  for (let n = 0; n < 3; n += 1) started.push((await world.startConversation({ skillId })).id);
  const [one, two, three] = started as [number, number, number];
  assert.deepEqual(await whyNot(one, early.id), [[]]);
  assert.deepEqual(await whyNot(two, early.id), [[]]);
  assert.deepEqual(await whyNot(three, early.id), [['SLOTS_FULL']]);
  await world.setAvailable(early.id, 'chat', false); // still the same millisecond
  assert.deepEqual(await whyNot(two, early.id), [[]]);
  assert.deepEqual(await whyNot(three, early.id), [['SLOTS_FULL']]);
  // One drain offers several conversations in one transaction.
  const four = (await world.startConversation({ skillId })).id;
  await world.connect(late.id);
  assert.deepEqual(await whyNot(three, late.id), [['OFFLINE'], []]);
  assert.deepEqual(await whyNot(four, late.id), [['OFFLINE'], []]);
  assert.deepEqual(await whyNot(four, early.id), [
    ['NOT_AVAILABLE', 'SLOTS_FULL'],
    ['NOT_AVAILABLE', 'SLOTS_FULL'],
  ]);
  for (const person of [early, late]) await disconnect(person);
});

test('rule 11: an operator who declined or missed the conversation less than a minute before is passed over', async () => {
  const { world } = desks;
  const skillId = await world.createSkill();
  const one = await desks.createOperator({ skillList: [skillId], chatPriority: 10 }, { away: false });
  const two = await desks.createOperator({ skillList: [skillId] }, { away: false });
  const { id } = await world.startConversation({ skillId });
  world.installation.clock.advance(1000);
  await world.decline(await world.loadConversation(id));
  assert.deepEqual(await whyNot(id, one.id), [[], ['REFUSED_LATELY']]);
  assert.deepEqual(await whyNot(id, two.id), [[], []]);
  world.installation.clock.advance(20_000);
  await world.decline(await world.loadConversation(id)); // now there is no candidate, and no decision
  await world.advanceTime(40_000); // a minute after the first decline
  assert.deepEqual(await whyNot(id, one.id), [[], ['REFUSED_LATELY'], []]);
  assert.deepEqual(await whyNot(id, two.id), [[], [], ['REFUSED_LATELY']]);
  for (const person of [one, two]) await disconnect(person);
});

test('rule 11: an operator with an expired lease counts as offline, even before the expiry is processed', async () => {
  const { world } = desks;
  const skillId = await world.createSkill();
  const person = await desks.createOperator({ skillList: [skillId] });
  await world.connect(person.id, 'short', 30);
  world.installation.clock.advance(30_000);
  const { id, state } = await world.startConversation({ skillId });
  assert.equal(state, 'queued');
  assert.deepEqual(await whyNot(id, person.id), [['OFFLINE']]);
  await world.advanceTime(1);
  assert.deepEqual(await whyNot(id, person.id), [['OFFLINE']]);
});

test('rule 11: past obstacles match what routing found at the time, over random histories', async () => {
  const { world } = desks;
  const { routingExplainer, live, clock, operators, caller } = world.installation;
  const action = fc.record({
    operatorIndex: fc.nat({ max: 3 }),
    kind: fc.constantFrom(
      'connect',
      'disconnect',
      'unavailable',
      'available',
      'limit',
      'accept',
      'close',
      'start',
      'start',
      'start',
    ),
    number: fc.integer({ min: 1, max: 3 }),
    elapsedMs: fc.constantFrom(0, 0, 0, 1, 500),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 25 }), async (plan) => {
      const skillId = await world.createSkill();
      const operatorIds: number[] = [];
      for (let n = 0; n < 4; n += 1)
        operatorIds.push(await world.createOperator({ skillList: [skillId], chatMaxNumber: 2 }, { away: n % 2 === 0 }));
      const need: RoutingNeed = {
        accountId: world.accountId,
        channel: 'chat',
        websiteId: world.websiteId,
        skillId,
        groupId: null,
        language: 'en',
      };
      const conversationIds: number[] = [];
      const obstaclesByConversation = new Map<number, unknown>();
      for (const { operatorIndex, kind, number, elapsedMs } of plan) {
        const id = operatorIds[operatorIndex] as number;
        clock.advance(elapsedMs);
        if (kind === 'connect') await world.connect(id, `desk ${number}`);
        if (kind === 'disconnect') await world.disconnect(id);
        if (kind === 'unavailable' || kind === 'available') {
          await live.update(world.transact, world.callerFor(id), id, { chat: { available: kind === 'available' } });
        }
        if (kind === 'limit') await operators.update(world.transact, caller, id, { chatMaxNumber: number });
        if (kind === 'accept' || kind === 'close') {
          const conversation =
            conversationIds.length > 0
              ? await world.loadConversation(conversationIds[number % conversationIds.length] as number)
              : undefined;
          if (kind === 'accept' && conversation?.state === 'offered') await world.accept(conversation);
          if (kind === 'close' && conversation?.state === 'active') await world.close(conversation);
        }
        if (kind === 'start') {
          const obstacles = await Promise.all(
            operatorIds.map((each) => routingExplainer.findCurrentObstacles(need, each)),
          );
          const { id: started } = await world.startConversation({ skillId });
          conversationIds.push(started);
          const [decision] = await routingExplainer.listDecisions(world.accountId, started, { after: 0, limit: 1 });
          obstaclesByConversation.set(started, obstacles);
          assert.equal(decision?.cause, 'started');
        }
      }
      for (const [conversationId, obstacles] of obstaclesByConversation) {
        const [decision] = await routingExplainer.listDecisions(world.accountId, conversationId, {
          after: 0,
          limit: 1,
        });
        const pastObstacles = await Promise.all(
          operatorIds.map((each) => routingExplainer.findPastObstacles(decision as StoredDecision, each)),
        );
        assert.deepEqual(pastObstacles, obstacles);
      }
      for (const id of operatorIds) await world.disconnect(id);
    }),
    { numRuns: 15 },
  );
});

const PREVIEW = `query($websiteId:ID!,$skillId:ID,$groupId:ID,$operatorId:ID!,$channel:Channel=CHAT,$language:String="en"){
  routingPreview(websiteId:$websiteId,channel:$channel,skillId:$skillId,groupId:$groupId,language:$language){
    need{channel skill{id}} ranked{operator{id} share} excluded{reason count} whyNot(operatorId:$operatorId)}}`;

test('rule 11: the preview names the operator who gets the next conversation, and changes nothing', async () => {
  const { world } = desks;
  const skillId = await world.createSkill();
  const people: DeskOperator[] = [];
  for (const chatPriority of [0, 10, 0] as const) {
    people.push(await desks.createOperator({ skillList: [skillId], chatPriority, chatMaxNumber: 1 }, { away: false }));
  }
  const away = await desks.createOperator({ skillList: [skillId] });
  const preview = async (operatorId = away.id, more: object = {}) => {
    const variables = { websiteId: world.websiteId, skillId, operatorId, language: 'en', ...more };
    const { data, errors } = await admin.run(PREVIEW, {
      channel: 'CHAT',
      ...variables,
    });
    assert.deepEqual(errors, []);
    return data.routingPreview;
  };
  const loadRows = () => Promise.all([...people, away].map(({ id }) => world.loadLiveRow(id)));
  const before = await loadRows();
  const firstPreview = await preview();
  assert.deepEqual(await preview(), firstPreview);
  assert.deepEqual(await loadRows(), before);
  assert.equal(firstPreview.ranked.length, 3);
  assert.deepEqual(firstPreview.whyNot, ['OFFLINE']);
  for (let n = 0; n < 3; n += 1) {
    const { ranked } = await preview();
    assert.equal(String((await world.startConversation({ skillId })).operatorId), ranked[0].operator.id);
  }
  assert.deepEqual((await preview()).ranked, []);
  assert.deepEqual((await preview(people[0]?.id)).whyNot, ['SLOTS_FULL']);
  const unknown = await preview(999_999);
  assert.equal(unknown.whyNot, null);
  for (const more of [{ skillId: '999999' }, { groupId: '999999' }, { websiteId: '999999' }, { language: 'english' }]) {
    const variables = {
      websiteId: world.websiteId,
      skillId,
      operatorId: away.id,
      language: 'en',
      channel: 'CHAT',
      ...more,
    };
    const { errors } = await admin.run(PREVIEW, variables);
    assert.deepEqual(codes(errors), ['BAD_REQUEST'], JSON.stringify(more));
  }
  for (const person of people) await disconnect(person);
});

test('only managers of a conversation read its decisions, without details of operators they may not read', async () => {
  const { world } = desks;
  const groupId = await world.createGroup();
  const skillId = await world.createSkill();
  const manager = await desks.createOperator({ roles: ['manager'], groupId, chatEnabled: false });
  const inside = await desks.createOperator({ groupId, skillList: [skillId], chatPriority: 10 }, { away: false });
  const outside = await desks.createOperator({ skillList: [skillId] }, { away: false });
  const { id } = await world.startConversation({ skillId });
  const query = `{routingDecisions(conversationId:${id}){ranked{operator{id} priority} inside:whyNot(operatorId:${inside.id}) outside:whyNot(operatorId:${outside.id})}}`;
  const { data, errors } = await manager.run(query);
  const [decision] = data.routingDecisions;
  assert.deepEqual(decision.ranked, [
    { operator: { id: String(inside.id) }, priority: 10 },
    { operator: { id: String(outside.id) }, priority: null },
  ]);
  assert.deepEqual([decision.inside, decision.outside, codes(errors)], [[], null, ['FORBIDDEN', 'FORBIDDEN']]);
  assert.deepEqual(codes((await inside.run(query)).errors), ['FORBIDDEN'], 'not even the operator of the conversation');
  const { data: none } = await admin.run('{routingDecisions(conversationId:999999){id}}');
  assert.equal(none.routingDecisions, null);
  for (const person of [inside, outside]) await disconnect(person);
});

test('decisions are in order and can be paged', async () => {
  const { world } = desks;
  const skillId = await world.createSkill();
  const people = [];
  for (let n = 0; n < 3; n += 1) people.push(await desks.createOperator({ skillList: [skillId] }, { away: false }));
  const { id } = await world.startConversation({ skillId });
  for (let n = 0; n < 2; n += 1) await world.decline(await world.loadConversation(id));
  const all = await decisionsOf(id, admin, 'cause');
  assert.deepEqual(
    all.map((decision: { cause: string }) => decision.cause),
    ['STARTED', 'DECLINED', 'DECLINED'],
  );
  const part = await admin.run(`{routingDecisions(conversationId:${id} after:${all[0].id} first:1){id}}`);
  assert.deepEqual(part.data.routingDecisions, [{ id: all[1].id }]);
  const { errors } = await admin.run(`{routingDecisions(conversationId:${id} first:101){id}}`);
  assert.deepEqual(codes(errors), ['BAD_REQUEST']);
  for (const person of people) await disconnect(person);
});

const HISTORY = `query($id:ID!,$from:DateTime,$to:DateTime,$first:Int,$after:String){liveHistory(operatorId:$id,from:$from,to:$to,first:$first,after:$after){
  totalCount pageInfo{hasNextPage endCursor} nodes{at kind reason actor{type id name} live{connected chat{available slotNumber}}}}}`;

test('rule 4: the live history has every change, with actor, time and reason', async () => {
  const { world } = desks;
  const { clock } = world.installation;
  const skillId = await world.createSkill();
  const person = await desks.createOperator({ skillList: [skillId], pseudo: 'Historian' });
  const start = clock.now;
  const steps: (() => Promise<unknown>)[] = [
    () => world.connect(person.id),
    () => world.setAvailable(person.id, 'chat', false),
    () => admin.run(`mutation{operatorAvailabilityUpdate(input:{id:${person.id} chat:true}){userErrors{code}}}`),
    () => world.startConversation({ skillId }),
    () => admin.run(`mutation{operatorDisconnect(input:{id:${person.id}}){userErrors{code}}}`),
  ];
  for (const step of steps) {
    clock.advance(1000);
    await step();
  }
  const readHistory = async (viewer: DeskOperator, more: object = {}) => {
    const { data, errors } = await viewer.run(HISTORY, {
      id: person.id,
      from: new Date(start + 1).toISOString(),
      ...more,
    });
    return { history: data?.liveHistory, errors };
  };
  const { history } = await readHistory(person);
  const ownActor = { type: 'OPERATOR', id: String(person.id), name: 'Historian' };
  const adminActor = { type: 'OPERATOR', id: String(admin.id) };
  assert.deepEqual(
    history.nodes
      .toReversed()
      .map((node: { kind: string; reason: string | null; live: { connected: boolean; chat: object } }) => [
        node.kind,
        node.reason,
        node.live.connected,
        ...Object.values(node.live.chat),
      ]),
    [
      ['CONNECTED', null, true, true, 0],
      ['AVAILABILITY', null, true, false, 0],
      ['AVAILABILITY', null, true, true, 0],
      ['SLOT_TAKEN', 'chat', true, true, 1],
      ['DISCONNECTED', 'taken_offline', false, true, 1],
      ['SLOT_FREED', 'chat', false, true, 0],
    ],
  );
  assert.deepEqual([history.nodes[5].actor, history.nodes[4].actor], [ownActor, ownActor]);
  assert.deepEqual({ ...history.nodes[3].actor, name: undefined }, { ...adminActor, name: undefined });
  assert.equal(history.nodes[2].actor.type, 'VISITOR');
  assert.equal(history.totalCount, 6);
  const first = await readHistory(admin, { first: 2 });
  assert.deepEqual(first.history.nodes, history.nodes.slice(0, 2));
  const next = await readHistory(admin, { first: 2, after: first.history.pageInfo.endCursor });
  assert.deepEqual(next.history.nodes, history.nodes.slice(2, 4));
  const bounded = await readHistory(admin, { to: new Date(start + 3000).toISOString() });
  assert.equal(bounded.history.totalCount, 2);
  const outsider = await desks.createOperator();
  const rejected = await readHistory(outsider);
  assert.deepEqual([rejected.history, codes(rejected.errors)], [null, ['FORBIDDEN']]);

  // Rule 4: the live state at any time in the past.
  const readLiveAt = async (viewer: DeskOperator, time: number, ids?: readonly (number | string)[]) => {
    const query =
      'query($time:DateTime!,$ids:[ID!]){liveAt(time:$time,operatorIds:$ids){operator{id} live{connected chat{available slotNumber busy}}}}';
    const { data, errors } = await viewer.run(query, { time: new Date(time).toISOString(), ids });
    return { moments: data?.liveAt, errors };
  };
  const expected = [
    [start, [false, true, 0]],
    [start + 999, [false, true, 0]],
    [start + 1000, [true, true, 0]],
    [start + 2500, [true, false, 0]],
    [start + 3000, [true, true, 0]],
    [start + 4999, [true, true, 1]],
    [start + 5000, [false, true, 0]],
  ] as const;
  for (const [time, [connected, available, slotNumber]] of expected) {
    const { moments } = await readLiveAt(admin, time, [person.id, '999999']);
    const live = { connected, chat: { available, slotNumber, busy: false } };
    assert.deepEqual(moments, [{ operator: { id: String(person.id) }, live }], `${time - start} ms`);
    assert.deepEqual((await readLiveAt(person, time)).moments, moments, 'operators see only themselves');
  }
  assert.deepEqual((await readLiveAt(admin, start - 86_400_000, [person.id])).moments, [
    { operator: { id: String(person.id) }, live: null },
  ]);
  assert.deepEqual(codes((await readLiveAt(outsider, start, [person.id])).errors), ['FORBIDDEN']);
  const all = await readLiveAt(admin, start);
  assert.ok(all.moments.length > 10);
  const many = Array.from({ length: 1001 }, (_, n) => n + 1);
  assert.deepEqual(codes((await readLiveAt(admin, start, many)).errors), ['BAD_REQUEST']);
});

test('no test above broke an invariant', async () => {
  assert.deepEqual(await desks.world.findBrokenInvariants(), []);
});
