import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDayFigures } from '../../../web/desk/frame/today/day-figures.ts';

test('the figures of the day, in the form of the reader', () => {
  const statistics = { conversationNumber: 14, firstAnswerSeconds: 15.6, satisfactionRate: 0.966 };
  assert.deepEqual(formatDayFigures(statistics, 'en'), {
    conversations: '14',
    firstAnswer: '0:16',
    satisfaction: '4.8',
  });
  assert.equal(formatDayFigures(statistics, 'de').satisfaction, '4,8');
});

test('what there is not yet has a dash', () => {
  const none = { conversationNumber: 0, firstAnswerSeconds: null, satisfactionRate: null };
  assert.deepEqual(formatDayFigures(none, 'en'), { conversations: '0', firstAnswer: '–', satisfaction: '–' });
  for (const unknown of [undefined, null])
    assert.deepEqual(formatDayFigures(unknown, 'en'), { conversations: '–', firstAnswer: '–', satisfaction: '–' });
});
