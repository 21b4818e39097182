import assert from 'node:assert/strict';
import { beforeEach, suite, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AdmissionQueue } from '../../../../src/api/http/overload/admission-queue.ts';
import type { RequestClass } from '../../../../src/api/http/overload/request-class.ts';

const BURST_MS = 200;
const SERVICE_MS = 1;

let now: number;
let queue: AdmissionQueue;
let served: string[];
let refused: string[];
beforeEach(() => {
  now = 0;
  queue = new AdmissionQueue(BURST_MS, () => now);
  served = [];
  refused = [];
});

/** A request that takes one millisecond of the processor. */
function offer(requestClass: RequestClass, name: string = requestClass, isGone = false): void {
  queue.admit({
    requestClass,
    isGone: () => isGone,
    serve: () => {
      served.push(name);
      now += SERVICE_MS;
    },
    refuse: () => refused.push(name),
  });
}

/** Offers `perTurn` requests in every turn of the event loop, for a time of the fake clock. */
async function offerFor(milliseconds: number, perTurn: number, requestClass: RequestClass): Promise<void> {
  for (const end = now + milliseconds; now < end; await nextTurn()) {
    for (let count = 0; count < perTurn; count++) offer(requestClass);
    now += 0.5; // otherwise time would stand still while nothing is served
  }
}

async function serveAll(): Promise<void> {
  while (queue.waitingCount > 0) await nextTurn();
}

const count = (list: readonly string[], name: string) => list.filter((entry) => entry === name).length;

suite('requests', () => {
  test('are served at once while there is little to do', () => {
    offer('anonymous');
    assert.deepEqual(served, ['anonymous']);
    assert.equal(queue.waitingCount, 0);
  });

  test('wait when a turn of the event loop has taken long enough, so that it can accept connections', async () => {
    for (let index = 0; index < 10; index++) offer('anonymous');
    assert.equal(served.length, 2);
    assert.equal(queue.waitingCount, 8);
    await nextTurn();
    assert.ok(served.length < 10, `${served.length} were served in one turn`);
    await serveAll();
    assert.equal(served.length, 10);
  });

  test('are served in order of their class, and of their arrival within it', async () => {
    for (const name of ['filler', 'filler']) offer('conversation', name);
    for (const round of [1, 2]) {
      for (const name of ['anonymous', 'integration', 'conversation'] as const) offer(name, `${name} ${round}`);
    }
    await serveAll();
    const classes = ['conversation', 'integration', 'anonymous'];
    assert.deepEqual(
      served.slice(2),
      classes.flatMap((name) => [`${name} 1`, `${name} 2`]),
    );
  });

  test('of clients that left are not served', async () => {
    for (let index = 0; index < 5; index++) offer('anonymous', 'present');
    offer('anonymous', 'gone', true);
    await serveAll();
    assert.equal(count(served, 'present'), 5);
    assert.equal(count(served, 'gone'), 0);
  });

  test('in a short burst are all served', async () => {
    for (let index = 0; index < 80; index++) offer('anonymous');
    await serveAll();
    assert.equal(served.length, 80);
    assert.equal(refused.length, 0);
  });
});

suite('in an overload', () => {
  test('some requests are refused, the others are served, and none waits long', async () => {
    await offerFor(2000, 20, 'integration');
    assert.ok(refused.length > served.length, `${refused.length} of ${refused.length + served.length} refused`);
    // The fake service can serve one per millisecond; at least 60 % of that.
    assert.ok(served.length > 0.6 * 2000, `${served.length} served`);
    assert.ok(queue.waitingCount * SERVICE_MS <= BURST_MS, `${queue.waitingCount} are waiting`);
  });

  test('less important requests are refused first', async () => {
    await offerFor(1000, 20, 'integration');
    served = [];
    refused = [];
    for (let turn = 0; turn < 200; turn++) {
      for (const name of ['anonymous', 'conversation'] as const) offer(name);
      for (let index = 0; index < 20; index++) offer('integration');
      now += 0.5;
      await nextTurn();
    }
    assert.equal(count(served, 'conversation') + queue.waitingCount >= 200, true);
    assert.equal(count(refused, 'conversation'), 0);
    assert.equal(count(served, 'anonymous'), 0);
    assert.ok(count(refused, 'anonymous') > 150, `${count(refused, 'anonymous')} of 200 refused`);
  });

  test('new requests are served as soon as the load is over', async () => {
    await offerFor(2000, 20, 'integration');
    await serveAll();
    refused = [];
    for (let turn = 0; turn < 100; turn++, now += 5, await nextTurn()) offer('anonymous');
    assert.equal(refused.length, 0);
  });

  test('after a turn with many requests to refuse, it serves for longer', async () => {
    const countServed = async (turnMs: number) => {
      for (let index = 0; index < 100; index++) offer('integration', 'waiting');
      const before = served.length;
      queue.isOpen('integration');
      now += turnMs; // each question of `isOpen` stands for a request that is refused
      await nextTurn();
      const servedInTurn = served.length - before;
      await serveAll();
      return servedInTurn;
    };
    const afterShortTurn = await countServed(0);
    assert.ok((await countServed(5)) > 1.5 * afterShortTurn);
  });
});

suite('requests that take long', () => {
  test('are limited, with room for more important ones, and the others are refused in time', async () => {
    for (let index = 0; index < 2000; index++) {
      queue.admit({
        requestClass: 'anonymous',
        isGone: () => false,
        serve: () => queue.markStarted(),
        refuse: () => refused.push('anonymous'),
      });
      if (index % 20 === 0) await nextTurn();
    }
    await nextTurn();
    assert.equal(queue.waitingCount, 1500);
    offer('conversation');
    await nextTurn();
    assert.deepEqual(served, ['conversation']);
    now += 2 * BURST_MS;
    while (queue.waitingCount > 0) await nextTurn();
    assert.equal(refused.length, 1500);
  });
});
