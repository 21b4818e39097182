import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitAfter } from '../../../src/core/webhooks/delivery.ts';
import { assertSigned, expectedSignature, type Received } from '../../support/clients/receiver.ts';
import { databases } from '../../support/databases/databases.ts';
import { DAY, HOUR, openBench, SECOND } from '../../support/people/webhooks.ts';
import { PATIENCE_MS } from '../../support/waiting/until.ts';

const subjects = (requests: readonly Received[]) => requests.map(({ event }) => event.subject.id);
const positions = (requests: readonly Received[]) => requests.map(({ event }) => event.position);
const eventIds = (requests: readonly Received[]) => requests.map(({ headers }) => headers['x-switchboard-event-id']);

for (const { name, open } of databases) {
  test(`rule 21: ${name}: an event is posted as JSON, named, timed and signed`, async (t) => {
    const bench = await openBench(t, open);
    const receiver = await bench.receiver();
    const { webhook, secret } = await bench.hook(`${receiver.url}?for=us`);
    await bench.happen(7, 'conversation.closed');
    await bench.dispatcher().settle();
    const [request, ...more] = receiver.received;
    assert.ok(request);
    assert.deepEqual(more, []);
    const { position } = await bench.events.log.moment(bench.accountId);
    assert.deepEqual(request.event, {
      id: `${bench.accountId}-${position}`,
      position,
      type: 'conversation.closed',
      at: '2026-01-15T12:00:00.000Z',
      account: bench.accountId,
      subject: { type: 'conversation', id: 7 },
      actor: { type: 'system', id: null },
      changes: { fields: ['state'], values: { state: 'active' } },
    });
    const [delivery] = await bench.rows(webhook.id);
    assert.equal(request.method, 'POST');
    assert.equal(request.path, '/hook?for=us');
    assert.match(request.headers['content-type'] ?? '', /^application\/json/);
    assert.equal(request.headers['x-switchboard-delivery'], String(delivery?.id));
    assert.equal(request.headers['x-switchboard-event-id'], request.event.id);
    assert.equal(request.headers['x-switchboard-timestamp'], String(bench.clock.now / 1000));
    assertSigned(secret, request);
    assert.equal(delivery?.state, 'delivered');
    assert.equal(delivery?.lastStatus, 204);
  });

  test(`rule 21: ${name}: while a secret is rotated both sign, the new one first; after 24 hours the old one is over`, async (t) => {
    const bench = await openBench(t, open);
    const receiver = await bench.receiver();
    const { webhook, secret: old } = await bench.hook(receiver.url);
    const dispatcher = bench.dispatcher();
    const { secret: fresh } = await bench.webhooks.hooks.rotateSecret(bench.transact, bench.caller, webhook.id);
    assert.ok(fresh && fresh !== old);
    for (const wait of [0, DAY - 1, 1]) {
      bench.clock.advance(wait);
      await bench.happen(1);
      await dispatcher.settle();
    }
    const [first, last, after] = receiver.received as [Received, Received, Received];
    for (const request of [first, last]) {
      const both: string = `${expectedSignature(fresh, request)},${expectedSignature(old, request)}`;
      assert.equal(request.headers['x-switchboard-signature'], both);
    }
    assertSigned(fresh, after);
  });

  test(`rule 21: ${name}: a hook gets the types that it asked for, of its account, from its creation on`, async (t) => {
    const bench = await openBench(t, open);
    const [all, some, other] = [await bench.receiver(), await bench.receiver(), await bench.receiver()];
    await bench.happen(1, 'conversation.queued');
    await bench.hook(all.url, { eventTypes: [] });
    await bench.hook(some.url, { eventTypes: ['conversation.closed', 'operator.*'] });
    const account = await bench.transact((tx) => bench.accounts.create(tx, 'Other'));
    const stranger = { ...bench.caller, accountId: account.id };
    await bench.webhooks.hooks.create(bench.transact, stranger, { name: 'Other', url: other.url });
    for (const type of ['conversation.queued', 'conversation.closed', 'operator.connected', 'skill.created'] as const) {
      await bench.happen(1, type);
    }
    await bench.dispatcher().settle();
    const types = (requests: readonly Received[]) => requests.map(({ event }) => event.type).sort();
    assert.deepEqual(types(some.received), ['conversation.closed', 'operator.connected']);
    assert.deepEqual(types(all.received), [
      'conversation.closed',
      'conversation.queued',
      'operator.connected',
      'skill.created',
      'webhook.created',
      'webhook.created',
    ]);
    assert.deepEqual(types(other.received), ['webhook.created']);
  });

  test(`rule 21: ${name}: time-outs, lost connections, 5xx and 429 are tried again, after growing, jittered waits`, async (t) => {
    const bench = await openBench(t, open);
    const receiver = await bench.receiver();
    const { webhook } = await bench.hook(receiver.url);
    const dispatcher = bench.dispatcher();
    const troubles: [ReturnType<typeof receiver.answer>, RegExp | number][] = [
      [500, 500],
      [503, 503],
      [429, 429],
      [() => undefined, /no answer within 60 s/],
      [(response) => response.destroy(), /could not connect: ECONNRESET/],
    ];
    await bench.happen(1);
    let wait = 5 * SECOND;
    for (const [answer, shown] of troubles) {
      receiver.answer = () => answer;
      const before = receiver.received.length;
      const isSilent = String(shown).includes('no answer');
      if (isSilent) t.mock.timers.enable({ apis: ['setTimeout'] });
      const settled = dispatcher.settle();
      await receiver.until(({ received }) => received.length === before + 1);
      if (isSilent) {
        t.mock.timers.tick(PATIENCE_MS);
        t.mock.timers.reset();
      }
      await settled;
      const [row] = await bench.rows(webhook.id);
      assert.equal(row?.state, 'pending');
      if (typeof shown === 'number') assert.equal(row?.lastStatus, shown);
      else assert.match(row?.lastError ?? '', shown);
      assert.equal(row?.nextAt, bench.clock.now + wait);
      bench.clock.advance(wait - 1);
      await dispatcher.settle();
      assert.equal(receiver.received.length, before + 1, 'not a moment too early');
      bench.clock.advance(1);
      wait *= 2;
    }
    receiver.answer = () => 200;
    await dispatcher.settle();
    assert.equal((await bench.rows(webhook.id))[0]?.state, 'delivered');
    assert.equal(new Set(eventIds(receiver.received)).size, 1);
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['x-switchboard-delivery'])).size, 1);
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['x-switchboard-timestamp'])).size, 6);
  });

  test(`rule 21: ${name}: Retry-After is honoured, in seconds and as a date, for the whole hook`, async (t) => {
    const bench = await openBench(t, open);
    const receiver = await bench.receiver();
    await bench.hook(receiver.url);
    const dispatcher = bench.dispatcher();
    const busy = (after: string) => {
      receiver.answer = () => (response) => response.writeHead(429, { 'Retry-After': after }).end();
    };
    for (const after of ['100', () => new Date(bench.clock.now + 100 * SECOND).toUTCString()]) {
      busy(typeof after === 'string' ? after : after());
      const before = receiver.received.length;
      await bench.happen(1);
      await dispatcher.settle();
      await bench.happen(2);
      bench.clock.advance(99 * SECOND);
      await dispatcher.settle();
      assert.equal(receiver.received.length, before + 1, 'it asked for quiet');
      receiver.answer = () => 204;
      bench.clock.advance(SECOND);
      await dispatcher.settle();
      assert.deepEqual(subjects(receiver.received.slice(before)).sort(), [1, 1, 2]);
    }
  });

  for (const status of [300, 301, 302, 307, 308, 400, 401, 403, 404, 410, 422]) {
    test(`rule 21: ${name}: ${status} is final, and no redirect is followed`, async (t) => {
      const bench = await openBench(t, open);
      const [receiver, elsewhere] = [await bench.receiver(), await bench.receiver()];
      const { webhook } = await bench.hook(receiver.url);
      receiver.answer = () => (response) => response.writeHead(status, { Location: elsewhere.url }).end();
      await bench.happen(1);
      const dispatcher = bench.dispatcher();
      for (let day = 0; day < 3; day++) {
        await dispatcher.settle();
        bench.clock.advance(HOUR);
      }
      const [row] = await bench.rows(webhook.id);
      assert.equal(row?.state, 'dead');
      assert.equal(row?.lastStatus, status);
      assert.equal(receiver.received.length, 1);
      assert.equal(elsewhere.connections, 0);
    });
  }

  test(`rule 21: ${name}: after 24 hours of tries an event is dead, the last try is at their end, and its subject goes on`, async (t) => {
    const bench = await openBench(t, open);
    const receiver = await bench.receiver();
    const { webhook } = await bench.hook(receiver.url);
    receiver.answer = ({ event }) => (event.subject.id === 1 && event.type === 'conversation.queued' ? 500 : 204);
    const began = bench.clock.now;
    await bench.happen(1, 'conversation.queued');
    await bench.happen(1, 'conversation.closed');
    const dispatcher = bench.dispatcher();
    const tries: number[] = [];
    while ((await bench.rows(webhook.id))[0]?.state !== 'dead') {
      const before = receiver.received.length;
      await bench.happen(2); // the hook as a whole is well
      await dispatcher.settle();
      if (subjects(receiver.received.slice(before)).includes(1)) tries.push(bench.clock.now - began);
      if ((await bench.rows(webhook.id))[0]?.state === 'dead') break;
      const row = (await bench.rows(webhook.id))[0];
      bench.clock.now = row?.nextAt ?? assert.fail('neither dead nor due');
    }
    assert.equal(tries.at(-1), DAY);
    const gaps = tries.slice(1).map((time, index) => time - (tries[index] as number));
    for (const [index, gap] of gaps.slice(0, 9).entries()) assert.equal(gap, 5 * SECOND * 2 ** index);
    assert.ok(gaps.every((gap) => gap <= HOUR));
    assert.ok(tries.length > 30, 'it was tried often enough to count');
    assert.equal((await bench.shown(webhook.id)).state, 'active');
    await dispatcher.settle();
    const closed = receiver.taken.filter(({ event }) => event.type === 'conversation.closed');
    assert.equal(closed.length, 1, 'what was held back was sent at last');
  });

  test(`rule 21: ${name}: a failing event holds back its subject's later ones; other subjects go on`, async (t) => {
    const bench = await openBench(t, open);
    const receiver = await bench.receiver();
    const { webhook } = await bench.hook(receiver.url);
    const dispatcher = bench.dispatcher();
    let isBroken = true;
    receiver.answer = ({ event }) => (isBroken && event.subject.id === 1 ? 500 : 204);
    for (const subject of [1, 2, 1, 3, 1, 2]) await bench.happen(subject);
    await dispatcher.settle();
    await bench.happen(1);
    await bench.happen(3);
    await dispatcher.settle();
    assert.deepEqual(subjects(receiver.received).filter((id) => id === 1).length, 1, 'only the first was tried');
    assert.deepEqual(positions(receiver.taken.filter(({ event }) => event.subject.id === 2)).length, 2);
    assert.deepEqual(positions(receiver.taken.filter(({ event }) => event.subject.id === 3)).length, 2);
    isBroken = false;
    bench.clock.advance(5 * SECOND);
    await dispatcher.settle();
    const own = positions(receiver.taken.filter(({ event }) => event.subject.id === 1));
    assert.equal(own.length, 4);
    assert.deepEqual(
      own,
      own.toSorted((a, b) => a - b),
    );
    assert.ok((await bench.rows(webhook.id)).every(({ state }) => state === 'delivered'));
  });

  test(`rule 21: ${name}: a receiver that was down gets everything afterwards, at once, in order, each once`, async (t) => {
    const bench = await openBench(t, open);
    const receiver = await bench.receiver();
    const { webhook } = await bench.hook(receiver.url);
    const dispatcher = bench.dispatcher();
    const { position: before } = await bench.events.log.moment(bench.accountId);
    await receiver.close();
    for (let hour = 0; hour < 6; hour++) {
      for (let subject = 1; subject <= 20; subject++) await bench.happen(subject);
      bench.clock.advance(HOUR);
      await dispatcher.settle();
    }
    assert.match((await bench.rows(webhook.id))[0]?.lastError ?? '', /ECONNREFUSED/);
    assert.equal((await bench.shown(webhook.id)).failingSince, bench.clock.now - 5 * HOUR);
    const back = await bench.receiver(receiver.port);
    bench.clock.advance(20 * SECOND);
    await dispatcher.settle();
    assert.equal(back.connections, 0, 'all of them wait for a later try');
    await bench.happen(21);
    await dispatcher.settle(); // this one goes through, and the others follow it
    const came = positions(back.received);
    const expected = Array.from({ length: 121 }, (_, index) => before + 1 + index);
    assert.deepEqual(
      came.toSorted((a, b) => a - b),
      expected,
    );
    for (const [, own] of Map.groupBy(back.received, ({ event }) => event.subject.id)) {
      assert.deepEqual(
        positions(own),
        positions(own).toSorted((a, b) => a - b),
      );
    }
    assert.equal((await bench.shown(webhook.id)).failingSince, null);
  });
}

test('rule 21: waits grow from 5 seconds to an hour, a quarter more or less by chance', () => {
  for (let attempt = 1; attempt < 40; attempt++) {
    const plain = Math.min(5 * SECOND * 2 ** (attempt - 1), HOUR);
    assert.equal(
      waitAfter(attempt, () => 0),
      plain * 0.75,
    );
    assert.equal(
      waitAfter(attempt, () => 1),
      plain * 1.25,
    );
  }
  const waits = new Set(Array.from({ length: 100 }, () => waitAfter(5, Math.random)));
  assert.ok(waits.size > 50, 'what failed together does not come back together');
});
