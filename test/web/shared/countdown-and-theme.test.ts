import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countSecondsLeft, formatCountdown } from '../../../web/shared/format/countdown.ts';
import { findOtherTheme } from '../../../web/shared/theme/theme.ts';

test('a countdown is rounded up, so that it ends at the deadline and not before', () => {
  assert.equal(countSecondsLeft(10_000, 0), 10);
  assert.equal(countSecondsLeft(10_000, 9_999), 1);
  assert.equal(countSecondsLeft(10_000, 10_000), 0);
  assert.equal(countSecondsLeft(10_000, 99_000), 0);
});

test('a countdown has minutes and two digits of seconds', () => {
  assert.deepEqual([0, 9, 60, 186, 3600].map(formatCountdown), ['0:00', '0:09', '1:00', '3:06', '60:00']);
});

test('switching the theme twice leads back to that of the system', () => {
  assert.equal(findOtherTheme('SYSTEM', false), 'DARK');
  assert.equal(findOtherTheme('DARK', false), 'SYSTEM');
  assert.equal(findOtherTheme('SYSTEM', true), 'LIGHT');
  assert.equal(findOtherTheme('LIGHT', true), 'SYSTEM');
  // The system has changed since.
  assert.equal(findOtherTheme('DARK', true), 'LIGHT');
  assert.equal(findOtherTheme('LIGHT', false), 'DARK');
});
