import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listMessageItems } from '../../../web/desk/state/message-items.ts';
import { createMessage, createNote, createPending, toTime } from './states.ts';

test('dates, groups of one author within two minutes, notes after their message, and what is pending last', () => {
  const messages = [
    createMessage(1, { at: toTime(0) }),
    createMessage(2, { at: toTime(1) }),
    createMessage(3, { at: toTime(10) }),
    createMessage(4, { at: toTime(11), author: 'OPERATOR', clientId: 'm-4' }),
    createMessage(5, { at: toTime(3000), author: 'NOTICE' }),
    createMessage(6, { at: toTime(3000), author: 'NOTICE' }),
  ];
  const notes = [createNote('1'), createNote('2', { afterSequence: 3, clientId: null })];
  const items = listMessageItems({ messages, notes, pending: [createPending('m-9', { at: toTime(3001) })] });
  assert.deepEqual(
    items.map((item) => {
      if (item.kind === 'date') return 'date';
      if (item.kind !== 'message') return item.key;
      return `${item.key}${item.startsGroup ? ' starts' : ''}${item.endsGroup ? ' ends' : ''}`;
    }),
    [
      ...['date', 'note n-1', 'message #1 starts', 'message #2 ends', 'message #3 starts ends', 'note #2'],
      ...['message m-4 starts ends', 'date', 'message #5 starts ends', 'message #6 starts ends', 'message m-9'],
    ],
  );
  assert.equal(new Set(items.map(({ key }) => key)).size, items.length, 'every row has its own key');
});

test('notes of messages that are not loaded come with them', () => {
  const messages = [createMessage(5)];
  const notes = [createNote('1', { afterSequence: 2 }), createNote('2', { afterSequence: 4 })];
  const kinds = listMessageItems({ messages, notes, pending: [] }).map(({ key }) => key);
  assert.deepEqual(kinds.slice(1), ['note n-2', 'message #5']);
});

test('a message keeps its key when it is acknowledged', () => {
  const pending = listMessageItems({ messages: [], notes: [], pending: [createPending('m-1')] });
  const message = createMessage(1, { author: 'OPERATOR', clientId: 'm-1' });
  const sent = listMessageItems({ messages: [message], notes: [], pending: [] });
  assert.equal(sent.at(-1)?.key, pending.at(-1)?.key);
});
