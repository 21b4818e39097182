import assert from 'node:assert/strict';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { LiveHistoryReader } from '../../../src/core/live/live-history-reader.ts';
import { checkInvariants } from '../../../src/core/upkeep/invariants.ts';
import { databases } from '../../support/databases/databases.ts';
import { EngineFixture } from '../../support/fixtures/engine-fixture.ts';

const DAY = 24 * 3600 * 1000;

for (const { name, open } of databases) {
  suite(`retention on ${name}`, () => {
    let fixture: EngineFixture;
    beforeEach(async () => {
      fixture = await EngineFixture.create(() =>
        open({ SWITCHBOARD_EVENT_DAYS: '30', SWITCHBOARD_HISTORY_DAYS: '60' }),
      );
    });
    afterEach(() => fixture.installation.end());

    const positions = async () =>
      (
        await fixture.installation.database.read.selectFrom('events').select('position').orderBy('position').execute()
      ).map((row) => row.position);
    const applyRetention = async () => {
      const { retention, clock, database } = fixture.installation;
      await retention.deleteExpired();
      const broken = (await checkInvariants(database)).filter(({ name }) => name.includes('event log'));
      assert.deepEqual(
        broken.flatMap(({ problems }) => problems),
        [],
        `at ${clock.now}`,
      );
    };
    const emit = (count: number) =>
      fixture.transact(async (tx) => {
        for (let index = 0; index < count; index += 1) {
          tx.emit({
            accountId: fixture.accountId,
            type: 'skill.updated',
            subjectType: 'skill',
            subjectId: 1,
            actor: { type: 'system', id: null },
            changes: { fields: [], values: {} },
          });
        }
      });

    test('old events are deleted in several batches, but never the newest one', async () => {
      const {
        clock,
        events: { log: events },
      } = fixture.installation;
      await emit(2500);
      const old = await events.readPosition(fixture.accountId);
      clock.advance(10 * DAY);
      await emit(5);
      clock.advance(20 * DAY);
      await applyRetention();
      assert.equal((await positions())[0], 1, 'an event of exactly 30 days stays');
      clock.advance(1);
      await applyRetention();
      assert.deepEqual(
        await positions(),
        [1, 2, 3, 4, 5].map((index) => old + index),
      );
      clock.advance(100 * DAY);
      await applyRetention();
      assert.deepEqual(await positions(), [old + 5]);
      await emit(1);
      assert.deepEqual(await positions(), [old + 5, old + 6]);
    });

    test('a clock that went back leaves no gap', async () => {
      const {
        clock,
        events: { log: events },
      } = fixture.installation;
      const start = await events.readPosition(fixture.accountId);
      await emit(1);
      clock.advance(-DAY);
      await emit(2);
      clock.advance(30 * DAY + 1);
      await applyRetention();
      assert.equal((await positions())[0], 1, 'the first event is recent enough, so those after it stay');
      clock.advance(DAY);
      await applyRetention();
      assert.deepEqual(await positions(), [start + 3]);
    });

    test('events that an active webhook has not processed stay; a paused webhook retains none', async () => {
      const {
        clock,
        database,
        webhooks: { service: webhooks },
        caller,
        events: { log: events },
      } = fixture.installation;
      const ids: number[] = [];
      for (const name of ['behind', 'ahead', 'paused']) {
        ids.push((await webhooks.create(fixture.transact, caller, { name, url: 'https://example.com/' })).webhook.id);
      }
      const start = await events.readPosition(fixture.accountId);
      await emit(10);
      const changes = [
        { position: start + 4 },
        { position: start + 6 },
        { position: start + 1, state: 'paused' as const },
      ];
      await database.transaction(async ({ db }) => {
        for (const [index, change] of changes.entries()) {
          await db
            .updateTable('webhooks')
            .set(change)
            .where('id', '=', ids[index] as number)
            .execute();
        }
      });
      clock.advance(31 * DAY);
      await applyRetention();
      assert.equal((await positions())[0], start + 5);
      await database.transaction(({ db }) =>
        db
          .updateTable('webhooks')
          .set({ position: start + 10 })
          .execute(),
      );
      await applyRetention();
      assert.deepEqual(await positions(), [start + 10]);
    });

    test('retention applies to each account separately', async () => {
      const { clock, database } = fixture.installation;
      await emit(3);
      await database.transaction(async ({ db }) => {
        const account = { name: 'x', lang: 'en', premiumEnabled: 0, createdAt: 0, operatorCount: 0, adminCount: 0 };
        await db
          .insertInto('accounts')
          .values({ id: 99, ...account, eventPosition: 1 })
          .execute();
        const event = { type: 'x.y', subjectType: 'x', subjectId: 1, actorType: 'system', changes: '{}' };
        await db
          .insertInto('events')
          .values({ accountId: 99, position: 1, at: clock.now + 40 * DAY, ...event })
          .execute();
      });
      clock.advance(31 * DAY);
      await applyRetention();
      const rows = await database.read.selectFrom('events').select(['accountId', 'position']).execute();
      assert.deepEqual(
        rows.map((row) => row.accountId).sort((a, b) => a - b),
        [fixture.accountId, 99],
      );
    });

    test('rule 4: live states since the retention limit stay readable', async () => {
      const { clock, database } = fixture.installation;
      const liveHistory = new LiveHistoryReader(database);
      const operatorIds = [
        await fixture.createOperator(),
        await fixture.createOperator(),
        await fixture.createOperator(),
      ] as const;
      const [changing, unchanged, deleted] = operatorIds;
      const start = clock.now;
      for (let day = 0; day < 100; day += 1) {
        clock.advance(DAY);
        await fixture.setAvailable(changing, 'chat', day % 3 !== 0);
      }
      await fixture.transact((tx) => tx.db.deleteFrom('operatorLeases').execute());
      await fixture.transact((tx) =>
        tx.db.updateTable('operatorLive').set({ leaseUntil: 0, routableUntil: 0 }).execute(),
      );
      await fixture.installation.operators.delete(fixture.transact, fixture.installation.caller, deleted);
      const readDailyStates = async () => {
        const days = Array.from({ length: 60 }, (_, index) => clock.now - index * DAY);
        return Promise.all(days.map((day) => liveHistory.readStatesAt(fixture.accountId, operatorIds, day)));
      };
      const before = await readDailyStates();
      const count = async (operatorId: number) =>
        (
          await database.read.selectFrom('liveHistory').select('at').where('operatorId', '=', operatorId).execute()
        ).filter(({ at }) => at < clock.now - 60 * DAY).length;
      assert.ok((await count(changing)) > 20);
      await applyRetention();
      assert.deepEqual(await readDailyStates(), before);
      assert.deepEqual([await count(changing), await count(unchanged), await count(deleted)], [1, 1, 0]);
      assert.equal(
        (await liveHistory.readStatesAt(fixture.accountId, [changing], start + DAY)).size,
        0,
        'older states are deleted',
      );
    });

    test('old routing decisions are deleted in batches too', async () => {
      const { clock, database } = fixture.installation;
      const decision = { conversationId: 1, cause: 'start', forced: 0, need: '{}', ranked: '[]', excluded: '{}' };
      const rowsAt = (first: number, count: number, at: number) =>
        Array.from({ length: count }, (_, index) => ({
          ...{ accountId: 1, id: first + index, at, actorType: 'system' as const },
          ...decision,
        }));
      await database.transaction(async ({ db }) => {
        for (const first of [1, 701])
          await db
            .insertInto('routingDecisions')
            .values(rowsAt(first, 700, clock.now))
            .execute();
        await db
          .insertInto('routingDecisions')
          .values(rowsAt(1401, 100, clock.now + DAY))
          .execute();
      });
      clock.advance(60 * DAY + 1);
      await applyRetention();
      const rows = await database.read.selectFrom('routingDecisions').select('id').orderBy('id').execute();
      assert.deepEqual([rows.length, rows[0]?.id], [100, 1401]);
    });

    test('an abort signal stops between two batches', async () => {
      const { clock, retention } = fixture.installation;
      await emit(1500);
      clock.advance(31 * DAY);
      await retention.deleteExpired(AbortSignal.abort());
      assert.equal((await positions())[0], 1);
    });
  });
}
