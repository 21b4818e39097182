import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSecondClick } from '../../../web/shared/components/second-click.ts';

test('a second click is one soon after the first, at its place', () => {
  const first = { x: 100, y: 50, at: 1000 };
  assert.equal(isSecondClick(first, { x: 103, y: 48, at: 1200 }), true);
  assert.equal(isSecondClick(first, { x: 100, y: 50, at: 1600 }), false);
  assert.equal(isSecondClick(first, { x: 140, y: 50, at: 1200 }), false);
});
