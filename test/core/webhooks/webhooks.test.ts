import assert from 'node:assert/strict';
import { test } from 'node:test';
import { computeBackoff } from '../../../src/core/webhooks/delivery.ts';
import { assertSigned, expectedSignature, type ReceivedRequest } from '../../support/clients/receiver.ts';
import { databases } from '../../support/databases/databases.ts';
import { DAY, HOUR, openWebhookFixture, SECOND, shareWebhookInstallation } from '../../support/fixtures/webhooks.ts';
import { WAIT_TIMEOUT_MS } from '../../support/waiting/wait.ts';

const subjects = (requests: readonly ReceivedRequest[]) => requests.map(({ event }) => event.subject.id);
const positions = (requests: readonly ReceivedRequest[]) => requests.map(({ event }) => event.position);
const eventIds = (requests: readonly ReceivedRequest[]) =>
  requests.map(({ headers }) => headers['x-switchboard-event-id']);

for (const { name, open } of databases) {
  const openAccount = shareWebhookInstallation(open);

  test(`rule 21: ${name}: an event is sent as JSON with id, timestamp and signature`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    const receiver = await fixture.startReceiver();
    const { webhook, secret } = await fixture.createWebhook(`${receiver.url}?for=us`);
    await fixture.announceUpdate(7, 'conversation.closed');
    await fixture.createDispatcher().settle();
    const [request, ...otherRequests] = receiver.received;
    assert.ok(request);
    assert.deepEqual(otherRequests, []);
    const { position } = await fixture.events.log.readPositionAndTime(fixture.accountId);
    assert.deepEqual(request.event, {
      id: `${fixture.accountId}-${position}`,
      position,
      type: 'conversation.closed',
      at: new Date(fixture.clock.now).toISOString(),
      account: fixture.accountId,
      subject: { type: 'conversation', id: 7 },
      actor: { type: 'system', id: null },
      changes: { fields: ['state'], values: { state: 'active' } },
    });
    const [delivery] = await fixture.loadDeliveries(webhook.id);
    assert.equal(request.method, 'POST');
    assert.equal(request.path, '/hook?for=us');
    assert.match(request.headers['content-type'] ?? '', /^application\/json/);
    assert.equal(request.headers['x-switchboard-delivery'], String(delivery?.id));
    assert.equal(request.headers['x-switchboard-event-id'], request.event.id);
    assert.equal(request.headers['x-switchboard-timestamp'], String(fixture.clock.now / 1000));
    assertSigned(secret, request);
    assert.equal(delivery?.state, 'delivered');
    assert.equal(delivery?.lastStatus, 204);
  });

  test(`rule 21: ${name}: after a rotation both secrets sign, the new one first; the old one expires after 24 hours`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    const receiver = await fixture.startReceiver();
    const { webhook, secret: oldSecret } = await fixture.createWebhook(receiver.url);
    const dispatcher = fixture.createDispatcher();
    const { secret: newSecret } = await fixture.webhooks.service.rotateSecret(
      fixture.transact,
      fixture.caller,
      webhook.id,
    );
    assert.ok(newSecret && newSecret !== oldSecret);
    for (const wait of [0, DAY - 1, 1]) {
      fixture.clock.advance(wait);
      await fixture.announceUpdate(1);
      await dispatcher.settle();
    }
    const [first, last, after] = receiver.received as [ReceivedRequest, ReceivedRequest, ReceivedRequest];
    for (const request of [first, last]) {
      const bothSignatures: string = `${expectedSignature(newSecret, request)},${expectedSignature(oldSecret, request)}`;
      assert.equal(request.headers['x-switchboard-signature'], bothSignatures);
    }
    assertSigned(newSecret, after);
  });

  test(`rule 21: ${name}: a webhook receives the event types it subscribed to, of its account, from its creation on`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    const [allTypes, someTypes, otherAccount] = [
      await fixture.startReceiver(),
      await fixture.startReceiver(),
      await fixture.startReceiver(),
    ];
    await fixture.announceUpdate(1, 'conversation.queued');
    await fixture.createWebhook(allTypes.url, { eventTypes: [] });
    await fixture.createWebhook(someTypes.url, { eventTypes: ['conversation.closed', 'operator.*'] });
    const account = await fixture.transact((tx) => fixture.accounts.create(tx, 'Other'));
    const otherCaller = { ...fixture.caller, accountId: account.id };
    await fixture.webhooks.service.create(fixture.transact, otherCaller, { name: 'Other', url: otherAccount.url });
    for (const type of ['conversation.queued', 'conversation.closed', 'operator.connected', 'skill.created'] as const) {
      await fixture.announceUpdate(1, type);
    }
    await fixture.createDispatcher().settle();
    const types = (requests: readonly ReceivedRequest[]) => requests.map(({ event }) => event.type).sort();
    assert.deepEqual(types(someTypes.received), ['conversation.closed', 'operator.connected']);
    assert.deepEqual(types(allTypes.received), [
      'conversation.closed',
      'conversation.queued',
      'operator.connected',
      'skill.created',
      'webhook.created',
      'webhook.created',
    ]);
    assert.deepEqual(types(otherAccount.received), ['webhook.created']);
  });

  test(`rule 21: ${name}: timeouts, lost connections, 5xx and 429 are retried with exponential backoff`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    const receiver = await fixture.startReceiver();
    const { webhook } = await fixture.createWebhook(receiver.url);
    const dispatcher = fixture.createDispatcher();
    const failures: [ReturnType<typeof receiver.respond>, RegExp | number][] = [
      [500, 500],
      [503, 503],
      [429, 429],
      [() => undefined, /no response within 60 s/],
      [(response) => response.destroy(), /could not connect: ECONNRESET/],
    ];
    await fixture.announceUpdate(1);
    let wait = 5 * SECOND;
    for (const [response, expectedResult] of failures) {
      receiver.respond = () => response;
      const before = receiver.received.length;
      const isSilent = String(expectedResult).includes('no response');
      if (isSilent) t.mock.timers.enable({ apis: ['setTimeout'] });
      const settled = dispatcher.settle();
      await receiver.waitUntil(({ received }) => received.length === before + 1);
      if (isSilent) {
        t.mock.timers.tick(WAIT_TIMEOUT_MS);
        t.mock.timers.reset();
      }
      await settled;
      const [row] = await fixture.loadDeliveries(webhook.id);
      assert.equal(row?.state, 'pending');
      if (typeof expectedResult === 'number') assert.equal(row?.lastStatus, expectedResult);
      else assert.match(row?.lastError ?? '', expectedResult);
      assert.equal(row?.nextAt, fixture.clock.now + wait);
      fixture.clock.advance(wait - 1);
      await dispatcher.settle();
      assert.equal(receiver.received.length, before + 1, 'not retried too early');
      fixture.clock.advance(1);
      wait *= 2;
    }
    receiver.respond = () => 200;
    await dispatcher.settle();
    assert.equal((await fixture.loadDeliveries(webhook.id))[0]?.state, 'delivered');
    assert.equal(new Set(eventIds(receiver.received)).size, 1);
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['x-switchboard-delivery'])).size, 1);
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['x-switchboard-timestamp'])).size, 6);
  });

  test(`rule 21: ${name}: Retry-After, in seconds or as a date, delays the whole webhook`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    const receiver = await fixture.startReceiver();
    await fixture.createWebhook(receiver.url);
    const dispatcher = fixture.createDispatcher();
    const respondTooBusy = (retryAfter: string) => {
      receiver.respond = () => (response) => response.writeHead(429, { 'Retry-After': retryAfter }).end();
    };
    for (const retryAfter of ['100', () => new Date(fixture.clock.now + 100 * SECOND).toUTCString()]) {
      respondTooBusy(typeof retryAfter === 'string' ? retryAfter : retryAfter());
      const before = receiver.received.length;
      await fixture.announceUpdate(1);
      await dispatcher.settle();
      await fixture.announceUpdate(2);
      fixture.clock.advance(99 * SECOND);
      await dispatcher.settle();
      assert.equal(receiver.received.length, before + 1, 'Retry-After has not passed');
      receiver.respond = () => 204;
      fixture.clock.advance(SECOND);
      await dispatcher.settle();
      assert.deepEqual(subjects(receiver.received.slice(before)).sort(), [1, 1, 2]);
    }
  });

  for (const status of [300, 301, 302, 307, 308, 400, 401, 403, 404, 410, 422]) {
    test(`rule 21: ${name}: ${status} is not retried, and no redirect is followed`, async (t) => {
      const fixture = await openWebhookFixture(t, openAccount);
      const [receiver, redirectTarget] = [await fixture.startReceiver(), await fixture.startReceiver()];
      const { webhook } = await fixture.createWebhook(receiver.url);
      receiver.respond = () => (response) => response.writeHead(status, { Location: redirectTarget.url }).end();
      await fixture.announceUpdate(1);
      const dispatcher = fixture.createDispatcher();
      for (let hour = 0; hour < 3; hour++) {
        await dispatcher.settle();
        fixture.clock.advance(HOUR);
      }
      const [row] = await fixture.loadDeliveries(webhook.id);
      assert.equal(row?.state, 'dead');
      assert.equal(row?.lastStatus, status);
      assert.equal(receiver.received.length, 1);
      assert.equal(redirectTarget.connections, 0);
    });
  }

  test(`rule 21: ${name}: a delivery is dead after 24 hours, with a last attempt at the end, and later events of its subject are then sent`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    const receiver = await fixture.startReceiver();
    const { webhook } = await fixture.createWebhook(receiver.url);
    receiver.respond = ({ event }) => (event.subject.id === 1 && event.type === 'conversation.queued' ? 500 : 204);
    const startedAt = fixture.clock.now;
    await fixture.announceUpdate(1, 'conversation.queued');
    await fixture.announceUpdate(1, 'conversation.closed');
    const dispatcher = fixture.createDispatcher();
    const attemptTimes: number[] = [];
    while ((await fixture.loadDeliveries(webhook.id))[0]?.state !== 'dead') {
      const before = receiver.received.length;
      await fixture.announceUpdate(2); // keeps the webhook itself healthy
      await dispatcher.settle();
      if (subjects(receiver.received.slice(before)).includes(1)) attemptTimes.push(fixture.clock.now - startedAt);
      if ((await fixture.loadDeliveries(webhook.id))[0]?.state === 'dead') break;
      const row = (await fixture.loadDeliveries(webhook.id))[0];
      fixture.clock.now = row?.nextAt ?? assert.fail('neither dead nor due');
    }
    assert.equal(attemptTimes.at(-1), DAY);
    const gaps = attemptTimes.slice(1).map((time, index) => time - (attemptTimes[index] as number));
    for (const [index, gap] of gaps.slice(0, 9).entries()) assert.equal(gap, 5 * SECOND * 2 ** index);
    assert.ok(gaps.every((gap) => gap <= HOUR));
    assert.ok(attemptTimes.length > 30, 'enough attempts to count');
    assert.equal((await fixture.loadWebhook(webhook.id)).state, 'active');
    await dispatcher.settle();
    const closed = receiver.accepted.filter(({ event }) => event.type === 'conversation.closed');
    assert.equal(closed.length, 1, 'the held-back event was sent');
  });

  test(`rule 21: ${name}: a failing event holds back later ones of its subject; other subjects continue`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    const receiver = await fixture.startReceiver();
    const { webhook } = await fixture.createWebhook(receiver.url);
    const dispatcher = fixture.createDispatcher();
    let isBroken = true;
    receiver.respond = ({ event }) => (isBroken && event.subject.id === 1 ? 500 : 204);
    for (const subject of [1, 2, 1, 3, 1, 2]) await fixture.announceUpdate(subject);
    await dispatcher.settle();
    await fixture.announceUpdate(1);
    await fixture.announceUpdate(3);
    await dispatcher.settle();
    assert.deepEqual(subjects(receiver.received).filter((id) => id === 1).length, 1, 'only the first was attempted');
    assert.deepEqual(positions(receiver.accepted.filter(({ event }) => event.subject.id === 2)).length, 2);
    assert.deepEqual(positions(receiver.accepted.filter(({ event }) => event.subject.id === 3)).length, 2);
    isBroken = false;
    fixture.clock.advance(5 * SECOND);
    await dispatcher.settle();
    const acceptedPositions = positions(receiver.accepted.filter(({ event }) => event.subject.id === 1));
    assert.equal(acceptedPositions.length, 4);
    assert.deepEqual(
      acceptedPositions,
      acceptedPositions.toSorted((a, b) => a - b),
    );
    assert.ok((await fixture.loadDeliveries(webhook.id)).every(({ state }) => state === 'delivered'));
  });

  test(`rule 21: ${name}: a receiver that was down gets every event immediately after it recovers, in order and once`, async (t) => {
    const fixture = await openWebhookFixture(t, openAccount);
    const receiver = await fixture.startReceiver();
    const { webhook } = await fixture.createWebhook(receiver.url);
    const dispatcher = fixture.createDispatcher();
    const { position: before } = await fixture.events.log.readPositionAndTime(fixture.accountId);
    await receiver.close();
    for (let hour = 0; hour < 6; hour++) {
      await fixture.announceUpdates(Array.from({ length: 20 }, (_, index) => index + 1));
      fixture.clock.advance(HOUR);
      await dispatcher.settle();
    }
    assert.match((await fixture.loadDeliveries(webhook.id))[0]?.lastError ?? '', /ECONNREFUSED/);
    assert.equal((await fixture.loadWebhook(webhook.id)).failingSince, fixture.clock.now - 5 * HOUR);
    const restartedReceiver = await fixture.startReceiver(receiver.port);
    fixture.clock.advance(20 * SECOND);
    await dispatcher.settle();
    assert.equal(restartedReceiver.connections, 0, 'all deliveries wait for their next attempt');
    await fixture.announceUpdate(21);
    await dispatcher.settle(); // this one succeeds, and the others follow
    const receivedPositions = positions(restartedReceiver.received);
    const expected = Array.from({ length: 121 }, (_, index) => before + 1 + index);
    assert.deepEqual(
      receivedPositions.toSorted((a, b) => a - b),
      expected,
    );
    for (const [, requestsOfSubject] of Map.groupBy(restartedReceiver.received, ({ event }) => event.subject.id)) {
      assert.deepEqual(
        positions(requestsOfSubject),
        positions(requestsOfSubject).toSorted((a, b) => a - b),
      );
    }
    assert.equal((await fixture.loadWebhook(webhook.id)).failingSince, null);
  });
}

test('rule 21: the backoff grows from 5 seconds to an hour, with a jitter of 25 %', () => {
  for (let attempt = 1; attempt < 40; attempt++) {
    const withoutJitter = Math.min(5 * SECOND * 2 ** (attempt - 1), HOUR);
    assert.equal(
      computeBackoff(attempt, () => 0),
      withoutJitter * 0.75,
    );
    assert.equal(
      computeBackoff(attempt, () => 1),
      withoutJitter * 1.25,
    );
  }
  const waits = new Set(Array.from({ length: 100 }, () => computeBackoff(5, Math.random)));
  assert.ok(waits.size > 50, 'deliveries that failed together are retried at different times');
});
