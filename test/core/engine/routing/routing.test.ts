import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Conversation } from '../../../../src/core/engine/records/conversation.ts';
import { parseLiveChange } from '../../../../src/core/live/live-change.ts';
import type { OperatorCreate } from '../../../../src/core/operators/operator.ts';
import { databases, shareInstallation } from '../../../support/databases/databases.ts';
import { EngineFixture } from '../../../support/fixtures/engine-fixture.ts';

for (const { name, open } of databases) {
  describe(`routing on ${name}`, () => {
    const openAccount = shareInstallation(open);
    test('rule 5: slots in use are running conversations and open offers', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const id = await fixture.createOperator();
      const offered = await fixture.startConversation();
      assert.equal((await fixture.loadLiveState(id)).chat.slots, 1);
      const active = await fixture.accept(offered);
      assert.equal((await fixture.loadLiveState(id)).chat.slots, 1);
      await fixture.close(active);
      assert.equal((await fixture.loadLiveState(id)).chat.slots, 0);
      await fixture.end();
    });

    test('rule 6: an escalation from chat to video keeps the chat slot and claims the video slot in one step', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const { conversations } = fixture.installation;
      const id = await fixture.createOperator({ videoEnabled: true, chatToVideo: true });
      const chat = await fixture.accept(await fixture.startConversation());
      const video = await conversations.escalate(fixture.transact, fixture.callerFor(id), chat.id);
      assert.deepEqual(
        [video.channel, video.state, video.operatorId, video.escalatedFromId],
        ['video', 'active', id, chat.id],
      );
      assert.equal(video.visitorId, chat.visitorId);
      const live = await fixture.loadLiveState(id);
      assert.deepEqual([live.chat.slots, live.video.slots], [1, 1]);
      assert.equal((await fixture.startConversation()).state, 'queued', 'a video blocks further chats');
      await assert.rejects(conversations.escalate(fixture.transact, fixture.callerFor(id), chat.id), { kind: 'state' });
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.end();
    });

    test('rule 6: no escalation for an operator without chat_to_video or video, nor during a call', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const { conversations } = fixture.installation;
      const enabled: Partial<OperatorCreate> = {
        videoEnabled: true,
        chatToVideo: true,
        callEnabled: true,
        chatAndCall: true,
      };
      for (const settings of [{ ...enabled, chatToVideo: false }, { ...enabled, videoEnabled: false }, enabled]) {
        const id = await fixture.createOperator({ chatMaxNumber: 50, ...settings });
        const chat = await fixture.accept(await fixture.startConversation());
        if (settings === enabled) await fixture.accept(await fixture.startConversation({ channel: 'call' }));
        await assert.rejects(conversations.escalate(fixture.transact, fixture.callerFor(id), chat.id), {
          kind: 'state',
        });
        assert.equal((await fixture.loadLiveState(id)).video.slots, 0);
        await fixture.disconnect(id);
      }
      await fixture.end();
    });

    test('rule 8: a lowered maximum closes nothing; the operator is busy until it fits again', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const { operators, caller } = fixture.installation;
      const id = await fixture.createOperator({ chatMaxNumber: 3 });
      const running: Conversation[] = [];
      for (let count = 0; count < 3; count += 1) running.push(await fixture.accept(await fixture.startConversation()));
      await operators.update(fixture.transact, caller, id, { chatMaxNumber: 1 });
      assert.equal((await fixture.loadLiveState(id)).chat.slots, 3);
      const waiting = await fixture.startConversation();
      assert.equal(waiting.state, 'queued');
      await fixture.close(running[0] as Conversation);
      await fixture.close(running[1] as Conversation);
      assert.equal((await fixture.loadConversation(waiting.id)).state, 'queued');
      await fixture.close(running[2] as Conversation);
      assert.equal((await fixture.loadConversation(waiting.id)).operatorId, id);
      await fixture.end();
    });

    test('rule 10: an eligible operator matches the website, skill, group and language', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const other = await fixture.createWebsite();
      const [parent, sibling] = [await fixture.createSkill(), await fixture.createSkill()];
      const child = await fixture.createSkill(parent);
      const group = await fixture.createGroup();
      const subgroup = await fixture.createGroup(group);
      const cases: [string, Partial<OperatorCreate>, boolean][] = [
        ['on another website', { websiteList: [other], skillList: [parent], groupId: group }, false],
        ['without the skill', { skillList: [sibling], groupId: group }, false],
        ['with the skill under it', { skillList: [child], groupId: group }, true],
        ['in no group', { skillList: [parent] }, false],
        ['in the group under it', { skillList: [parent], groupId: subgroup }, true],
        ['in another language', { skillList: [parent], groupId: group, languageList: ['fr'] }, false],
        ['matching everything', { skillList: [sibling, parent], groupId: group, languageList: ['fr', 'en'] }, true],
        ['not for chats', { skillList: [parent], groupId: group, chatEnabled: false }, false],
      ];
      await fixture.createOperator({ skillList: [parent], groupId: group }, { connected: false }); // so that the conversation is not refused
      for (const [title, fields, eligible] of cases) {
        const id = await fixture.createOperator({ chatMaxNumber: 50, ...fields });
        const conversation = await fixture.startConversation({ skillId: parent, groupId: group });
        assert.equal(conversation.operatorId, eligible ? id : null, title);
        await fixture.disconnect(id);
      }
      const specialist = await fixture.createOperator({ skillList: [parent], groupId: group });
      const narrow = await fixture.startConversation({ skillId: child }).catch((error) => error);
      assert.ok(narrow.operatorId === null || narrow.kind === 'state', 'a skill does not cover those under it');
      await fixture.disconnect(specialist);
      await fixture.end();
    });

    test("rule 11: ranked by the visitor's last operator, then priority, share of slots, time since the last assignment, identifier", async () => {
      const fixture = await EngineFixture.create(openAccount);
      const { clock, operators, caller } = fixture.installation;
      const [first, second] = [
        await fixture.createOperator({ chatMaxNumber: 2 }),
        await fixture.createOperator({ chatMaxNumber: 4 }),
      ];
      const startAndAccept = async (visitor?: Awaited<ReturnType<EngineFixture['createVisitor']>>) => {
        clock.advance(1);
        const started = await fixture.startConversation({}, visitor);
        return started.state === 'offered' ? fixture.accept(started) : started;
      };
      const visitor = await fixture.createVisitor();
      assert.equal((await startAndAccept(visitor)).operatorId, first, 'all equal: the lowest identifier');
      assert.equal((await startAndAccept()).operatorId, second, 'the smallest share of slots');
      assert.equal((await startAndAccept()).operatorId, second, 'a quarter is less than a half');
      assert.equal((await startAndAccept()).operatorId, first, 'equal shares: longest since the last assignment');
      // first is full now; second has 2 of 4.
      assert.equal((await startAndAccept(visitor)).operatorId, second, 'a busy last operator is not waited for');
      const mine = await fixture.installation.database.read
        .selectFrom('conversations')
        .select(['id', 'operatorId'])
        .where('accountId', '=', fixture.accountId)
        .where('operatorId', '=', first)
        .executeTakeFirstOrThrow();
      await fixture.close(mine);
      await operators.update(fixture.transact, caller, second, { chatPriority: 10 });
      assert.equal((await startAndAccept()).operatorId, second, 'priority 10 before 0, whatever the share');
      await fixture.end();
    });

    test("rule 11: the visitor's last operator comes before priority", async () => {
      const fixture = await EngineFixture.create(openAccount);
      const lastOperator = await fixture.createOperator();
      const visitor = await fixture.createVisitor();
      const before = await fixture.accept(await fixture.startConversation({}, visitor));
      await fixture.close(before);
      await fixture.createOperator({ chatPriority: 10 });
      assert.equal((await fixture.startConversation({}, visitor)).operatorId, lastOperator);
      await fixture.end();
    });

    test('rule 11: an account can let the lower priority win', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const low = await fixture.createOperator({ chatPriority: 0 });
      const high = await fixture.createOperator({ chatPriority: 10 });
      assert.equal((await fixture.startConversation()).operatorId, high);
      await fixture.transact((tx) =>
        tx.db.updateTable('accounts').set({ lowestPriorityFirst: 1 }).where('id', '=', fixture.accountId).execute(),
      );
      assert.equal((await fixture.startConversation()).operatorId, low);
      await fixture.end();
    });

    test('rule 11: every decision is stored: the chosen operator, the best candidates with their criteria, counts of the excluded', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const [best, next] = [await fixture.createOperator({ chatPriority: 10 }), await fixture.createOperator()];
      await fixture.createOperator({}, { connected: false });
      await fixture.createOperator({ languageList: ['fr'] });
      const full = await fixture.createOperator({ chatMaxNumber: 1, chatPriority: 10 });
      await fixture.setAvailable(best, 'chat', false);
      await fixture.accept(await fixture.startConversation()); // fills the other operator with priority 10
      await fixture.setAvailable(best, 'chat', true);
      const conversation = await fixture.startConversation();
      assert.equal(conversation.operatorId, best);
      const decisions = await fixture.installation.database.read
        .selectFrom('routingDecisions')
        .selectAll()
        .where('accountId', '=', fixture.accountId)
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
      await fixture.end();
    });

    test('rule 12: a decline frees the slot, requeues at the original time, and pauses offers to that operator for 60 s', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const id = await fixture.createOperator();
      const first = await fixture.startConversation();
      await fixture.decline(first);
      const waiting = await fixture.loadConversation(first.id);
      assert.deepEqual([waiting.state, waiting.operatorId, waiting.queueOrder], ['queued', null, first.createdAt]);
      assert.equal((await fixture.loadLiveState(id)).chat.slots, 0);
      await fixture.advanceTime(59_999);
      assert.equal((await fixture.loadConversation(first.id)).state, 'queued');
      await fixture.advanceTime(1);
      assert.equal((await fixture.loadConversation(first.id)).operatorId, id);
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.end();
    });

    test('rule 12: a declined conversation is offered to the next best operator immediately', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const [first, second] = [await fixture.createOperator(), await fixture.createOperator()];
      const offered = await fixture.startConversation();
      assert.equal(offered.operatorId, first);
      assert.equal((await fixture.decline(offered)).operatorId, second);
      await fixture.end();
    });

    test('rule 12: an unanswered offer times out after 30 s; three in a row make the channel unavailable', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const id = await fixture.createOperator({ callEnabled: true });
      for (let count = 1; count <= 3; count += 1) {
        const offered = await fixture.startConversation();
        assert.equal(offered.operatorId, id, `offer ${count}`);
        await fixture.advanceTime(29_999);
        assert.equal((await fixture.loadConversation(offered.id)).state, 'offered');
        const position = await fixture.readPosition();
        await fixture.advanceTime(1);
        assert.equal((await fixture.loadConversation(offered.id)).state, 'queued');
        const announced = (await fixture.loadEventsAfter(position)).filter((event) => event.subjectType === 'operator');
        assert.equal(announced.length, count === 3 ? 1 : 0);
        if (count === 3)
          assert.deepEqual(announced[0]?.changes.values, { chatAvailable: false, reason: 'missed_offers' });
      }
      const live = await fixture.loadLiveState(id);
      assert.deepEqual([live.chat.available, live.call.available], [false, true]);
      assert.equal(
        (await fixture.loadLiveHistory(id)).findLast((row) => row.kind === 'availability')?.reason,
        'missed_offers',
      );
      const change = parseLiveChange((await fixture.loadLiveRow(id)).chatChanged);
      assert.deepEqual([change?.by.type, change?.reason], ['system', 'missed_offers']);
      await fixture.end();
    });

    test('rule 12: accepting or declining an offer resets the count of missed offers', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const id = await fixture.createOperator();
      for (const reaction of ['miss', 'miss', 'accept', 'miss', 'miss', 'decline', 'miss', 'miss'] as const) {
        const offered = await fixture.startConversation();
        assert.equal(offered.operatorId, id);
        if (reaction === 'accept') await fixture.close(await fixture.accept(offered));
        else if (reaction === 'decline') await fixture.decline(offered);
        else await fixture.advanceTime(30_000);
        const { conversations } = fixture.installation;
        await conversations
          .close(fixture.transact, fixture.callerFor(0, 'admin'), { id: offered.id })
          .catch(() => undefined);
      }
      assert.equal((await fixture.loadLiveState(id)).chat.available, true);
      await fixture.end();
    });

    test('rule 12: with auto-accept the assignment is immediate', async () => {
      const fixture = await EngineFixture.create(openAccount);
      await fixture.transact((tx) =>
        tx.db.updateTable('accounts').set({ autoAccept: 1 }).where('id', '=', fixture.accountId).execute(),
      );
      const id = await fixture.createOperator();
      const conversation = await fixture.startConversation();
      assert.deepEqual([conversation.state, conversation.operatorId], ['active', id]);
      assert.equal(conversation.acceptedAt, conversation.createdAt);
      await fixture.end();
    });

    test('rule 12: an offer can be accepted once, in time, by its operator', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const [id, other] = [await fixture.createOperator(), await fixture.createOperator({}, { connected: false })];
      const { conversations } = fixture.installation;
      const offered = await fixture.startConversation();
      await assert.rejects(conversations.accept(fixture.transact, fixture.callerFor(other), offered.id), {
        kind: 'state',
      });
      fixture.installation.clock.advance(30_000); // expired, but not processed yet
      await assert.rejects(fixture.accept(offered), { kind: 'state' });
      fixture.installation.clock.advance(-1);
      const accepted = await fixture.accept(offered);
      assert.equal(accepted.operatorId, id);
      const position = await fixture.readPosition();
      assert.equal((await fixture.accept(offered)).acceptedAt, accepted.acceptedAt, 'a resend is harmless');
      assert.deepEqual(await fixture.loadEventsAfter(position), []);
      await assert.rejects(fixture.decline(offered), { kind: 'state' });
      await fixture.end();
    });
  });
}
