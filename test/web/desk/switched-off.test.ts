import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeSwitchOff } from '../../../web/desk/frame/presence/switched-off.ts';
import { frameTexts } from '../../../web/desk/frame/texts.ts';
import type { ChannelLive } from '../../../web/desk/state/model.ts';
import { createTranslate } from '../../../web/shared/texts/texts.ts';
import { START, toTime, VIEWER } from './states.ts';

const MARA = { type: 'OPERATOR', id: '9', name: 'Mara' } as const;

function describe(changes: Partial<ChannelLive>, now = START): string | undefined {
  const live = { ...VIEWER.live.chat, available: false, changedBy: MARA, changedAt: toTime(0), ...changes };
  return describeSwitchOff(live, { viewerId: VIEWER.id, locale: 'en', now, t: createTranslate(frameTexts, 'en') });
}

test('says who or what turned a channel off', () => {
  assert.match(describe({}) ?? '', /^Turned off by Mara at \d+:00 [AP]M\.$/u);
  const system = { type: 'SYSTEM', id: null, name: null } as const;
  assert.match(
    describe({ changedBy: system, changedReason: 'missed_offers' }) ?? '',
    /^Switched off after missed offers/,
  );
  assert.match(
    describe({ changedBy: { ...MARA, type: 'API_KEY', name: null } }) ?? '',
    /^Turned off at .*, not by you\.$/,
  );
});

test('with the date if it was not today', () => {
  assert.match(describe({}, START + 86_400_000) ?? '', /^Turned off by Mara on Mar 2, 2026, /);
});

test('nothing of what the operator knows', () => {
  assert.equal(describe({ available: true }), undefined);
  assert.equal(describe({ changedBy: { ...MARA, id: VIEWER.id, name: VIEWER.pseudo } }), undefined);
  assert.equal(describe({ changedBy: null, changedAt: null }), undefined);
});
