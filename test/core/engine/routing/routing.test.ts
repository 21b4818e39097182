import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Conversation } from '../../../../src/core/engine/records/conversation.ts';
import type { OperatorCreate } from '../../../../src/core/operators/operator.ts';
import { databases } from '../../../support/databases/databases.ts';
import { World } from '../../../support/fixtures/world.ts';

for (const { name, open } of databases) {
  describe(`routing on ${name}`, () => {
    test('rule 5: slots in use are running conversations and open offers', async () => {
      const world = await World.create(open);
      const id = await world.createOperator();
      const offered = await world.startConversation();
      assert.equal((await world.loadLiveState(id)).chat.slots, 1);
      const active = await world.accept(offered);
      assert.equal((await world.loadLiveState(id)).chat.slots, 1);
      await world.close(active);
      assert.equal((await world.loadLiveState(id)).chat.slots, 0);
      await world.end();
    });

    test('rule 6: an escalation from chat to video keeps the chat slot and claims the video slot in one step', async () => {
      const world = await World.create(open);
      const { conversations } = world.installation;
      const id = await world.createOperator({ videoEnabled: true, chatToVideo: true });
      const chat = await world.accept(await world.startConversation());
      const video = await conversations.escalate(world.transact, world.callerFor(id), chat.id);
      assert.deepEqual(
        [video.channel, video.state, video.operatorId, video.escalatedFromId],
        ['video', 'active', id, chat.id],
      );
      assert.equal(video.visitorId, chat.visitorId);
      const live = await world.loadLiveState(id);
      assert.deepEqual([live.chat.slots, live.video.slots], [1, 1]);
      assert.equal((await world.startConversation()).state, 'queued', 'a video blocks further chats');
      await assert.rejects(conversations.escalate(world.transact, world.callerFor(id), chat.id), { kind: 'state' });
      assert.deepEqual(await world.findBrokenInvariants(), []);
      await world.end();
    });

    test('rule 6: no escalation for an operator without chat_to_video or video, nor during a call', async () => {
      const world = await World.create(open);
      const { conversations } = world.installation;
      const enabled: Partial<OperatorCreate> = {
        videoEnabled: true,
        chatToVideo: true,
        callEnabled: true,
        chatAndCall: true,
      };
      for (const settings of [{ ...enabled, chatToVideo: false }, { ...enabled, videoEnabled: false }, enabled]) {
        const id = await world.createOperator({ chatMaxNumber: 50, ...settings });
        const chat = await world.accept(await world.startConversation());
        if (settings === enabled) await world.accept(await world.startConversation({ channel: 'call' }));
        await assert.rejects(conversations.escalate(world.transact, world.callerFor(id), chat.id), { kind: 'state' });
        assert.equal((await world.loadLiveState(id)).video.slots, 0);
        await world.disconnect(id);
      }
      await world.end();
    });

    test('rule 8: a lowered maximum closes nothing; the operator is busy until it fits again', async () => {
      const world = await World.create(open);
      const { operators, caller } = world.installation;
      const id = await world.createOperator({ chatMaxNumber: 3 });
      const running: Conversation[] = [];
      for (let count = 0; count < 3; count += 1) running.push(await world.accept(await world.startConversation()));
      await operators.update(world.transact, caller, id, { chatMaxNumber: 1 });
      assert.equal((await world.loadLiveState(id)).chat.slots, 3);
      const waiting = await world.startConversation();
      assert.equal(waiting.state, 'queued');
      await world.close(running[0] as Conversation);
      await world.close(running[1] as Conversation);
      assert.equal((await world.loadConversation(waiting.id)).state, 'queued');
      await world.close(running[2] as Conversation);
      assert.equal((await world.loadConversation(waiting.id)).operatorId, id);
      await world.end();
    });

    test('rule 10: an eligible operator matches the website, skill, group and language', async () => {
      const world = await World.create(open);
      const other = await world.createWebsite();
      const [parent, sibling] = [await world.createSkill(), await world.createSkill()];
      const child = await world.createSkill(parent);
      const group = await world.createGroup();
      const under = await world.createGroup(group);
      const cases: [string, Partial<OperatorCreate>, boolean][] = [
        ['on another website', { websiteList: [other], skillList: [parent], groupId: group }, false],
        ['without the skill', { skillList: [sibling], groupId: group }, false],
        ['with the skill under it', { skillList: [child], groupId: group }, true],
        ['in no group', { skillList: [parent] }, false],
        ['in the group under it', { skillList: [parent], groupId: under }, true],
        ['in another language', { skillList: [parent], groupId: group, languageList: ['fr'] }, false],
        ['matching everything', { skillList: [sibling, parent], groupId: group, languageList: ['fr', 'en'] }, true],
        ['not for chats', { skillList: [parent], groupId: group, chatEnabled: false }, false],
      ];
      await world.createOperator({ skillList: [parent], groupId: group }, { away: true }); // so that the conversation is not refused
      for (const [title, more, eligible] of cases) {
        const id = await world.createOperator({ chatMaxNumber: 50, ...more });
        const conversation = await world.startConversation({ skillId: parent, groupId: group });
        assert.equal(conversation.operatorId, eligible ? id : null, title);
        await world.disconnect(id);
      }
      const specialist = await world.createOperator({ skillList: [parent], groupId: group });
      const narrow = await world.startConversation({ skillId: child }).catch((error) => error);
      assert.ok(narrow.operatorId === null || narrow.kind === 'state', 'a skill does not cover those under it');
      await world.disconnect(specialist);
      await world.end();
    });

    test("rule 11: ranked by the visitor's last operator, then priority, share of slots, time since the last assignment, identifier", async () => {
      const world = await World.create(open);
      const { clock, operators, caller } = world.installation;
      const [first, second] = [
        await world.createOperator({ chatMaxNumber: 2 }),
        await world.createOperator({ chatMaxNumber: 4 }),
      ];
      const startAndAccept = async (visitor?: Awaited<ReturnType<World['createVisitor']>>) => {
        clock.advance(1);
        const started = await world.startConversation({}, visitor);
        return started.state === 'offered' ? world.accept(started) : started;
      };
      const visitor = await world.createVisitor();
      assert.equal((await startAndAccept(visitor)).operatorId, first, 'all equal: the lowest identifier');
      assert.equal((await startAndAccept()).operatorId, second, 'the smallest share of slots');
      assert.equal((await startAndAccept()).operatorId, second, 'a quarter is less than a half');
      assert.equal((await startAndAccept()).operatorId, first, 'equal shares: longest since the last assignment');
      // first is full now; second has 2 of 4.
      assert.equal((await startAndAccept(visitor)).operatorId, second, 'a busy last operator is not waited for');
      const mine = await world.installation.database.read
        .selectFrom('conversations')
        .select(['id', 'operatorId'])
        .where('operatorId', '=', first)
        .executeTakeFirstOrThrow();
      await world.close(mine);
      await operators.update(world.transact, caller, second, { chatPriority: 10 });
      assert.equal((await startAndAccept()).operatorId, second, 'priority 10 before 0, whatever the share');
      await world.end();
    });

    test("rule 11: the visitor's last operator comes before priority", async () => {
      const world = await World.create(open);
      const lastOperator = await world.createOperator();
      const visitor = await world.createVisitor();
      const before = await world.accept(await world.startConversation({}, visitor));
      await world.close(before);
      await world.createOperator({ chatPriority: 10 });
      assert.equal((await world.startConversation({}, visitor)).operatorId, lastOperator);
      await world.end();
    });

    test('rule 11: an account can let the lower priority win', async () => {
      const world = await World.create(open);
      const low = await world.createOperator({ chatPriority: 0 });
      const high = await world.createOperator({ chatPriority: 10 });
      assert.equal((await world.startConversation()).operatorId, high);
      await world.transact((tx) => tx.db.updateTable('accounts').set({ lowestPriorityFirst: 1 }).execute());
      assert.equal((await world.startConversation()).operatorId, low);
      await world.end();
    });

    test('rule 11: every decision is stored: the chosen operator, the best candidates with their criteria, counts of the excluded', async () => {
      const world = await World.create(open);
      const [best, next] = [await world.createOperator({ chatPriority: 10 }), await world.createOperator()];
      await world.createOperator({}, { away: true });
      await world.createOperator({ languageList: ['fr'] });
      const full = await world.createOperator({ chatMaxNumber: 1, chatPriority: 10 });
      await world.setAvailable(best, 'chat', false);
      await world.accept(await world.startConversation()); // fills the other operator with priority 10
      await world.setAvailable(best, 'chat', true);
      const conversation = await world.startConversation();
      assert.equal(conversation.operatorId, best);
      const decisions = await world.installation.database.read
        .selectFrom('routingDecisions')
        .selectAll()
        .where('conversationId', '=', conversation.id)
        .execute();
      assert.equal(decisions.length, 1);
      const [decision] = decisions;
      assert.deepEqual([decision?.operatorId, decision?.cause, decision?.forced], [best, 'started', 0]);
      assert.deepEqual(JSON.parse(decision?.ranked ?? ''), [
        { operatorId: best, servedLast: false, priority: 10, share: 0, assignedAt: 0 },
        { operatorId: next, servedLast: false, priority: 0, share: 0, assignedAt: 0 },
      ]);
      // The admin and the operator who is away are offline; the admin is older than the website and not assigned to it.
      assert.deepEqual(JSON.parse(decision?.excluded ?? ''), {
        OFFLINE: 2,
        SLOTS_FULL: 1,
        OTHER_LANGUAGE: 1,
        OTHER_WEBSITE: 1,
      });
      assert.ok(full);
      await world.end();
    });

    test('rule 12: a decline frees the slot, requeues at the original time, and pauses offers to that operator for 60 s', async () => {
      const world = await World.create(open);
      const id = await world.createOperator();
      const first = await world.startConversation();
      await world.decline(first);
      const waiting = await world.loadConversation(first.id);
      assert.deepEqual([waiting.state, waiting.operatorId, waiting.queueOrder], ['queued', null, first.createdAt]);
      assert.equal((await world.loadLiveState(id)).chat.slots, 0);
      await world.advanceTime(59_999);
      assert.equal((await world.loadConversation(first.id)).state, 'queued');
      await world.advanceTime(1);
      assert.equal((await world.loadConversation(first.id)).operatorId, id);
      assert.deepEqual(await world.findBrokenInvariants(), []);
      await world.end();
    });

    test('rule 12: a declined conversation is offered to the next best operator immediately', async () => {
      const world = await World.create(open);
      const [one, two] = [await world.createOperator(), await world.createOperator()];
      const offered = await world.startConversation();
      assert.equal(offered.operatorId, one);
      assert.equal((await world.decline(offered)).operatorId, two);
      await world.end();
    });

    test('rule 12: an unanswered offer times out after 30 s; three in a row make the channel unavailable', async () => {
      const world = await World.create(open);
      const id = await world.createOperator({ callEnabled: true });
      for (let count = 1; count <= 3; count += 1) {
        const offered = await world.startConversation();
        assert.equal(offered.operatorId, id, `offer ${count}`);
        await world.advanceTime(29_999);
        assert.equal((await world.loadConversation(offered.id)).state, 'offered');
        const position = await world.readPosition();
        await world.advanceTime(1);
        assert.equal((await world.loadConversation(offered.id)).state, 'queued');
        const announced = (await world.loadEventsAfter(position)).filter((event) => event.subjectType === 'operator');
        assert.equal(announced.length, count === 3 ? 1 : 0);
        if (count === 3)
          assert.deepEqual(announced[0]?.changes.values, { chatAvailable: false, reason: 'missed_offers' });
      }
      const live = await world.loadLiveState(id);
      assert.deepEqual([live.chat.available, live.call.available], [false, true]);
      assert.equal(
        (await world.loadLiveHistory(id)).findLast((row) => row.kind === 'availability')?.reason,
        'missed_offers',
      );
      await world.end();
    });

    test('rule 12: an answer resets the count of missed offers', async () => {
      const world = await World.create(open);
      const id = await world.createOperator();
      for (const answer of ['miss', 'miss', 'accept', 'miss', 'miss', 'decline', 'miss', 'miss'] as const) {
        const offered = await world.startConversation();
        assert.equal(offered.operatorId, id);
        if (answer === 'accept') await world.close(await world.accept(offered));
        else if (answer === 'decline') await world.decline(offered);
        else await world.advanceTime(30_000);
        const { conversations } = world.installation;
        await conversations.close(world.transact, world.callerFor(0, 'admin'), offered.id).catch(() => undefined);
      }
      assert.equal((await world.loadLiveState(id)).chat.available, true);
      await world.end();
    });

    test('rule 12: with auto-accept the assignment is immediate', async () => {
      const world = await World.create(open);
      await world.transact((tx) => tx.db.updateTable('accounts').set({ autoAccept: 1 }).execute());
      const id = await world.createOperator();
      const conversation = await world.startConversation();
      assert.deepEqual([conversation.state, conversation.operatorId], ['active', id]);
      assert.equal(conversation.acceptedAt, conversation.createdAt);
      await world.end();
    });

    test('rule 12: an offer can be accepted once, in time, by its operator', async () => {
      const world = await World.create(open);
      const [id, other] = [await world.createOperator(), await world.createOperator({}, { away: true })];
      const { conversations } = world.installation;
      const offered = await world.startConversation();
      await assert.rejects(conversations.accept(world.transact, world.callerFor(other), offered.id), { kind: 'state' });
      world.installation.clock.advance(30_000); // expired, but not processed yet
      await assert.rejects(world.accept(offered), { kind: 'state' });
      world.installation.clock.advance(-1);
      const accepted = await world.accept(offered);
      assert.equal(accepted.operatorId, id);
      const position = await world.readPosition();
      assert.equal((await world.accept(offered)).acceptedAt, accepted.acceptedAt, 'a resend is harmless');
      assert.deepEqual(await world.loadEventsAfter(position), []);
      await assert.rejects(world.decline(offered), { kind: 'state' });
      await world.end();
    });
  });
}
