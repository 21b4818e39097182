import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOST_OPERATOR_TIMEOUT_MS } from '../../../src/core/engine/scheduler/scheduler.ts';
import { describeConsequence, REQUEUE_AFTER_MS, TIME_PLACE } from '../../../web/desk/frame/offline-consequence.ts';
import { frameTexts } from '../../../web/desk/frame/texts.ts';
import { createTranslate } from '../../../web/shared/texts/texts.ts';

test('the desk counts the time for which the service waits', () => {
  assert.equal(REQUEUE_AFTER_MS, LOST_OPERATOR_TIMEOUT_MS);
});

for (const language of ['en', 'de', 'es', 'fr'] as const) {
  test(`what happens to no, one and two conversations is a whole sentence in ${language}, with and without a time`, () => {
    const t = createTranslate(frameTexts, language);
    const describe = (count: number, secondsLeft: number) => describeConsequence(count, secondsLeft, t);
    const texts = [describe(0, 48), describe(1, 48), describe(2, 48), describe(1, 0), describe(2, 0)];
    assert.equal(new Set(texts).size, texts.length);
    assert.deepEqual(
      texts.map((text) => text.split(TIME_PLACE).length - 1),
      [0, 1, 1, 0, 0],
    );
    assert.deepEqual(
      texts.map((text) => text.replace(TIME_PLACE, '').match(/[{}]|\d+/)?.[0]),
      [undefined, undefined, '2', undefined, '2'],
    );
  });
}
