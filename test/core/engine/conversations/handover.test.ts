import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { databases } from '../../../support/databases/databases.ts';
import { World } from '../../../support/fixtures/world.ts';

for (const { name, open } of databases) {
  describe(`conversations that change hands on ${name}`, () => {
    const loadOperatorFigures = async (world: World, ids: readonly number[]) =>
      (await world.installation.statistics.compute(world.accountId, { subject: 'operator', ids })).map(
        ({ conversationNumber, answeredNumber, firstAnswerSeconds, experience }) => [
          conversationNumber,
          answeredNumber,
          firstAnswerSeconds,
          experience,
        ],
      );
    const loadAccountFigures = async (world: World) =>
      (await world.installation.statistics.compute(world.accountId, { subject: 'account', ids: [0] }))[0];

    test('rule 19: after a transfer each operator keeps their figures, and the conversation its first acceptance and answer', async () => {
      const world = await World.create(open);
      const { conversations, clock } = world.installation;
      const first = await world.createOperator();
      const started = await world.startConversation();
      clock.advance(2000);
      await world.accept(started);
      clock.advance(3000);
      await conversations.send(world.transact, world.callerFor(first), { conversationId: started.id, text: 'Hello' });
      const second = await world.createOperator();
      clock.advance(4000);
      const moved = await conversations.transfer(world.transact, world.callerFor(first), {
        id: started.id,
        operatorId: second,
      });
      assert.deepEqual(await loadOperatorFigures(world, [first, second]), [
        [1, 1, 3, 0],
        [0, 0, null, 0],
      ]);
      await world.accept(moved);
      clock.advance(1000);
      assert.deepEqual(await loadOperatorFigures(world, [first, second]), [
        [1, 1, 3, 0],
        [1, 0, null, 0],
      ]);
      await conversations.send(world.transact, world.callerFor(second), { conversationId: started.id, text: 'Now me' });
      await world.close({ id: started.id, operatorId: second });
      assert.deepEqual(await loadOperatorFigures(world, [first, second]), [
        [1, 1, 3, 10],
        [1, 1, 1, 10],
      ]);
      const all = await loadAccountFigures(world);
      assert.deepEqual(
        [
          all?.conversationNumber,
          all?.answeredNumber,
          all?.firstAnswerSeconds,
          all?.waitingSeconds,
          all?.abandonedNumber,
        ],
        [1, 1, 3, 2, 0],
      );
      await world.end();
    });

    test('rule 19: a conversation that was answered and then requeued is not abandoned', async () => {
      const world = await World.create(open);
      const { conversations } = world.installation;
      const skill = await world.createSkill();
      await world.createOperator({ skillList: [skill] }, { away: true });
      const first = await world.createOperator();
      const visitor = await world.createVisitor();
      const running = await world.accept(await world.startConversation({}, visitor));
      await conversations.send(world.transact, world.callerFor(first), { conversationId: running.id, text: 'Hello' });
      await conversations.transfer(world.transact, world.callerFor(first), { id: running.id, skillId: skill });
      const closed = await conversations.closeAsVisitor(world.transact, visitor, running.id);
      assert.ok(closed.acceptedAt !== null && closed.firstAnswerAt !== null);
      assert.equal((await loadAccountFigures(world))?.abandonedNumber, 0);
      assert.deepEqual(await loadOperatorFigures(world, [first]), [[1, 1, 0, 10]]);
      await world.end();
    });

    test('rule 19: an operator who gets a conversation back is counted once', async () => {
      const world = await World.create(open);
      const { conversations } = world.installation;
      const [first, second] = [await world.createOperator(), await world.createOperator()];
      const running = await world.accept(await world.startConversation());
      const transfer = async (from: number, to: number) =>
        world.accept(
          await conversations.transfer(world.transact, world.callerFor(from), { id: running.id, operatorId: to }),
        );
      await transfer(first, second);
      await transfer(second, first);
      await world.close({ id: running.id, operatorId: first });
      assert.deepEqual(
        (await loadOperatorFigures(world, [first, second])).map(([accepted]) => accepted),
        [1, 1],
      );
      await world.end();
    });

    test('rule 14: a conversation lost by going offline stays in the figures of the operator', async () => {
      const world = await World.create(open);
      const first = await world.createOperator();
      await world.accept(await world.startConversation());
      await world.disconnect(first);
      await world.advanceTime(60_000);
      assert.deepEqual(
        (await loadOperatorFigures(world, [first])).map(([accepted]) => accepted),
        [1],
      );
      await world.end();
    });

    test('rule 12: offers that expired while the service was down are not counted as missed', async () => {
      const world = await World.create(open);
      const { scheduler, clock } = world.installation;
      const id = await world.createOperator({ chatMaxNumber: 3 });
      for (let count = 0; count < 3; count += 1) await world.startConversation();
      scheduler.hold();
      clock.advance(40_000);
      await scheduler.tick();
      const live = await world.loadLiveState(id);
      assert.equal(live.chat.available, true);
      assert.equal((await world.loadLiveRow(id)).chatMissed, 0);
      await world.end();
    });

    test('rule 11: an operator who has just declined is counted among the excluded', async () => {
      const world = await World.create(open);
      await world.createOperator();
      const next = await world.createOperator();
      const offered = await world.startConversation();
      await world.decline(offered);
      const decisions = await world.installation.database.read
        .selectFrom('routingDecisions')
        .selectAll()
        .orderBy('id')
        .execute();
      assert.equal(decisions.at(-1)?.operatorId, next);
      assert.equal(JSON.parse(decisions.at(-1)?.excluded ?? '{}').REFUSED_LATELY, 1);
      await world.end();
    });
  });
}
