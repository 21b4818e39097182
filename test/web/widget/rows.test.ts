import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listRows } from '../../../web/widget/panel/conversation/rows.ts';
import { createMessage, createOutgoing } from './states.ts';

const at = (time: string) => new Date(`2026-01-02T${time}:00`).toISOString();
const ana = { pseudo: 'Ana' };

test('messages of one author within two minutes form a group, with the time under the last', () => {
  const rows = listRows(
    [
      createMessage(1, { at: at('10:00'), operator: ana }),
      createMessage(2, { at: at('10:01'), operator: ana }),
      createMessage(3, { at: at('10:04'), operator: ana }),
      createMessage(4, { at: at('10:04'), operator: { pseudo: 'Bo' } }),
      createMessage(5, { at: at('10:04'), author: 'VISITOR' }),
    ],
    [],
  );
  assert.deepEqual(
    rows.map((row) => (row.kind === 'message' ? [row.key, row.isSame, row.isLast] : row.kind)),
    ['day', ['1', false, false], ['2', true, true], ['3', false, true], ['4', false, true], ['5', false, true]],
  );
});

test('every day begins with a line, and notices stand alone', () => {
  const rows = listRows(
    [
      createMessage(1, { at: new Date('2026-01-01T23:59:30').toISOString() }),
      createMessage(2, { at: new Date('2026-01-02T00:00:10').toISOString() }),
      createMessage(3, { at: at('00:01'), author: 'NOTICE', text: 'Ana joined' }),
    ],
    [],
  );
  assert.deepEqual(
    rows.map(({ kind }) => kind),
    ['day', 'message', 'day', 'message', 'notice'],
  );
});

test('the row of a message keeps its key when the message is confirmed', () => {
  const [, pending] = listRows([], [createOutgoing('m-1')]);
  const [, confirmed] = listRows([createMessage(1, { author: 'VISITOR', clientId: 'm-1' })], []);
  assert.equal(pending?.key, 'm-1');
  assert.equal(confirmed?.key, 'm-1');
});

test('messages that wait come last, and each has its own state below it', () => {
  const rows = listRows([createMessage(1, { author: 'VISITOR' })], [createOutgoing('m-1'), createOutgoing('m-2')]);
  assert.deepEqual(
    rows.flatMap((row) => (row.kind === 'message' ? [[row.key, row.isLast]] : [])),
    [
      ['1', true],
      ['m-1', true],
      ['m-2', true],
    ],
  );
});
