import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOTICE_TEXTS } from '../../../../src/core/engine/records/notice-texts.ts';
import { noticeTexts, renderNotice } from '../../../../web/desk/conversation/messages/notices.ts';
import { LANGUAGES, type Language } from '../../../../web/shared/texts/language.ts';

const languages = Object.keys(LANGUAGES) as Language[];
const codes = Object.keys(NOTICE_TEXTS.en);
const STORED = 'The sentence of the service.';

function render(code: string, parameters: Readonly<Record<string, string>>, language: Language = 'en'): string {
  const list = Object.entries(parameters).map(([name, value]) => ({ name, value }));
  return renderNotice({ notice: { code, parameters: list }, text: STORED }, { language, pseudo: 'Ada' });
}

test('every notice of the service is written in every language', () => {
  for (const language of languages) {
    const texts = codes.map((code) => render(code, { pseudo: 'Bo', minutes: '5' }, language));
    for (const [index, text] of texts.entries()) {
      assert.notEqual(text, STORED, `${language} ${codes[index]}`);
      assert.doesNotMatch(text, /[{}]/, `${language} ${codes[index]}`);
    }
    assert.equal(new Set(texts).size, codes.length, language);
  }
  assert.equal(Object.keys(noticeTexts).length, languages.length);
});

test('parameters are filled in, also when they are missing', () => {
  assert.equal(render('operator_joined', { pseudo: 'Bo' }), 'Bo joined');
  assert.equal(render('operator_joined', { pseudo: 'Ada' }), 'You joined');
  assert.equal(render('operator_joined', {}), 'An operator joined');
  assert.equal(render('idle_warning', { minutes: '5' }), 'Closes in 5 min without a new message');
  assert.doesNotMatch(render('idle_warning', {}), /[{}]|undefined/);
});

test('what a newer service says is shown with its own sentence', () => {
  for (const code of ['parcel_arrived', 'constructor', 'toString', '__proto__']) assert.equal(render(code, {}), STORED);
  assert.equal(renderNotice({ notice: null, text: STORED }, { language: 'de', pseudo: 'Ada' }), STORED);
});
