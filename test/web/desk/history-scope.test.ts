import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeskState } from '../../../web/desk/state/model.ts';
import { findHistoryScope } from '../../../web/desk/visitor-panel/earlier/history-scope.ts';
import { createFields, createState, toTime } from './states.ts';

const closed = createFields('1', { state: 'CLOSED', closedAt: toTime(2) });
const again = createFields('2', { visitor: closed.visitor });

function change(state: DeskState, role: DeskState['viewer']['role'], shareVisitorHistory = true): DeskState {
  return { ...state, viewer: { ...state.viewer, role }, account: { ...state.account, shareVisitorHistory } };
}

test('an operator reads the conversations of colleagues only while they serve the visitor', () => {
  const before = change(createState([closed]), 'OPERATOR');
  assert.equal(findHistoryScope(before, 'v1'), 'whileServing');
  const serving = change(createState([closed, again]), 'OPERATOR');
  assert.equal(findHistoryScope(serving, 'v1'), 'all');
  assert.equal(findHistoryScope(serving, 'v9'), 'whileServing');
  const foreign = createFields('2', { visitor: closed.visitor, operator: { id: '8', pseudo: 'Bo' } });
  assert.equal(findHistoryScope(change(createState([closed, foreign]), 'OPERATOR'), 'v1'), 'whileServing');
});

test('the account and the role can limit it to the own ones, and an admin reads all', () => {
  const serving = createState([again]);
  assert.equal(findHistoryScope(change(serving, 'OPERATOR', false), 'v1'), 'own');
  assert.equal(findHistoryScope(change(serving, 'EXPERT'), 'v1'), 'own');
  assert.equal(findHistoryScope(change(createState([closed]), 'MANAGER'), 'v1'), 'whileServing');
  assert.equal(findHistoryScope(change(createState([closed]), 'ADMIN', false), 'v1'), 'all');
});
