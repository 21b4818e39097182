import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { databases } from '../../../support/databases/databases.ts';
import { World } from '../../../support/people/world.ts';

for (const { name, open } of databases) {
  describe(`the queue on ${name}`, () => {
    /** Each makes it possible for a conversation that waits to be served; the sweep is never run here. */
    const triggers: Record<
      string,
      (world: World) => Promise<{ waiting: number; free(): Promise<unknown>; by: number }>
    > = {
      'a close': async (world) => {
        const by = await world.operator({ chatMaxNumber: 1 });
        const running = await world.accept(await world.start());
        return { by, waiting: (await world.start()).id, free: () => world.close(running) };
      },
      'a close by the visitor': async (world) => {
        const by = await world.operator({ chatMaxNumber: 1 });
        const visitor = await world.visitor();
        const running = await world.accept(await world.start({}, visitor));
        const { conversations } = world.installation;
        const free = () => conversations.closeAsVisitor(world.transact, visitor, running.id);
        return { by, waiting: (await world.start()).id, free };
      },
      'a close on another channel': async (world) => {
        const by = await world.operator({ callEnabled: true });
        const call = await world.accept(await world.start({ channel: 'call' }));
        return { by, waiting: (await world.start()).id, free: () => world.close(call) };
      },
      'a decline': async (world) => {
        const by = await world.operator({ chatMaxNumber: 1 });
        const offered = await world.start();
        return { by, waiting: (await world.start()).id, free: () => world.decline(offered) };
      },
      'a timeout': async (world) => {
        const by = await world.operator({ chatMaxNumber: 1 });
        await world.start();
        return { by, waiting: (await world.start()).id, free: () => world.pass(30_000) };
      },
      'a connect': async (world) => {
        const by = await world.operator({}, { away: true });
        return { by, waiting: (await world.start()).id, free: () => world.connect(by) };
      },
      'available=1': async (world) => {
        const by = await world.operator();
        await world.setAvailable(by, 'chat', false);
        return { by, waiting: (await world.start()).id, free: () => world.setAvailable(by, 'chat', true) };
      },
      'a change of skills': async (world) => {
        const skill = await world.skill();
        await world.operator({ skillList: [skill] }, { away: true });
        const by = await world.operator();
        const { operators, caller } = world.installation;
        const free = () => operators.update(world.transact, caller, by, { skillList: [skill] });
        return { by, waiting: (await world.start({ skillId: skill })).id, free };
      },
      'a skill given to operators': async (world) => {
        const skill = await world.skill();
        await world.operator({ skillList: [skill] }, { away: true });
        const by = await world.operator();
        const { operators, caller } = world.installation;
        const free = () => operators.setSkill(world.transact, caller, { id: skill }, [by], true);
        return { by, waiting: (await world.start({ skillId: skill })).id, free };
      },
      'a change of the skills’ tree': async (world) => {
        const [skill, other] = [await world.skill(), await world.skill()];
        await world.operator({ skillList: [skill] }, { away: true });
        const by = await world.operator({ skillList: [other] });
        const { skills, caller } = world.installation;
        const free = () => skills.update(world.transact, caller, other, { parentId: skill });
        return { by, waiting: (await world.start({ skillId: skill })).id, free };
      },
      'a change of group': async (world) => {
        const group = await world.group();
        await world.operator({ groupId: group }, { away: true });
        const by = await world.operator();
        const { operators, caller } = world.installation;
        const free = () => operators.update(world.transact, caller, by, { groupId: group });
        return { by, waiting: (await world.start({ groupId: group })).id, free };
      },
      'a change of the groups’ tree': async (world) => {
        const [group, other] = [await world.group(), await world.group()];
        await world.operator({ groupId: group }, { away: true });
        const by = await world.operator({ groupId: other });
        const { groups, caller } = world.installation;
        const free = () => groups.update(world.transact, caller, other, { parentId: group });
        return { by, waiting: (await world.start({ groupId: group })).id, free };
      },
      'a change of limits': async (world) => {
        const by = await world.operator({ chatMaxNumber: 1 });
        await world.start();
        const { operators, caller } = world.installation;
        const free = () => operators.update(world.transact, caller, by, { chatMaxNumber: 2 });
        return { by, waiting: (await world.start()).id, free };
      },
      'a channel that is enabled': async (world) => {
        await world.operator({ callEnabled: true }, { away: true });
        const by = await world.operator();
        await world.setAvailable(by, 'call', true);
        const { operators, caller } = world.installation;
        const free = () => operators.update(world.transact, caller, by, { callEnabled: true });
        return { by, waiting: (await world.start({ channel: 'call' })).id, free };
      },
      'a change of languages': async (world) => {
        await world.operator({ languageList: ['fr'] }, { away: true });
        const by = await world.operator({ languageList: ['en'] });
        const { operators, caller } = world.installation;
        const free = () => operators.update(world.transact, caller, by, { languageList: ['en', 'fr'] });
        return { by, waiting: (await world.start({ language: 'fr' })).id, free };
      },
      'a change of websites': async (world) => {
        const other = await world.website();
        await world.operator({}, { away: true });
        const by = await world.operator({ websiteList: [other] });
        const { operators, caller } = world.installation;
        const free = () => operators.update(world.transact, caller, by, { websiteList: [other, world.websiteId] });
        return { by, waiting: (await world.start()).id, free };
      },
      'the end of a lease with an open offer': async (world) => {
        const gone = await world.operator({}, { away: true });
        await world.connect(gone, 'desk', 10);
        const offered = await world.start();
        assert.equal(offered.operatorId, gone);
        const by = await world.operator();
        return { by, waiting: offered.id, free: () => world.pass(10_000) };
      },
      'the delete of an operator': async (world) => {
        const gone = await world.operator();
        const offered = await world.start();
        const by = await world.operator();
        const { operators, caller } = world.installation;
        return { by, waiting: offered.id, free: () => operators.remove(world.transact, caller, gone) };
      },
      'a transfer': async (world) => {
        const by = await world.operator({ chatMaxNumber: 1 });
        const running = await world.accept(await world.start());
        const waiting = (await world.start()).id;
        const other = await world.operator({ languageList: ['fr'] });
        const { conversations } = world.installation;
        const free = () => conversations.transfer(world.transact, world.as(by), { id: running.id, operatorId: other });
        return { by, waiting, free };
      },
      'the end of a pause': async (world) => {
        const by = await world.operator();
        const offered = await world.start();
        await world.decline(offered);
        return { by, waiting: offered.id, free: () => world.pass(60_000) };
      },
    };

    for (const [title, prepare] of Object.entries(triggers)) {
      test(`rule 13: the queue is drained at ${title}`, async () => {
        const world = await World.on(open);
        const { waiting, free, by } = await prepare(world);
        await free();
        const { state, operatorId } = await world.conversation(waiting);
        assert.deepEqual([state, operatorId], ['offered', by]);
        assert.deepEqual(await world.brokenInvariants(), []);
        await world.end();
      });
    }

    test('rule 13: the longest waiting comes first, of those that the operator can serve', async () => {
      const world = await World.on(open);
      const { clock } = world.installation;
      await world.operator({ languageList: ['fr', 'en'] }, { away: true });
      const ids: number[] = [];
      for (const language of ['fr', 'en', 'en', 'fr', 'en']) {
        clock.advance(10);
        ids.push((await world.start({ language })).id);
      }
      const id = await world.operator({ chatMaxNumber: 2, languageList: ['en'] });
      const states = async () => Promise.all(ids.map(async (one) => (await world.conversation(one)).operatorId === id));
      assert.deepEqual(await states(), [false, true, true, false, false]);
      await world.end();
    });

    test('rule 13: who comes when a pause has just ended is not served before whoever waited for its end', async () => {
      const world = await World.on(open);
      const by = await world.operator({ chatMaxNumber: 1 });
      const refused = await world.start();
      await world.decline(refused);
      world.installation.clock.advance(61_000); // nobody has looked yet
      const newcomer = await world.start();
      assert.equal((await world.conversation(refused.id)).operatorId, by);
      assert.equal((await world.conversation(newcomer.id)).state, 'queued');
      await world.end();
    });

    test('rule 13: the sweep finds what no event has told', async () => {
      const world = await World.on(open);
      const id = await world.operator();
      const { database, scheduler, caller } = world.installation;
      await world.setAvailable(id, 'chat', false);
      const waiting = await world.start();
      await world.transact((tx) => tx.db.updateTable('operatorLive').set({ chatAvailable: 1 }).execute());
      assert.equal((await world.conversation(waiting.id)).state, 'queued');
      assert.equal(await scheduler.sweep(), 1);
      assert.equal((await world.conversation(waiting.id)).operatorId, id);
      assert.ok(database && caller);
      await world.end();
    });

    test('rule 13: what nobody could ever serve is refused at once, and counted', async () => {
      const world = await World.on(open);
      await world.operator({ languageList: ['en'] }, { away: true });
      assert.equal((await world.start()).state, 'queued', 'somebody could, connected or not');
      const skill = await world.skill();
      for (const input of [{ language: 'fr' }, { skillId: skill }, { channel: 'video' as const }]) {
        await assert.rejects(world.start(input), { kind: 'state' });
      }
      const counted = await world.installation.database.read.selectFrom('refusals').selectAll().execute();
      assert.deepEqual(
        counted.map(({ reason, count }) => [reason, count]),
        [['nobody_could', 3]],
      );
      const kept = await world.installation.database.read.selectFrom('conversations').select('id').execute();
      assert.equal(kept.length, 1);
      await world.end();
    });

    test('whoever is erased while they talk and wait is gone from both', async () => {
      const world = await World.on(open);
      const {
        caller,
        visitors: { erasure: visitorErasure },
      } = world.installation;
      await world.operator({ chatMaxNumber: 1 });
      const visitor = await world.visitor();
      const active = await world.accept(await world.start({}, visitor));
      const waiting = await world.start({}, visitor);
      assert.deepEqual([active.state, waiting.state], ['active', 'queued']);
      await visitorErasure.erase(world.transact, caller, visitor.visitorId);
      for (const { id } of [active, waiting]) assert.equal((await world.conversation(id)).state, 'closed');
      assert.deepEqual(await world.brokenInvariants(), []);
      await world.end();
    });

    test('rule 13: the queue of an account has a limit, and what is over it is counted', async () => {
      const world = await World.on(open);
      await world.operator({}, { away: true });
      await world.transact((tx) => tx.db.updateTable('accounts').set({ queueLimit: 2 }).execute());
      await world.start();
      await world.start();
      await assert.rejects(world.start(), { kind: 'limit' });
      const counted = await world.installation.database.read.selectFrom('refusals').selectAll().execute();
      assert.deepEqual(
        counted.map(({ reason, count }) => [reason, count]),
        [['queue_full', 1]],
      );
      await world.end();
    });

    test('rule 14: who goes offline keeps running conversations for 60 s, then they go to the head of the queue', async () => {
      const world = await World.on(open);
      const { clock, conversations, database } = world.installation;
      const id = await world.operator({ chatMaxNumber: 1 });
      const earlier = await world.accept(await world.start());
      clock.advance(1000);
      const waiting = await world.start();
      await world.disconnect(id);
      await world.pass(59_999);
      assert.deepEqual(
        [(await world.conversation(earlier.id)).state, (await world.conversation(earlier.id)).operatorId],
        ['active', id],
      );
      await world.pass(1);
      assert.equal((await world.conversation(earlier.id)).state, 'queued');
      assert.equal((await world.live(id)).chat.slots, 0);
      const told = await conversations.messagesAfter(earlier, { after: 0, limit: 10 });
      assert.deepEqual(
        told.map((message) => message.authorType),
        ['notice', 'notice'],
      );
      const next = await world.operator({ chatMaxNumber: 1 });
      assert.equal((await world.conversation(earlier.id)).operatorId, next, 'before all who wait');
      assert.equal((await world.conversation(waiting.id)).state, 'queued');
      assert.deepEqual(await world.brokenInvariants(), []);
      assert.ok(database);
      await world.end();
    });

    test('rule 14: who is back in time has lost nothing', async () => {
      const world = await World.on(open);
      const id = await world.operator();
      const running = await world.accept(await world.start());
      await world.disconnect(id);
      await world.pass(59_000);
      await world.connect(id);
      await world.pass(60_000);
      const { state, operatorId } = await world.conversation(running.id);
      assert.deepEqual([state, operatorId], ['active', id]);
      const told = await world.installation.conversations.messagesAfter(running, { after: 0, limit: 10 });
      assert.deepEqual(
        told.map((message) => message.text),
        ['The operator lost the connection. Please wait a moment.', 'The operator is back.'],
      );
      await world.end();
    });

    test('rule 15: a transfer to an operator is an offer that obeys their capacity', async () => {
      const world = await World.on(open);
      const { conversations } = world.installation;
      const from = await world.operator();
      const running = await world.accept(await world.start());
      const full = await world.operator({ chatMaxNumber: 1 });
      const other = await world.start();
      assert.equal(other.operatorId, full);
      const move = (target: object) =>
        conversations.transfer(world.transact, world.as(from), { id: running.id, ...target });
      await assert.rejects(move({ operatorId: full }), { kind: 'state' });
      await assert.rejects(move({ operatorId: full, force: true }), { kind: 'forbidden' });
      await assert.rejects(move({ operatorId: 9999 }), { kind: 'invalid' });
      await assert.rejects(move({}), { kind: 'invalid' });
      await assert.rejects(move({ operatorId: from }), { kind: 'invalid' });
      assert.deepEqual(await world.conversation(running.id), running, 'nothing was changed');
      const free = await world.operator();
      const moved = await move({ operatorId: free });
      assert.deepEqual([moved.state, moved.operatorId], ['offered', free]);
      assert.equal((await world.live(from)).chat.slots, 0);
      await world.decline(moved);
      assert.equal((await world.conversation(running.id)).operatorId, from, 'declined: back, to whoever is best');
      assert.deepEqual(await world.brokenInvariants(), []);
      await world.end();
    });

    test('rule 15: a transfer to a skill or a group asks for it, and not for whoever passed it on', async () => {
      const world = await World.on(open);
      const { conversations } = world.installation;
      const [skill, group] = [await world.skill(), await world.group()];
      const from = await world.operator({ skillList: [skill] });
      const running = await world.accept(await world.start());
      const move = (target: object) =>
        conversations.transfer(world.transact, world.as(from), { id: running.id, ...target });
      await assert.rejects(move({ groupId: group }), { kind: 'state' }, 'to nobody');
      await assert.rejects(move({ skillId: 9999 }), { kind: 'invalid' });
      const expert = await world.operator({ skillList: [skill], groupId: group });
      const moved = await move({ skillId: skill });
      assert.deepEqual([moved.operatorId, moved.skillId, moved.groupId], [expert, skill, null]);
      const back = await conversations.transfer(world.transact, world.as(expert), {
        id: (await world.accept(moved)).id,
        groupId: group,
      });
      assert.deepEqual([back.state, back.groupId, back.skillId], ['queued', group, null]);
      await world.end();
    });

    test('rule 15: a manager takes it for somebody at once; over the maximum only by force, which is recorded', async () => {
      const world = await World.on(open);
      const { conversations, database } = world.installation;
      const manager = world.as(await world.operator({}, { away: true }), 'manager');
      const full = await world.operator({ chatMaxNumber: 1 });
      await world.accept(await world.start());
      const waiting = await world.start();
      const take = (force: boolean) =>
        conversations.take(world.transact, manager, { id: waiting.id, operatorId: full, force });
      await assert.rejects(conversations.take(world.transact, world.as(full), { id: waiting.id, operatorId: full }), {
        kind: 'forbidden',
      });
      await assert.rejects(take(false), { kind: 'state' });
      assert.equal((await world.conversation(waiting.id)).state, 'queued');
      const taken = await take(true);
      assert.deepEqual([taken.state, taken.operatorId], ['active', full]);
      assert.equal((await world.live(full)).chat.slots, 2);
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
      assert.match((await world.history(full)).at(-1)?.reason ?? '', /forced/);
      await assert.rejects(take(true), { kind: 'state' }, 'a second time');
      assert.deepEqual(await world.brokenInvariants(), []);
      await world.end();
    });
  });
}
