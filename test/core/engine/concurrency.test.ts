import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Conversation } from '../../../src/core/engine/records/conversation.ts';
import { databases } from '../../support/databases/databases.ts';
import { World } from '../../support/fixtures/world.ts';

for (const { name, open } of databases) {
  describe(`capacity under load on ${name}`, () => {
    test('rule 9: no automatic assignment exceeds a maximum, with any concurrency', async () => {
      const world = await World.create(open);
      const ids: number[] = [];
      for (const chatMaxNumber of [1, 2, 3]) ids.push(await world.createOperator({ chatMaxNumber }));
      const visitors = await Promise.all(Array.from({ length: 60 }, () => world.createVisitor()));
      const started = await Promise.all(visitors.map((visitor) => world.startConversation({}, visitor)));
      assert.equal(started.filter(({ state }) => state === 'offered').length, 6);
      for (const [index, id] of ids.entries()) assert.equal((await world.loadLiveState(id)).chat.slots, index + 1);
      // All offers are accepted and closed concurrently, and queued conversations follow: no row of the live history
      // exceeds a maximum.
      const acceptAndCloseAll = async (offers: Pick<Conversation, 'id' | 'operatorId'>[]): Promise<void> => {
        await Promise.all(offers.map(async (offer) => world.close(await world.accept(offer))));
        const next = await world.installation.database.read
          .selectFrom('conversations')
          .select(['id', 'operatorId'])
          .where('state', '=', 'offered')
          .execute();
        if (next.length > 0) await acceptAndCloseAll(next);
      };
      await acceptAndCloseAll(started.filter(({ state }) => state === 'offered'));
      const exceeded = await world.installation.database.read
        .selectFrom('liveHistory')
        .selectAll()
        .whereRef('chatSlots', '>', 'chatMaxNumber')
        .execute();
      assert.deepEqual(exceeded, []);
      const stillOpen = await world.installation.database.read
        .selectFrom('conversations')
        .select('id')
        .where('state', '<>', 'closed')
        .execute();
      assert.deepEqual(stillOpen, []);
      assert.deepEqual(await world.findBrokenInvariants(), []);
      await world.end();
    });

    test('rule 9: a concurrent transfer, take and start compete for one slot, and one of them gets it', async () => {
      const world = await World.create(open);
      const { conversations } = world.installation;
      const manager = world.callerFor(await world.createOperator({}, { away: true }), 'manager');
      const from = await world.createOperator({ chatMaxNumber: 2 });
      const one = await world.accept(await world.startConversation());
      const two = await world.accept(await world.startConversation());
      const target = await world.createOperator({ chatMaxNumber: 1 });
      await Promise.allSettled([
        conversations.transfer(world.transact, world.callerFor(from), { id: one.id, operatorId: target }),
        conversations.take(world.transact, manager, { id: two.id, operatorId: target }),
        world.startConversation(),
      ]);
      assert.equal((await world.loadLiveState(target)).chat.slots, 1);
      assert.deepEqual(await world.findBrokenInvariants(), []);
      await world.end();
    });
  });
}
