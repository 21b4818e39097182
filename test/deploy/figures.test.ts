import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InstallationMetricsReader, metricsQuery } from '../../src/core/upkeep/installation-metrics.ts';
import { databases, explainQuery, sqliteOnly } from '../support/databases/databases.ts';
import { EngineFixture } from '../support/fixtures/engine-fixture.ts';
import { openWebhookFixture, SECOND } from '../support/fixtures/webhooks.ts';

for (const { name, open } of databases) {
  test(`${name}: metrics count queued conversations, open offers, connected operators and the scheduler lag`, async (t) => {
    const fixture = await EngineFixture.create(open);
    t.after(() => fixture.installation.end());
    const { database, clock } = fixture.installation;
    const readMetrics = () => new InstallationMetricsReader(database).readLatest();
    const empty = { queued: 0, oldestWaitMs: 0, offersOpen: 0, operatorsConnected: 0, schedulerLagMs: 0 };
    const first = await readMetrics();
    assert.deepEqual({ ...first, ...empty }, first);

    const operator = await fixture.createOperator({ chatMaxNumber: 1 });
    await fixture.createOperator({}, { connected: false });
    await fixture.startConversation();
    clock.advance(2 * SECOND);
    await fixture.startConversation();
    clock.advance(5 * SECOND);
    await fixture.startConversation();
    const metrics = await readMetrics();
    assert.deepEqual(
      {
        ...metrics,
        ...{ queued: 2, oldestWaitMs: 5 * SECOND, offersOpen: 1, operatorsConnected: 1, schedulerLagMs: 0 },
      },
      metrics,
    );
    assert.ok(metrics.eventPositions > first.eventPositions);

    clock.advance(3600 * SECOND); // the lease expires then; the offer expired long before
    const late = await readMetrics();
    assert.equal(late.operatorsConnected, 0);
    assert.equal(late.schedulerLagMs, 3607 * SECOND - 30 * SECOND);
    await fixture.disconnect(operator);
    assert.equal((await readMetrics()).schedulerLagMs, 0);
  });

  test(`${name}: metrics count undelivered events, their delay and dead letters`, async (t) => {
    const fixture = await openWebhookFixture(t, open);
    const readMetrics = () => new InstallationMetricsReader(fixture.database).readLatest();
    const receiver = await fixture.startReceiver();
    const { webhook } = await fixture.createWebhook(receiver.url, { eventTypes: ['conversation.closed'] });
    const { webhookEventsBehind } = await readMetrics();
    await fixture.announceUpdate(7, 'conversation.closed');
    await fixture.announceUpdate(8, 'conversation.closed');
    assert.equal((await readMetrics()).webhookEventsBehind - webhookEventsBehind, 2);
    const insertDelivery = (state: 'pending' | 'dead', id: number) =>
      fixture.database.transaction((tx) =>
        tx.db
          .insertInto('webhookDeliveries')
          .values({
            ...{ accountId: fixture.accountId, id, webhookId: webhook.id, position: id, type: 'x', subjectType: 'x' },
            ...{ subjectId: 1, body: '{}', state, attempts: 0, nextAt: state === 'pending' ? tx.now : null },
            ...{ triedAt: null, createdAt: tx.now, endedAt: null, lastStatus: null, lastError: null },
          })
          .execute(),
      );
    await insertDelivery('pending', 9001);
    await insertDelivery('dead', 9002);
    fixture.clock.advance(90 * SECOND);
    const late = await readMetrics();
    assert.equal(late.deliveriesPending, 1);
    assert.equal(late.deadLetters, 1);
    assert.equal(late.deliveryOverdueMs, 90 * SECOND);
    await fixture.database.transaction((tx) => tx.db.updateTable('webhooks').set({ state: 'paused' }).execute());
    const paused = await readMetrics();
    assert.equal(paused.deliveryOverdueMs, 0, 'a paused webhook is not delayed');
    assert.equal(paused.webhookEventsBehind, 0);
  });

  test(`${name}: concurrent readers share one query for a few seconds`, async (t) => {
    const fixture = await EngineFixture.create(open);
    t.after(() => fixture.installation.end());
    const figures = new InstallationMetricsReader(fixture.installation.database);
    const first = figures.readLatest(0);
    assert.equal(figures.readLatest(4999), first);
    assert.notEqual(figures.readLatest(5000), first);
    assert.deepEqual(await figures.readLatest(5000), await first);
  });
}

for (const { name, open } of sqliteOnly) {
  test(`${name}: the metrics query never scans a growing table`, async (t) => {
    const { database, end } = await open();
    t.after(end);
    const query = { compile: () => metricsQuery.compile(database.read) };
    const scans = explainQuery(database, query).filter(
      (line) => line.startsWith('SCAN') && !/USING.* INDEX/.test(line),
    );
    assert.deepEqual(
      scans.filter((line) => !/^SCAN (found|accounts|w|CONSTANT ROW|\(subquery)/.test(line)),
      [],
    );
  });
}
