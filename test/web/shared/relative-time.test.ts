import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatRelativeTime } from '../../../web/shared/format/relative-time.ts';

test('a time is told in the largest unit that fits', () => {
  const now = 10 * 86_400_000;
  const format = (seconds: number, locale = 'en') => formatRelativeTime(now - seconds * 1000, { now, locale });
  assert.equal(format(-5), 'now', 'the clock of this device is behind');
  assert.equal(format(59), 'now');
  assert.equal(format(60), '1 minute ago');
  assert.equal(format(7199), '1 hour ago');
  assert.equal(format(86_400), 'yesterday');
  assert.equal(format(3 * 3600, 'de'), 'vor 3 Stunden');
});
