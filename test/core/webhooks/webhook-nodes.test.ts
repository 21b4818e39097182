import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { CLAIM_TTL_MS } from '../../../src/core/webhooks/delivery.ts';
import type { ReceivedRequest } from '../../support/clients/receiver.ts';
import { databases } from '../../support/databases/databases.ts';
import { openWebhookFixture, SECOND, shareWebhookInstallation } from '../../support/fixtures/webhooks.ts';

const positions = (requests: readonly ReceivedRequest[]) => requests.map(({ event }) => event.position as number);
const eventIds = (requests: readonly ReceivedRequest[]) =>
  requests.map(({ headers }) => headers['x-switchboard-event-id']);
const ascending = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);
/** Events that several nodes send. */
const COUNT = 120;

for (const { name, open } of databases) {
  const openAccount = shareWebhookInstallation(open);

  test(`rule 21: ${name}: several nodes on one database never send the same event twice, nor a subject out of order`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    const receiver = await fixture.startReceiver();
    const { webhook } = await fixture.createWebhook(receiver.url);
    const nodes = Array.from({ length: 4 }, () => fixture.createDispatcher());
    const { position: before } = await fixture.events.log.readPositionAndTime(fixture.accountId);
    const settling: Promise<void>[] = [];
    for (let event = 0; event < COUNT; event += 10) {
      const subjects = Array.from({ length: 10 }, (_, index) => 1 + ((event + index) % 30));
      await fixture.announceUpdates(subjects);
      settling.push(...nodes.map((node) => node.settle()));
    }
    await Promise.all([...settling, ...nodes.map((node) => node.settle())]);
    await Promise.all(nodes.map((node) => node.settle()));
    const receivedPositions = positions(receiver.received);
    assert.deepEqual(
      ascending(receivedPositions),
      Array.from({ length: COUNT }, (_, index) => before + 1 + index),
    );
    for (const [, requestsOfSubject] of Map.groupBy(receiver.received, ({ event }) => event.subject.id)) {
      assert.deepEqual(positions(requestsOfSubject), ascending(positions(requestsOfSubject)));
    }
    assert.equal((await fixture.loadDeliveries(webhook.id)).length, COUNT);
  });

  test(`rule 21: ${name}: with random failures each event is accepted once, and events of a subject in order`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    const receiver = await fixture.startReceiver();
    const { webhook } = await fixture.createWebhook(receiver.url);
    const nodes = [
      fixture.createDispatcher({ random: Math.random }),
      fixture.createDispatcher({ random: Math.random }),
    ];
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ subject: fc.integer({ min: 1, max: 4 }) }) },
      { weight: 1, arbitrary: fc.record({ minutes: fc.integer({ min: 0, max: 5 }) }) },
    );
    const statuses = fc.infiniteStream(fc.constantFrom(204, 204, 500, 503, 429));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), statuses, async (steps, responseStatuses) => {
        receiver.received.length = 0;
        receiver.accepted.length = 0;
        const { position: before } = await fixture.events.log.readPositionAndTime(fixture.accountId);
        receiver.respond = () => responseStatuses.next().value as number;
        for (const step of steps) {
          if ('subject' in step) await fixture.announceUpdate(step.subject);
          else {
            fixture.clock.advance(step.minutes * 60 * SECOND);
            await Promise.all(nodes.map((node) => node.settle()));
          }
        }
        receiver.respond = () => 204;
        for (let round = 0; round < 3; round++) {
          await Promise.all(nodes.map((node) => node.settle()));
          fixture.clock.advance(2 * 3600 * SECOND); // longer than the longest backoff
        }
        const { position: last } = await fixture.events.log.readPositionAndTime(fixture.accountId);
        const expected = Array.from({ length: last - before }, (_, index) => before + 1 + index);
        assert.deepEqual(ascending(positions(receiver.accepted)), expected);
        for (const [, requestsOfSubject] of Map.groupBy(receiver.accepted, ({ event }) => event.subject.id)) {
          assert.deepEqual(positions(requestsOfSubject), ascending(positions(requestsOfSubject)));
        }
      }),
      { numRuns: process.env.FULL === '1' ? 100 : 10 },
    );
    assert.ok((await fixture.loadDeliveries(webhook.id)).every(({ state }) => state === 'delivered'));
  });

  test(`rule 21: ${name}: if it is unknown whether an event arrived, it is sent again with the same event id`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    const receiver = await fixture.startReceiver();
    await fixture.createWebhook(receiver.url);
    await fixture.announceUpdate(1);
    await fixture.announceUpdate(1);
    const dyingNode = fixture.createDispatcher(); // dies before it records the response
    receiver.respond = () => {
      dyingNode.stop(0);
      return () => undefined;
    };
    await dyingNode.settle();
    assert.equal(receiver.received.length, 1);
    receiver.respond = () => 204;
    const other = fixture.createDispatcher();
    fixture.clock.advance(CLAIM_TTL_MS - 1);
    await other.settle();
    assert.equal(receiver.received.length, 1, 'the claim is valid while the first node could still be sending');
    fixture.clock.advance(1);
    await other.settle();
    const [first, repeated, later] = eventIds(receiver.received);
    assert.equal(repeated, first);
    assert.notEqual(later, first);
    assert.equal(receiver.received.length, 3);
  });

  test(`rule 21: ${name}: an endless response is cut off and counts as delivered`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    const receiver = await fixture.startReceiver();
    const { webhook } = await fixture.createWebhook(receiver.url);
    let written = 0;
    receiver.respond = () => (response) => {
      response.writeHead(200);
      const writeMore = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16 * 1024))) written += 16 * 1024;
        if (!response.destroyed) response.once('drain', writeMore);
      };
      const ended = () => {
        written = -1;
      };
      response.once('close', ended);
      writeMore();
    };
    await fixture.announceUpdate(1);
    await fixture.createDispatcher().settle();
    assert.equal((await fixture.loadDeliveries(webhook.id))[0]?.state, 'delivered');
    while (written !== -1) await setImmediate();
  });

  test(`rule 21: ${name}: skipped events cost no commit, and no matching event is missed`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    const receiver = await fixture.startReceiver();
    const { webhook } = await fixture.createWebhook(receiver.url, { eventTypes: ['skill.created'] });
    const readPosition = async () =>
      (await fixture.database.read.selectFrom('webhooks').select('position').executeTakeFirstOrThrow()).position;
    const before = await readPosition();
    const dispatcher = fixture.createDispatcher();
    const tick = () => dispatcher.tick({ savePositions: false });
    await fixture.announceUpdates(Array.from({ length: 250 }, (_, index) => index));
    while (await tick());
    assert.equal(await readPosition(), before);
    await fixture.announceUpdate(1, 'skill.created');
    while (await tick());
    await receiver.waitUntil(({ accepted }) => accepted.length === 1);
    const { position } = await fixture.events.log.readPositionAndTime(fixture.accountId);
    assert.equal(await readPosition(), position);
    await fixture.announceUpdate(2);
    await dispatcher.settle(); // like the poll every second
    assert.equal(await readPosition(), position + 1, 'its position is stored');
    await fixture.webhooks.service.update(fixture.transact, fixture.caller, webhook.id, {
      eventTypes: ['conversation.*'],
    });
    await fixture.announceUpdate(3);
    await dispatcher.settle();
    assert.equal(receiver.accepted.at(-1)?.event.subject.id, 3);
    assert.equal(receiver.accepted.length, 2, 'no events from before the subscription');
  });

  test(`rule 21: ${name}: if the event log does not go back far enough, the webhook continues and the gap is announced`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    const receiver = await fixture.startReceiver();
    const { webhook } = await fixture.createWebhook(receiver.url);
    await fixture.createDispatcher().settle();
    const { position } = await fixture.events.log.readPositionAndTime(fixture.accountId);
    for (const subject of [1, 2, 3]) await fixture.announceUpdate(subject);
    await fixture.transact(async ({ db }) => {
      await db
        .deleteFrom('events')
        .where('accountId', '=', fixture.accountId)
        .where('position', '<=', position + 2)
        .execute();
    });
    await fixture.createDispatcher().settle();
    assert.deepEqual(
      receiver.accepted.map(({ event }) => event.subject.id),
      [3],
    );
    const [event] = await fixture.database.read
      .selectFrom('events')
      .select(['type', 'subjectId', 'changes'])
      .where('accountId', '=', fixture.accountId)
      .where('position', '>', position + 3)
      .execute();
    assert.equal(event?.type, 'webhook.updated');
    assert.equal(event?.subjectId, webhook.id);
    assert.deepEqual(JSON.parse(event?.changes ?? '').values, { missedFrom: position + 1, missedTo: position + 2 });
  });

  test(`rule 21: ${name}: at most 10,000 deliveries of a webhook are pending; further events stay in the log`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    const { webhook } = await fixture.createWebhook('http://127.0.0.1:9/unreachable');
    const dispatcher = fixture.createDispatcher();
    await fixture.announceUpdate(1);
    await dispatcher.settle();
    await fixture.copyDelivery(webhook.id, 9900);
    await fixture.announceUpdates(Array.from({ length: 250 }, () => 1));
    await dispatcher.settle();
    const pendingCount = (await fixture.loadDeliveries(webhook.id)).length;
    assert.ok(pendingCount >= 10_000 && pendingCount < 10_151, String(pendingCount));
    await fixture.transact(async ({ db }) => {
      await db.updateTable('webhookDeliveries').set({ state: 'delivered', nextAt: null }).execute();
    });
    await dispatcher.settle();
    assert.equal((await fixture.loadDeliveries(webhook.id)).length, 10_151);
  });
}
