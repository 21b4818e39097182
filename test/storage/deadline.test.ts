import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import { DeadlineExceeded, inTime } from '../../src/storage/deadline.ts';
import { RunningClock } from '../../src/storage/running-clock.ts';

const LIMIT_MS = 800;

describe('a deadline measures the silence of the other side', () => {
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

  /** The process runs: every timer comes in its time. */
  async function run(milliseconds: number): Promise<void> {
    for (let passed = 0; passed < milliseconds; passed += 10) {
      now += 10;
      mock.timers.tick(10);
      await settle();
    }
  }

  /** The process stands still: afterwards all timers that are due come at once. */
  async function standStill(milliseconds: number): Promise<void> {
    now += milliseconds;
    mock.timers.tick(milliseconds);
    await settle();
  }

  /** What the timers have brought about is done. */
  function settle(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  function waiting(): { state: () => string; answer: () => void } {
    const { promise, resolve } = Promise.withResolvers<void>();
    let state = 'waits';
    inTime(promise, LIMIT_MS, clock).then(
      () => {
        state = 'answered';
      },
      (error) => {
        state = error instanceof DeadlineExceeded ? 'given up' : String(error);
      },
    );
    return { state: () => state, answer: resolve };
  }

  test('a side that says nothing is given up at the limit by a process that runs', async () => {
    const statement = waiting();
    await run(LIMIT_MS - 10);
    assert.equal(statement.state(), 'waits');
    await run(10);
    assert.equal(statement.state(), 'given up');
  });

  for (const before of [0, 300, LIMIT_MS - 10])
    test(`an answer that came while the process stood still is heard, after ${before} ms of waiting`, async () => {
      const statement = waiting();
      await run(before);
      await standStill(3000);
      assert.equal(statement.state(), 'waits');
      statement.answer();
      await run(10);
      assert.equal(statement.state(), 'answered');
    });

  test('a side that says nothing after a standstill either is given up within the limit', async () => {
    const statement = waiting();
    await run(300);
    await standStill(3000);
    await run(LIMIT_MS);
    assert.equal(statement.state(), 'given up');
  });

  test('a process that stands still again and again does not wait for ever', async () => {
    const statement = waiting();
    for (let times = 0; times < 6; times += 1) {
      assert.equal(statement.state(), 'waits');
      await standStill(1000);
    }
    assert.equal(statement.state(), 'given up');
  });

  test('the clock leaves out what the process did not live through', async () => {
    const start = clock.now();
    await run(1000);
    assert.equal(clock.now() - start, 1000);
    await standStill(60_000);
    await run(1000);
    assert.ok(clock.now() - start < 2200, `${clock.now() - start}`);
  });
});
