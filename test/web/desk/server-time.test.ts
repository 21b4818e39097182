import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  combineBounds,
  compareWithEvent,
  compareWithHeader,
  estimateOffset,
  toLocalTime,
  UNKNOWN_CLOCK,
} from '../../../web/desk/state/server-time.ts';

const SERVER_TIME = Date.parse('2026-03-02T09:00:00.400Z');
const duration = fc.integer({ min: 0, max: 500 });

test('the difference of the clocks is known to one and a half seconds, whatever the delays are', () => {
  const offset = fc.integer({ min: -10_000_000, max: 10_000_000 });
  fc.assert(
    fc.property(offset, duration, duration, fc.integer({ min: 0, max: 999 }), (ahead, there, back, part) => {
      const now = SERVER_TIME + part;
      const date = new Date(Math.floor(now / 1000) * 1000).toUTCString();
      const estimate = estimateOffset(compareWithHeader(date, now - there + ahead, now + back + ahead));
      assert.ok(Math.abs(estimate - ahead) <= 1500, `${estimate} for ${ahead}`);
    }),
  );
});

test('a right clock is taken as right, and an event makes the difference more exact', () => {
  const header = compareWithHeader('Mon, 02 Mar 2026 09:00:00 GMT', SERVER_TIME - 20, SERVER_TIME + 20);
  assert.equal(estimateOffset(header), 0);
  const ahead = 300_000;
  const wrong = compareWithHeader('Mon, 02 Mar 2026 09:00:00 GMT', SERVER_TIME + ahead, SERVER_TIME + ahead + 40);
  const at = new Date(SERVER_TIME).toISOString();
  const event = compareWithEvent(at, SERVER_TIME + ahead + 15);
  const old = compareWithEvent(new Date(SERVER_TIME - 60_000).toISOString(), SERVER_TIME + ahead);
  const estimate = estimateOffset([wrong, old, event].reduce(combineBounds, UNKNOWN_CLOCK));
  assert.equal(estimate, ahead + 15);
  assert.equal(toLocalTime(at, estimate), SERVER_TIME + ahead + 15);
});

test('a clock that was set meanwhile is measured again', () => {
  const before = { lower: 299_000, upper: 300_000 };
  assert.equal(estimateOffset(combineBounds(before, { lower: -900, upper: 100 })), 0);
  assert.equal(estimateOffset(UNKNOWN_CLOCK), 0);
  assert.deepEqual(compareWithHeader(null, 0, 0), UNKNOWN_CLOCK);
});
