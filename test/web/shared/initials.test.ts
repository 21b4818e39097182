import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createInitials } from '../../../web/shared/format/initials.ts';

for (const [name, initials] of [
  ['Lea Roux', 'LR'],
  ['Ana María de la Cruz', 'AC'],
  ['éva', 'É'],
  ['lea.roux@example.com', 'LR'],
  ['@lea', 'L'],
  ['  ', ''],
  ['<b>x</b> 🙂', 'B'],
  ['𝒜da 王', '𝒜王'],
] as const) {
  test(`the initials of "${name}" are "${initials}"`, () => assert.equal(createInitials(name), initials));
}
