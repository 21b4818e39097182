import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { insertMessageLeft } from '../../../src/core/engine/records/message-left-store.ts';
import { Retention } from '../../../src/core/upkeep/retention.ts';
import { databases } from '../../support/databases/databases.ts';
import { EngineFixture } from '../../support/fixtures/engine-fixture.ts';

const DAY_MS = 24 * 3600 * 1000;

for (const { name, open } of databases) {
  describe(`messages left on ${name}`, () => {
    test('messages that are done are deleted after the retention, open ones never', async () => {
      const fixture = await EngineFixture.create(open);
      const { accountId, websiteId } = fixture;
      const { database } = fixture.installation;
      const { visitorId, ...visitor } = await fixture.createVisitor();
      const ids = Array.from({ length: 450 }, (_, index) => index + 1);
      await fixture.transact(async (tx) => {
        for (const id of ids)
          await insertMessageLeft(tx, visitor, {
            ...{ accountId, id, websiteId, visitorId, name: '', email: 'a@example.com', text: 'Hello', page: '' },
            ...{ createdAt: 1, operatorId: null, doneBy: null },
            doneAt: id === 1 ? null : id === 2 ? tx.now - 9 * DAY_MS : tx.now - 11 * DAY_MS,
          });
      });
      await fixture.transact(async (tx) => {
        await tx.db.updateTable('visitors').set({ createdAt: 1, lastSeenAt: null }).execute();
      });
      const position = await fixture.readPosition();
      await new Retention(database, { events: 90, history: 10, idleVisitors: 30 }).deleteExpired();
      const visitors = await database.read.selectFrom('visitors').select('id').execute();
      assert.deepEqual(visitors, [{ id: visitorId }], 'an idle visitor who left a message stays');
      const kept = await database.read.selectFrom('messagesLeft').select('id').orderBy('id').execute();
      assert.deepEqual(
        kept.map(({ id }) => id),
        [1, 2],
      );
      const events = await fixture.loadEventsAfter(position);
      assert.deepEqual(
        events.map(({ type, subjectId }) => `${type} ${subjectId}`).sort(),
        ids
          .slice(2)
          .map((id) => `message_left.deleted ${id}`)
          .sort(),
      );
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.transact(async (tx) => {
        await tx.db.updateTable('messagesLeft').set({ operatorId: 999 }).where('id', '=', 1).execute();
      });
      assert.match(
        (await fixture.findBrokenInvariants()).join(),
        /open messages left .*: message left 1 of account 1$/,
      );
      await fixture.end();
    });
  });
}
