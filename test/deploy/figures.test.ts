import assert from 'node:assert/strict';
import { test } from 'node:test';
import { figuresQuery, InstallationFigures } from '../../src/core/upkeep/figures.ts';
import { databases, embedded, explain } from '../support/databases/databases.ts';
import { openBench, SECOND } from '../support/people/webhooks.ts';
import { World } from '../support/people/world.ts';

for (const { name, open } of databases) {
  test(`${name}: what waits, what is offered, who is there, and what nobody has ended`, async (t) => {
    const world = await World.on(open);
    t.after(() => world.installation.end());
    const { database, clock } = world.installation;
    const look = () => new InstallationFigures(database).latest();
    const nothing = { queued: 0, oldestWaitMs: 0, offersOpen: 0, operatorsConnected: 0, clockworkBehindMs: 0 };
    const first = await look();
    assert.deepEqual({ ...first, ...nothing }, first);

    const operator = await world.operator({ chatMaxNumber: 1 });
    await world.operator({}, { away: true });
    await world.start();
    clock.advance(2 * SECOND);
    await world.start();
    clock.advance(5 * SECOND);
    await world.start();
    const busy = await look();
    assert.deepEqual(
      {
        ...busy,
        ...{ queued: 2, oldestWaitMs: 5 * SECOND, offersOpen: 1, operatorsConnected: 1, clockworkBehindMs: 0 },
      },
      busy,
    );
    assert.ok(busy.eventPositions > first.eventPositions);

    clock.advance(3600 * SECOND); // the lease ends after that time, the offer ended long before
    const late = await look();
    assert.equal(late.operatorsConnected, 0);
    assert.equal(late.clockworkBehindMs, 3607 * SECOND - 30 * SECOND);
    await world.disconnect(operator);
    assert.equal((await look()).clockworkBehindMs, 0);
  });

  test(`${name}: what webhooks have not got, how late it is, and what was given up`, async (t) => {
    const bench = await openBench(t, open);
    const look = () => new InstallationFigures(bench.database).latest();
    const receiver = await bench.receiver();
    const { webhook } = await bench.hook(receiver.url, { eventTypes: ['conversation.closed'] });
    const { webhookEventsBehind } = await look();
    await bench.happen(7, 'conversation.closed');
    await bench.happen(8, 'conversation.closed');
    assert.equal((await look()).webhookEventsBehind - webhookEventsBehind, 2);
    const send = (state: 'pending' | 'dead', id: number) =>
      bench.database.transaction((tx) =>
        tx.db
          .insertInto('webhookDeliveries')
          .values({
            ...{ accountId: bench.accountId, id, webhookId: webhook.id, position: id, type: 'x', subjectType: 'x' },
            ...{ subjectId: 1, body: '{}', state, attempts: 0, nextAt: state === 'pending' ? tx.now : null },
            ...{ triedAt: null, createdAt: tx.now, endedAt: null, lastStatus: null, lastError: null },
          })
          .execute(),
      );
    await send('pending', 9001);
    await send('dead', 9002);
    bench.clock.advance(90 * SECOND);
    const late = await look();
    assert.equal(late.deliveriesPending, 1);
    assert.equal(late.deadLetters, 1);
    assert.equal(late.deliveryOverdueMs, 90 * SECOND);
    await bench.database.transaction((tx) => tx.db.updateTable('webhooks').set({ state: 'paused' }).execute());
    const paused = await look();
    assert.equal(paused.deliveryOverdueMs, 0, 'a paused webhook is nobody’s delay');
    assert.equal(paused.webhookEventsBehind, 0);
  });

  test(`${name}: however many ask, one read in a few seconds answers`, async (t) => {
    const world = await World.on(open);
    t.after(() => world.installation.end());
    const figures = new InstallationFigures(world.installation.database);
    const first = figures.latest(0);
    assert.equal(figures.latest(4999), first);
    assert.notEqual(figures.latest(5000), first);
    assert.deepEqual(await figures.latest(5000), await first);
  });
}

for (const { name, open } of embedded) {
  test(`${name}: no part of the figures reads a whole table that grows`, async (t) => {
    const { database, end } = await open();
    t.after(end);
    const query = { compile: () => figuresQuery.compile(database.read) };
    const scans = explain(database, query).filter((line) => line.startsWith('SCAN') && !/USING.* INDEX/.test(line));
    assert.deepEqual(
      scans.filter((line) => !/^SCAN (found|accounts|w|CONSTANT ROW|\(subquery)/.test(line)),
      [],
    );
  });
}
