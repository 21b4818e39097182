import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeDuration } from '../../../web/desk/conversation/head/describe-duration.ts';

const MINUTE_MS = 60_000;

test('a duration is said in the largest units; the first minute has words of its own', () => {
  const describe = (milliseconds: number, locale = 'en') =>
    describeDuration(milliseconds, { locale, underMinute: 'under 1 min' });
  assert.equal(describe(59_999), 'under 1 min');
  assert.equal(describe(-5000), 'under 1 min');
  assert.equal(describe(MINUTE_MS), '1 min');
  assert.equal(describe(125 * MINUTE_MS), '2 hr 5 min');
  assert.equal(describe(49 * 60 * MINUTE_MS), '2 days');
  assert.equal(describe(5 * MINUTE_MS, 'de'), '5 Min.');
});
