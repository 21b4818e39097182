import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  findNextTarget,
  listTargets,
  type TransferTargets,
  toTransferInput,
} from '../../../../web/desk/conversation/transfer/targets.ts';

const live = { slotNumber: 1, slotMaxNumber: 3 };
const TARGETS: TransferTargets = {
  operators: [
    { ...live, operator: { id: '1', pseudo: 'Cem' }, routable: false, blockedBy: ['SLOTS_FULL'] },
    { ...live, operator: { id: '2', pseudo: 'Chloé Martin' }, routable: true, blockedBy: [] },
    { ...live, operator: { id: '3', pseudo: 'Bo' }, routable: true, blockedBy: [] },
  ],
  skills: [{ skill: { id: '1', name: 'Returns' }, operatorsConnected: 1, operatorsRoutable: 0 }],
  groups: [{ group: { id: '4', name: 'Europe' }, operatorsConnected: 3, operatorsRoutable: 2 }],
};

test('a name is found without case and accents', () => {
  const ids = (text: string) => listTargets(TARGETS, 'operator', text).map(({ id }) => id);
  assert.deepEqual(ids(''), ['1', '2', '3']);
  assert.deepEqual(ids(' CHLOE'), ['2']);
  assert.deepEqual(ids('x'), []);
});

test('an operator who is not routable cannot be chosen; in a skill one can wait', () => {
  assert.deepEqual(
    listTargets(TARGETS, 'operator', '').map(({ canTake }) => canTake),
    [false, true, true],
  );
  assert.equal(listTargets(TARGETS, 'skill', '')[0]?.canTake, true);
});

test('the arrow keys step over those who cannot be chosen, and around the ends', () => {
  const list = listTargets(TARGETS, 'operator', '');
  assert.equal(findNextTarget(list, -1, 1), 1);
  assert.equal(findNextTarget(list, 1, 1), 2);
  assert.equal(findNextTarget(list, 2, 1), 1);
  assert.equal(findNextTarget(list, 1, -1), 2);
  assert.equal(findNextTarget(list.slice(0, 1), -1, 1), -1);
  assert.equal(findNextTarget([], -1, 1), -1);
});

test('each kind has its own input', () => {
  const inputs = (['operator', 'skill', 'group'] as const).map((kind) => listTargets(TARGETS, kind, '')[0]);
  assert.deepEqual(
    inputs.map((target) => target && toTransferInput(target)),
    [{ operatorId: '1' }, { skillId: '1' }, { groupId: '4' }],
  );
});
