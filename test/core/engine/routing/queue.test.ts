import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MAX_TRIED_IN_ORDER } from '../../../../src/core/engine/routing/next-waiting.ts';
import { databases, shareInstallation } from '../../../support/databases/databases.ts';
import { EngineFixture } from '../../../support/fixtures/engine-fixture.ts';

for (const { name, open } of databases) {
  describe(`the queue on ${name}`, () => {
    const openAccount = shareInstallation(open);
    /** After `makeRoom`, the operator must have the queued conversation. The sweep never runs here. */
    const triggers: Record<
      string,
      (fixture: EngineFixture) => Promise<{ queuedId: number; makeRoom(): Promise<unknown>; operatorId: number }>
    > = {
      'a close': async (fixture) => {
        const operatorId = await fixture.createOperator({ chatMaxNumber: 1 });
        const running = await fixture.accept(await fixture.startConversation());
        return { operatorId, queuedId: (await fixture.startConversation()).id, makeRoom: () => fixture.close(running) };
      },
      'a close by the visitor': async (fixture) => {
        const operatorId = await fixture.createOperator({ chatMaxNumber: 1 });
        const visitor = await fixture.createVisitor();
        const running = await fixture.accept(await fixture.startConversation({}, visitor));
        const { conversations } = fixture.installation;
        const makeRoom = () => conversations.closeAsVisitor(fixture.transact, visitor, running.id);
        return { operatorId, queuedId: (await fixture.startConversation()).id, makeRoom };
      },
      'a close on another channel': async (fixture) => {
        const operatorId = await fixture.createOperator({ callEnabled: true });
        const call = await fixture.accept(await fixture.startConversation({ channel: 'call' }));
        return { operatorId, queuedId: (await fixture.startConversation()).id, makeRoom: () => fixture.close(call) };
      },
      'a decline': async (fixture) => {
        const operatorId = await fixture.createOperator({ chatMaxNumber: 1 });
        const offered = await fixture.startConversation();
        return {
          operatorId,
          queuedId: (await fixture.startConversation()).id,
          makeRoom: () => fixture.decline(offered),
        };
      },
      'a timeout': async (fixture) => {
        const operatorId = await fixture.createOperator({ chatMaxNumber: 1 });
        await fixture.startConversation();
        return {
          operatorId,
          queuedId: (await fixture.startConversation()).id,
          makeRoom: () => fixture.advanceTime(30_000),
        };
      },
      'a connect': async (fixture) => {
        const operatorId = await fixture.createOperator({}, { connected: false });
        return {
          operatorId,
          queuedId: (await fixture.startConversation()).id,
          makeRoom: () => fixture.connect(operatorId),
        };
      },
      'available=1': async (fixture) => {
        const operatorId = await fixture.createOperator();
        await fixture.setAvailable(operatorId, 'chat', false);
        return {
          operatorId,
          queuedId: (await fixture.startConversation()).id,
          makeRoom: () => fixture.setAvailable(operatorId, 'chat', true),
        };
      },
      'a change of skills': async (fixture) => {
        const skill = await fixture.createSkill();
        await fixture.createOperator({ skillList: [skill] }, { connected: false });
        const operatorId = await fixture.createOperator();
        const { operators, caller } = fixture.installation;
        const makeRoom = () => operators.update(fixture.transact, caller, operatorId, { skillList: [skill] });
        return { operatorId, queuedId: (await fixture.startConversation({ skillId: skill })).id, makeRoom };
      },
      'a skill given to operators': async (fixture) => {
        const skill = await fixture.createSkill();
        await fixture.createOperator({ skillList: [skill] }, { connected: false });
        const operatorId = await fixture.createOperator();
        const { operators, caller } = fixture.installation;
        const makeRoom = () => operators.setSkill(fixture.transact, caller, { id: skill }, [operatorId], true);
        return { operatorId, queuedId: (await fixture.startConversation({ skillId: skill })).id, makeRoom };
      },
      'a change of the skills’ tree': async (fixture) => {
        const [skill, other] = [await fixture.createSkill(), await fixture.createSkill()];
        await fixture.createOperator({ skillList: [skill] }, { connected: false });
        const operatorId = await fixture.createOperator({ skillList: [other] });
        const { skills, caller } = fixture.installation;
        const makeRoom = () => skills.update(fixture.transact, caller, other, { parentId: skill });
        return { operatorId, queuedId: (await fixture.startConversation({ skillId: skill })).id, makeRoom };
      },
      'a change of group': async (fixture) => {
        const group = await fixture.createGroup();
        await fixture.createOperator({ groupId: group }, { connected: false });
        const operatorId = await fixture.createOperator();
        const { operators, caller } = fixture.installation;
        const makeRoom = () => operators.update(fixture.transact, caller, operatorId, { groupId: group });
        return { operatorId, queuedId: (await fixture.startConversation({ groupId: group })).id, makeRoom };
      },
      'a change of the groups’ tree': async (fixture) => {
        const [group, other] = [await fixture.createGroup(), await fixture.createGroup()];
        await fixture.createOperator({ groupId: group }, { connected: false });
        const operatorId = await fixture.createOperator({ groupId: other });
        const { groups, caller } = fixture.installation;
        const makeRoom = () => groups.update(fixture.transact, caller, other, { parentId: group });
        return { operatorId, queuedId: (await fixture.startConversation({ groupId: group })).id, makeRoom };
      },
      'a change of limits': async (fixture) => {
        const operatorId = await fixture.createOperator({ chatMaxNumber: 1 });
        await fixture.startConversation();
        const { operators, caller } = fixture.installation;
        const makeRoom = () => operators.update(fixture.transact, caller, operatorId, { chatMaxNumber: 2 });
        return { operatorId, queuedId: (await fixture.startConversation()).id, makeRoom };
      },
      'a channel that is enabled': async (fixture) => {
        await fixture.createOperator({ callEnabled: true }, { connected: false });
        const operatorId = await fixture.createOperator();
        await fixture.setAvailable(operatorId, 'call', true);
        const { operators, caller } = fixture.installation;
        const makeRoom = () => operators.update(fixture.transact, caller, operatorId, { callEnabled: true });
        return { operatorId, queuedId: (await fixture.startConversation({ channel: 'call' })).id, makeRoom };
      },
      'a change of languages': async (fixture) => {
        await fixture.createOperator({ languageList: ['fr'] }, { connected: false });
        const operatorId = await fixture.createOperator({ languageList: ['en'] });
        const { operators, caller } = fixture.installation;
        const makeRoom = () => operators.update(fixture.transact, caller, operatorId, { languageList: ['en', 'fr'] });
        return { operatorId, queuedId: (await fixture.startConversation({ language: 'fr' })).id, makeRoom };
      },
      'a change of websites': async (fixture) => {
        const other = await fixture.createWebsite();
        await fixture.createOperator({}, { connected: false });
        const operatorId = await fixture.createOperator({ websiteList: [other] });
        const { operators, caller } = fixture.installation;
        const makeRoom = () =>
          operators.update(fixture.transact, caller, operatorId, { websiteList: [other, fixture.websiteId] });
        return { operatorId, queuedId: (await fixture.startConversation()).id, makeRoom };
      },
      'the end of a lease with an open offer': async (fixture) => {
        const gone = await fixture.createOperator({}, { connected: false });
        await fixture.connect(gone, 'desk', 10);
        const offered = await fixture.startConversation();
        assert.equal(offered.operatorId, gone);
        const operatorId = await fixture.createOperator();
        return { operatorId, queuedId: offered.id, makeRoom: () => fixture.advanceTime(10_000) };
      },
      'the delete of an operator': async (fixture) => {
        const gone = await fixture.createOperator();
        const offered = await fixture.startConversation();
        const operatorId = await fixture.createOperator();
        const { operators, caller } = fixture.installation;
        return { operatorId, queuedId: offered.id, makeRoom: () => operators.delete(fixture.transact, caller, gone) };
      },
      'a transfer': async (fixture) => {
        const operatorId = await fixture.createOperator({ chatMaxNumber: 1 });
        const running = await fixture.accept(await fixture.startConversation());
        const queuedId = (await fixture.startConversation()).id;
        const other = await fixture.createOperator({ languageList: ['fr'] });
        const { conversations } = fixture.installation;
        const makeRoom = () =>
          conversations.transfer(fixture.transact, fixture.callerFor(operatorId), {
            id: running.id,
            operatorId: other,
          });
        return { operatorId, queuedId, makeRoom };
      },
      'the end of a pause': async (fixture) => {
        const operatorId = await fixture.createOperator();
        const offered = await fixture.startConversation();
        await fixture.decline(offered);
        return { operatorId, queuedId: offered.id, makeRoom: () => fixture.advanceTime(60_000) };
      },
    };

    for (const [title, prepare] of Object.entries(triggers)) {
      test(`rule 13: the queue is drained at ${title}`, async () => {
        const fixture = await EngineFixture.create(open);
        const { queuedId, makeRoom, operatorId } = await prepare(fixture);
        await makeRoom();
        const drained = await fixture.loadConversation(queuedId);
        assert.deepEqual([drained.state, drained.operatorId], ['offered', operatorId]);
        assert.deepEqual(await fixture.findBrokenInvariants(), []);
        await fixture.end();
      });
    }

    test('rule 13: the longest waiting comes first, of those that the operator can serve', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const { clock } = fixture.installation;
      await fixture.createOperator({ languageList: ['fr', 'en'] }, { connected: false });
      const ids: number[] = [];
      for (const language of ['fr', 'en', 'en', 'fr', 'en']) {
        clock.advance(10);
        ids.push((await fixture.startConversation({ language })).id);
      }
      const id = await fixture.createOperator({ chatMaxNumber: 2, languageList: ['en'] });
      const states = async () =>
        Promise.all(
          ids.map(async (conversationId) => (await fixture.loadConversation(conversationId)).operatorId === id),
        );
      assert.deepEqual(await states(), [false, true, true, false, false]);
      await fixture.end();
    });

    test('rule 13: behind many whom the operator cannot serve, the longest waiting of the others comes first', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const { clock } = fixture.installation;
      const skill = await fixture.createSkill();
      await fixture.createOperator({ languageList: ['fr', 'de', 'en'], skillList: [skill] }, { connected: false });
      const start = async (input: { language: string; skillId?: number }) => {
        clock.advance(10);
        return (await fixture.startConversation(input)).id;
      };
      const unservable = [{ language: 'fr' }, { language: 'de' }, { language: 'en', skillId: skill }];
      await Promise.all(
        Array.from({ length: MAX_TRIED_IN_ORDER }, (_, index) =>
          fixture.startConversation(unservable[index % unservable.length]),
        ),
      );
      const ids = [await start({ language: 'en' }), await start({ language: 'en' }), await start({ language: 'en' })];
      const findOperators = () => Promise.all(ids.map(async (id) => (await fixture.loadConversation(id)).operatorId));
      const operatorId = await fixture.createOperator({ chatMaxNumber: 2, languageList: ['en'] });
      assert.deepEqual(await findOperators(), [operatorId, operatorId, null]);
      // A declined one waits for the end of its pause, the next with the same need does not.
      await fixture.decline(await fixture.loadConversation(ids[0] as number));
      assert.deepEqual(await findOperators(), [null, operatorId, operatorId]);
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.end();
    });

    test('rule 13: after a pause, the conversation that waited for its end is assigned before a new one', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const operatorId = await fixture.createOperator({ chatMaxNumber: 1 });
      const declined = await fixture.startConversation();
      await fixture.decline(declined);
      fixture.installation.clock.advance(61_000); // the scheduler has not run yet
      const newcomer = await fixture.startConversation();
      assert.equal((await fixture.loadConversation(declined.id)).operatorId, operatorId);
      assert.equal((await fixture.loadConversation(newcomer.id)).state, 'queued');
      await fixture.end();
    });

    test('rule 13: the sweep assigns conversations after a change without an event', async () => {
      const fixture = await EngineFixture.create(open);
      const id = await fixture.createOperator();
      const { database, scheduler, caller } = fixture.installation;
      await fixture.setAvailable(id, 'chat', false);
      const waiting = await fixture.startConversation();
      await fixture.transact((tx) => tx.db.updateTable('operatorLive').set({ chatAvailable: 1 }).execute());
      assert.equal((await fixture.loadConversation(waiting.id)).state, 'queued');
      assert.equal(await scheduler.sweep(), 1);
      assert.equal((await fixture.loadConversation(waiting.id)).operatorId, id);
      assert.ok(database && caller);
      await fixture.end();
    });

    test('rule 13: a conversation that no operator could ever serve is refused immediately, and counted', async () => {
      const fixture = await EngineFixture.create(openAccount);
      await fixture.createOperator({ languageList: ['en'] }, { connected: false });
      assert.equal(
        (await fixture.startConversation()).state,
        'queued',
        'an operator could serve it, though not connected',
      );
      const skill = await fixture.createSkill();
      for (const input of [{ language: 'fr' }, { skillId: skill }, { channel: 'video' as const }]) {
        await assert.rejects(fixture.startConversation(input), { kind: 'state' });
      }
      const counted = await fixture.installation.database.read
        .selectFrom('refusals')
        .selectAll()
        .where('accountId', '=', fixture.accountId)
        .execute();
      assert.deepEqual(
        counted.map(({ reason, count }) => [reason, count]),
        [['nobody_could', 3]],
      );
      const stored = await fixture.installation.database.read
        .selectFrom('conversations')
        .select('id')
        .where('accountId', '=', fixture.accountId)
        .execute();
      assert.equal(stored.length, 1);
      await fixture.end();
    });

    test('erasing a visitor closes their active and queued conversations', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const {
        caller,
        visitors: { erasure: visitorErasure },
      } = fixture.installation;
      await fixture.createOperator({ chatMaxNumber: 1 });
      const visitor = await fixture.createVisitor();
      const active = await fixture.accept(await fixture.startConversation({}, visitor));
      const waiting = await fixture.startConversation({}, visitor);
      assert.deepEqual([active.state, waiting.state], ['active', 'queued']);
      await visitorErasure.erase(fixture.transact, caller, visitor.visitorId);
      for (const { id } of [active, waiting]) assert.equal((await fixture.loadConversation(id)).state, 'closed');
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.end();
    });

    test('rule 13: the queue of an account has a limit, and refusals above it are counted', async () => {
      const fixture = await EngineFixture.create(openAccount);
      await fixture.createOperator({}, { connected: false });
      await fixture.transact((tx) =>
        tx.db.updateTable('accounts').set({ queueLimit: 2 }).where('id', '=', fixture.accountId).execute(),
      );
      await fixture.startConversation();
      await fixture.startConversation();
      await assert.rejects(fixture.startConversation(), { kind: 'limit' });
      const counted = await fixture.installation.database.read
        .selectFrom('refusals')
        .selectAll()
        .where('accountId', '=', fixture.accountId)
        .execute();
      assert.deepEqual(
        counted.map(({ reason, count }) => [reason, count]),
        [['queue_full', 1]],
      );
      await fixture.end();
    });

    test('rule 14: an operator who goes offline keeps active conversations for 60 s, then they return to the head of the queue', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const { clock, conversations, database } = fixture.installation;
      const id = await fixture.createOperator({ chatMaxNumber: 1 });
      const earlier = await fixture.accept(await fixture.startConversation());
      clock.advance(1000);
      const waiting = await fixture.startConversation();
      await fixture.disconnect(id);
      await fixture.advanceTime(59_999);
      assert.deepEqual(
        [(await fixture.loadConversation(earlier.id)).state, (await fixture.loadConversation(earlier.id)).operatorId],
        ['active', id],
      );
      await fixture.advanceTime(1);
      assert.equal((await fixture.loadConversation(earlier.id)).state, 'queued');
      assert.equal((await fixture.loadLiveState(id)).chat.slots, 0);
      const messages = await conversations.loadMessagesAfter(earlier, { after: 0, limit: 10 });
      assert.deepEqual(
        messages.map((message) => message.noticeCode),
        ['operator_joined', 'operator_away', 'operator_left'],
      );
      const next = await fixture.createOperator({ chatMaxNumber: 1 });
      assert.equal(
        (await fixture.loadConversation(earlier.id)).operatorId,
        next,
        'before all other queued conversations',
      );
      assert.equal((await fixture.loadConversation(waiting.id)).state, 'queued');
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      assert.ok(database);
      await fixture.end();
    });

    test('rule 14: an operator who returns in time keeps the conversation', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const id = await fixture.createOperator();
      const running = await fixture.accept(await fixture.startConversation());
      await fixture.disconnect(id);
      await fixture.advanceTime(59_000);
      await fixture.connect(id);
      await fixture.advanceTime(60_000);
      const { state, operatorId } = await fixture.loadConversation(running.id);
      assert.deepEqual([state, operatorId], ['active', id]);
      const messages = await fixture.installation.conversations.loadMessagesAfter(running, { after: 0, limit: 10 });
      assert.deepEqual(
        messages.map((message) => message.noticeCode),
        ['operator_joined', 'operator_away', 'operator_back'],
      );
      await fixture.end();
    });

    test('rule 15: a transfer to an operator is an offer that obeys their capacity', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const { conversations } = fixture.installation;
      const from = await fixture.createOperator();
      const running = await fixture.accept(await fixture.startConversation());
      const full = await fixture.createOperator({ chatMaxNumber: 1 });
      const other = await fixture.startConversation();
      assert.equal(other.operatorId, full);
      const move = (target: object) =>
        conversations.transfer(fixture.transact, fixture.callerFor(from), { id: running.id, ...target });
      await assert.rejects(move({ operatorId: full }), { kind: 'state' });
      await assert.rejects(move({ operatorId: full, force: true }), { kind: 'forbidden' });
      await assert.rejects(move({ operatorId: 9999 }), { kind: 'invalid' });
      await assert.rejects(move({}), { kind: 'invalid' });
      await assert.rejects(move({ operatorId: from }), { kind: 'invalid' });
      assert.deepEqual(await fixture.loadConversation(running.id), running, 'nothing was changed');
      const free = await fixture.createOperator();
      const moved = await move({ operatorId: free });
      assert.deepEqual([moved.state, moved.operatorId], ['offered', free]);
      assert.equal((await fixture.loadLiveState(from)).chat.slots, 0);
      await fixture.decline(moved);
      assert.equal(
        (await fixture.loadConversation(running.id)).operatorId,
        from,
        'declined: requeued and routed again',
      );
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.end();
    });

    test('rule 15: a transfer to a skill or group goes to its operators, and not back to the sender', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const { conversations } = fixture.installation;
      const [skill, group] = [await fixture.createSkill(), await fixture.createGroup()];
      const from = await fixture.createOperator({ skillList: [skill] });
      const running = await fixture.accept(await fixture.startConversation());
      const move = (target: object) =>
        conversations.transfer(fixture.transact, fixture.callerFor(from), { id: running.id, ...target });
      await assert.rejects(move({ groupId: group }), { kind: 'state' }, 'no operator in the group');
      await assert.rejects(move({ skillId: 9999 }), { kind: 'invalid' });
      const expert = await fixture.createOperator({ skillList: [skill], groupId: group });
      const moved = await move({ skillId: skill });
      assert.deepEqual([moved.operatorId, moved.skillId, moved.groupId], [expert, skill, null]);
      const returned = await conversations.transfer(fixture.transact, fixture.callerFor(expert), {
        id: (await fixture.accept(moved)).id,
        groupId: group,
      });
      assert.deepEqual([returned.state, returned.groupId, returned.skillId], ['queued', group, null]);
      await fixture.end();
    });

    test('rule 15: a manager assigns a conversation immediately; above the maximum only by force, which is recorded', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const { conversations, database } = fixture.installation;
      const manager = fixture.callerFor(await fixture.createOperator({}, { connected: false }), 'manager');
      const full = await fixture.createOperator({ chatMaxNumber: 1 });
      await fixture.accept(await fixture.startConversation());
      const waiting = await fixture.startConversation();
      const take = (force: boolean) =>
        conversations.take(fixture.transact, manager, { id: waiting.id, operatorId: full, force });
      await assert.rejects(
        conversations.take(fixture.transact, fixture.callerFor(full), { id: waiting.id, operatorId: full }),
        {
          kind: 'forbidden',
        },
      );
      await assert.rejects(take(false), { kind: 'state' });
      assert.equal((await fixture.loadConversation(waiting.id)).state, 'queued');
      const taken = await take(true);
      assert.deepEqual([taken.state, taken.operatorId], ['active', full]);
      assert.equal((await fixture.loadLiveState(full)).chat.slots, 2);
      const decisions = await database.read
        .selectFrom('routingDecisions')
        .selectAll()
        .where('accountId', '=', fixture.accountId)
        .where('conversationId', '=', waiting.id)
        .orderBy('id')
        .execute();
      assert.deepEqual(
        decisions.map(({ cause, forced, operatorId, actorId }) => [cause, forced, operatorId, actorId]).at(-1),
        ['take', 1, full, manager.operatorId],
      );
      assert.match((await fixture.loadLiveHistory(full)).at(-1)?.reason ?? '', /forced/);
      await assert.rejects(take(true), { kind: 'state' }, 'a second time');
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.end();
    });
  });
}
