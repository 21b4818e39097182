import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { closeDesk, disconnect, notice, openDesk, prolong } from '../../../../src/core/engine/presence/presence.ts';
import { systemContext } from '../../../../src/core/kernel/caller.ts';
import { channelLive } from '../../../../src/core/live/capacity.ts';
import { databases } from '../../../support/databases/databases.ts';
import { World } from '../../../support/people/world.ts';

for (const { name, open } of databases) {
  describe(`presence on ${name}`, () => {
    const desk = (world: World, operatorId: number, leaseId: string) => {
      const lease = { operatorId, leaseId, seconds: 30 };
      const by = world.as(operatorId);
      return {
        open: () => world.transact((tx) => openDesk(tx, by, lease)),
        renew: () => world.transact((tx) => prolong(tx, by, lease)),
        close: () => world.transact((tx) => closeDesk(tx, by, lease)),
      };
    };

    test('rule 1: connected is at least one unexpired lease, and the last of several decides', async () => {
      const world = await World.on(open);
      const id = await world.operator({}, { away: true });
      assert.equal((await world.live(id)).connected, false);
      await world.connect(id, 'one', 20);
      await world.connect(id, 'two', 40);
      await world.pass(20_000);
      assert.equal((await world.live(id)).connected, true);
      await world.pass(20_000);
      assert.equal((await world.live(id)).connected, false);
      assert.deepEqual(await world.brokenInvariants(), []);
      await world.end();
    });

    test('rule 1: a renewal holds only a lease that has not ended', async () => {
      const world = await World.on(open);
      const id = await world.operator({}, { away: true });
      const { open: begin, renew } = desk(world, id, 'desk');
      assert.equal(await begin(), true);
      await world.pass(29_999);
      assert.equal(await renew(), true);
      await world.pass(29_999);
      assert.equal((await world.live(id)).connected, true);
      world.installation.clock.advance(1);
      assert.equal(await renew(), false, 'a lease that ended is not renewed');
      assert.equal((await world.live(id)).connected, false);
      const position = await world.position();
      await world.transact((tx) => notice(tx, systemContext(world.accountId), id));
      const [event] = await world.eventsAfter(position);
      assert.equal(event?.type, 'operator.disconnected', 'that it ended is still to be announced');
      await world.end();
    });

    test('rule 1: the desks of an account that answer in the same moment are renewed together, each for itself', async (t) => {
      const world = await World.on(open);
      const { live, database } = world.installation;
      const ids: number[] = [];
      for (let count = 0; count < 12; count += 1) ids.push(await world.operator({}, { away: true }));
      const [sentOff = 0] = ids;
      const desks = ids.flatMap((id) => ['one', 'two'].map((lease) => ({ id, ...live.desk(world.as(id), id, lease) })));
      for (const each of desks) assert.equal(await each.open(), true);
      await world.pass(20_000);
      await world.transact((tx) => disconnect(tx, world.as(ids[1] as number), sentOff));
      const position = await world.position();
      const transactions = t.mock.method(database, 'transaction');
      const held = await Promise.all(desks.map(({ renew }) => renew()));
      assert.equal(transactions.mock.callCount(), 1);
      transactions.mock.restore();
      assert.deepEqual(
        held,
        desks.map(({ id }) => id !== sentOff),
      );
      assert.equal(await world.position(), position, 'nothing to tell');
      await world.pass(29_999);
      for (const id of ids) assert.equal((await world.live(id)).connected, id !== sentOff);
      await world.pass(1);
      for (const id of ids) assert.equal((await world.live(id)).connected, false);
      assert.deepEqual(await world.brokenInvariants(), []);
      await world.end();
    });

    test('rule 1: many more than go together are renewed all the same, and a database that is away is told to each', async () => {
      const world = await World.on(open);
      const { live, database } = world.installation;
      const id = await world.operator({}, { away: true });
      const desks = Array.from({ length: 130 }, (_, index) => live.desk(world.as(id), id, `desk ${index}`));
      await Promise.all(desks.map(({ open: begin }) => begin()));
      await world.pass(20_000);
      assert.deepEqual(new Set(await Promise.all(desks.map(({ renew }) => renew()))), new Set([true]));
      await world.end();
      const late = await Promise.allSettled([desks[0]?.renew(), desks[1]?.renew()]);
      assert.deepEqual(new Set(late.map(({ status }) => status)), new Set(['rejected']));
      await assert.rejects(database.ping());
    });

    test('rule 1: a page reload does not flap: 10 s of grace, connected but not routable', async () => {
      const world = await World.on(open);
      const id = await world.operator({}, { away: true });
      const first = desk(world, id, 'first');
      await first.open();
      const position = await world.position();
      await first.close();
      const inGrace = await world.live(id);
      assert.deepEqual([inGrace.connected, inGrace.inGrace], [true, true]);
      assert.deepEqual(channelLive(inGrace, 'chat').blockedBy, ['IN_GRACE']);
      assert.equal((await world.start()).state, 'queued', 'nobody is given to a page that may be gone');

      await world.pass(5000);
      await desk(world, id, 'second').open();
      assert.deepEqual(channelLive(await world.live(id), 'chat').blockedBy, []);
      const types = (await world.eventsAfter(position)).map((event) => event.type);
      assert.ok(!types.includes('operator.disconnected'), types.join());
      assert.ok(types.includes('conversation.offered'), 'back from the grace, the queue is looked at');
      await world.end();
    });

    test('rule 1: a closed page that does not come back is offline after its grace', async () => {
      const world = await World.on(open);
      const id = await world.operator({}, { away: true });
      const only = desk(world, id, 'only');
      await only.open();
      await only.close();
      await world.pass(9999);
      assert.equal((await world.live(id)).connected, true);
      await world.pass(1);
      assert.equal((await world.live(id)).connected, false);
      assert.deepEqual(await world.brokenInvariants(), []);
      await world.end();
    });

    test('rule 2: a lease ends by the clock of the database, once, and is announced like any other change', async () => {
      const world = await World.on(open);
      const id = await world.operator({}, { away: true });
      await world.connect(id, 'dead node', 30);
      const position = await world.position();
      world.installation.clock.advance(30_000);
      await Promise.all([world.installation.scheduler.tick(), world.installation.scheduler.tick()]);
      const events = (await world.eventsAfter(position)).filter((event) => event.subjectId === id);
      assert.deepEqual(
        events.map(({ type, actorType, changes }) => [type, actorType, changes.values.reason]),
        [['operator.disconnected', 'system', 'lease_ended']],
      );
      await world.end();
    });

    test('rule 2: after the database was away one lease time passes before any lease is ended', async () => {
      const world = await World.on(open);
      const { scheduler, clock } = world.installation;
      const id = await world.operator({}, { away: true });
      await world.connect(id, 'desk', 30);
      scheduler.hold();
      clock.advance(60_000); // nobody could renew meanwhile
      await scheduler.tick();
      const position = await world.position();
      clock.advance(29_999);
      await scheduler.tick();
      assert.deepEqual(await world.eventsAfter(position), []);
      await world.connect(id, 'desk', 30); // the desk is back before anybody was told that it had gone
      assert.deepEqual(await world.eventsAfter(position), []);
      clock.advance(30_000);
      await scheduler.tick();
      assert.deepEqual(
        (await world.eventsAfter(position)).map((event) => event.type),
        ['operator.disconnected'],
      );
      await world.end();
    });

    test('rule 3: intent and presence are separate', async () => {
      const world = await World.on(open);
      const id = await world.operator({ callEnabled: true });
      await world.setAvailable(id, 'call', false);
      const before = await world.live(id);
      await world.connect(id, 'a second desk');
      await world.disconnect(id);
      const after = await world.live(id);
      assert.equal(after.connected, false);
      for (const channel of ['chat', 'call', 'video'] as const) {
        assert.equal(after[channel].available, before[channel].available);
      }
      await world.end();
    });

    test('rule 3: connected=0 ends every lease and every open offer', async () => {
      const world = await World.on(open);
      const id = await world.operator();
      await world.connect(id, 'second');
      const offered = await world.start();
      assert.equal(offered.operatorId, id);
      await world.disconnect(id);
      const after = await world.conversation(offered.id);
      assert.deepEqual([after.state, after.operatorId], ['queued', null]);
      assert.equal((await world.live(id)).chat.slots, 0);
      assert.deepEqual(await world.brokenInvariants(), []);
      await world.end();
    });

    test('rule 3: whom somebody else took offline returns only by an explicit connect', async () => {
      const world = await World.on(open);
      const id = await world.operator({}, { away: true });
      const page = desk(world, id, 'desk');
      await page.open();
      await world.disconnect(id, world.installation.caller);
      assert.equal(await page.renew(), false);
      assert.equal(await desk(world, id, 'reconnected').open(), false);
      assert.equal((await world.live(id)).connected, false);
      await world.connect(id);
      assert.equal((await world.live(id)).connected, true);
      assert.equal(await desk(world, id, 'again').open(), true);

      await world.disconnect(id); // by themself: the next desk that is opened is meant
      assert.equal(await page.renew(), false);
      assert.equal(await desk(world, id, 'new page').open(), true);
      await world.end();
    });

    test('rule 4: every change is kept with who, when and why', async () => {
      const world = await World.on(open);
      const { clock, caller } = world.installation;
      const id = await world.operator();
      clock.advance(1000);
      await world.setAvailable(id, 'chat', false);
      clock.advance(1000);
      await world.disconnect(id, caller);
      const rows = await world.history(id);
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

    test('rule 4: a session that ended while nobody looked ended at the end of its lease', async () => {
      const world = await World.on(open);
      const id = await world.operator({}, { away: true });
      const start = world.installation.clock.now;
      await world.connect(id, 'desk', 30);
      await world.pass(3_600_000);
      assert.equal((await world.history(id)).at(-1)?.at, start + 30_000);
      await world.end();
    });
  });
}
