import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { deleteIdleVisitors } from '../../../src/core/visitors/idle-visitors.ts';
import { databases } from '../../support/databases/databases.ts';
import { EngineFixture } from '../../support/fixtures/engine-fixture.ts';

const DAY = 24 * 3600 * 1000;

for (const { name, open } of databases) {
  suite(`idle visitors on ${name}`, () => {
    const withFixture = async (work: (fixture: EngineFixture) => Promise<void>) => {
      const fixture = await EngineFixture.create(() => open({ SWITCHBOARD_VISITOR_DAYS: '30' }));
      await work(fixture);
      await fixture.end();
    };
    const openSession = async ({ installation, accountId, websiteId }: EngineFixture) => {
      const { sessions, websites } = installation.visitors;
      const website = await websites.find(accountId, websiteId);
      assert.ok(website);
      const context = { page: 'https://shop.example/private', fields: [{ name: 'plan', value: 'gold' }] };
      const { token } = await sessions.open(website, { context }, '');
      const caller = await sessions.findCaller(token);
      assert.ok(caller);
      return { token, caller };
    };
    const listIds = async (
      { installation }: EngineFixture,
      table: 'visitors' | 'visitorContext' | 'visitorWebsites',
    ) => {
      const column = table === 'visitors' ? 'id' : 'visitorId';
      const rows = await installation.database.read
        .selectFrom(table)
        .select(column as never)
        .execute();
      return rows.map((row) => Object.values(row)[0] as number).sort((a, b) => a - b);
    };

    test('a visitor without a conversation is deleted after 30 days, with everything about them', () =>
      withFixture(async (fixture) => {
        const { retention, clock, visitors, conversations } = fixture.installation;
        await fixture.createOperator({}, { connected: false });
        const idle = await openSession(fixture);
        const writer = await openSession(fixture);
        const renewing = await openSession(fixture);
        await conversations.start(fixture.transact, writer.caller, { channel: 'chat' });
        clock.advance(DAY - 1);
        await visitors.sessions.renew(renewing.token, renewing.caller);
        clock.advance(29 * DAY + 1);
        await retention.deleteExpired();
        assert.ok((await listIds(fixture, 'visitors')).includes(idle.caller.visitorId), 'exactly 30 days are kept');
        clock.advance(1);
        await retention.deleteExpired();
        const left = [writer.caller.visitorId, renewing.caller.visitorId];
        for (const table of ['visitors', 'visitorContext', 'visitorWebsites'] as const)
          assert.deepEqual(await listIds(fixture, table), left, table);
        clock.advance(DAY);
        await retention.deleteExpired();
        assert.deepEqual(await listIds(fixture, 'visitors'), [writer.caller.visitorId]);
        assert.deepEqual(await fixture.findBrokenInvariants(), []);
      }));

    test('a visitor who left a message is deleted after the message', () =>
      withFixture(async (fixture) => {
        const { retention, clock, visitors, config } = fixture.installation;
        const { caller } = await openSession(fixture);
        const input = { email: 'ana@example.com', text: 'Call me' };
        const { id } = await visitors.messagesLeft.leave(fixture.transact, caller, input, '192.0.2.1');
        clock.advance(31 * DAY);
        await retention.deleteExpired();
        assert.deepEqual(await listIds(fixture, 'visitors'), [caller.visitorId]);
        await visitors.messagesLeft.resolve(fixture.transact, fixture.installation.caller, id);
        clock.advance(config.SWITCHBOARD_HISTORY_DAYS * DAY + 1);
        await retention.deleteExpired();
        assert.deepEqual(await listIds(fixture, 'visitors'), []);
        assert.deepEqual(await fixture.findBrokenInvariants(), []);
      }));

    test('a visitor with a valid session is never deleted; rows of the previous version count from their creation', () =>
      withFixture(async (fixture) => {
        const { database, clock } = fixture.installation;
        const { caller } = await openSession(fixture);
        const old = await openSession(fixture);
        await database.transaction(async ({ db }) => {
          await db
            .updateTable('visitors')
            .set({ lastSeenAt: null, createdAt: clock.now - 31 * DAY })
            .execute();
          await db.deleteFrom('visitorTokens').where('visitorId', '=', old.caller.visitorId).execute();
        });
        await deleteIdleVisitors(database, 30 * DAY);
        assert.deepEqual(await listIds(fixture, 'visitors'), [caller.visitorId]);
      }));

    test('many visitors are deleted in several batches', () =>
      withFixture(async (fixture) => {
        const { database, clock } = fixture.installation;
        for (let index = 0; index < 80; index += 1) await fixture.createVisitor();
        const { id } = await fixture.startConversation({}).catch(() => ({ id: 0 }));
        assert.equal(id, 0, 'without an operator nothing starts');
        clock.advance(31 * DAY);
        await deleteIdleVisitors(database, 30 * DAY);
        assert.deepEqual(await listIds(fixture, 'visitors'), []);
      }));

    test('the context of a visitor whom a node of the previous version erased is deleted', () =>
      withFixture(async (fixture) => {
        const { database, retention, clock } = fixture.installation;
        const erased = await openSession(fixture);
        const other = await openSession(fixture);
        await database.transaction(({ db }) =>
          db.updateTable('visitors').set({ erasedAt: clock.now }).where('id', '=', erased.caller.visitorId).execute(),
        );
        assert.equal((await fixture.findBrokenInvariants()).length, 1, 'doctor reports it');
        await retention.deleteExpired();
        assert.deepEqual(await listIds(fixture, 'visitorContext'), [other.caller.visitorId]);
      }));
  });
}
