import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Conversation } from '../../../../src/core/engine/records/conversation.ts';
import type { OperatorCreate } from '../../../../src/core/operators/operator.ts';
import { databases } from '../../../support/databases/databases.ts';
import { World } from '../../../support/people/world.ts';

for (const { name, open } of databases) {
  describe(`routing on ${name}`, () => {
    test('rule 5: slots in use are running conversations and open offers', async () => {
      const world = await World.on(open);
      const id = await world.operator();
      const offered = await world.start();
      assert.equal((await world.live(id)).chat.slots, 1);
      const active = await world.accept(offered);
      assert.equal((await world.live(id)).chat.slots, 1);
      await world.close(active);
      assert.equal((await world.live(id)).chat.slots, 0);
      await world.end();
    });

    test('rule 6: from chat to video in one step: the chat slot kept, the video slot taken', async () => {
      const world = await World.on(open);
      const { conversations } = world.installation;
      const id = await world.operator({ videoEnabled: true, chatToVideo: true });
      const chat = await world.accept(await world.start());
      const video = await conversations.escalate(world.transact, world.as(id), chat.id);
      assert.deepEqual(
        [video.channel, video.state, video.operatorId, video.escalatedFromId],
        ['video', 'active', id, chat.id],
      );
      assert.equal(video.visitorId, chat.visitorId);
      const live = await world.live(id);
      assert.deepEqual([live.chat.slots, live.video.slots], [1, 1]);
      assert.equal((await world.start()).state, 'queued', 'a video blocks further chats');
      await assert.rejects(conversations.escalate(world.transact, world.as(id), chat.id), { kind: 'state' });
      assert.deepEqual(await world.brokenInvariants(), []);
      await world.end();
    });

    test('rule 6: no escalation for those who may not, nor beside a call', async () => {
      const world = await World.on(open);
      const { conversations } = world.installation;
      const may: Partial<OperatorCreate> = {
        videoEnabled: true,
        chatToVideo: true,
        callEnabled: true,
        chatAndCall: true,
      };
      for (const more of [{ ...may, chatToVideo: false }, { ...may, videoEnabled: false }, may]) {
        const id = await world.operator({ chatMaxNumber: 50, ...more });
        const chat = await world.accept(await world.start());
        if (more === may) await world.accept(await world.start({ channel: 'call' }));
        await assert.rejects(conversations.escalate(world.transact, world.as(id), chat.id), { kind: 'state' });
        assert.equal((await world.live(id)).video.slots, 0);
        await world.disconnect(id);
      }
      await world.end();
    });

    test('rule 8: a lowered maximum closes nothing; the operator is busy until it fits again', async () => {
      const world = await World.on(open);
      const { operators, caller } = world.installation;
      const id = await world.operator({ chatMaxNumber: 3 });
      const running: Conversation[] = [];
      for (let count = 0; count < 3; count += 1) running.push(await world.accept(await world.start()));
      await operators.update(world.transact, caller, id, { chatMaxNumber: 1 });
      assert.equal((await world.live(id)).chat.slots, 3);
      const waiting = await world.start();
      assert.equal(waiting.state, 'queued');
      await world.close(running[0] as Conversation);
      await world.close(running[1] as Conversation);
      assert.equal((await world.conversation(waiting.id)).state, 'queued');
      await world.close(running[2] as Conversation);
      assert.equal((await world.conversation(waiting.id)).operatorId, id);
      await world.end();
    });

    test('rule 10: eligible is who is there for the website, the skill, the group and the language', async () => {
      const world = await World.on(open);
      const other = await world.website();
      const [parent, sibling] = [await world.skill(), await world.skill()];
      const child = await world.skill(parent);
      const group = await world.group();
      const under = await world.group(group);
      const cases: [string, Partial<OperatorCreate>, boolean][] = [
        ['on another website', { websiteList: [other], skillList: [parent], groupId: group }, false],
        ['without the skill', { skillList: [sibling], groupId: group }, false],
        ['with the skill under it', { skillList: [child], groupId: group }, true],
        ['in no group', { skillList: [parent] }, false],
        ['in the group under it', { skillList: [parent], groupId: under }, true],
        ['in another language', { skillList: [parent], groupId: group, languageList: ['fr'] }, false],
        ['as it asks', { skillList: [sibling, parent], groupId: group, languageList: ['fr', 'en'] }, true],
        ['not for chats', { skillList: [parent], groupId: group, chatEnabled: false }, false],
      ];
      await world.operator({ skillList: [parent], groupId: group }, { away: true }); // somebody could
      for (const [title, more, eligible] of cases) {
        const id = await world.operator({ chatMaxNumber: 50, ...more });
        const conversation = await world.start({ skillId: parent, groupId: group });
        assert.equal(conversation.operatorId, eligible ? id : null, title);
        await world.disconnect(id);
      }
      const specialist = await world.operator({ skillList: [parent], groupId: group });
      const narrow = await world.start({ skillId: child }).catch((error) => error);
      assert.ok(narrow.operatorId === null || narrow.kind === 'state', 'a skill does not answer for those under it');
      await world.disconnect(specialist);
      await world.end();
    });

    test('rule 11: who served the visitor last, then priority, share, rest, identifier', async () => {
      const world = await World.on(open);
      const { clock, operators, caller } = world.installation;
      const [first, second] = [await world.operator({ chatMaxNumber: 2 }), await world.operator({ chatMaxNumber: 4 })];
      const give = async (visitor?: Awaited<ReturnType<World['visitor']>>) => {
        clock.advance(1);
        const started = await world.start({}, visitor);
        return started.state === 'offered' ? world.accept(started) : started;
      };
      const visitor = await world.visitor();
      assert.equal((await give(visitor)).operatorId, first, 'all alike: the lowest identifier');
      assert.equal((await give()).operatorId, second, 'the smallest share of slots');
      assert.equal((await give()).operatorId, second, 'a quarter is less than a half');
      assert.equal((await give()).operatorId, first, 'equal shares: the longest rest');
      // first is full now; second has 2 of 4.
      assert.equal((await give(visitor)).operatorId, second, 'who served last, but is busy, is not waited for');
      const mine = await world.installation.database.read
        .selectFrom('conversations')
        .select(['id', 'operatorId'])
        .where('operatorId', '=', first)
        .executeTakeFirstOrThrow();
      await world.close(mine);
      await operators.update(world.transact, caller, second, { chatPriority: 10 });
      assert.equal((await give()).operatorId, second, 'priority 10 before 0, whatever the share');
      await world.end();
    });

    test('rule 11: who served last comes before priority', async () => {
      const world = await World.on(open);
      const familiar = await world.operator();
      const visitor = await world.visitor();
      const before = await world.accept(await world.start({}, visitor));
      await world.close(before);
      await world.operator({ chatPriority: 10 });
      assert.equal((await world.start({}, visitor)).operatorId, familiar);
      await world.end();
    });

    test('rule 11: an account can let the lower priority win', async () => {
      const world = await World.on(open);
      const low = await world.operator({ chatPriority: 0 });
      const high = await world.operator({ chatPriority: 10 });
      assert.equal((await world.start()).operatorId, high);
      await world.transact((tx) => tx.db.updateTable('accounts').set({ lowestPriorityFirst: 1 }).execute());
      assert.equal((await world.start()).operatorId, low);
      await world.end();
    });

    test('rule 11: every decision is kept: the chosen one, the best with their reasons, counts of the excluded', async () => {
      const world = await World.on(open);
      const [best, next] = [await world.operator({ chatPriority: 10 }), await world.operator()];
      await world.operator({}, { away: true });
      await world.operator({ languageList: ['fr'] });
      const full = await world.operator({ chatMaxNumber: 1, chatPriority: 10 });
      await world.setAvailable(best, 'chat', false);
      await world.accept(await world.start()); // to the one with priority, who is full from now on
      await world.setAvailable(best, 'chat', true);
      const conversation = await world.start();
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
      // The admin of the account and the one who is away; the admin came before the website.
      assert.deepEqual(JSON.parse(decision?.excluded ?? ''), {
        OFFLINE: 2,
        SLOTS_FULL: 1,
        OTHER_LANGUAGE: 1,
        OTHER_WEBSITE: 1,
      });
      assert.ok(full);
      await world.end();
    });

    test('rule 12: declined: the slot is free, the conversation waits at its own time, and 60 s not for them again', async () => {
      const world = await World.on(open);
      const id = await world.operator();
      const first = await world.start();
      await world.decline(first);
      const waiting = await world.conversation(first.id);
      assert.deepEqual([waiting.state, waiting.operatorId, waiting.queueOrder], ['queued', null, first.createdAt]);
      assert.equal((await world.live(id)).chat.slots, 0);
      await world.pass(59_999);
      assert.equal((await world.conversation(first.id)).state, 'queued');
      await world.pass(1);
      assert.equal((await world.conversation(first.id)).operatorId, id);
      assert.deepEqual(await world.brokenInvariants(), []);
      await world.end();
    });

    test('rule 12: declined goes to the next best at once', async () => {
      const world = await World.on(open);
      const [one, two] = [await world.operator(), await world.operator()];
      const offered = await world.start();
      assert.equal(offered.operatorId, one);
      assert.equal((await world.decline(offered)).operatorId, two);
      await world.end();
    });

    test('rule 12: an offer that nobody answers times out after 30 s; three in a row take the channel away', async () => {
      const world = await World.on(open);
      const id = await world.operator({ callEnabled: true });
      for (let count = 1; count <= 3; count += 1) {
        const offered = await world.start();
        assert.equal(offered.operatorId, id, `offer ${count}`);
        await world.pass(29_999);
        assert.equal((await world.conversation(offered.id)).state, 'offered');
        const position = await world.position();
        await world.pass(1);
        assert.equal((await world.conversation(offered.id)).state, 'queued');
        const announced = (await world.eventsAfter(position)).filter((event) => event.subjectType === 'operator');
        assert.equal(announced.length, count === 3 ? 1 : 0);
        if (count === 3)
          assert.deepEqual(announced[0]?.changes.values, { chatAvailable: false, reason: 'missed_offers' });
      }
      const live = await world.live(id);
      assert.deepEqual([live.chat.available, live.call.available], [false, true]);
      assert.equal((await world.history(id)).findLast((row) => row.kind === 'availability')?.reason, 'missed_offers');
      await world.end();
    });

    test('rule 12: an answer between them starts the count of missed offers anew', async () => {
      const world = await World.on(open);
      const id = await world.operator();
      for (const answer of ['miss', 'miss', 'accept', 'miss', 'miss', 'decline', 'miss', 'miss'] as const) {
        const offered = await world.start();
        assert.equal(offered.operatorId, id);
        if (answer === 'accept') await world.close(await world.accept(offered));
        else if (answer === 'decline') await world.decline(offered);
        else await world.pass(30_000);
        const { conversations } = world.installation;
        await conversations.close(world.transact, world.as(0, 'admin'), offered.id).catch(() => undefined);
      }
      assert.equal((await world.live(id)).chat.available, true);
      await world.end();
    });

    test('rule 12: with auto-accept the assignment is immediate', async () => {
      const world = await World.on(open);
      await world.transact((tx) => tx.db.updateTable('accounts').set({ autoAccept: 1 }).execute());
      const id = await world.operator();
      const conversation = await world.start();
      assert.deepEqual([conversation.state, conversation.operatorId], ['active', id]);
      assert.equal(conversation.acceptedAt, conversation.createdAt);
      await world.end();
    });

    test('rule 12: an offer can be accepted once, in time, by whom it was made to', async () => {
      const world = await World.on(open);
      const [id, other] = [await world.operator(), await world.operator({}, { away: true })];
      const { conversations } = world.installation;
      const offered = await world.start();
      await assert.rejects(conversations.accept(world.transact, world.as(other), offered.id), { kind: 'state' });
      world.installation.clock.advance(30_000); // over, though nobody has noticed yet
      await assert.rejects(world.accept(offered), { kind: 'state' });
      world.installation.clock.advance(-1);
      const accepted = await world.accept(offered);
      assert.equal(accepted.operatorId, id);
      const position = await world.position();
      assert.equal((await world.accept(offered)).acceptedAt, accepted.acceptedAt, 'a resend is harmless');
      assert.deepEqual(await world.eventsAfter(position), []);
      await assert.rejects(world.decline(offered), { kind: 'state' });
      await world.end();
    });
  });
}
