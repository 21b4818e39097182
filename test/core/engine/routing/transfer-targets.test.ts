import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Conversation } from '../../../../src/core/engine/records/conversation.ts';
import { isServable } from '../../../../src/core/engine/routing/needs.ts';
import { MAX_TARGETS, type TargetSearch } from '../../../../src/core/engine/routing/transfer-targets.ts';
import type { OperatorCreate } from '../../../../src/core/operators/operator.ts';
import { databases } from '../../../support/databases/databases.ts';
import { EngineFixture } from '../../../support/fixtures/engine-fixture.ts';

for (const { name, open } of databases) {
  describe(`targets of a transfer on ${name}`, () => {
    let fixture: EngineFixture;
    before(async () => {
      fixture = await EngineFixture.create(open);
    });
    after(() => fixture.end());

    /** Another website for each test, so that only its operators are targets. */
    async function startWith(input: { skillId?: number; language?: string } = {}) {
      const websiteId = await fixture.createWebsite();
      const create = (fields: Partial<OperatorCreate> = {}, presence?: { connected?: boolean }) =>
        fixture.createOperator({ websiteList: [websiteId], ...fields }, presence);
      const present = await create({
        name: 'Present',
        skillList: input.skillId === undefined ? [] : [input.skillId],
        languageList: [input.language ?? 'en'],
      });
      const visitor = await fixture.createVisitor(websiteId);
      const started = await fixture.startConversation(input, visitor);
      assert.equal(started.operatorId, present);
      return { websiteId, create, present, conversation: await fixture.accept(started) };
    }

    const find = (conversation: Conversation, search: Partial<TargetSearch> = {}) =>
      fixture.installation.transferTargets.find(conversation, { text: '', usesNames: true, viewerId: null, ...search });

    const transfer = (
      conversation: Conversation,
      target: { operatorId?: number; skillId?: number; groupId?: number },
    ) =>
      fixture.installation.conversations.transfer(
        fixture.transact,
        fixture.callerFor(conversation.operatorId as number),
        { id: conversation.id, ...target },
      );

    test('operators of the website and channel: who is free first, then by name, with what blocks the others', async () => {
      const { create, present, conversation } = await startWith();
      const zoe = await create({ name: 'Zoé' });
      const full = await create({ name: 'Adam', chatMaxNumber: 0 });
      const offline = await create({ name: 'Bea' }, { connected: false });
      const away = await create({ name: 'Cid' });
      await fixture.setAvailable(away, 'chat', false);
      const anna = await create({ name: 'Doe', firstName: 'Anna' });
      const bill = await create({ name: 'doe', firstName: 'Bill' });
      await create({ name: 'No chat', chatEnabled: false });
      await fixture.createOperator({ name: 'Other website', websiteList: [await fixture.createWebsite()] });
      const { operators } = await find(conversation);
      assert.deepEqual(
        operators.map(({ operatorId, routable, blockedBy }) => [operatorId, routable, blockedBy]),
        [
          [anna, true, []],
          [bill, true, []],
          [zoe, true, []],
          [full, false, ['SLOTS_FULL']],
          [offline, false, ['OFFLINE']],
          [away, false, ['NOT_AVAILABLE']],
        ],
      );
      assert.deepEqual([operators[0]?.slotNumber, operators[0]?.slotMaxNumber], [0, 3]);
      assert.ok(!operators.some(({ operatorId }) => operatorId === present));
      const others = (await find(conversation, { viewerId: zoe })).operators.map(({ operatorId }) => operatorId);
      assert.ok(!others.includes(zoe));
    });

    test('what is shown as possible is possible, and nothing else', async () => {
      const { create, conversation } = await startWith();
      const busy = await create({ name: 'Busy', chatMaxNumber: 1 });
      const first = await fixture.startConversation({}, await fixture.createVisitor(conversation.websiteId));
      assert.ok(first.operatorId === busy || first.operatorId === conversation.operatorId);
      const grace = await create({ name: 'Grace' });
      await fixture.disconnect(grace);
      const away = await create({ name: 'Away' });
      await fixture.setAvailable(away, 'chat', false);
      await create({ name: 'Free' });
      await create({ name: 'Speaks German', languageList: ['de'] });
      const { operators } = await find(conversation);
      assert.deepEqual([...new Set(operators.map(({ routable }) => routable))].length, 2);
      // Those that are possible last: the conversation leaves with the first of them.
      for (const { operatorId, routable } of operators.toReversed()) {
        if (routable) continue;
        await assert.rejects(transfer(conversation, { operatorId }), { kind: 'state' });
      }
      const free = operators.filter(({ routable }) => routable);
      assert.ok(free.length >= 2);
      let current = conversation;
      for (const { operatorId } of free) {
        const moved = await transfer(current, { operatorId });
        assert.equal(moved.operatorId, operatorId);
        current = await fixture.accept(moved);
      }
    });

    test('obstacles: what routing has against an operator to whom a transfer is possible', async () => {
      const skillId = await fixture.createSkill();
      const { create, present, conversation } = await startWith({ skillId, language: 'fr' });
      const stranger = await create({ name: 'B' });
      const paused = await create({ name: 'C', skillList: [skillId], languageList: ['fr'] });
      await fixture.decline(await transfer(conversation, { operatorId: paused }));
      const again = await fixture.accept(await fixture.loadConversation(conversation.id));
      assert.equal(again.operatorId, present, 'they served the visitor last');
      const { operators } = await find(again);
      const byId = new Map(operators.map((target) => [target.operatorId, target]));
      assert.deepEqual(byId.get(stranger)?.obstacles, ['LACKS_SKILL', 'OTHER_LANGUAGE']);
      assert.deepEqual([byId.get(stranger)?.routable, byId.get(stranger)?.blockedBy], [true, []]);
      assert.deepEqual([byId.get(paused)?.obstacles, byId.get(paused)?.routable], [['REFUSED_LATELY'], true]);
      assert.equal((await transfer(again, { operatorId: stranger })).operatorId, stranger);
    });

    test('groups and skills: with their subtrees, each operator once, without the present one and those on a pause', async () => {
      const [parent, other] = [await fixture.createSkill(), await fixture.createSkill()];
      const [first, second] = [await fixture.createSkill(parent), await fixture.createSkill(parent)];
      const group = await fixture.createGroup();
      const subgroup = await fixture.createGroup(group);
      const { create, present, conversation } = await startWith();
      await fixture.installation.operators.update(fixture.transact, fixture.installation.caller, present, {
        ...{ groupId: subgroup, skillList: [first] },
      });
      await create({ skillList: [first, second], groupId: subgroup });
      await create({ skillList: [second], groupId: group, languageList: ['de'] });
      await create({ skillList: [second], groupId: group }, { connected: false });
      await create({ skillList: [other], languageList: ['de'] });
      const away = await create({ skillList: [second] });
      await fixture.setAvailable(away, 'chat', false);
      const { groups, skills } = await find(conversation);
      const toMap = (nodes: readonly { id: number; operatorsConnected: number; operatorsRoutable: number }[]) =>
        Object.fromEntries(nodes.map((node) => [node.id, [node.operatorsConnected, node.operatorsRoutable]]));
      assert.deepEqual(toMap(skills), { [parent]: [2, 1], [first]: [1, 1], [second]: [2, 1] });
      assert.deepEqual(toMap(groups), { [group]: [1, 1], [subgroup]: [1, 1] });
      // Agrees with the check of the transfer for every skill and group of the account.
      const all = await fixture.installation.database.read.selectFrom('skills').select('id').execute();
      for (const { id } of all) {
        const servable = await fixture.transact((tx) =>
          isServable(tx, { ...conversation, skillId: id, groupId: null }),
        );
        assert.equal(id in toMap(skills), servable, `skill ${id}`);
      }
      const allGroups = await fixture.installation.database.read.selectFrom('groups').select('id').execute();
      for (const { id } of allGroups) {
        const servable = await fixture.transact((tx) =>
          isServable(tx, { ...conversation, groupId: id, skillId: null }),
        );
        assert.equal(id in toMap(groups), servable, `group ${id}`);
      }
      const moved = await transfer(conversation, { skillId: first });
      assert.equal(moved.state, 'offered', 'routable: offered at once');
    });

    test('a text filters operators, groups and skills by a part of the name; without names only by the pseudonym', async () => {
      const { create, conversation } = await startWith();
      const { skills, groups, caller } = fixture.installation;
      const skill = await skills.create(fixture.transact, caller, { name: 'Ärger und Ümlaut' });
      const group = await groups.create(fixture.transact, caller, { name: 'ärztlich' });
      const one = await create({
        ...{ name: 'Bärbel', firstName: 'Ina', pseudo: 'Kim', skillList: [skill.id], groupId: group.id },
      });
      await create({ name: 'Unrelated', pseudo: 'Lou' });
      const idsFor = async (text: string, usesNames: boolean) => {
        const found = await find(conversation, { text, usesNames });
        return [found.operators, found.groups, found.skills].map((list) => list.length);
      };
      assert.deepEqual(await idsFor('ÄR', true), [1, 1, 1]);
      assert.deepEqual(await idsFor('INA', true), [1, 0, 0]);
      assert.deepEqual(await idsFor('kim', true), [1, 0, 0]);
      assert.deepEqual(await idsFor('ÄR', false), [0, 1, 1]);
      assert.deepEqual(await idsFor('KIM', false), [1, 0, 0]);
      assert.deepEqual(await idsFor('%', true), [0, 0, 0]);
      assert.equal((await find(conversation, { text: 'kim' })).operators[0]?.operatorId, one);
    });

    test('at most 100 operators, and those who are free are among them', async () => {
      const { create, conversation } = await startWith();
      for (let number = 0; number < MAX_TARGETS + 5; number += 1)
        await create({ name: `A ${String(number).padStart(3, '0')}` }, { connected: false });
      const free = await create({ name: 'Z' });
      const { operators } = await find(conversation);
      assert.equal(operators.length, MAX_TARGETS);
      assert.equal(operators[0]?.operatorId, free);
    });

    test('nothing can be transferred unless the conversation is active', async () => {
      const { create, conversation } = await startWith();
      await create();
      await fixture.close(conversation);
      const closed = await fixture.loadConversation(conversation.id);
      assert.deepEqual(await find(closed), { operators: [], groups: [], skills: [] });
    });
  });
}
