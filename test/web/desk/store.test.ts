import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStore } from '../../../web/desk/state/store.ts';
import { createFields, createMessage, createState } from './states.ts';

function createWatchedStore() {
  const store = createStore(createState([createFields('1')]));
  const seen: number[] = [];
  store.subscribe(() => seen.push(store.getState().conversations.get('1')?.messages.length ?? 0));
  const add = (sequence: number) =>
    ({ type: 'messagesRead', conversationId: '1', messages: [createMessage(sequence)] }) as const;
  return { store, seen, add };
}

test('the first change is told at once, those that follow together', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { store, seen, add } = createWatchedStore();
  for (let sequence = 1; sequence <= 20; sequence++) store.dispatch(add(sequence));
  assert.deepEqual(seen, [1]);
  assert.equal(store.getState().conversations.get('1')?.messages.length, 20, 'the state has them all');
  t.mock.timers.tick(100);
  assert.deepEqual(seen, [1, 20]);
});

test('what the operator does is told at once, with what waited, and not twice', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { store, seen, add } = createWatchedStore();
  store.dispatch(add(1));
  store.dispatch(add(2));
  store.dispatchNow(add(3));
  assert.deepEqual(seen, [1, 3]);
  t.mock.timers.tick(100);
  assert.deepEqual(seen, [1, 3]);
});

test('a change of nothing is not told', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { store, seen, add } = createWatchedStore();
  store.dispatch(add(1));
  store.dispatch(add(1));
  store.dispatchNow(add(1));
  t.mock.timers.tick(100);
  assert.deepEqual(seen, [1]);
});
