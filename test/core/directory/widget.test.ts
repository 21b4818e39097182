import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chooseTextColor, computeContrast, findContrastProblem } from '../../../src/core/directory/contrast.ts';
import {
  formatWidget,
  mergeWidget,
  parseWidget,
  resolveWidget,
  widgetUpdate,
} from '../../../src/core/directory/widget.ts';
import { DEFAULT_TEXTS, listLanguages, resolveTexts } from '../../../src/core/directory/widget-texts/resolve-texts.ts';
import { WIDGET_TEXT_LIMITS, type WidgetTextKey } from '../../../src/core/directory/widget-texts/widget-texts.ts';

test('contrast is computed by the formula of WCAG 2', () => {
  const cases = [
    ['#000000', '#ffffff', 21],
    ['#ffffff', '#ffffff', 1],
    ['#777777', '#ffffff', 4.48],
    ['#767676', '#ffffff', 4.54],
    ['#ff0000', '#ffffff', 4],
    ['#0000ff', '#ffffff', 8.59],
    ['#1d4ed8', '#ffffff', 6.7],
  ] as const;
  for (const [first, second, expected] of cases) {
    assert.equal(Math.round(computeContrast(first, second) * 100) / 100, expected, `${first} and ${second}`);
    assert.equal(computeContrast(first, second), computeContrast(second, first));
  }
});

test('an accent colour must be visible on the panel, and every colour has a readable text colour', () => {
  for (const color of ['#1d4ed8', '#000000', '#ff0000', '#e65c00', '#2e8b57'])
    assert.equal(findContrastProblem(color), undefined, color);
  for (const color of ['#ffffff', '#ffff00', '#ff9900', '#00ff00', '#cccccc'])
    assert.match(
      findContrastProblem(color) ?? '',
      /^has a contrast of [12]\.\d\d to 1 with the white panel, and needs at least 3/,
    );
  assert.deepEqual(['#1d4ed8', '#ff9900', '#000000', '#ffffff'].map(chooseTextColor), [
    ...['#ffffff', '#000000', '#ffffff', '#000000'],
  ]);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), (value) => {
      const color = `#${value.toString(16).padStart(6, '0')}`;
      assert.ok(computeContrast(color, chooseTextColor(color)) >= 4.5);
    }),
  );
});

test('every default text fits its own limit and has the same parts to fill in', () => {
  const english = DEFAULT_TEXTS.en as (typeof DEFAULT_TEXTS)[string];
  assert.deepEqual(listLanguages({}), ['de', 'en', 'es', 'fr']);
  for (const [language, texts] of Object.entries(DEFAULT_TEXTS)) {
    const list = Object.entries(texts).map(([key, text]) => ({ language, key, text }));
    assert.ok(widgetUpdate.safeParse({ texts: list }).success, language);
    for (const [key, text] of Object.entries(texts) as [WidgetTextKey, string][]) {
      assert.deepEqual(text.match(/\{\w+\}/g), english[key].match(/\{\w+\}/g), `${language} ${key}`);
      assert.equal(text, text.trim());
    }
  }
});

test('an update changes the named settings, and null restores a default', () => {
  const first = mergeWidget(
    {},
    {
      accentColor: '#000000',
      survey: false,
      skillId: 3,
      channels: ['call'],
      preChat: { name: 'required', email: 'off' },
    },
  );
  const second = mergeWidget(first, { survey: null, preChat: { name: null, consent: 'optional' }, groupId: 4 });
  assert.deepEqual(second, {
    ...{ accentColor: '#000000', skillId: 3, groupId: 4, channels: ['call'] },
    preChat: { email: 'off', consent: 'optional' },
  });
  assert.deepEqual(resolveWidget(second).preChat, { name: 'off', email: 'off', question: 'off', consent: 'optional' });
  assert.deepEqual([resolveWidget(second).survey, resolveWidget(second).position], [true, 'bottom_right']);
  assert.deepEqual(parseWidget(formatWidget(second)), second);
  assert.deepEqual(mergeWidget(second, {}), second);
  const cleared = { accentColor: null, skillId: null, groupId: null, channels: null, preChat: null };
  assert.deepEqual(mergeWidget(second, cleared), {});
  assert.deepEqual([mergeWidget(second, null), formatWidget({}), parseWidget(null)], [{}, null, {}]);
});

test('texts are replaced one by one, in any language', () => {
  const set = (texts: { language: string; key: WidgetTextKey; text: string | null }[], before = {}) =>
    mergeWidget(before, { texts });
  const first = set([
    { language: 'fr', key: 'title', text: 'Aide' },
    { language: 'it', key: 'title', text: 'Aiuto' },
  ]);
  const second = set([{ language: 'fr', key: 'greeting', text: 'Salut' }], first);
  assert.deepEqual(second.texts, { fr: { title: 'Aide', greeting: 'Salut' }, it: { title: 'Aiuto' } });
  assert.deepEqual(listLanguages(second.texts ?? {}), ['de', 'en', 'es', 'fr', 'it']);
  const italian = resolveTexts(second.texts ?? {}, 'it');
  assert.deepEqual([italian.title, italian.send], ['Aiuto', 'Send']);
  assert.equal(resolveTexts(second.texts ?? {}, 'fr').send, 'Envoyer');
  const third = set([{ language: 'it', key: 'title', text: null }], second);
  assert.deepEqual(third.texts, { fr: { title: 'Aide', greeting: 'Salut' } });
  assert.deepEqual(mergeWidget(third, { texts: null }), {});
  const many = 'aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs'.split(' ');
  const change = (languages: string[]) => languages.map((language) => ({ language, key: 'title' as const, text: 'x' }));
  assert.throws(() => set(change(many)), /not valid/);
  assert.equal(Object.keys(set(change(many.slice(1))).texts ?? {}).length, 20);
});

test('settings that are not valid are refused', () => {
  const text = (key: string, value: unknown, language = 'en') => ({ texts: [{ language, key, text: value }] });
  const valid = [
    text('typing', '{pseudo} …'),
    text('typing', 'typing'),
    text('title', 'x'.repeat(80)),
    { channels: ['video', 'chat'] },
  ];
  for (const update of valid) assert.ok(widgetUpdate.safeParse(update).success, JSON.stringify(update));
  const wrong = [
    ...[{ accentColor: 'red' }, { accentColor: '#fff' }, { accentColor: '#ffffff' }, { position: 'top' }, { other: 1 }],
    ...[{ channels: [] }, { channels: ['chat', 'chat'] }, { channels: ['fax'] }, { skillId: 0 }, { survey: 1 }],
    ...[{ preChat: { phone: 'off' } }, { preChat: { name: 'maybe' } }, { whenUnavailable: 'never' }],
    ...[
      text('titles', 'x'),
      text('title', ''),
      text('title', '  '),
      text('title', 'x'.repeat(81)),
      text('title', 'x\0'),
    ],
    ...[
      text('title', '\ud800'),
      text('title', '{name}'),
      text('typing', '{name}'),
      text('title', 'x', 'xx'),
      text('title', 1),
    ],
  ];
  for (const update of wrong) assert.equal(widgetUpdate.safeParse(update).success, false, JSON.stringify(update));
  assert.ok(Object.values(WIDGET_TEXT_LIMITS).every((limit) => limit >= 80));
});
