import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import { DeadlineExceeded, withDeadline } from '../../src/storage/deadline.ts';
import { RunningClock } from '../../src/storage/running-clock.ts';

const LIMIT_MS = 800;

describe('a deadline does not count stalls of this process', () => {
  let now: number;
  let clock: RunningClock;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
    now = 0;
    clock = new RunningClock(() => now);
  });
  afterEach(() => {
    clock.stop();
    mock.timers.reset();
  });

  /** The process runs: every timer fires on time. */
  async function run(milliseconds: number): Promise<void> {
    for (let passed = 0; passed < milliseconds; passed += 10) {
      now += 10;
      mock.timers.tick(10);
      await settle();
    }
  }

  /** The process stalls: afterwards all due timers fire together. */
  async function stall(milliseconds: number): Promise<void> {
    now += milliseconds;
    mock.timers.tick(milliseconds);
    await settle();
  }

  /** Lets the effects of timers complete. */
  function settle(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  function startStatement(): { state: () => string; complete: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    let state = 'pending';
    withDeadline(promise, LIMIT_MS, clock).then(
      () => {
        state = 'completed';
      },
      (error) => {
        state = error instanceof DeadlineExceeded ? 'timed out' : String(error);
      },
    );
    return { state: () => state, complete: resolve };
  }

  test('without stalls, a statement times out at the limit', async () => {
    const statement = startStatement();
    await run(LIMIT_MS - 10);
    assert.equal(statement.state(), 'pending');
    await run(10);
    assert.equal(statement.state(), 'timed out');
  });

  for (const before of [0, 300, LIMIT_MS - 10])
    test(`a response that arrived during a stall is received, after ${before} ms of waiting`, async () => {
      const statement = startStatement();
      await run(before);
      await stall(3000);
      assert.equal(statement.state(), 'pending');
      statement.complete();
      await run(10);
      assert.equal(statement.state(), 'completed');
    });

  test('after a stall, a statement times out within the limit', async () => {
    const statement = startStatement();
    await run(300);
    await stall(3000);
    await run(LIMIT_MS);
    assert.equal(statement.state(), 'timed out');
  });

  test('a process that stalls repeatedly does not wait forever', async () => {
    const statement = startStatement();
    for (let times = 0; times < 6; times += 1) {
      assert.equal(statement.state(), 'pending');
      await stall(1000);
    }
    assert.equal(statement.state(), 'timed out');
  });

  test('the clock excludes stalls', async () => {
    const start = clock.now();
    await run(1000);
    assert.equal(clock.now() - start, 1000);
    await stall(60_000);
    await run(1000);
    assert.ok(clock.now() - start < 2200, `${clock.now() - start}`);
  });
});
