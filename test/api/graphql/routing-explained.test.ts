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

const extractCodes = (errors: readonly { extensions: { code: string } }[]) =>
  errors.map((error) => error.extensions.code);

const DECISION = `at cause forced operator{id} actor{type id name} need{channel website{id} skill{id} group{id} language}
  ranked{operator{id} servedLast priority share assignedAt} excluded{reason count}`;

async function loadDecisions(id: number, viewer = admin, fields = DECISION) {
  const { data, errors } = await viewer.run(`{routingDecisions(conversationId:${id}){id ${fields}}}`);
  assert.deepEqual(errors, []);
  return data.routingDecisions;
}

/** The obstacles of an operator in each routing decision about a conversation. */
async function loadObstacles(conversationId: number, operatorId: number): Promise<string[][]> {
  const decisions = await loadDecisions(conversationId, admin, `whyNot(operatorId:${operatorId})`);
  return decisions.map((decision: { whyNot: string[] }) => decision.whyNot);
}

const disconnect = (operator: DeskOperator) => desks.fixture.disconnect(operator.id);

test('rule 11: a decision is stored with the chosen operator, the top candidates and their ranks, and why others were excluded', async () => {
  const { fixture } = desks;
  const skillId = await fixture.createSkill();
  const first = await desks.createOperator({ skillList: [skillId], chatPriority: 10 }, { connected: true });
  const second = await desks.createOperator({ skillList: [skillId], chatMaxNumber: 2 }, { connected: true });
  const third = await desks.createOperator({ skillList: [skillId] }, { connected: true });
  await desks.createOperator({ skillList: [skillId] }, { connected: false });
  fixture.installation.clock.advance(1000);
  await fixture.close(await fixture.accept(await fixture.startConversation({ skillId }))); // `first` has handled one conversation
  const visitor = await fixture.createVisitor();
  const { id } = await fixture.startConversation({ skillId }, visitor);
  const [decision, ...otherDecisions] = await loadDecisions(id);
  assert.deepEqual(otherDecisions, []);
  assert.deepEqual([decision.cause, decision.forced, decision.operator.id], ['STARTED', false, String(first.id)]);
  assert.deepEqual(decision.actor, { type: 'VISITOR', id: String(visitor.visitorId), name: null });
  assert.deepEqual(decision.need, {
    channel: 'CHAT',
    website: { id: String(fixture.websiteId) },
    skill: { id: String(skillId) },
    group: null,
    language: 'en',
  });
  const assignedAt = new Date(fixture.installation.clock.now).toISOString();
  assert.deepEqual(decision.ranked, [
    { operator: { id: String(first.id) }, servedLast: false, priority: 10, share: 0, assignedAt },
    { operator: { id: String(second.id) }, servedLast: false, priority: 0, share: 0, assignedAt: null },
    { operator: { id: String(third.id) }, servedLast: false, priority: 0, share: 0, assignedAt: null },
  ]);
  const reasons = Object.fromEntries(
    decision.excluded.map((row: { reason: string; count: number }) => [row.reason, row.count]),
  );
  assert.ok(reasons.OFFLINE >= 1 && reasons.LACKS_SKILL >= 1, JSON.stringify(reasons));
  for (const operator of [first, second, third]) await disconnect(operator);
});

test('rule 11: whyNot uses the state at the time of the decision, regardless of later changes', async () => {
  const { fixture } = desks;
  const skillId = await fixture.createSkill();
  const groupId = await fixture.createGroup();
  const matching = { skillList: [skillId], groupId };
  const { installation, transact } = fixture;
  const chosen = await desks.createOperator({ ...matching, chatPriority: 10 }, { connected: true });
  const free = await desks.createOperator(matching, { connected: true });
  const offline = await desks.createOperator(matching);
  const unavailable = await desks.createOperator(matching, { connected: true });
  await fixture.setAvailable(unavailable.id, 'chat', false);
  const unskilled = await desks.createOperator({ groupId }, { connected: true });
  const otherGroup = await desks.createOperator({ skillList: [skillId] }, { connected: true });
  const french = await desks.createOperator({ ...matching, languageList: ['fr'] }, { connected: true });
  const withoutWebsite = await desks.createOperator({ ...matching, websiteList: [] }, { connected: true });
  const calling = await desks.createOperator({ ...matching, callEnabled: true }, { connected: true });
  await installation.live.update(transact, fixture.callerFor(calling.id), calling.id, { chat: { available: false } });
  const call = await fixture.accept(await fixture.startConversation({ channel: 'call', skillId, groupId }));
  assert.equal(call.operatorId, calling.id);
  await installation.live.update(transact, fixture.callerFor(calling.id), calling.id, { chat: { available: true } });
  const { id } = await fixture.startConversation({ skillId, groupId });
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
  const assertObstacles = async () => {
    for (const [operator, obstacles] of expected) assert.deepEqual(await loadObstacles(id, operator.id), [obstacles]);
  };
  await assertObstacles();
  await fixture.connect(offline.id);
  await fixture.setAvailable(unavailable.id, 'chat', true);
  const change = { ...matching, languageList: ['en', 'de'], websiteList: [fixture.websiteId] };
  for (const operator of [unskilled, otherGroup, french, withoutWebsite]) {
    await installation.operators.update(transact, installation.caller, operator.id, change);
  }
  await fixture.close(call);
  for (const operator of [chosen, free]) await disconnect(operator);
  const now = await loadObstacles(id, chosen.id);
  assert.deepEqual(now[0], [], 'also for an operator who has disconnected since');
  await desks.fixture.advanceTime(1);
  for (const [operator, obstacles] of expected) assert.deepEqual((await loadObstacles(id, operator.id))[0], obstacles);
  for (const [operator] of expected) await disconnect(operator);
});

test('rule 11: decisions in the same millisecond are kept apart: each sees the slots that were free then', async () => {
  const { fixture } = desks;
  const skillId = await fixture.createSkill();
  const early = await desks.createOperator({ skillList: [skillId], chatMaxNumber: 2 }, { connected: true });
  const late = await desks.createOperator({ skillList: [skillId], chatMaxNumber: 2 });
  const started = [];
  for (let n = 0; n < 3; n += 1) started.push((await fixture.startConversation({ skillId })).id);
  const [firstId, secondId, thirdId] = started as [number, number, number];
  assert.deepEqual(await loadObstacles(firstId, early.id), [[]]);
  assert.deepEqual(await loadObstacles(secondId, early.id), [[]]);
  assert.deepEqual(await loadObstacles(thirdId, early.id), [['SLOTS_FULL']]);
  await fixture.setAvailable(early.id, 'chat', false); // still the same millisecond
  assert.deepEqual(await loadObstacles(secondId, early.id), [[]]);
  assert.deepEqual(await loadObstacles(thirdId, early.id), [['SLOTS_FULL']]);
  // One routing run offers several queued conversations in one transaction.
  const fourthId = (await fixture.startConversation({ skillId })).id;
  await fixture.connect(late.id);
  assert.deepEqual(await loadObstacles(thirdId, late.id), [['OFFLINE'], []]);
  assert.deepEqual(await loadObstacles(fourthId, late.id), [['OFFLINE'], []]);
  assert.deepEqual(await loadObstacles(fourthId, early.id), [
    ['NOT_AVAILABLE', 'SLOTS_FULL'],
    ['NOT_AVAILABLE', 'SLOTS_FULL'],
  ]);
  for (const operator of [early, late]) await disconnect(operator);
});

test('rule 11: an operator who declined or missed the conversation less than a minute before is passed over', async () => {
  const { fixture } = desks;
  const skillId = await fixture.createSkill();
  const first = await desks.createOperator({ skillList: [skillId], chatPriority: 10 }, { connected: true });
  const second = await desks.createOperator({ skillList: [skillId] }, { connected: true });
  const { id } = await fixture.startConversation({ skillId });
  fixture.installation.clock.advance(1000);
  await fixture.decline(await fixture.loadConversation(id));
  assert.deepEqual(await loadObstacles(id, first.id), [[], ['REFUSED_LATELY']]);
  assert.deepEqual(await loadObstacles(id, second.id), [[], []]);
  fixture.installation.clock.advance(20_000);
  await fixture.decline(await fixture.loadConversation(id)); // now there is no candidate, and no decision
  await fixture.advanceTime(40_000); // a minute after the first decline
  assert.deepEqual(await loadObstacles(id, first.id), [[], ['REFUSED_LATELY'], []]);
  assert.deepEqual(await loadObstacles(id, second.id), [[], [], ['REFUSED_LATELY']]);
  for (const operator of [first, second]) await disconnect(operator);
});

test('rule 11: an operator with an expired lease counts as offline, even before the expiry is processed', async () => {
  const { fixture } = desks;
  const skillId = await fixture.createSkill();
  const operator = await desks.createOperator({ skillList: [skillId] });
  await fixture.connect(operator.id, 'short', 30);
  fixture.installation.clock.advance(30_000);
  const { id, state } = await fixture.startConversation({ skillId });
  assert.equal(state, 'queued');
  assert.deepEqual(await loadObstacles(id, operator.id), [['OFFLINE']]);
  await fixture.advanceTime(1);
  assert.deepEqual(await loadObstacles(id, operator.id), [['OFFLINE']]);
});

test('rule 11: past obstacles match what routing found at the time, over random histories', async () => {
  const { fixture } = desks;
  const { routingExplainer, live, clock, operators, caller } = fixture.installation;
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
      const skillId = await fixture.createSkill();
      const operatorIds: number[] = [];
      for (let n = 0; n < 4; n += 1)
        operatorIds.push(
          await fixture.createOperator({ skillList: [skillId], chatMaxNumber: 2 }, { connected: n % 2 === 1 }),
        );
      const need: RoutingNeed = {
        accountId: fixture.accountId,
        channel: 'chat',
        websiteId: fixture.websiteId,
        skillId,
        groupId: null,
        language: 'en',
      };
      const conversationIds: number[] = [];
      const obstaclesByConversation = new Map<number, unknown>();
      for (const { operatorIndex, kind, number, elapsedMs } of plan) {
        const id = operatorIds[operatorIndex] as number;
        clock.advance(elapsedMs);
        if (kind === 'connect') await fixture.connect(id, `desk ${number}`);
        if (kind === 'disconnect') await fixture.disconnect(id);
        if (kind === 'unavailable' || kind === 'available') {
          await live.update(fixture.transact, fixture.callerFor(id), id, { chat: { available: kind === 'available' } });
        }
        if (kind === 'limit') await operators.update(fixture.transact, caller, id, { chatMaxNumber: number });
        if (kind === 'accept' || kind === 'close') {
          const conversation =
            conversationIds.length > 0
              ? await fixture.loadConversation(conversationIds[number % conversationIds.length] as number)
              : undefined;
          if (kind === 'accept' && conversation?.state === 'offered') await fixture.accept(conversation);
          if (kind === 'close' && conversation?.state === 'active') await fixture.close(conversation);
        }
        if (kind === 'start') {
          const obstacles = await Promise.all(
            operatorIds.map((operatorId) => routingExplainer.findCurrentObstacles(need, operatorId)),
          );
          const { id: started } = await fixture.startConversation({ skillId });
          conversationIds.push(started);
          const [decision] = await routingExplainer.listDecisions(fixture.accountId, started, { after: 0, limit: 1 });
          obstaclesByConversation.set(started, obstacles);
          assert.equal(decision?.cause, 'started');
        }
      }
      for (const [conversationId, obstacles] of obstaclesByConversation) {
        const [decision] = await routingExplainer.listDecisions(fixture.accountId, conversationId, {
          after: 0,
          limit: 1,
        });
        const pastObstacles = await Promise.all(
          operatorIds.map((operatorId) => routingExplainer.findPastObstacles(decision as StoredDecision, operatorId)),
        );
        assert.deepEqual(pastObstacles, obstacles);
      }
      for (const id of operatorIds) await fixture.disconnect(id);
    }),
    { numRuns: process.env.FULL === '1' ? 15 : 8 },
  );
});

const PREVIEW = `query($websiteId:ID!,$skillId:ID,$groupId:ID,$operatorId:ID!,$channel:Channel=CHAT,$language:String="en"){
  routingPreview(websiteId:$websiteId,channel:$channel,skillId:$skillId,groupId:$groupId,language:$language){
    need{channel skill{id}} ranked{operator{id} share} excluded{reason count} whyNot(operatorId:$operatorId)}}`;

test('rule 11: the preview names the operator who gets the next conversation, and changes nothing', async () => {
  const { fixture } = desks;
  const skillId = await fixture.createSkill();
  const operators: DeskOperator[] = [];
  for (const chatPriority of [0, 10, 0] as const) {
    operators.push(
      await desks.createOperator({ skillList: [skillId], chatPriority, chatMaxNumber: 1 }, { connected: true }),
    );
  }
  const offline = await desks.createOperator({ skillList: [skillId] });
  const loadPreview = async (operatorId = offline.id, overrides: object = {}) => {
    const variables = { websiteId: fixture.websiteId, skillId, operatorId, language: 'en', ...overrides };
    const { data, errors } = await admin.run(PREVIEW, {
      channel: 'CHAT',
      ...variables,
    });
    assert.deepEqual(errors, []);
    return data.routingPreview;
  };
  const loadRows = () => Promise.all([...operators, offline].map(({ id }) => fixture.loadLiveRow(id)));
  const before = await loadRows();
  const firstPreview = await loadPreview();
  assert.deepEqual(await loadPreview(), firstPreview);
  assert.deepEqual(await loadRows(), before);
  assert.equal(firstPreview.ranked.length, 3);
  assert.deepEqual(firstPreview.whyNot, ['OFFLINE']);
  for (let n = 0; n < 3; n += 1) {
    const { ranked } = await loadPreview();
    assert.equal(String((await fixture.startConversation({ skillId })).operatorId), ranked[0].operator.id);
  }
  assert.deepEqual((await loadPreview()).ranked, []);
  assert.deepEqual((await loadPreview(operators[0]?.id)).whyNot, ['SLOTS_FULL']);
  const unknown = await loadPreview(999_999);
  assert.equal(unknown.whyNot, null);
  for (const overrides of [
    { skillId: '999999' },
    { groupId: '999999' },
    { websiteId: '999999' },
    { language: 'english' },
  ]) {
    const variables = {
      websiteId: fixture.websiteId,
      skillId,
      operatorId: offline.id,
      language: 'en',
      channel: 'CHAT',
      ...overrides,
    };
    const { errors } = await admin.run(PREVIEW, variables);
    assert.deepEqual(extractCodes(errors), ['BAD_REQUEST'], JSON.stringify(overrides));
  }
  for (const operator of operators) await disconnect(operator);
});

test('managers and the operator of a conversation read its decisions, without details that they may not read', async () => {
  const { fixture } = desks;
  const groupId = await fixture.createGroup();
  const skillId = await fixture.createSkill();
  const manager = await desks.createOperator({ roles: ['manager'], groupId, chatEnabled: false });
  const inside = await desks.createOperator({ groupId, skillList: [skillId], chatPriority: 10 }, { connected: true });
  const outside = await desks.createOperator({ skillList: [skillId] }, { connected: true });
  const { id } = await fixture.startConversation({ skillId });
  const query = `{routingDecisions(conversationId:${id}){ranked{operator{id} priority} inside:whyNot(operatorId:${inside.id}) outside:whyNot(operatorId:${outside.id})}}`;
  const { data, errors } = await manager.run(query);
  const [decision] = data.routingDecisions;
  assert.deepEqual(decision.ranked, [
    { operator: { id: String(inside.id) }, priority: 10 },
    { operator: { id: String(outside.id) }, priority: null },
  ]);
  assert.deepEqual([decision.inside, decision.outside, extractCodes(errors)], [[], null, ['FORBIDDEN', 'FORBIDDEN']]);
  const own = await inside.run(query);
  assert.deepEqual(own.data.routingDecisions[0].inside, [], 'the operator who has it reads why');
  assert.deepEqual(extractCodes(own.errors), ['FORBIDDEN', 'FORBIDDEN'], 'and no details of the other one');
  assert.deepEqual(extractCodes((await outside.run(query)).errors), ['FORBIDDEN']);
  const { data: unknownConversation } = await admin.run('{routingDecisions(conversationId:999999){id}}');
  assert.equal(unknownConversation.routingDecisions, null);
  for (const operator of [inside, outside]) await disconnect(operator);
});

test('decisions are in order and can be paged', async () => {
  const { fixture } = desks;
  const skillId = await fixture.createSkill();
  const operators = [];
  for (let n = 0; n < 3; n += 1)
    operators.push(await desks.createOperator({ skillList: [skillId] }, { connected: true }));
  const { id } = await fixture.startConversation({ skillId });
  for (let n = 0; n < 2; n += 1) await fixture.decline(await fixture.loadConversation(id));
  const decisions = await loadDecisions(id, admin, 'cause');
  assert.deepEqual(
    decisions.map((decision: { cause: string }) => decision.cause),
    ['STARTED', 'DECLINED', 'DECLINED'],
  );
  const page = await admin.run(`{routingDecisions(conversationId:${id} after:${decisions[0].id} first:1){id}}`);
  assert.deepEqual(page.data.routingDecisions, [{ id: decisions[1].id }]);
  const { errors } = await admin.run(`{routingDecisions(conversationId:${id} first:101){id}}`);
  assert.deepEqual(extractCodes(errors), ['BAD_REQUEST']);
  for (const operator of operators) await disconnect(operator);
});

const HISTORY = `query($id:ID!,$from:DateTime,$to:DateTime,$first:Int,$after:String){liveHistory(operatorId:$id,from:$from,to:$to,first:$first,after:$after){
  totalCount pageInfo{hasNextPage endCursor} nodes{at kind reason actor{type id name} live{connected chat{available slotNumber}}}}}`;

test('rule 4: the live history has every change, with actor, time and reason', async () => {
  const { fixture } = desks;
  const { clock } = fixture.installation;
  const skillId = await fixture.createSkill();
  const operator = await desks.createOperator({ skillList: [skillId], pseudo: 'Historian' });
  const start = clock.now;
  const steps: (() => Promise<unknown>)[] = [
    () => fixture.connect(operator.id),
    () => fixture.setAvailable(operator.id, 'chat', false),
    () => admin.run(`mutation{operatorAvailabilityUpdate(input:{id:${operator.id} chat:true}){userErrors{code}}}`),
    () => fixture.startConversation({ skillId }),
    () => admin.run(`mutation{operatorDisconnect(input:{id:${operator.id}}){userErrors{code}}}`),
  ];
  for (const step of steps) {
    clock.advance(1000);
    await step();
  }
  const readHistory = async (viewer: DeskOperator, overrides: object = {}) => {
    const { data, errors } = await viewer.run(HISTORY, {
      id: operator.id,
      from: new Date(start + 1).toISOString(),
      ...overrides,
    });
    return { history: data?.liveHistory, errors };
  };
  const { history } = await readHistory(operator);
  const ownActor = { type: 'OPERATOR', id: String(operator.id), name: 'Historian' };
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
  assert.deepEqual([rejected.history, extractCodes(rejected.errors)], [null, ['FORBIDDEN']]);

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
    const { moments } = await readLiveAt(admin, time, [operator.id, '999999']);
    const live = { connected, chat: { available, slotNumber, busy: false } };
    assert.deepEqual(moments, [{ operator: { id: String(operator.id) }, live }], `${time - start} ms`);
    assert.deepEqual((await readLiveAt(operator, time)).moments, moments, 'operators see only themselves');
  }
  assert.deepEqual((await readLiveAt(admin, start - 86_400_000, [operator.id])).moments, [
    { operator: { id: String(operator.id) }, live: null },
  ]);
  assert.deepEqual(extractCodes((await readLiveAt(outsider, start, [operator.id])).errors), ['FORBIDDEN']);
  const unfiltered = await readLiveAt(admin, start);
  assert.ok(unfiltered.moments.length > 10);
  const many = Array.from({ length: 1001 }, (_, n) => n + 1);
  assert.deepEqual(extractCodes((await readLiveAt(admin, start, many)).errors), ['BAD_REQUEST']);
});

test('all invariants hold after the tests above', async () => {
  assert.deepEqual(await desks.fixture.findBrokenInvariants(), []);
});
