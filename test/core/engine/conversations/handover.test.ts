import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { databases } from '../../../support/databases/databases.ts';
import { World } from '../../../support/people/world.ts';

for (const { name, open } of databases) {
  describe(`conversations that change hands on ${name}`, () => {
    const figuresOf = async (world: World, ids: readonly number[]) =>
      (await world.installation.statistics.of(world.accountId, { subject: 'operator', ids })).map(
        ({ conversationNumber, answeredNumber, firstAnswerSeconds, experience }) => [
          conversationNumber,
          answeredNumber,
          firstAnswerSeconds,
          experience,
        ],
      );
    const figuresOfAll = async (world: World) =>
      (await world.installation.statistics.of(world.accountId, { subject: 'account', ids: [0] }))[0];

    test('rule 19: each operator keeps what they accepted and answered, and the conversation its first moments', async () => {
      const world = await World.on(open);
      const { conversations, clock } = world.installation;
      const first = await world.operator();
      const started = await world.start();
      clock.advance(2000);
      await world.accept(started);
      clock.advance(3000);
      await conversations.send(world.transact, world.as(first), { conversationId: started.id, text: 'Hello' });
      const second = await world.operator();
      clock.advance(4000);
      const moved = await conversations.transfer(world.transact, world.as(first), {
        id: started.id,
        operatorId: second,
      });
      assert.deepEqual(await figuresOf(world, [first, second]), [
        [1, 1, 3, 0],
        [0, 0, null, 0],
      ]);
      await world.accept(moved);
      clock.advance(1000);
      assert.deepEqual(await figuresOf(world, [first, second]), [
        [1, 1, 3, 0],
        [1, 0, null, 0],
      ]);
      await conversations.send(world.transact, world.as(second), { conversationId: started.id, text: 'Now me' });
      await world.close({ id: started.id, operatorId: second });
      assert.deepEqual(await figuresOf(world, [first, second]), [
        [1, 1, 3, 10],
        [1, 1, 1, 10],
      ]);
      const all = await figuresOfAll(world);
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

    test('rule 19: what was answered and then waited for others is not abandoned', async () => {
      const world = await World.on(open);
      const { conversations } = world.installation;
      const skill = await world.skill();
      await world.operator({ skillList: [skill] }, { away: true });
      const first = await world.operator();
      const visitor = await world.visitor();
      const running = await world.accept(await world.start({}, visitor));
      await conversations.send(world.transact, world.as(first), { conversationId: running.id, text: 'Hello' });
      await conversations.transfer(world.transact, world.as(first), { id: running.id, skillId: skill });
      const closed = await conversations.closeAsVisitor(world.transact, visitor, running.id);
      assert.ok(closed.acceptedAt !== null && closed.firstAnswerAt !== null);
      assert.equal((await figuresOfAll(world))?.abandonedNumber, 0);
      assert.deepEqual(await figuresOf(world, [first]), [[1, 1, 0, 10]]);
      await world.end();
    });

    test('rule 19: who gets a conversation back is counted once', async () => {
      const world = await World.on(open);
      const { conversations } = world.installation;
      const [first, second] = [await world.operator(), await world.operator()];
      const running = await world.accept(await world.start());
      const pass = async (from: number, to: number) =>
        world.accept(await conversations.transfer(world.transact, world.as(from), { id: running.id, operatorId: to }));
      await pass(first, second);
      await pass(second, first);
      await world.close({ id: running.id, operatorId: first });
      assert.deepEqual(
        (await figuresOf(world, [first, second])).map(([accepted]) => accepted),
        [1, 1],
      );
      await world.end();
    });

    test('rule 14: what an operator lost by being away stays theirs in the figures', async () => {
      const world = await World.on(open);
      const first = await world.operator();
      await world.accept(await world.start());
      await world.disconnect(first);
      await world.pass(60_000);
      assert.deepEqual(
        (await figuresOf(world, [first])).map(([accepted]) => accepted),
        [1],
      );
      await world.end();
    });

    test('rule 12: offers that ran out while the service was away are not missed', async () => {
      const world = await World.on(open);
      const { scheduler, clock } = world.installation;
      const id = await world.operator({ chatMaxNumber: 3 });
      for (let count = 0; count < 3; count += 1) await world.start();
      scheduler.hold();
      clock.advance(40_000);
      await scheduler.tick();
      const live = await world.live(id);
      assert.equal(live.chat.available, true);
      assert.equal((await world.liveRow(id)).chatMissed, 0);
      await world.end();
    });

    test('rule 11: who refused a moment ago is counted among the excluded', async () => {
      const world = await World.on(open);
      await world.operator();
      const next = await world.operator();
      const offered = await world.start();
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
