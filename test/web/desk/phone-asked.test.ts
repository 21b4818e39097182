import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { noteAsked, wasAskedToday } from '../../../web/desk/frame/phone-asked.ts';

const original = Object.getOwnPropertyDescriptor(globalThis, 'localStorage') as PropertyDescriptor;
before(() => {
  const stored = new Map<string, string>();
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  };
  Object.defineProperty(globalThis, 'localStorage', { value: storage, configurable: true });
});
after(() => Object.defineProperty(globalThis, 'localStorage', original));

test('an operator is asked once on a day', () => {
  const morning = new Date(2026, 2, 9, 8);
  assert.equal(wasAskedToday('7', morning), false);
  noteAsked('7', morning);
  assert.equal(wasAskedToday('7', new Date(2026, 2, 9, 23)), true);
  assert.equal(wasAskedToday('8', morning), false);
  for (const other of [new Date(2026, 2, 10), new Date(2026, 3, 9, 8), new Date(2027, 2, 9, 8)])
    assert.equal(wasAskedToday('7', other), false);
});
