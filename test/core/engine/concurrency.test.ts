import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Conversation } from '../../../src/core/engine/records/conversation.ts';
import { databases } from '../../support/databases/databases.ts';
import { World } from '../../support/people/world.ts';

for (const { name, open } of databases) {
  describe(`capacity under load on ${name}`, () => {
    test('rule 9: no automatic assignment exceeds a maximum, with any concurrency', async () => {
      const world = await World.on(open);
      const ids: number[] = [];
      for (const chatMaxNumber of [1, 2, 3]) ids.push(await world.operator({ chatMaxNumber }));
      const visitors = await Promise.all(Array.from({ length: 60 }, () => world.visitor()));
      const started = await Promise.all(visitors.map((visitor) => world.start({}, visitor)));
      assert.equal(started.filter(({ state }) => state === 'offered').length, 6);
      for (const [index, id] of ids.entries()) assert.equal((await world.live(id)).chat.slots, index + 1);
      // Everybody accepts and closes at once, and those who wait come up: the maxima hold at every moment of the history.
      const rounds = async (open: Pick<Conversation, 'id' | 'operatorId'>[]): Promise<void> => {
        await Promise.all(open.map(async (one) => world.close(await world.accept(one))));
        const next = await world.installation.database.read
          .selectFrom('conversations')
          .select(['id', 'operatorId'])
          .where('state', '=', 'offered')
          .execute();
        if (next.length > 0) await rounds(next);
      };
      await rounds(started.filter(({ state }) => state === 'offered'));
      const over = await world.installation.database.read
        .selectFrom('liveHistory')
        .selectAll()
        .whereRef('chatSlots', '>', 'chatMaxNumber')
        .execute();
      assert.deepEqual(over, []);
      const left = await world.installation.database.read
        .selectFrom('conversations')
        .select('id')
        .where('state', '<>', 'closed')
        .execute();
      assert.deepEqual(left, []);
      assert.deepEqual(await world.brokenInvariants(), []);
      await world.end();
    });

    test('rule 9: one slot, and a transfer, a take and a start at the same time: one of them gets it', async () => {
      const world = await World.on(open);
      const { conversations } = world.installation;
      const manager = world.as(await world.operator({}, { away: true }), 'manager');
      const from = await world.operator({ chatMaxNumber: 2 });
      const one = await world.accept(await world.start());
      const two = await world.accept(await world.start());
      const only = await world.operator({ chatMaxNumber: 1 });
      await Promise.allSettled([
        conversations.transfer(world.transact, world.as(from), { id: one.id, operatorId: only }),
        conversations.take(world.transact, manager, { id: two.id, operatorId: only }),
        world.start(),
      ]);
      assert.equal((await world.live(only)).chat.slots, 1);
      assert.deepEqual(await world.brokenInvariants(), []);
      await world.end();
    });
  });
}
