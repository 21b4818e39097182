import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Conversation } from '../../../src/core/engine/records/conversation.ts';
import { takeSlot } from '../../../src/core/live/live-store.ts';
import { databases } from '../../support/databases/databases.ts';
import { EngineFixture } from '../../support/fixtures/engine-fixture.ts';

for (const { name, open } of databases) {
  describe(`capacity under load on ${name}`, () => {
    test('rule 9: no automatic assignment exceeds a maximum, with any concurrency', async () => {
      const fixture = await EngineFixture.create(open);
      const ids: number[] = [];
      for (const chatMaxNumber of [1, 2, 3]) ids.push(await fixture.createOperator({ chatMaxNumber }));
      const visitors = await Promise.all(Array.from({ length: 60 }, () => fixture.createVisitor()));
      const started = await Promise.all(visitors.map((visitor) => fixture.startConversation({}, visitor)));
      assert.equal(started.filter(({ state }) => state === 'offered').length, 6);
      for (const [index, id] of ids.entries()) assert.equal((await fixture.loadLiveState(id)).chat.slots, index + 1);
      // All offers are accepted and closed concurrently, and queued conversations follow: no row of the live history
      // exceeds a maximum.
      const acceptAndCloseAll = async (offers: Pick<Conversation, 'id' | 'operatorId'>[]): Promise<void> => {
        await Promise.all(offers.map(async (offer) => fixture.close(await fixture.accept(offer))));
        const next = await fixture.installation.database.read
          .selectFrom('conversations')
          .select(['id', 'operatorId'])
          .where('state', '=', 'offered')
          .execute();
        if (next.length > 0) await acceptAndCloseAll(next);
      };
      await acceptAndCloseAll(started.filter(({ state }) => state === 'offered'));
      const exceeded = await fixture.installation.database.read
        .selectFrom('liveHistory')
        .selectAll()
        .whereRef('chatSlots', '>', 'chatMaxNumber')
        .execute();
      assert.deepEqual(exceeded, []);
      const stillOpen = await fixture.installation.database.read
        .selectFrom('conversations')
        .select('id')
        .where('state', '<>', 'closed')
        .execute();
      assert.deepEqual(stillOpen, []);
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.end();
    });

    test('rule 9: a slot that is not free cannot be taken, whatever was read before', async () => {
      const fixture = await EngineFixture.create(open);
      const full = await fixture.createOperator({ chatMaxNumber: 1 });
      await fixture.startConversation();
      const offline = await fixture.createOperator({}, { connected: false });
      for (const operatorId of [full, offline]) {
        const before = await fixture.loadLiveState(operatorId);
        const taken = fixture.transact(async (tx) => {
          await tx.db.selectFrom('operatorLive').select('version').execute(); // so that the time is known
          takeSlot(tx, fixture.callerFor(operatorId), { operatorId, channel: 'chat' });
        });
        await assert.rejects(taken, /null/i);
        assert.deepEqual(await fixture.loadLiveState(operatorId), before);
      }
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.end();
    });

    test('rule 9: a concurrent transfer, take and start compete for one slot, and one of them gets it', async () => {
      const fixture = await EngineFixture.create(open);
      const { conversations } = fixture.installation;
      const manager = fixture.callerFor(await fixture.createOperator({}, { connected: false }), 'manager');
      const from = await fixture.createOperator({ chatMaxNumber: 2 });
      const first = await fixture.accept(await fixture.startConversation());
      const second = await fixture.accept(await fixture.startConversation());
      const target = await fixture.createOperator({ chatMaxNumber: 1 });
      await Promise.allSettled([
        conversations.transfer(fixture.transact, fixture.callerFor(from), { id: first.id, operatorId: target }),
        conversations.take(fixture.transact, manager, { id: second.id, operatorId: target }),
        fixture.startConversation(),
      ]);
      assert.equal((await fixture.loadLiveState(target)).chat.slots, 1);
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.end();
    });
  });
}
