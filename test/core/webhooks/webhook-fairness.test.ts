import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import { announce } from '../../../src/core/events/announce.ts';
import type { Caller } from '../../../src/core/kernel/caller.ts';
import type { DueWebhook } from '../../../src/core/webhooks/claims.ts';
import { DeliveryQueue } from '../../../src/core/webhooks/delivery-queue.ts';
import type { WebhookDispatcher } from '../../../src/core/webhooks/dispatcher.ts';
import { LANE_LIMITS, Lanes, OPEN_LIMITS, SLOW_THRESHOLD_MS } from '../../../src/core/webhooks/lanes.ts';
import type { Receiver } from '../../support/clients/receiver.ts';
import { databases, type TestInstallation } from '../../support/databases/databases.ts';
import { openWebhookFixture, SECOND, shareWebhookInstallation } from '../../support/fixtures/webhooks.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

type Open = (settings?: Record<string, string>) => Promise<TestInstallation>;

/** Receivers whose answers the test holds back. Lanes have a clock that only the test moves. */
async function openFairnessFixture(t: TestContext, open: Open) {
  const fixture = await openWebhookFixture(t, open);
  const clock = { now: 0 };
  const createDispatcher = () => fixture.createDispatcher({ lanes: new Lanes(() => clock.now) });
  return {
    ...fixture,
    createDispatcher,
    /** Every unanswered request becomes slow. */
    passSlowThreshold: () => {
      clock.now += SLOW_THRESHOLD_MS + 1;
    },
    createAccount: async (): Promise<Caller> => {
      const { id } = await fixture.transact((tx) => fixture.accounts.create(tx, 'Other'));
      return { ...fixture.caller, accountId: id };
    },
    startHoldingReceiver: async () => {
      const receiver = await fixture.startReceiver();
      const held: ServerResponse[] = [];
      receiver.respond = () => (response) => held.push(response);
      return Object.assign(receiver, {
        held,
        /** Answers all requests that it holds. */
        answerAll: (status = 204) => {
          for (const response of held.splice(0)) response.writeHead(status).end();
        },
      });
    },
    subscribe: (caller: Caller, url: string, count = 1) =>
      fixture.transact(async (tx) => {
        for (const number of range(count)) {
          const input = { name: 'Hook', url: `${url}?hook=${number}`, eventTypes: ['conversation.*'] };
          await fixture.webhooks.service.create((work) => work(tx), caller, input);
        }
      }),
    announceIn: (caller: Caller, subjectIds: readonly number[]) =>
      fixture.transact(async (tx) => {
        for (const id of subjectIds) announce(tx, caller, 'conversation.updated', id, { fields: [], values: {} });
      }),
  };
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const countHeld = (receivers: readonly { held: readonly unknown[] }[]) =>
  receivers.reduce((sum, { held }) => sum + held.length, 0);

async function tickUntil(dispatcher: WebhookDispatcher, what: string, isTrue: () => boolean): Promise<void> {
  await waitUntil(what, async () => {
    await dispatcher.tick();
    return isTrue();
  });
}

/** Ticks until every lane that the receivers can have is in use. */
async function fillLanes(dispatcher: WebhookDispatcher): Promise<void> {
  while (await dispatcher.tick());
}

for (const { name, open } of databases) {
  const openAccount = shareWebhookInstallation(open);

  test(`rule 21: ${name}: 50 webhooks of an account that do not answer do not delay another account`, async (t) => {
    const fixture = await openFairnessFixture(t, openAccount);
    const silent = await Promise.all(range(50).map(() => fixture.startHoldingReceiver()));
    const good = await fixture.startReceiver();
    const slowCaller = await fixture.createAccount();
    const goodCaller = await fixture.createAccount(); // after the other one in every list
    for (const { url } of silent) await fixture.subscribe(slowCaller, url);
    await fixture.subscribe(goodCaller, good.url);
    const dispatcher = fixture.createDispatcher();
    await fixture.announceIn(slowCaller, range(3));
    await fillLanes(dispatcher);
    await fixture.announceIn(goodCaller, range(10));
    await tickUntil(dispatcher, 'the other account has every event', () => good.accepted.length === 10);
    await tickUntil(dispatcher, 'lanes are in use', () => countHeld(silent) === LANE_LIMITS.new.perAccount);
  });

  test(`rule 21: ${name}: an account whose receivers answer slowly has a share of the lanes`, async (t) => {
    const fixture = await openFairnessFixture(t, openAccount);
    const slow = await Promise.all(range(6).map(() => fixture.startHoldingReceiver()));
    const good = await fixture.startReceiver();
    const slowCaller = await fixture.createAccount();
    const goodCaller = await fixture.createAccount();
    for (const { url } of slow) await fixture.subscribe(slowCaller, url, 5);
    await fixture.subscribe(goodCaller, good.url);
    const dispatcher = fixture.createDispatcher();
    for (const _ of range(3)) await fixture.announceIn(slowCaller, range(2));
    let answeredSlowly = 0;
    while (answeredSlowly < 40) {
      await fillLanes(dispatcher);
      await waitUntil('requests are waiting', () => countHeld(slow) > 0);
      fixture.passSlowThreshold();
      answeredSlowly += countHeld(slow);
      for (const receiver of slow) receiver.answerAll();
    }
    const { perAccount } = LANE_LIMITS.slow;
    await tickUntil(dispatcher, 'the slow account uses its share', () => countHeld(slow) >= perAccount);
    await fillLanes(dispatcher);
    await fixture.announceIn(goodCaller, range(10));
    await tickUntil(dispatcher, 'the other account has every event', () => good.accepted.length === 10);
    assert.ok(countHeld(slow) <= OPEN_LIMITS.perAccount, String(countHeld(slow)));
    for (const receiver of slow) receiver.respond = () => 204;
    for (const receiver of slow) receiver.answerAll();
    await dispatcher.settle();
    for (const receiver of slow) assertInOrderAndOnce(receiver, 5 * 3 * 2);
  });

  test(`rule 21: ${name}: 60 accounts whose webhooks never answer do not delay one that does`, async (t) => {
    const fixture = await openFairnessFixture(t, openAccount);
    const silent = await fixture.startHoldingReceiver();
    const [known, unknown] = [await fixture.startReceiver(), await fixture.startReceiver()];
    const callers: Caller[] = [];
    for (const _ of range(60)) callers.push(await fixture.createAccount());
    const goodCaller = await fixture.createAccount();
    await fixture.subscribe(goodCaller, known.url);
    const dispatcher = fixture.createDispatcher();
    await fixture.announceIn(goodCaller, [1]);
    await dispatcher.settle();
    for (const caller of callers) {
      await fixture.subscribe(caller, silent.url);
      await fixture.announceIn(caller, range(2));
    }
    await fillLanes(dispatcher);
    await fixture.subscribe(goodCaller, unknown.url);
    await fixture.announceIn(goodCaller, range(20));
    await tickUntil(dispatcher, 'a receiver that has answered gets its events', () => known.accepted.length === 21);
    assert.equal(countHeld([silent]), LANE_LIMITS.new.total);
    for (let seconds = 0; seconds < 60 / LANE_LIMITS.new.total; seconds += 1) {
      fixture.passSlowThreshold();
      await fillLanes(dispatcher);
    }
    await tickUntil(dispatcher, 'a new receiver gets its events', () => unknown.accepted.length === 20);
    assert.equal(countHeld([silent]), 60, 'one request each');
    silent.respond = () => 204;
    silent.answerAll();
    await dispatcher.settle();
    assert.equal(silent.received.length, 120, 'nothing is lost');
  });

  test(`rule 21: ${name}: receivers that failed do not delay others of the same account`, async (t) => {
    const fixture = await openFairnessFixture(t, openAccount);
    const silent = await Promise.all(range(12).map(() => fixture.startHoldingReceiver()));
    const good = await fixture.startReceiver();
    for (const { url } of [...silent, good]) await fixture.subscribe(fixture.caller, url);
    const dispatcher = fixture.createDispatcher();
    await fixture.announceUpdates([1]);
    await tickUntil(dispatcher, 'every receiver has been tried', () => {
      for (const receiver of silent) receiver.answerAll(500);
      return silent.every(({ received }) => received.length === 1);
    });
    await dispatcher.settle();
    fixture.clock.advance(60 * SECOND);
    await fixture.announceUpdates(range(10));
    await tickUntil(dispatcher, 'the good receiver has every event', () => good.accepted.length === 11);
    await fillLanes(dispatcher);
    await waitUntil('the failing ones use their share', () => countHeld(silent) === LANE_LIMITS.failing.perAccount);
    assert.ok(silent.every(({ held }) => held.length <= LANE_LIMITS.failing.perWebhook));
  });

  test(`rule 21: ${name}: a slow webhook does not delay another one of the same account and host`, async (t) => {
    const fixture = await openFairnessFixture(t, openAccount);
    const receiver = await fixture.startHoldingReceiver();
    const hold = receiver.respond;
    receiver.respond = (request) => (request.path.startsWith('/good') ? 204 : hold(request));
    await fixture.subscribe(fixture.caller, new URL('/slow', receiver.url).href);
    await fixture.subscribe(fixture.caller, new URL('/good', receiver.url).href);
    const dispatcher = fixture.createDispatcher();
    await fixture.announceUpdates(range(30));
    await tickUntil(dispatcher, 'the good webhook has every event', () => receiver.accepted.length === 30);
    assert.equal(receiver.held.length, 1);
  });

  test(`rule 21: ${name}: bursts of events are queued in parts, and accounts take turns`, async (t) => {
    const fixture = await openFairnessFixture(t, openAccount);
    const callers: Caller[] = [];
    for (const _ of range(4)) callers.push(await fixture.createAccount());
    for (const caller of callers) {
      await fixture.subscribe(caller, 'http://127.0.0.1:9/unreachable', 3);
      await fixture.announceIn(caller, range(110));
    }
    const queue = new DeliveryQueue(fixture.database);
    const countByAccount = async () => {
      const rows = await fixture.database.read.selectFrom('webhookDeliveries').select('accountId').execute();
      return callers.map(({ accountId }) => rows.filter((row) => row.accountId === accountId).length);
    };
    await queue.fill({ savePositions: false });
    const first = await countByAccount();
    assert.ok(first.every((count) => count < 300) && first.some((count) => count === 0), first.join());
    for (const _ of callers) await queue.fill({ savePositions: false });
    const later = await countByAccount();
    assert.ok(Math.min(...later) > 0 && Math.max(...later) <= 3 * Math.min(...later), later.join());
    while (await queue.fill({ savePositions: false }));
    assert.deepEqual(
      await countByAccount(),
      callers.map(() => 330),
    );
  });

  test(`rule 21: ${name}: on every node, receivers that do not answer leave lanes for the others`, async (t) => {
    const fixture = await openFairnessFixture(t, openAccount);
    const silent = await fixture.startHoldingReceiver();
    const good = await fixture.startReceiver();
    const slowCaller = await fixture.createAccount();
    const goodCaller = await fixture.createAccount();
    await fixture.subscribe(slowCaller, silent.url, 50);
    await fixture.subscribe(goodCaller, good.url);
    const nodes = [fixture.createDispatcher(), fixture.createDispatcher()];
    await fixture.announceIn(slowCaller, range(2));
    for (const node of nodes) await fillLanes(node);
    for (const [index, node] of nodes.entries()) {
      await fixture.announceIn(goodCaller, range(10));
      await tickUntil(node, 'the good receiver has every event', () => good.accepted.length === 10 * (index + 1));
    }
    await waitUntil('the silent host uses its share on both nodes', () => {
      return silent.held.length === 2 * LANE_LIMITS.new.perHost;
    });
  });
}

function assertInOrderAndOnce({ received }: Receiver, count: number): void {
  assert.equal(received.length, count);
  for (const [, requests] of Map.groupBy(received, ({ path, event }) => `${path} ${event.subject.id}`)) {
    const positions = requests.map(({ event }) => event.position as number);
    assert.deepEqual(
      positions,
      [...new Set(positions)].sort((a, b) => a - b),
    );
  }
}

function webhook(accountId: number, webhookId: number, fields: Partial<DueWebhook> = {}): DueWebhook {
  return { accountId, webhookId, host: `https://${webhookId}.example.com`, isFailing: false, ...fields };
}

/** Lanes whose given webhooks have answered in time. */
function lanesAfterAnswers(answering: readonly DueWebhook[], clock = { now: 0 }): Lanes {
  const lanes = new Lanes(() => clock.now);
  for (const hook of answering) {
    for (const lane of lanes.allocate([hook])) {
      lanes.recordAnswer(lane);
      lanes.release(lane);
    }
  }
  return lanes;
}

test('rule 21: lanes: a new webhook gets one, one that answers gets more', () => {
  const hook = webhook(1, 1);
  const lanes = new Lanes(() => 0);
  const [first, ...others] = lanes.allocate([hook]);
  assert.deepEqual(others, []);
  assert.deepEqual(lanes.allocate([hook]), []);
  assert.ok(first);
  lanes.recordAnswer(first);
  lanes.release(first);
  const { length } = lanes.allocate([hook]);
  assert.equal(length, LANE_LIMITS.answering.perWebhook);
});

test('rule 21: lanes: accounts share the lanes evenly, whatever the number of their webhooks', () => {
  const many = range(100).map((id) => webhook(1, id));
  const few = [webhook(2, 1), webhook(2, 2), webhook(2, 3)];
  const lanes = lanesAfterAnswers([...many, ...few]);
  const byAccount = Map.groupBy(lanes.allocate([...many, ...few]), (lane) => lane.webhook.accountId);
  assert.equal(byAccount.get(1)?.length, LANE_LIMITS.answering.perAccount);
  assert.equal(byAccount.get(2)?.length, LANE_LIMITS.answering.perAccount);
});

test('rule 21: lanes: hosts of an account share its lanes', () => {
  const many = range(50).map((id) => webhook(1, id, { host: 'https://many.example.com' }));
  const single = webhook(1, 100);
  const lanes = lanesAfterAnswers([...many, single]);
  const byHost = Map.groupBy(lanes.allocate([...many, single]), (lane) => lane.webhook.host);
  assert.equal(byHost.get('https://many.example.com')?.length, LANE_LIMITS.answering.perHost);
  assert.equal(byHost.get(single.host)?.length, LANE_LIMITS.answering.perAccount - LANE_LIMITS.answering.perHost);
});

test('rule 21: lanes: a free lane goes to the account that waited longest, however many webhooks another has', () => {
  const failing = [
    ...range(100).map((id) => webhook(1, id, { isFailing: true })),
    ...range(129).map((index) => webhook(index + 1, 1, { isFailing: true })),
  ];
  const lanes = new Lanes(() => 0);
  const served: number[] = [];
  let inUse = lanes.allocate(failing);
  assert.equal(inUse.length, LANE_LIMITS.failing.total);
  for (let round = 0; round < 4; round += 1) {
    served.push(...inUse.map((lane) => lane.webhook.accountId));
    for (const lane of inUse) lanes.release(lane);
    inUse = lanes.allocate(failing);
  }
  const counts = [...Map.groupBy(served, (account) => account).values()].map(({ length }) => length);
  assert.equal(counts.length, 130);
  assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, counts.join());
});

test('rule 21: lanes: a receiver that has not answered for a second keeps its own lanes and frees the others', () => {
  const clock = { now: 0 };
  const silent = range(5).map((account) => webhook(account, 1));
  const good = webhook(9, 1);
  const lanes = lanesAfterAnswers([...silent, good], clock);
  const waiting = lanes.allocate(silent);
  assert.equal(waiting.length, LANE_LIMITS.answering.total);
  assert.deepEqual(lanes.allocate([good]), []);
  clock.now += SLOW_THRESHOLD_MS + 1;
  assert.deepEqual(lanes.allocate(silent), []);
  assert.equal(lanes.allocate([good]).length, LANE_LIMITS.answering.perWebhook);
  for (const lane of waiting) {
    lanes.recordAnswer(lane);
    lanes.release(lane);
  }
  assert.equal(lanes.allocate(silent).length, 5 * LANE_LIMITS.slow.perWebhook, 'they have separate lanes now');
});

test('rule 21: lanes: the number of open requests is limited, in total and per account', () => {
  const clock = { now: 0 };
  const lanes = new Lanes(() => clock.now);
  const hooks = range(10).flatMap((account) => range(100).map((id) => webhook(account, id)));
  const countWhileSilent = (due: readonly DueWebhook[]) => {
    let count = 0;
    for (let second = 0; second < 100; second += 1) {
      count += lanes.allocate(due).length;
      clock.now += SLOW_THRESHOLD_MS + 1;
    }
    return count;
  };
  assert.equal(countWhileSilent(hooks.slice(0, 100)), OPEN_LIMITS.perAccount);
  assert.equal(countWhileSilent(hooks), OPEN_LIMITS.total - OPEN_LIMITS.perAccount);
});
