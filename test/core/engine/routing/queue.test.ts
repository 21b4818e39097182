import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { databases } from '../../../support/databases/databases.ts';
import { World } from '../../../support/fixtures/world.ts';

for (const { name, open } of databases) {
  describe(`the queue on ${name}`, () => {
    /** After `makeRoom`, the operator must have the queued conversation. The sweep never runs here. */
    const triggers: Record<
      string,
      (world: World) => Promise<{ queuedId: number; makeRoom(): Promise<unknown>; operatorId: number }>
    > = {
      'a close': async (world) => {
        const operatorId = await world.createOperator({ chatMaxNumber: 1 });
        const running = await world.accept(await world.startConversation());
        return { operatorId, queuedId: (await world.startConversation()).id, makeRoom: () => world.close(running) };
      },
      'a close by the visitor': async (world) => {
        const operatorId = await world.createOperator({ chatMaxNumber: 1 });
        const visitor = await world.createVisitor();
        const running = await world.accept(await world.startConversation({}, visitor));
        const { conversations } = world.installation;
        const makeRoom = () => conversations.closeAsVisitor(world.transact, visitor, running.id);
        return { operatorId, queuedId: (await world.startConversation()).id, makeRoom };
      },
      'a close on another channel': async (world) => {
        const operatorId = await world.createOperator({ callEnabled: true });
        const call = await world.accept(await world.startConversation({ channel: 'call' }));
        return { operatorId, queuedId: (await world.startConversation()).id, makeRoom: () => world.close(call) };
      },
      'a decline': async (world) => {
        const operatorId = await world.createOperator({ chatMaxNumber: 1 });
        const offered = await world.startConversation();
        return { operatorId, queuedId: (await world.startConversation()).id, makeRoom: () => world.decline(offered) };
      },
      'a timeout': async (world) => {
        const operatorId = await world.createOperator({ chatMaxNumber: 1 });
        await world.startConversation();
        return {
          operatorId,
          queuedId: (await world.startConversation()).id,
          makeRoom: () => world.advanceTime(30_000),
        };
      },
      'a connect': async (world) => {
        const operatorId = await world.createOperator({}, { away: true });
        return {
          operatorId,
          queuedId: (await world.startConversation()).id,
          makeRoom: () => world.connect(operatorId),
        };
      },
      'available=1': async (world) => {
        const operatorId = await world.createOperator();
        await world.setAvailable(operatorId, 'chat', false);
        return {
          operatorId,
          queuedId: (await world.startConversation()).id,
          makeRoom: () => world.setAvailable(operatorId, 'chat', true),
        };
      },
      'a change of skills': async (world) => {
        const skill = await world.createSkill();
        await world.createOperator({ skillList: [skill] }, { away: true });
        const operatorId = await world.createOperator();
        const { operators, caller } = world.installation;
        const makeRoom = () => operators.update(world.transact, caller, operatorId, { skillList: [skill] });
        return { operatorId, queuedId: (await world.startConversation({ skillId: skill })).id, makeRoom };
      },
      'a skill given to operators': async (world) => {
        const skill = await world.createSkill();
        await world.createOperator({ skillList: [skill] }, { away: true });
        const operatorId = await world.createOperator();
        const { operators, caller } = world.installation;
        const makeRoom = () => operators.setSkill(world.transact, caller, { id: skill }, [operatorId], true);
        return { operatorId, queuedId: (await world.startConversation({ skillId: skill })).id, makeRoom };
      },
      'a change of the skills’ tree': async (world) => {
        const [skill, other] = [await world.createSkill(), await world.createSkill()];
        await world.createOperator({ skillList: [skill] }, { away: true });
        const operatorId = await world.createOperator({ skillList: [other] });
        const { skills, caller } = world.installation;
        const makeRoom = () => skills.update(world.transact, caller, other, { parentId: skill });
        return { operatorId, queuedId: (await world.startConversation({ skillId: skill })).id, makeRoom };
      },
      'a change of group': async (world) => {
        const group = await world.createGroup();
        await world.createOperator({ groupId: group }, { away: true });
        const operatorId = await world.createOperator();
        const { operators, caller } = world.installation;
        const makeRoom = () => operators.update(world.transact, caller, operatorId, { groupId: group });
        return { operatorId, queuedId: (await world.startConversation({ groupId: group })).id, makeRoom };
      },
      'a change of the groups’ tree': async (world) => {
        const [group, other] = [await world.createGroup(), await world.createGroup()];
        await world.createOperator({ groupId: group }, { away: true });
        const operatorId = await world.createOperator({ groupId: other });
        const { groups, caller } = world.installation;
        const makeRoom = () => groups.update(world.transact, caller, other, { parentId: group });
        return { operatorId, queuedId: (await world.startConversation({ groupId: group })).id, makeRoom };
      },
      'a change of limits': async (world) => {
        const operatorId = await world.createOperator({ chatMaxNumber: 1 });
        await world.startConversation();
        const { operators, caller } = world.installation;
        const makeRoom = () => operators.update(world.transact, caller, operatorId, { chatMaxNumber: 2 });
        return { operatorId, queuedId: (await world.startConversation()).id, makeRoom };
      },
      'a channel that is enabled': async (world) => {
        await world.createOperator({ callEnabled: true }, { away: true });
        const operatorId = await world.createOperator();
        await world.setAvailable(operatorId, 'call', true);
        const { operators, caller } = world.installation;
        const makeRoom = () => operators.update(world.transact, caller, operatorId, { callEnabled: true });
        return { operatorId, queuedId: (await world.startConversation({ channel: 'call' })).id, makeRoom };
      },
      'a change of languages': async (world) => {
        await world.createOperator({ languageList: ['fr'] }, { away: true });
        const operatorId = await world.createOperator({ languageList: ['en'] });
        const { operators, caller } = world.installation;
        const makeRoom = () => operators.update(world.transact, caller, operatorId, { languageList: ['en', 'fr'] });
        return { operatorId, queuedId: (await world.startConversation({ language: 'fr' })).id, makeRoom };
      },
      'a change of websites': async (world) => {
        const other = await world.createWebsite();
        await world.createOperator({}, { away: true });
        const operatorId = await world.createOperator({ websiteList: [other] });
        const { operators, caller } = world.installation;
        const makeRoom = () =>
          operators.update(world.transact, caller, operatorId, { websiteList: [other, world.websiteId] });
        return { operatorId, queuedId: (await world.startConversation()).id, makeRoom };
      },
      'the end of a lease with an open offer': async (world) => {
        const gone = await world.createOperator({}, { away: true });
        await world.connect(gone, 'desk', 10);
        const offered = await world.startConversation();
        assert.equal(offered.operatorId, gone);
        const operatorId = await world.createOperator();
        return { operatorId, queuedId: offered.id, makeRoom: () => world.advanceTime(10_000) };
      },
      'the delete of an operator': async (world) => {
        const gone = await world.createOperator();
        const offered = await world.startConversation();
        const operatorId = await world.createOperator();
        const { operators, caller } = world.installation;
        return { operatorId, queuedId: offered.id, makeRoom: () => operators.remove(world.transact, caller, gone) };
      },
      'a transfer': async (world) => {
        const operatorId = await world.createOperator({ chatMaxNumber: 1 });
        const running = await world.accept(await world.startConversation());
        const queuedId = (await world.startConversation()).id;
        const other = await world.createOperator({ languageList: ['fr'] });
        const { conversations } = world.installation;
        const makeRoom = () =>
          conversations.transfer(world.transact, world.callerFor(operatorId), { id: running.id, operatorId: other });
        return { operatorId, queuedId, makeRoom };
      },
      'the end of a pause': async (world) => {
        const operatorId = await world.createOperator();
        const offered = await world.startConversation();
        await world.decline(offered);
        return { operatorId, queuedId: offered.id, makeRoom: () => world.advanceTime(60_000) };
      },
    };

    for (const [title, prepare] of Object.entries(triggers)) {
      test(`rule 13: the queue is drained at ${title}`, async () => {
        const world = await World.create(open);
        const { queuedId, makeRoom, operatorId } = await prepare(world);
        await makeRoom();
        const drained = await world.loadConversation(queuedId);
        assert.deepEqual([drained.state, drained.operatorId], ['offered', operatorId]);
        assert.deepEqual(await world.findBrokenInvariants(), []);
        await world.end();
      });
    }

    test('rule 13: the longest waiting comes first, of those that the operator can serve', async () => {
      const world = await World.create(open);
      const { clock } = world.installation;
      await world.createOperator({ languageList: ['fr', 'en'] }, { away: true });
      const ids: number[] = [];
      for (const language of ['fr', 'en', 'en', 'fr', 'en']) {
        clock.advance(10);
        ids.push((await world.startConversation({ language })).id);
      }
      const id = await world.createOperator({ chatMaxNumber: 2, languageList: ['en'] });
      const states = async () =>
        Promise.all(ids.map(async (one) => (await world.loadConversation(one)).operatorId === id));
      assert.deepEqual(await states(), [false, true, true, false, false]);
      await world.end();
    });

    test('rule 13: after a pause, the conversation that waited for its end is assigned before a new one', async () => {
      const world = await World.create(open);
      const operatorId = await world.createOperator({ chatMaxNumber: 1 });
      const declined = await world.startConversation();
      await world.decline(declined);
      world.installation.clock.advance(61_000); // the scheduler has not run yet
      const newcomer = await world.startConversation();
      assert.equal((await world.loadConversation(declined.id)).operatorId, operatorId);
      assert.equal((await world.loadConversation(newcomer.id)).state, 'queued');
      await world.end();
    });

    test('rule 13: the sweep assigns conversations after a change without an event', async () => {
      const world = await World.create(open);
      const id = await world.createOperator();
      const { database, scheduler, caller } = world.installation;
      await world.setAvailable(id, 'chat', false);
      const waiting = await world.startConversation();
      await world.transact((tx) => tx.db.updateTable('operatorLive').set({ chatAvailable: 1 }).execute());
      assert.equal((await world.loadConversation(waiting.id)).state, 'queued');
      assert.equal(await scheduler.sweep(), 1);
      assert.equal((await world.loadConversation(waiting.id)).operatorId, id);
      assert.ok(database && caller);
      await world.end();
    });

    test('rule 13: a conversation that no operator could ever serve is refused immediately, and counted', async () => {
      const world = await World.create(open);
      await world.createOperator({ languageList: ['en'] }, { away: true });
      assert.equal(
        (await world.startConversation()).state,
        'queued',
        'an operator could serve it, though not connected',
      );
      const skill = await world.createSkill();
      for (const input of [{ language: 'fr' }, { skillId: skill }, { channel: 'video' as const }]) {
        await assert.rejects(world.startConversation(input), { kind: 'state' });
      }
      const counted = await world.installation.database.read.selectFrom('refusals').selectAll().execute();
      assert.deepEqual(
        counted.map(({ reason, count }) => [reason, count]),
        [['nobody_could', 3]],
      );
      const stored = await world.installation.database.read.selectFrom('conversations').select('id').execute();
      assert.equal(stored.length, 1);
      await world.end();
    });

    test('erasing a visitor closes their active and queued conversations', async () => {
      const world = await World.create(open);
      const {
        caller,
        visitors: { erasure: visitorErasure },
      } = world.installation;
      await world.createOperator({ chatMaxNumber: 1 });
      const visitor = await world.createVisitor();
      const active = await world.accept(await world.startConversation({}, visitor));
      const waiting = await world.startConversation({}, visitor);
      assert.deepEqual([active.state, waiting.state], ['active', 'queued']);
      await visitorErasure.erase(world.transact, caller, visitor.visitorId);
      for (const { id } of [active, waiting]) assert.equal((await world.loadConversation(id)).state, 'closed');
      assert.deepEqual(await world.findBrokenInvariants(), []);
      await world.end();
    });

    test('rule 13: the queue of an account has a limit, and refusals above it are counted', async () => {
      const world = await World.create(open);
      await world.createOperator({}, { away: true });
      await world.transact((tx) => tx.db.updateTable('accounts').set({ queueLimit: 2 }).execute());
      await world.startConversation();
      await world.startConversation();
      await assert.rejects(world.startConversation(), { kind: 'limit' });
      const counted = await world.installation.database.read.selectFrom('refusals').selectAll().execute();
      assert.deepEqual(
        counted.map(({ reason, count }) => [reason, count]),
        [['queue_full', 1]],
      );
      await world.end();
    });

    test('rule 14: an operator who goes offline keeps active conversations for 60 s, then they return to the head of the queue', async () => {
      const world = await World.create(open);
      const { clock, conversations, database } = world.installation;
      const id = await world.createOperator({ chatMaxNumber: 1 });
      const earlier = await world.accept(await world.startConversation());
      clock.advance(1000);
      const waiting = await world.startConversation();
      await world.disconnect(id);
      await world.advanceTime(59_999);
      assert.deepEqual(
        [(await world.loadConversation(earlier.id)).state, (await world.loadConversation(earlier.id)).operatorId],
        ['active', id],
      );
      await world.advanceTime(1);
      assert.equal((await world.loadConversation(earlier.id)).state, 'queued');
      assert.equal((await world.loadLiveState(id)).chat.slots, 0);
      const messages = await conversations.messagesAfter(earlier, { after: 0, limit: 10 });
      assert.deepEqual(
        messages.map((message) => message.authorType),
        ['notice', 'notice'],
      );
      const next = await world.createOperator({ chatMaxNumber: 1 });
      assert.equal(
        (await world.loadConversation(earlier.id)).operatorId,
        next,
        'before all other queued conversations',
      );
      assert.equal((await world.loadConversation(waiting.id)).state, 'queued');
      assert.deepEqual(await world.findBrokenInvariants(), []);
      assert.ok(database);
      await world.end();
    });

    test('rule 14: an operator who returns in time keeps the conversation', async () => {
      const world = await World.create(open);
      const id = await world.createOperator();
      const running = await world.accept(await world.startConversation());
      await world.disconnect(id);
      await world.advanceTime(59_000);
      await world.connect(id);
      await world.advanceTime(60_000);
      const { state, operatorId } = await world.loadConversation(running.id);
      assert.deepEqual([state, operatorId], ['active', id]);
      const messages = await world.installation.conversations.messagesAfter(running, { after: 0, limit: 10 });
      assert.deepEqual(
        messages.map((message) => message.text),
        ['The operator lost the connection. Please wait a moment.', 'The operator is back.'],
      );
      await world.end();
    });

    test('rule 15: a transfer to an operator is an offer that obeys their capacity', async () => {
      const world = await World.create(open);
      const { conversations } = world.installation;
      const from = await world.createOperator();
      const running = await world.accept(await world.startConversation());
      const full = await world.createOperator({ chatMaxNumber: 1 });
      const other = await world.startConversation();
      assert.equal(other.operatorId, full);
      const move = (target: object) =>
        conversations.transfer(world.transact, world.callerFor(from), { id: running.id, ...target });
      await assert.rejects(move({ operatorId: full }), { kind: 'state' });
      await assert.rejects(move({ operatorId: full, force: true }), { kind: 'forbidden' });
      await assert.rejects(move({ operatorId: 9999 }), { kind: 'invalid' });
      await assert.rejects(move({}), { kind: 'invalid' });
      await assert.rejects(move({ operatorId: from }), { kind: 'invalid' });
      assert.deepEqual(await world.loadConversation(running.id), running, 'nothing was changed');
      const free = await world.createOperator();
      const moved = await move({ operatorId: free });
      assert.deepEqual([moved.state, moved.operatorId], ['offered', free]);
      assert.equal((await world.loadLiveState(from)).chat.slots, 0);
      await world.decline(moved);
      assert.equal((await world.loadConversation(running.id)).operatorId, from, 'declined: requeued and routed again');
      assert.deepEqual(await world.findBrokenInvariants(), []);
      await world.end();
    });

    test('rule 15: a transfer to a skill or group goes to its operators, and not back to the sender', async () => {
      const world = await World.create(open);
      const { conversations } = world.installation;
      const [skill, group] = [await world.createSkill(), await world.createGroup()];
      const from = await world.createOperator({ skillList: [skill] });
      const running = await world.accept(await world.startConversation());
      const move = (target: object) =>
        conversations.transfer(world.transact, world.callerFor(from), { id: running.id, ...target });
      await assert.rejects(move({ groupId: group }), { kind: 'state' }, 'no operator in the group');
      await assert.rejects(move({ skillId: 9999 }), { kind: 'invalid' });
      const expert = await world.createOperator({ skillList: [skill], groupId: group });
      const moved = await move({ skillId: skill });
      assert.deepEqual([moved.operatorId, moved.skillId, moved.groupId], [expert, skill, null]);
      const back = await conversations.transfer(world.transact, world.callerFor(expert), {
        id: (await world.accept(moved)).id,
        groupId: group,
      });
      assert.deepEqual([back.state, back.groupId, back.skillId], ['queued', group, null]);
      await world.end();
    });

    test('rule 15: a manager assigns a conversation immediately; above the maximum only by force, which is recorded', async () => {
      const world = await World.create(open);
      const { conversations, database } = world.installation;
      const manager = world.callerFor(await world.createOperator({}, { away: true }), 'manager');
      const full = await world.createOperator({ chatMaxNumber: 1 });
      await world.accept(await world.startConversation());
      const waiting = await world.startConversation();
      const take = (force: boolean) =>
        conversations.take(world.transact, manager, { id: waiting.id, operatorId: full, force });
      await assert.rejects(
        conversations.take(world.transact, world.callerFor(full), { id: waiting.id, operatorId: full }),
        {
          kind: 'forbidden',
        },
      );
      await assert.rejects(take(false), { kind: 'state' });
      assert.equal((await world.loadConversation(waiting.id)).state, 'queued');
      const taken = await take(true);
      assert.deepEqual([taken.state, taken.operatorId], ['active', full]);
      assert.equal((await world.loadLiveState(full)).chat.slots, 2);
      const decisions = await database.read
        .selectFrom('routingDecisions')
        .selectAll()
        .where('conversationId', '=', waiting.id)
        .orderBy('id')
        .execute();
      assert.deepEqual(
        decisions.map(({ cause, forced, operatorId, actorId }) => [cause, forced, operatorId, actorId]).at(-1),
        ['take', 1, full, manager.operatorId],
      );
      assert.match((await world.loadLiveHistory(full)).at(-1)?.reason ?? '', /forced/);
      await assert.rejects(take(true), { kind: 'state' }, 'a second time');
      assert.deepEqual(await world.findBrokenInvariants(), []);
      await world.end();
    });
  });
}
