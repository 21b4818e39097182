import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conversationTexts } from '../../../../web/desk/conversation/texts.ts';
import { describeTarget } from '../../../../web/desk/conversation/transfer/describe-target.ts';
import {
  findNextTarget,
  listTargets,
  type TransferTargets,
  toTransferInput,
} from '../../../../web/desk/conversation/transfer/targets.ts';
import { routingTexts } from '../../../../web/desk/visitor-panel/routing/texts.ts';
import { createTranslate } from '../../../../web/shared/texts/texts.ts';
import { createFields } from '../states.ts';

const live = { slotNumber: 1, slotMaxNumber: 3 };
const TARGETS: TransferTargets = {
  operators: [
    {
      ...{ ...live, operator: { id: '1', pseudo: 'Cem' }, routable: false },
      ...{ blockedBy: ['SLOTS_FULL', 'ON_CALL'], obstacles: ['SLOTS_FULL', 'ON_CALL', 'LACKS_SKILL'] },
    },
    {
      ...{ ...live, operator: { id: '2', pseudo: 'Chloé Martin' }, routable: true },
      ...{ blockedBy: [], obstacles: ['OTHER_LANGUAGE', 'REFUSED_LATELY'] },
    },
    { ...live, operator: { id: '3', pseudo: 'Bo' }, routable: true, blockedBy: [], obstacles: [] },
  ],
  skills: [
    { skill: { id: '1', name: 'Returns' }, operatorsConnected: 1, operatorsRoutable: 0 },
    { skill: { id: '2', name: 'Sizes' }, operatorsConnected: 0, operatorsRoutable: 0 },
  ],
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

test('why an operator cannot take the conversation, or does not fit to it, is said in words', () => {
  const describe = (kind: 'operator' | 'skill' | 'group', language: 'en' | 'de') => {
    const need = createFields('1', { language: 'fr', skill: { id: '1', name: 'Returns' } });
    const options = {
      ...{ locale: language, t: createTranslate(conversationTexts, language) },
      routing: createTranslate(routingTexts, language),
    };
    return listTargets(TARGETS, kind, '').map((target) => describeTarget(target, need, options));
  };
  assert.deepEqual(describe('operator', 'en'), [
    'On a call · lacks the skill Returns', // the row has the first reason as the state
    'Does not speak French · declined, missed or passed it on a minute before',
    '',
  ]);
  assert.match(describe('operator', 'de')[1] ?? '', /Französisch/);
  assert.deepEqual(describe('skill', 'en'), [
    'Connected: 1, none free. The conversation waits there.',
    'No one is connected. The conversation waits there.',
  ]);
  assert.deepEqual(describe('group', 'en'), ['']);
});
