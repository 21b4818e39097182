import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  closeDesk,
  disconnect,
  expireLeases,
  openDesk,
  tryRenewLease,
} from '../../../../src/core/engine/presence/presence.ts';
import { systemContext } from '../../../../src/core/kernel/caller.ts';
import { computeChannelLive } from '../../../../src/core/live/capacity.ts';
import { databases, shareInstallation } from '../../../support/databases/databases.ts';
import { EngineFixture } from '../../../support/fixtures/engine-fixture.ts';

for (const { name, open } of databases) {
  describe(`presence on ${name}`, () => {
    const openAccount = shareInstallation(open);
    const createDesk = (fixture: EngineFixture, operatorId: number, leaseId: string) => {
      const lease = { operatorId, leaseId, seconds: 30 };
      const caller = fixture.callerFor(operatorId);
      return {
        open: () => fixture.transact((tx) => openDesk(tx, caller, lease)),
        renew: () => fixture.transact((tx) => tryRenewLease(tx, caller, lease)),
        close: () => fixture.transact((tx) => closeDesk(tx, caller, lease)),
      };
    };

    test('rule 1: an operator with an unexpired lease is connected, and the last of several leases decides', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const id = await fixture.createOperator({}, { connected: false });
      assert.equal((await fixture.loadLiveState(id)).connected, false);
      await fixture.connect(id, 'one', 20);
      await fixture.connect(id, 'two', 40);
      await fixture.advanceTime(20_000);
      assert.equal((await fixture.loadLiveState(id)).connected, true);
      await fixture.advanceTime(20_000);
      assert.equal((await fixture.loadLiveState(id)).connected, false);
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.end();
    });

    test('rule 1: only a lease that has not ended can be renewed', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const id = await fixture.createOperator({}, { connected: false });
      const desk = createDesk(fixture, id, 'desk');
      assert.equal(await desk.open(), true);
      await fixture.advanceTime(29_999);
      assert.equal(await desk.renew(), true);
      await fixture.advanceTime(29_999);
      assert.equal((await fixture.loadLiveState(id)).connected, true);
      fixture.installation.clock.advance(1);
      assert.equal(await desk.renew(), false, 'a lease that ended is not renewed');
      assert.equal((await fixture.loadLiveState(id)).connected, false);
      const position = await fixture.readPosition();
      await fixture.transact((tx) => expireLeases(tx, systemContext(fixture.accountId), id));
      const [event] = await fixture.loadEventsAfter(position);
      assert.equal(event?.type, 'operator.disconnected', 'the end of the lease is still announced');
      await fixture.end();
    });

    test('rule 13: an operator who returns before the end of the lease was noticed gets the waiting conversations', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const id = await fixture.createOperator({}, { connected: false });
      const desk = createDesk(fixture, id, 'desk');
      await desk.open();
      fixture.installation.clock.advance(30_000); // no scheduler round runs
      const conversation = await fixture.startConversation();
      assert.equal((await fixture.loadConversation(conversation.id)).state, 'queued');
      await desk.open();
      assert.equal((await fixture.loadConversation(conversation.id)).state, 'offered');
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.end();
    });

    test('rule 1: desks of an account that answer at the same time are renewed in one transaction, with separate results', async (t) => {
      const fixture = await EngineFixture.create(open);
      const { live, database } = fixture.installation;
      const ids: number[] = [];
      for (let count = 0; count < 12; count += 1) ids.push(await fixture.createOperator({}, { connected: false }));
      const [disconnectedId = 0] = ids;
      const desks = ids.flatMap((id) =>
        ['one', 'two'].map((lease) => ({ id, ...live.createDeskLease(fixture.callerFor(id), id, lease) })),
      );
      for (const desk of desks) assert.equal(await desk.open(), true);
      await fixture.advanceTime(20_000);
      await fixture.transact((tx) => disconnect(tx, fixture.callerFor(ids[1] as number), disconnectedId));
      const position = await fixture.readPosition();
      const transactions = t.mock.method(database, 'transaction');
      const renewed = await Promise.all(desks.map(({ renew }) => renew()));
      assert.equal(transactions.mock.callCount(), 1);
      transactions.mock.restore();
      assert.deepEqual(
        renewed,
        desks.map(({ id }) => id !== disconnectedId),
      );
      assert.equal(await fixture.readPosition(), position, 'no event');
      await fixture.advanceTime(29_999);
      for (const id of ids) assert.equal((await fixture.loadLiveState(id)).connected, id !== disconnectedId);
      await fixture.advanceTime(1);
      for (const id of ids) assert.equal((await fixture.loadLiveState(id)).connected, false);
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.end();
    });

    test('rule 1: more renewals than fit in a batch all succeed, and each fails when the database is unavailable', async () => {
      const fixture = await EngineFixture.create(open);
      const { live, database } = fixture.installation;
      const id = await fixture.createOperator({}, { connected: false });
      const desks = Array.from({ length: 130 }, (_, index) =>
        live.createDeskLease(fixture.callerFor(id), id, `desk ${index}`),
      );
      await Promise.all(desks.map((desk) => desk.open()));
      await fixture.advanceTime(20_000);
      assert.deepEqual(new Set(await Promise.all(desks.map(({ renew }) => renew()))), new Set([true]));
      await fixture.end();
      const late = await Promise.allSettled([desks[0]?.renew(), desks[1]?.renew()]);
      assert.deepEqual(new Set(late.map(({ status }) => status)), new Set(['rejected']));
      await assert.rejects(database.ping());
    });

    test('rule 1: a page reload does not disconnect: 10 s grace period, connected but not routable', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const id = await fixture.createOperator({}, { connected: false });
      const first = createDesk(fixture, id, 'first');
      await first.open();
      const position = await fixture.readPosition();
      await first.close();
      const inGrace = await fixture.loadLiveState(id);
      assert.deepEqual([inGrace.connected, inGrace.inGrace], [true, true]);
      assert.deepEqual(computeChannelLive(inGrace, 'chat').blockedBy, ['IN_GRACE']);
      assert.equal(
        (await fixture.startConversation()).state,
        'queued',
        'no conversation is offered to a page that may be gone',
      );

      await fixture.advanceTime(5000);
      await createDesk(fixture, id, 'second').open();
      assert.deepEqual(computeChannelLive(await fixture.loadLiveState(id), 'chat').blockedBy, []);
      const types = (await fixture.loadEventsAfter(position)).map((event) => event.type);
      assert.ok(!types.includes('operator.disconnected'), types.join());
      assert.ok(types.includes('conversation.offered'), 'the queue is drained after the grace period');
      await fixture.end();
    });

    test('rule 1: a closed page that does not come back is offline after its grace period', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const id = await fixture.createOperator({}, { connected: false });
      const only = createDesk(fixture, id, 'only');
      await only.open();
      await only.close();
      await fixture.advanceTime(9999);
      assert.equal((await fixture.loadLiveState(id)).connected, true);
      await fixture.advanceTime(1);
      assert.equal((await fixture.loadLiveState(id)).connected, false);
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.end();
    });

    test('rule 2: a lease ends by the clock of the database, once, and is announced like any other change', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const id = await fixture.createOperator({}, { connected: false });
      await fixture.connect(id, 'dead node', 30);
      const position = await fixture.readPosition();
      fixture.installation.clock.advance(30_000);
      await Promise.all([fixture.installation.scheduler.tick(), fixture.installation.scheduler.tick()]);
      const events = (await fixture.loadEventsAfter(position)).filter((event) => event.subjectId === id);
      assert.deepEqual(
        events.map(({ type, actorType, changes }) => [type, actorType, changes.values.reason]),
        [['operator.disconnected', 'system', 'lease_ended']],
      );
      await fixture.end();
    });

    test('rule 2: a change of an operator whose lease has ended unnoticed is recorded as it was', async () => {
      const fixture = await EngineFixture.create(open);
      const id = await fixture.createOperator({}, { connected: false });
      await fixture.connect(id, 'desk', 20);
      fixture.installation.clock.advance(20_001);
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.setAvailable(id, 'chat', false);
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.transact((tx) => expireLeases(tx, systemContext(fixture.accountId), id));
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.installation.database.transaction((tx) =>
        tx.db.updateTable('liveHistory').set({ connected: 1 }).where('operatorId', '=', id).execute(),
      );
      assert.equal((await fixture.findBrokenInvariants()).length, 1);
      await fixture.end();
    });

    test('rule 2: after the database was unavailable, no lease is ended for the duration of one lease', async () => {
      const fixture = await EngineFixture.create(open);
      const { scheduler, clock } = fixture.installation;
      const id = await fixture.createOperator({}, { connected: false });
      await fixture.connect(id, 'desk', 30);
      scheduler.holdLeases();
      clock.advance(60_000); // no desk could renew in this time
      await scheduler.tick();
      const position = await fixture.readPosition();
      clock.advance(29_999);
      await scheduler.tick();
      assert.deepEqual(await fixture.loadEventsAfter(position), []);
      await fixture.connect(id, 'desk', 30); // the desk is back before its end was announced
      const returned = await fixture.loadEventsAfter(position);
      assert.deepEqual(
        returned.map(({ type, changes }) => [type, changes.values]),
        [['operator.availability_updated', { connected: true }]], // for readers who saw them as not connected
      );
      await fixture.connect(id, 'desk', 30);
      assert.deepEqual(await fixture.loadEventsAfter(position), returned);
      clock.advance(30_000);
      await scheduler.tick();
      assert.deepEqual(
        (await fixture.loadEventsAfter(position)).slice(1).map((event) => event.type),
        ['operator.disconnected'],
      );
      await fixture.end();
    });

    test('rule 3: intent and presence are separate', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const id = await fixture.createOperator({ callEnabled: true });
      await fixture.setAvailable(id, 'call', false);
      const before = await fixture.loadLiveState(id);
      await fixture.connect(id, 'a second desk');
      await fixture.disconnect(id);
      const after = await fixture.loadLiveState(id);
      assert.equal(after.connected, false);
      for (const channel of ['chat', 'call', 'video'] as const) {
        assert.equal(after[channel].available, before[channel].available);
      }
      await fixture.end();
    });

    test('rule 3: connected=0 ends every lease and every open offer', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const id = await fixture.createOperator();
      await fixture.connect(id, 'second');
      const offered = await fixture.startConversation();
      assert.equal(offered.operatorId, id);
      await fixture.disconnect(id);
      const after = await fixture.loadConversation(offered.id);
      assert.deepEqual([after.state, after.operatorId], ['queued', null]);
      assert.equal((await fixture.loadLiveState(id)).chat.slots, 0);
      assert.deepEqual(await fixture.findBrokenInvariants(), []);
      await fixture.end();
    });

    test('rule 3: an operator taken offline by another actor returns only by an explicit connect', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const id = await fixture.createOperator({}, { connected: false });
      const page = createDesk(fixture, id, 'desk');
      await page.open();
      await fixture.disconnect(id, fixture.installation.caller);
      assert.equal(await page.renew(), false);
      assert.equal(await createDesk(fixture, id, 'reconnected').open(), false);
      assert.equal((await fixture.loadLiveState(id)).connected, false);
      await fixture.connect(id);
      assert.equal((await fixture.loadLiveState(id)).connected, true);
      assert.equal(await createDesk(fixture, id, 'again').open(), true);

      await fixture.disconnect(id); // by the operator: opening a new desk reconnects
      assert.equal(await page.renew(), false);
      assert.equal(await createDesk(fixture, id, 'new page').open(), true);
      await fixture.end();
    });

    test('rule 4: every change is recorded with its actor, time and reason', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const { clock, caller } = fixture.installation;
      const id = await fixture.createOperator();
      clock.advance(1000);
      await fixture.setAvailable(id, 'chat', false);
      clock.advance(1000);
      await fixture.disconnect(id, caller);
      const rows = await fixture.loadLiveHistory(id);
      const [, , , unavailable, offline] = rows;
      assert.deepEqual(
        rows.map((row) => row.kind),
        ['settings', 'availability', 'connected', 'availability', 'disconnected'],
      );
      assert.deepEqual([unavailable?.actorType, unavailable?.actorId, unavailable?.chatAvailable], ['operator', id, 0]);
      assert.deepEqual([offline?.actorType, offline?.reason, offline?.connected], ['system', 'taken_offline', 0]);
      assert.equal((offline?.at ?? 0) - (unavailable?.at ?? 0), 1000);
      await fixture.end();
    });

    test('rule 4: an expired session is recorded with the end of its lease, even if processed later', async () => {
      const fixture = await EngineFixture.create(openAccount);
      const id = await fixture.createOperator({}, { connected: false });
      const start = fixture.installation.clock.now;
      await fixture.connect(id, 'desk', 30);
      await fixture.advanceTime(3_600_000);
      assert.equal((await fixture.loadLiveHistory(id)).at(-1)?.at, start + 30_000);
      await fixture.end();
    });
  });
}
