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
import { databases } from '../../../support/databases/databases.ts';
import { World } from '../../../support/fixtures/world.ts';

for (const { name, open } of databases) {
  describe(`presence on ${name}`, () => {
    const createDesk = (world: World, operatorId: number, leaseId: string) => {
      const lease = { operatorId, leaseId, seconds: 30 };
      const caller = world.callerFor(operatorId);
      return {
        open: () => world.transact((tx) => openDesk(tx, caller, lease)),
        renew: () => world.transact((tx) => tryRenewLease(tx, caller, lease)),
        close: () => world.transact((tx) => closeDesk(tx, caller, lease)),
      };
    };

    test('rule 1: an operator with an unexpired lease is connected, and the last of several leases decides', async () => {
      const world = await World.create(open);
      const id = await world.createOperator({}, { away: true });
      assert.equal((await world.loadLiveState(id)).connected, false);
      await world.connect(id, 'one', 20);
      await world.connect(id, 'two', 40);
      await world.advanceTime(20_000);
      assert.equal((await world.loadLiveState(id)).connected, true);
      await world.advanceTime(20_000);
      assert.equal((await world.loadLiveState(id)).connected, false);
      assert.deepEqual(await world.findBrokenInvariants(), []);
      await world.end();
    });

    test('rule 1: only a lease that has not ended can be renewed', async () => {
      const world = await World.create(open);
      const id = await world.createOperator({}, { away: true });
      const desk = createDesk(world, id, 'desk');
      assert.equal(await desk.open(), true);
      await world.advanceTime(29_999);
      assert.equal(await desk.renew(), true);
      await world.advanceTime(29_999);
      assert.equal((await world.loadLiveState(id)).connected, true);
      world.installation.clock.advance(1);
      assert.equal(await desk.renew(), false, 'a lease that ended is not renewed');
      assert.equal((await world.loadLiveState(id)).connected, false);
      const position = await world.readPosition();
      await world.transact((tx) => expireLeases(tx, systemContext(world.accountId), id));
      const [event] = await world.loadEventsAfter(position);
      assert.equal(event?.type, 'operator.disconnected', 'the end of the lease is still announced');
      await world.end();
    });

    test('rule 1: desks of an account that answer at the same time are renewed in one transaction, with separate results', async (t) => {
      const world = await World.create(open);
      const { live, database } = world.installation;
      const ids: number[] = [];
      for (let count = 0; count < 12; count += 1) ids.push(await world.createOperator({}, { away: true }));
      const [disconnectedId = 0] = ids;
      const desks = ids.flatMap((id) =>
        ['one', 'two'].map((lease) => ({ id, ...live.createDeskLease(world.callerFor(id), id, lease) })),
      );
      for (const desk of desks) assert.equal(await desk.open(), true);
      await world.advanceTime(20_000);
      await world.transact((tx) => disconnect(tx, world.callerFor(ids[1] as number), disconnectedId));
      const position = await world.readPosition();
      const transactions = t.mock.method(database, 'transaction');
      const renewed = await Promise.all(desks.map(({ renew }) => renew()));
      assert.equal(transactions.mock.callCount(), 1);
      transactions.mock.restore();
      assert.deepEqual(
        renewed,
        desks.map(({ id }) => id !== disconnectedId),
      );
      assert.equal(await world.readPosition(), position, 'no event');
      await world.advanceTime(29_999);
      for (const id of ids) assert.equal((await world.loadLiveState(id)).connected, id !== disconnectedId);
      await world.advanceTime(1);
      for (const id of ids) assert.equal((await world.loadLiveState(id)).connected, false);
      assert.deepEqual(await world.findBrokenInvariants(), []);
      await world.end();
    });

    test('rule 1: more renewals than fit in a batch all succeed, and each fails when the database is unavailable', async () => {
      const world = await World.create(open);
      const { live, database } = world.installation;
      const id = await world.createOperator({}, { away: true });
      const desks = Array.from({ length: 130 }, (_, index) =>
        live.createDeskLease(world.callerFor(id), id, `desk ${index}`),
      );
      await Promise.all(desks.map((desk) => desk.open()));
      await world.advanceTime(20_000);
      assert.deepEqual(new Set(await Promise.all(desks.map(({ renew }) => renew()))), new Set([true]));
      await world.end();
      const late = await Promise.allSettled([desks[0]?.renew(), desks[1]?.renew()]);
      assert.deepEqual(new Set(late.map(({ status }) => status)), new Set(['rejected']));
      await assert.rejects(database.ping());
    });

    test('rule 1: a page reload does not disconnect: 10 s grace period, connected but not routable', async () => {
      const world = await World.create(open);
      const id = await world.createOperator({}, { away: true });
      const first = createDesk(world, id, 'first');
      await first.open();
      const position = await world.readPosition();
      await first.close();
      const inGrace = await world.loadLiveState(id);
      assert.deepEqual([inGrace.connected, inGrace.inGrace], [true, true]);
      assert.deepEqual(computeChannelLive(inGrace, 'chat').blockedBy, ['IN_GRACE']);
      assert.equal(
        (await world.startConversation()).state,
        'queued',
        'no conversation is offered to a page that may be gone',
      );

      await world.advanceTime(5000);
      await createDesk(world, id, 'second').open();
      assert.deepEqual(computeChannelLive(await world.loadLiveState(id), 'chat').blockedBy, []);
      const types = (await world.loadEventsAfter(position)).map((event) => event.type);
      assert.ok(!types.includes('operator.disconnected'), types.join());
      assert.ok(types.includes('conversation.offered'), 'the queue is drained after the grace period');
      await world.end();
    });

    test('rule 1: a closed page that does not come back is offline after its grace period', async () => {
      const world = await World.create(open);
      const id = await world.createOperator({}, { away: true });
      const only = createDesk(world, id, 'only');
      await only.open();
      await only.close();
      await world.advanceTime(9999);
      assert.equal((await world.loadLiveState(id)).connected, true);
      await world.advanceTime(1);
      assert.equal((await world.loadLiveState(id)).connected, false);
      assert.deepEqual(await world.findBrokenInvariants(), []);
      await world.end();
    });

    test('rule 2: a lease ends by the clock of the database, once, and is announced like any other change', async () => {
      const world = await World.create(open);
      const id = await world.createOperator({}, { away: true });
      await world.connect(id, 'dead node', 30);
      const position = await world.readPosition();
      world.installation.clock.advance(30_000);
      await Promise.all([world.installation.scheduler.tick(), world.installation.scheduler.tick()]);
      const events = (await world.loadEventsAfter(position)).filter((event) => event.subjectId === id);
      assert.deepEqual(
        events.map(({ type, actorType, changes }) => [type, actorType, changes.values.reason]),
        [['operator.disconnected', 'system', 'lease_ended']],
      );
      await world.end();
    });

    test('rule 2: after the database was unavailable, no lease is ended for the duration of one lease', async () => {
      const world = await World.create(open);
      const { scheduler, clock } = world.installation;
      const id = await world.createOperator({}, { away: true });
      await world.connect(id, 'desk', 30);
      scheduler.hold();
      clock.advance(60_000); // no desk could renew in this time
      await scheduler.tick();
      const position = await world.readPosition();
      clock.advance(29_999);
      await scheduler.tick();
      assert.deepEqual(await world.loadEventsAfter(position), []);
      await world.connect(id, 'desk', 30); // the desk is back before its end was announced
      assert.deepEqual(await world.loadEventsAfter(position), []);
      clock.advance(30_000);
      await scheduler.tick();
      assert.deepEqual(
        (await world.loadEventsAfter(position)).map((event) => event.type),
        ['operator.disconnected'],
      );
      await world.end();
    });

    test('rule 3: intent and presence are separate', async () => {
      const world = await World.create(open);
      const id = await world.createOperator({ callEnabled: true });
      await world.setAvailable(id, 'call', false);
      const before = await world.loadLiveState(id);
      await world.connect(id, 'a second desk');
      await world.disconnect(id);
      const after = await world.loadLiveState(id);
      assert.equal(after.connected, false);
      for (const channel of ['chat', 'call', 'video'] as const) {
        assert.equal(after[channel].available, before[channel].available);
      }
      await world.end();
    });

    test('rule 3: connected=0 ends every lease and every open offer', async () => {
      const world = await World.create(open);
      const id = await world.createOperator();
      await world.connect(id, 'second');
      const offered = await world.startConversation();
      assert.equal(offered.operatorId, id);
      await world.disconnect(id);
      const after = await world.loadConversation(offered.id);
      assert.deepEqual([after.state, after.operatorId], ['queued', null]);
      assert.equal((await world.loadLiveState(id)).chat.slots, 0);
      assert.deepEqual(await world.findBrokenInvariants(), []);
      await world.end();
    });

    test('rule 3: an operator taken offline by another actor returns only by an explicit connect', async () => {
      const world = await World.create(open);
      const id = await world.createOperator({}, { away: true });
      const page = createDesk(world, id, 'desk');
      await page.open();
      await world.disconnect(id, world.installation.caller);
      assert.equal(await page.renew(), false);
      assert.equal(await createDesk(world, id, 'reconnected').open(), false);
      assert.equal((await world.loadLiveState(id)).connected, false);
      await world.connect(id);
      assert.equal((await world.loadLiveState(id)).connected, true);
      assert.equal(await createDesk(world, id, 'again').open(), true);

      await world.disconnect(id); // by the operator: opening a new desk reconnects
      assert.equal(await page.renew(), false);
      assert.equal(await createDesk(world, id, 'new page').open(), true);
      await world.end();
    });

    test('rule 4: every change is recorded with its actor, time and reason', async () => {
      const world = await World.create(open);
      const { clock, caller } = world.installation;
      const id = await world.createOperator();
      clock.advance(1000);
      await world.setAvailable(id, 'chat', false);
      clock.advance(1000);
      await world.disconnect(id, caller);
      const rows = await world.loadLiveHistory(id);
      const [, , , unavailable, offline] = rows;
      assert.deepEqual(
        rows.map((row) => row.kind),
        ['settings', 'availability', 'connected', 'availability', 'disconnected'],
      );
      assert.deepEqual([unavailable?.actorType, unavailable?.actorId, unavailable?.chatAvailable], ['operator', id, 0]);
      assert.deepEqual([offline?.actorType, offline?.reason, offline?.connected], ['system', 'taken_offline', 0]);
      assert.equal((offline?.at ?? 0) - (unavailable?.at ?? 0), 1000);
      await world.end();
    });

    test('rule 4: an expired session is recorded with the end of its lease, even if processed later', async () => {
      const world = await World.create(open);
      const id = await world.createOperator({}, { away: true });
      const start = world.installation.clock.now;
      await world.connect(id, 'desk', 30);
      await world.advanceTime(3_600_000);
      assert.equal((await world.loadLiveHistory(id)).at(-1)?.at, start + 30_000);
      await world.end();
    });
  });
}
