import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addToast, endToast, type Toasts } from '../../../web/desk/frame/toasts.ts';

interface Content {
  readonly text: string;
  readonly action?: object;
}

const NO_TOASTS: Toasts<Content> = { shown: undefined, next: undefined };
const undo: Content = { text: 'Closed', action: {} };
const otherUndo: Content = { text: 'Done', action: {} };
const result: Content = { text: 'The offer has run out' };
const otherResult: Content = { text: 'Not possible' };

test('a toast takes the place of the one before', () => {
  const toasts = addToast(addToast(NO_TOASTS, result), otherResult);
  assert.deepEqual(toasts, { shown: otherResult, next: undefined });
  assert.equal(addToast(addToast(NO_TOASTS, undo), otherUndo).shown, otherUndo);
});

test('what can only be read waits for what can be undone, and then the newest comes', () => {
  const toasts = [result, otherResult].reduce(addToast<Content>, addToast(NO_TOASTS, undo));
  assert.deepEqual(toasts, { shown: undo, next: otherResult });
  assert.deepEqual(endToast(toasts, undo), { shown: otherResult, next: undefined });
  assert.deepEqual(endToast(toasts, otherResult), { shown: undo, next: undefined });
});

test('a toast that has ended before is not ended again', () => {
  const toasts = addToast(addToast(NO_TOASTS, undo), otherUndo);
  assert.equal(endToast(toasts, undo), toasts);
  assert.equal(endToast(toasts, undefined), toasts);
});
