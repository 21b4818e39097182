import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { KeptDecision } from '../../../src/core/engine/routing/explain.ts';
import type { Asked } from '../../../src/core/engine/routing/needs.ts';
import { type Desks, type Person, startDesks } from '../../support/people/desk.ts';

let desks: Desks;
let admin: Person;
before(async () => {
  desks = await startDesks();
  admin = await desks.person({ roles: ['admin'], chatEnabled: false });
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

/** What kept the decisions about a conversation from somebody, one list for each. */
async function whyNot(conversationId: number, operatorId: number): Promise<string[][]> {
  const decisions = await decisionsOf(conversationId, admin, `whyNot(operatorId:${operatorId})`);
  return decisions.map((decision: { whyNot: string[] }) => decision.whyNot);
}

const leave = (person: Person) => desks.world.disconnect(person.id);

test('rule 11: a decision is kept with the chosen one, the best with their reasons, and why the others were left out', async () => {
  const { world } = desks;
  const skillId = await world.skill();
  const first = await desks.person({ skillList: [skillId], chatPriority: 10 }, { away: false });
  const second = await desks.person({ skillList: [skillId], chatMaxNumber: 2 }, { away: false });
  const third = await desks.person({ skillList: [skillId] }, { away: false });
  await desks.person({ skillList: [skillId] }, { away: true });
  world.installation.clock.advance(1000);
  await world.close(await world.accept(await world.start({ skillId }))); // first has been given one
  const visitor = await world.visitor();
  const { id } = await world.start({ skillId }, visitor);
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
  const given = new Date(world.installation.clock.now).toISOString();
  assert.deepEqual(decision.ranked, [
    { operator: { id: String(first.id) }, servedLast: false, priority: 10, share: 0, assignedAt: given },
    { operator: { id: String(second.id) }, servedLast: false, priority: 0, share: 0, assignedAt: null },
    { operator: { id: String(third.id) }, servedLast: false, priority: 0, share: 0, assignedAt: null },
  ]);
  const reasons = Object.fromEntries(
    decision.excluded.map((row: { reason: string; count: number }) => [row.reason, row.count]),
  );
  assert.ok(reasons.OFFLINE >= 1 && reasons.LACKS_SKILL >= 1, JSON.stringify(reasons));
  for (const person of [first, second, third]) await leave(person);
});

test('rule 11: "why not operator 12" is answered from what was true then, whatever became of it', async () => {
  const { world } = desks;
  const skillId = await world.skill();
  const groupId = await world.group();
  const fit = { skillList: [skillId], groupId };
  const { installation, transact } = world;
  const chosen = await desks.person({ ...fit, chatPriority: 10 }, { away: false });
  const free = await desks.person(fit, { away: false });
  const offline = await desks.person(fit);
  const unwilling = await desks.person(fit, { away: false });
  await world.setAvailable(unwilling.id, 'chat', false);
  const unskilled = await desks.person({ groupId }, { away: false });
  const elsewhere = await desks.person({ skillList: [skillId] }, { away: false });
  const french = await desks.person({ ...fit, languageList: ['fr'] }, { away: false });
  const placeless = await desks.person({ ...fit, websiteList: [] }, { away: false });
  const calling = await desks.person({ ...fit, callEnabled: true }, { away: false });
  await installation.live.update(transact, world.as(calling.id), calling.id, { chat: { available: false } });
  const call = await world.accept(await world.start({ channel: 'call', skillId, groupId }));
  assert.equal(call.operatorId, calling.id);
  await installation.live.update(transact, world.as(calling.id), calling.id, { chat: { available: true } });
  const { id } = await world.start({ skillId, groupId });
  const expected: [Person, string[]][] = [
    [chosen, []],
    [free, []],
    [offline, ['OFFLINE']],
    [unwilling, ['NOT_AVAILABLE']],
    [unskilled, ['LACKS_SKILL']],
    [elsewhere, ['OTHER_GROUP']],
    [french, ['OTHER_LANGUAGE']],
    [placeless, ['OTHER_WEBSITE']],
    [calling, ['ON_CALL']],
  ];
  const check = async () => {
    for (const [person, because] of expected) assert.deepEqual(await whyNot(id, person.id), [because]);
  };
  await check();
  await world.connect(offline.id);
  await world.setAvailable(unwilling.id, 'chat', true);
  const change = { ...fit, languageList: ['en', 'de'], websiteList: [world.websiteId] };
  for (const person of [unskilled, elsewhere, french, placeless]) {
    await installation.operators.update(transact, installation.caller, person.id, change);
  }
  await world.close(call);
  for (const person of [chosen, free]) await leave(person);
  const now = await whyNot(id, chosen.id);
  assert.deepEqual(now[0], [], 'also of who has gone since');
  await desks.world.pass(1);
  for (const [person, because] of expected) assert.deepEqual((await whyNot(id, person.id))[0], because);
  for (const [person] of expected) await leave(person);
});

test('rule 11: decisions of one millisecond are told apart: each sees the slots that were left for it', async () => {
  const { world } = desks;
  const skillId = await world.skill();
  const only = await desks.person({ skillList: [skillId], chatMaxNumber: 2 }, { away: false });
  const pair = await desks.person({ skillList: [skillId], chatMaxNumber: 2 });
  const started = [];
  for (let n = 0; n < 3; n += 1) started.push((await world.start({ skillId })).id);
  const [one, two, three] = started as [number, number, number];
  assert.deepEqual(await whyNot(one, only.id), [[]]);
  assert.deepEqual(await whyNot(two, only.id), [[]]);
  assert.deepEqual(await whyNot(three, only.id), [['SLOTS_FULL']]);
  await world.setAvailable(only.id, 'chat', false); // still the same millisecond
  assert.deepEqual(await whyNot(two, only.id), [[]]);
  assert.deepEqual(await whyNot(three, only.id), [['SLOTS_FULL']]);
  // One drain gives out several, in one transaction.
  const four = (await world.start({ skillId })).id;
  await world.connect(pair.id);
  assert.deepEqual(await whyNot(three, pair.id), [['OFFLINE'], []]);
  assert.deepEqual(await whyNot(four, pair.id), [['OFFLINE'], []]);
  assert.deepEqual(await whyNot(four, only.id), [
    ['NOT_AVAILABLE', 'SLOTS_FULL'],
    ['NOT_AVAILABLE', 'SLOTS_FULL'],
  ]);
  for (const person of [only, pair]) await leave(person);
});

test('rule 11: whoever declined or missed the conversation less than a minute before was passed over for it', async () => {
  const { world } = desks;
  const skillId = await world.skill();
  const one = await desks.person({ skillList: [skillId], chatPriority: 10 }, { away: false });
  const two = await desks.person({ skillList: [skillId] }, { away: false });
  const { id } = await world.start({ skillId });
  world.installation.clock.advance(1000);
  await world.decline(await world.conversation(id));
  assert.deepEqual(await whyNot(id, one.id), [[], ['REFUSED_LATELY']]);
  assert.deepEqual(await whyNot(id, two.id), [[], []]);
  world.installation.clock.advance(20_000);
  await world.decline(await world.conversation(id)); // now nobody is left, and nothing is decided
  await world.pass(40_000); // a minute after the first said no
  assert.deepEqual(await whyNot(id, one.id), [[], ['REFUSED_LATELY'], []]);
  assert.deepEqual(await whyNot(id, two.id), [[], [], ['REFUSED_LATELY']]);
  for (const person of [one, two]) await leave(person);
});

test('rule 11: a lease that was over by the clock kept nobody connected, though it was noticed later', async () => {
  const { world } = desks;
  const skillId = await world.skill();
  const person = await desks.person({ skillList: [skillId] });
  await world.connect(person.id, 'short', 30);
  world.installation.clock.advance(30_000);
  const { id, state } = await world.start({ skillId });
  assert.equal(state, 'queued');
  assert.deepEqual(await whyNot(id, person.id), [['OFFLINE']]);
  await world.pass(1);
  assert.deepEqual(await whyNot(id, person.id), [['OFFLINE']]);
});

test('rule 11: looking back finds for everybody what routing found, over random histories', async () => {
  const { world } = desks;
  const { routingExplained, live, clock, operators, caller } = world.installation;
  const action = fc.record({
    who: fc.nat({ max: 3 }),
    what: fc.constantFrom('connect', 'leave', 'away', 'there', 'limit', 'accept', 'close', 'start', 'start', 'start'),
    number: fc.integer({ min: 1, max: 3 }),
    passes: fc.constantFrom(0, 0, 0, 1, 500),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 25 }), async (plan) => {
      const skillId = await world.skill();
      const people: number[] = [];
      for (let n = 0; n < 4; n += 1)
        people.push(await world.operator({ skillList: [skillId], chatMaxNumber: 2 }, { away: n % 2 === 0 }));
      const asked: Asked = {
        accountId: world.accountId,
        channel: 'chat',
        websiteId: world.websiteId,
        skillId,
        groupId: null,
        language: 'en',
      };
      const held: number[] = [];
      const seen = new Map<number, unknown>();
      for (const { who, what, number, passes } of plan) {
        const id = people[who] as number;
        clock.advance(passes);
        if (what === 'connect') await world.connect(id, `desk ${number}`);
        if (what === 'leave') await world.disconnect(id);
        if (what === 'away' || what === 'there') {
          await live.update(world.transact, world.as(id), id, { chat: { available: what === 'there' } });
        }
        if (what === 'limit') await operators.update(world.transact, caller, id, { chatMaxNumber: number });
        if (what === 'accept' || what === 'close') {
          const conversation =
            held.length > 0 ? await world.conversation(held[number % held.length] as number) : undefined;
          if (what === 'accept' && conversation?.state === 'offered') await world.accept(conversation);
          if (what === 'close' && conversation?.state === 'active') await world.close(conversation);
        }
        if (what === 'start') {
          const found = await Promise.all(people.map((each) => routingExplained.whyNotNow(asked, each)));
          const { id: started } = await world.start({ skillId });
          held.push(started);
          const [decision] = await routingExplained.decisionsAbout(world.accountId, started, { after: 0, limit: 1 });
          seen.set(started, found);
          assert.equal(decision?.cause, 'started');
        }
      }
      for (const [conversationId, found] of seen) {
        const [decision] = await routingExplained.decisionsAbout(world.accountId, conversationId, {
          after: 0,
          limit: 1,
        });
        const again = await Promise.all(people.map((each) => routingExplained.whyNot(decision as KeptDecision, each)));
        assert.deepEqual(again, found);
      }
      for (const id of people) await world.disconnect(id);
    }),
    { numRuns: 15 },
  );
});

const PREVIEW = `query($websiteId:ID!,$skillId:ID,$groupId:ID,$operatorId:ID!,$channel:Channel=CHAT,$language:String="en"){
  routingPreview(websiteId:$websiteId,channel:$channel,skillId:$skillId,groupId:$groupId,language:$language){
    need{channel skill{id}} ranked{operator{id} share} excluded{reason count} whyNot(operatorId:$operatorId)}}`;

test('rule 11: the dry run names whom the next conversation goes to, and changes nothing', async () => {
  const { world } = desks;
  const skillId = await world.skill();
  const people: Person[] = [];
  for (const chatPriority of [0, 10, 0] as const) {
    people.push(await desks.person({ skillList: [skillId], chatPriority, chatMaxNumber: 1 }, { away: false }));
  }
  const away = await desks.person({ skillList: [skillId] });
  const preview = async (operatorId = away.id, more: object = {}) => {
    const variables = { websiteId: world.websiteId, skillId, operatorId, language: 'en', ...more };
    const { data, errors } = await admin.run(PREVIEW, {
      channel: 'CHAT',
      ...variables,
    });
    assert.deepEqual(errors, []);
    return data.routingPreview;
  };
  const rows = () => Promise.all([...people, away].map(({ id }) => world.liveRow(id)));
  const before = await rows();
  const planned = await preview();
  assert.deepEqual(await preview(), planned);
  assert.deepEqual(await rows(), before);
  assert.equal(planned.ranked.length, 3);
  assert.deepEqual(planned.whyNot, ['OFFLINE']);
  for (let n = 0; n < 3; n += 1) {
    const { ranked } = await preview();
    assert.equal(String((await world.start({ skillId })).operatorId), ranked[0].operator.id);
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
  for (const person of people) await leave(person);
});

test('decisions are for managers of the conversation; whom they may not read, they are not told about', async () => {
  const { world } = desks;
  const groupId = await world.group();
  const skillId = await world.skill();
  const manager = await desks.person({ roles: ['manager'], groupId, chatEnabled: false });
  const inside = await desks.person({ groupId, skillList: [skillId], chatPriority: 10 }, { away: false });
  const outside = await desks.person({ skillList: [skillId] }, { away: false });
  const { id } = await world.start({ skillId });
  const query = `{routingDecisions(conversationId:${id}){ranked{operator{id} priority} inside:whyNot(operatorId:${inside.id}) outside:whyNot(operatorId:${outside.id})}}`;
  const { data, errors } = await manager.run(query);
  const [decision] = data.routingDecisions;
  assert.deepEqual(decision.ranked, [
    { operator: { id: String(inside.id) }, priority: 10 },
    { operator: { id: String(outside.id) }, priority: null },
  ]);
  assert.deepEqual([decision.inside, decision.outside, codes(errors)], [[], null, ['FORBIDDEN', 'FORBIDDEN']]);
  assert.deepEqual(codes((await inside.run(query)).errors), ['FORBIDDEN'], 'not even of the own ones');
  const { data: none } = await admin.run('{routingDecisions(conversationId:999999){id}}');
  assert.equal(none.routingDecisions, null);
  for (const person of [inside, outside]) await leave(person);
});

test('decisions come in order and in parts', async () => {
  const { world } = desks;
  const skillId = await world.skill();
  const people = [];
  for (let n = 0; n < 3; n += 1) people.push(await desks.person({ skillList: [skillId] }, { away: false }));
  const { id } = await world.start({ skillId });
  for (let n = 0; n < 2; n += 1) await world.decline(await world.conversation(id));
  const all = await decisionsOf(id, admin, 'cause');
  assert.deepEqual(
    all.map((decision: { cause: string }) => decision.cause),
    ['STARTED', 'DECLINED', 'DECLINED'],
  );
  const part = await admin.run(`{routingDecisions(conversationId:${id} after:${all[0].id} first:1){id}}`);
  assert.deepEqual(part.data.routingDecisions, [{ id: all[1].id }]);
  const { errors } = await admin.run(`{routingDecisions(conversationId:${id} first:101){id}}`);
  assert.deepEqual(codes(errors), ['BAD_REQUEST']);
  for (const person of people) await leave(person);
});

const HISTORY = `query($id:ID!,$from:DateTime,$to:DateTime,$first:Int,$after:String){liveHistory(operatorId:$id,from:$from,to:$to,first:$first,after:$after){
  totalCount pageInfo{hasNextPage endCursor} nodes{at kind reason actor{type id name} live{connected chat{available slotNumber}}}}}`;

test('rule 4: every change of a live state can be read, with who, when and why', async () => {
  const { world } = desks;
  const { clock } = world.installation;
  const skillId = await world.skill();
  const person = await desks.person({ skillList: [skillId], pseudo: 'Historian' });
  const begin = clock.now;
  const steps: (() => Promise<unknown>)[] = [
    () => world.connect(person.id),
    () => world.setAvailable(person.id, 'chat', false),
    () => admin.run(`mutation{operatorAvailabilityUpdate(input:{id:${person.id} chat:true}){userErrors{code}}}`),
    () => world.start({ skillId }),
    () => admin.run(`mutation{operatorDisconnect(input:{id:${person.id}}){userErrors{code}}}`),
  ];
  for (const step of steps) {
    clock.advance(1000);
    await step();
  }
  const read = async (who: Person, more: object = {}) => {
    const { data, errors } = await who.run(HISTORY, {
      id: person.id,
      from: new Date(begin + 1).toISOString(),
      ...more,
    });
    return { history: data?.liveHistory, errors };
  };
  const { history } = await read(person);
  const own = { type: 'OPERATOR', id: String(person.id), name: 'Historian' };
  const others = { type: 'OPERATOR', id: String(admin.id) };
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
  assert.deepEqual([history.nodes[5].actor, history.nodes[4].actor], [own, own]);
  assert.deepEqual({ ...history.nodes[3].actor, name: undefined }, { ...others, name: undefined });
  assert.equal(history.nodes[2].actor.type, 'VISITOR');
  assert.equal(history.totalCount, 6);
  const first = await read(admin, { first: 2 });
  assert.deepEqual(first.history.nodes, history.nodes.slice(0, 2));
  const next = await read(admin, { first: 2, after: first.history.pageInfo.endCursor });
  assert.deepEqual(next.history.nodes, history.nodes.slice(2, 4));
  const until = await read(admin, { to: new Date(begin + 3000).toISOString() });
  assert.equal(until.history.totalCount, 2);
  const stranger = await desks.person();
  const refused = await read(stranger);
  assert.deepEqual([refused.history, codes(refused.errors)], [null, ['FORBIDDEN']]);

  // Rule 4: live at any past moment.
  const at = async (who: Person, time: number, ids?: readonly (number | string)[]) => {
    const query =
      'query($time:DateTime!,$ids:[ID!]){liveAt(time:$time,operatorIds:$ids){operator{id} live{connected chat{available slotNumber busy}}}}';
    const { data, errors } = await who.run(query, { time: new Date(time).toISOString(), ids });
    return { moments: data?.liveAt, errors };
  };
  const expected = [
    [begin, [false, true, 0]],
    [begin + 999, [false, true, 0]],
    [begin + 1000, [true, true, 0]],
    [begin + 2500, [true, false, 0]],
    [begin + 3000, [true, true, 0]],
    [begin + 4999, [true, true, 1]],
    [begin + 5000, [false, true, 0]],
  ] as const;
  for (const [time, [connected, available, slotNumber]] of expected) {
    const { moments } = await at(admin, time, [person.id, '999999']);
    const live = { connected, chat: { available, slotNumber, busy: false } };
    assert.deepEqual(moments, [{ operator: { id: String(person.id) }, live }], `${time - begin} ms`);
    assert.deepEqual((await at(person, time)).moments, moments, 'nobody else is theirs to see');
  }
  assert.deepEqual((await at(admin, begin - 86_400_000, [person.id])).moments, [
    { operator: { id: String(person.id) }, live: null },
  ]);
  assert.deepEqual(codes((await at(stranger, begin, [person.id])).errors), ['FORBIDDEN']);
  const everybody = await at(admin, begin);
  assert.ok(everybody.moments.length > 10);
  const many = Array.from({ length: 1001 }, (_, n) => n + 1);
  assert.deepEqual(codes((await at(admin, begin, many)).errors), ['BAD_REQUEST']);
});

test('nothing of all this broke what must always hold', async () => {
  assert.deepEqual(await desks.world.brokenInvariants(), []);
});
