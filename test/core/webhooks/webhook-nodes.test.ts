import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { CLAIM_MS } from '../../../src/core/webhooks/delivery.ts';
import { LANES, Lanes } from '../../../src/core/webhooks/lanes.ts';
import type { Received } from '../../support/clients/receiver.ts';
import { databases } from '../../support/databases/databases.ts';
import { openBench, SECOND } from '../../support/people/webhooks.ts';
import { until } from '../../support/waiting/until.ts';

const positions = (requests: readonly Received[]) => requests.map(({ event }) => event.position as number);
const eventIds = (requests: readonly Received[]) => requests.map(({ headers }) => headers['x-switchboard-event-id']);
const ascending = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b);

for (const { name, open } of databases) {
  test(`rule 21: ${name}: several nodes on one database never send the same event twice, nor a subject out of order`, async (t) => {
    const bench = await openBench(t, open);
    const receiver = await bench.receiver();
    const { webhook } = await bench.hook(receiver.url);
    const nodes = Array.from({ length: 4 }, () => bench.dispatcher());
    const { position: before } = await bench.events.log.moment(bench.accountId);
    const settling: Promise<void>[] = [];
    for (let event = 0; event < 300; event += 10) {
      const subjects = Array.from({ length: 10 }, (_, index) => 1 + ((event + index) % 30));
      await bench.happenTo(subjects);
      settling.push(...nodes.map((node) => node.settle()));
    }
    await Promise.all([...settling, ...nodes.map((node) => node.settle())]);
    await Promise.all(nodes.map((node) => node.settle()));
    const came = positions(receiver.received);
    assert.deepEqual(
      ascending(came),
      Array.from({ length: 300 }, (_, index) => before + 1 + index),
    );
    for (const [, own] of Map.groupBy(receiver.received, ({ event }) => event.subject.id)) {
      assert.deepEqual(positions(own), ascending(positions(own)));
    }
    assert.equal((await bench.rows(webhook.id)).length, 300);
  });

  test(`rule 21: ${name}: whatever fails and however often, each event is taken once, and each subject's in order`, async (t) => {
    const bench = await openBench(t, open);
    const receiver = await bench.receiver();
    const { webhook } = await bench.hook(receiver.url);
    const nodes = [bench.dispatcher({ random: Math.random }), bench.dispatcher({ random: Math.random })];
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.record({ subject: fc.integer({ min: 1, max: 4 }) }) },
      { weight: 1, arbitrary: fc.record({ minutes: fc.integer({ min: 0, max: 5 }) }) },
    );
    const troubles = fc.infiniteStream(fc.constantFrom(204, 204, 500, 503, 429));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), troubles, async (steps, answers) => {
        receiver.received.length = 0;
        receiver.taken.length = 0;
        const { position: before } = await bench.events.log.moment(bench.accountId);
        receiver.answer = () => answers.next().value as number;
        for (const each of steps) {
          if ('subject' in each) await bench.happen(each.subject);
          else {
            bench.clock.advance(each.minutes * 60 * SECOND);
            await Promise.all(nodes.map((node) => node.settle()));
          }
        }
        receiver.answer = () => 204;
        for (let round = 0; round < 3; round++) {
          await Promise.all(nodes.map((node) => node.settle()));
          bench.clock.advance(2 * 3600 * SECOND); // longer than the longest wait
        }
        const { position: last } = await bench.events.log.moment(bench.accountId);
        const expected = Array.from({ length: last - before }, (_, index) => before + 1 + index);
        assert.deepEqual(ascending(positions(receiver.taken)), expected);
        for (const [, own] of Map.groupBy(receiver.taken, ({ event }) => event.subject.id)) {
          assert.deepEqual(positions(own), ascending(positions(own)));
        }
      }),
      { numRuns: process.env.FULL === '1' ? 100 : 10 },
    );
    assert.ok((await bench.rows(webhook.id)).every(({ state }) => state === 'delivered'));
  });

  test(`rule 21: ${name}: when it is not known whether an event arrived, it is sent again under the same name`, async (t) => {
    const bench = await openBench(t, open);
    const receiver = await bench.receiver();
    await bench.hook(receiver.url);
    await bench.happen(1);
    await bench.happen(1);
    const dies = bench.dispatcher(); // this node dies between the receiver's answer and its record
    receiver.answer = () => {
      dies.stop(0);
      return () => undefined;
    };
    await dies.settle();
    assert.equal(receiver.received.length, 1);
    receiver.answer = () => 204;
    const other = bench.dispatcher();
    bench.clock.advance(CLAIM_MS - 1);
    await other.settle();
    assert.equal(receiver.received.length, 1, 'the claim stands as long as the first could still be at it');
    bench.clock.advance(1);
    await other.settle();
    const [first, again, later] = eventIds(receiver.received);
    assert.equal(again, first);
    assert.notEqual(later, first);
    assert.equal(receiver.received.length, 3);
  });

  test(`rule 21: ${name}: a receiver that never answers does not hold up the hooks of others`, async (t) => {
    const bench = await openBench(t, open);
    const silent = await Promise.all(Array.from({ length: LANES.slowTotal + 2 }, () => bench.receiver()));
    const well = await bench.receiver();
    for (const receiver of silent) {
      receiver.answer = () => 500;
      await bench.hook(receiver.url);
    }
    await bench.hook(well.url);
    const dispatcher = bench.dispatcher();
    await bench.happen(1);
    await dispatcher.settle(); // every other one has failed once, so it is known who makes trouble
    for (const receiver of silent) receiver.answer = () => () => undefined;
    await bench.happenTo(Array.from({ length: 29 }, (_, index) => index + 2));
    bench.clock.advance(60 * SECOND);
    const lookUntil = (what: string, holds: () => boolean) =>
      until(what, async () => {
        await dispatcher.tick();
        return holds();
      });
    const stuck = () => silent.filter(({ received }) => received.length === 2).length;
    await lookUntil('as many as may wait for an answer', () => stuck() === LANES.slowTotal);
    await lookUntil('the one that answers has everything', () => well.taken.length === 30);
    assert.equal(stuck(), LANES.slowTotal, 'the others still wait');
  });

  test(`rule 21: ${name}: an answer without end is not read to its end, and counts`, async (t) => {
    const bench = await openBench(t, open);
    const receiver = await bench.receiver();
    const { webhook } = await bench.hook(receiver.url);
    let written = 0;
    receiver.answer = () => (response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16 * 1024))) written += 16 * 1024;
        if (!response.destroyed) response.once('drain', more);
      };
      const ended = () => {
        written = -1;
      };
      response.once('close', ended);
      more();
    };
    await bench.happen(1);
    await bench.dispatcher().settle();
    assert.equal((await bench.rows(webhook.id))[0]?.state, 'delivered');
    while (written !== -1) await setImmediate();
  });

  test(`rule 21: ${name}: events that a hook did not ask for cost it no commit, and it misses nothing`, async (t) => {
    const bench = await openBench(t, open);
    const receiver = await bench.receiver();
    const { webhook } = await bench.hook(receiver.url, { eventTypes: ['skill.created'] });
    const place = async () =>
      (await bench.database.read.selectFrom('webhooks').select('position').executeTakeFirstOrThrow()).position;
    const before = await place();
    const dispatcher = bench.dispatcher();
    const look = () => dispatcher.tick({ keepPlaces: false });
    await bench.happenTo(Array.from({ length: 250 }, (_, index) => index));
    while (await look());
    assert.equal(await place(), before);
    await bench.happen(1, 'skill.created');
    while (await look());
    await receiver.until(({ taken }) => taken.length === 1);
    const { position } = await bench.events.log.moment(bench.accountId);
    assert.equal(await place(), position);
    await bench.happen(2);
    await dispatcher.settle(); // as the look every second does
    assert.equal(await place(), position + 1, 'its place is written down');
    await bench.webhooks.hooks.update(bench.transact, bench.caller, webhook.id, { eventTypes: ['conversation.*'] });
    await bench.happen(3);
    await dispatcher.settle();
    assert.equal(receiver.taken.at(-1)?.event.subject.id, 3);
    assert.equal(receiver.taken.length, 2, 'nothing from before it asked for it');
  });

  test(`rule 21: ${name}: when the log does not go back far enough, the hook goes on and that is announced`, async (t) => {
    const bench = await openBench(t, open);
    const receiver = await bench.receiver();
    const { webhook } = await bench.hook(receiver.url);
    await bench.dispatcher().settle();
    const { position } = await bench.events.log.moment(bench.accountId);
    for (const subject of [1, 2, 3]) await bench.happen(subject);
    await bench.transact(async ({ db }) => {
      await db
        .deleteFrom('events')
        .where('position', '<=', position + 2)
        .execute();
    });
    await bench.dispatcher().settle();
    assert.deepEqual(
      receiver.taken.map(({ event }) => event.subject.id),
      [3],
    );
    const [told] = await bench.database.read
      .selectFrom('events')
      .select(['type', 'subjectId', 'changes'])
      .where('position', '>', position + 3)
      .execute();
    assert.equal(told?.type, 'webhook.updated');
    assert.equal(told?.subjectId, webhook.id);
    assert.deepEqual(JSON.parse(told?.changes ?? '').values, { missedFrom: position + 1, missedTo: position + 2 });
  });

  test(`rule 21: ${name}: no more than 10,000 deliveries of a hook wait; the rest waits in the log`, async (t) => {
    const bench = await openBench(t, open);
    const { webhook } = await bench.hook('http://127.0.0.1:9/nobody');
    const dispatcher = bench.dispatcher();
    await bench.happen(1);
    await dispatcher.settle();
    await bench.copyDelivery(webhook.id, 9900);
    await bench.happenTo(Array.from({ length: 250 }, () => 1));
    await dispatcher.settle();
    const waiting = (await bench.rows(webhook.id)).length;
    assert.ok(waiting >= 10_000 && waiting < 10_151, String(waiting));
    await bench.transact(async ({ db }) => {
      await db.updateTable('webhookDeliveries').set({ state: 'delivered', nextAt: null }).execute();
    });
    await dispatcher.settle();
    assert.equal((await bench.rows(webhook.id)).length, 10_151);
  });
}

test('rule 21: lanes: a hook has a few, a slow or failing one has one, and all slow ones together leave room', () => {
  const lanes = new Lanes();
  assert.equal(lanes.take('a', false), LANES.perHook);
  assert.equal(lanes.take('a', false), 0);
  lanes.leave('a', 10);
  assert.equal(lanes.take('a', false), 1);
  for (let lane = 0; lane < LANES.perHook; lane++) lanes.leave('a', 9000);
  assert.equal(lanes.take('a', false), LANES.perSlowHook, 'it was slow');
  lanes.leave('a', 10);
  assert.equal(lanes.take('a', false), LANES.perHook, 'it is quick again');
  lanes.giveBack('a', LANES.perHook);
  let slow = 0;
  for (let hook = 0; hook < 100; hook++) slow += lanes.take(`failing ${hook}`, true);
  assert.equal(slow, LANES.slowTotal);
  let quick = 0;
  for (let hook = 0; hook < 100; hook++) quick += lanes.take(`quick ${hook}`, false);
  assert.equal(quick, LANES.total - LANES.slowTotal);
});
