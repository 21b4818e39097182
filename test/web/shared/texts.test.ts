import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { chooseLanguage, findLocale } from '../../../web/shared/texts/language.ts';
import { createTranslate, type Dictionary } from '../../../web/shared/texts/texts.ts';

const ROOT = join(import.meta.dirname, '../../..');
type Texts = Readonly<Record<string, string>>;

function isDictionary(value: unknown): value is Dictionary<Texts> {
  return typeof value === 'object' && value !== null && ['en', 'de', 'es', 'fr'].every((key) => key in value);
}

/** The dictionaries of all views. */
async function loadDictionaries(): Promise<[name: string, Dictionary<Texts>][]> {
  const files = globSync('web/**/{texts,common}.ts', { cwd: ROOT }).filter((file) => !file.includes('widget'));
  const modules = await Promise.all(files.map((file) => import(join(ROOT, file))));
  return modules.flatMap((module) => Object.entries(module)).filter((entry) => isDictionary(entry[1])) as never;
}

const findPlaceholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([found]) => found);

test('every text has the same placeholders in every language, and no text is empty', async () => {
  const dictionaries = await loadDictionaries();
  assert.ok(dictionaries.length >= 3);
  for (const [name, { en, ...others }] of dictionaries) {
    for (const [language, texts] of Object.entries(others)) {
      assert.deepEqual(Object.keys(texts).sort(), Object.keys(en).sort(), `${name} ${language}`);
      for (const [key, text] of Object.entries(texts)) {
        assert.notEqual(text.trim(), '', `${name} ${language} ${key}`);
        assert.deepEqual(
          new Set(findPlaceholders(text)),
          new Set(findPlaceholders(en[key] ?? '')),
          `${name} ${language} ${key}`,
        );
      }
    }
  }
});

/** What is written otherwise elsewhere, by language. */
const OTHER_WORDS: Readonly<Record<string, RegExp>> = {
  ...{ en: /e-mail/i, de: /\bemail/i, fr: /\bemail|courriel/i, es: /e-?mail|correo(?! electrónico)/i },
};

test('email has one word in each language', async () => {
  const widget = Object.fromEntries(
    await Promise.all(
      Object.keys(OTHER_WORDS).map(async (language) => {
        const module = await import(join(ROOT, `src/core/directory/widget-texts/${language}.ts`));
        return [language, module[language]];
      }),
    ),
  );
  for (const [name, dictionary] of [...(await loadDictionaries()), ['widget', widget as Dictionary<Texts>] as const]) {
    for (const [language, texts] of Object.entries(dictionary)) {
      const found = Object.values(texts as Texts).filter((text) => OTHER_WORDS[language]?.test(text));
      assert.deepEqual(found, [], `${name} ${language}`);
    }
  }
});

test('placeholders are filled, and what a value contains is not filled again', () => {
  const same = { hello: 'Hello {name}, {name}' };
  const t = createTranslate({ en: { hello: 'Hello {name}, {name}' } as const, de: same, es: same, fr: same }, 'en');
  assert.equal(t('hello', { name: '{name}' }), 'Hello {name}, {name}');
  assert.equal(t('hello', { name: '$&' }), 'Hello $&, $&');
});

test('a choice in the browser comes before the profile, and the profile before the settings of the browser', () => {
  assert.equal(chooseLanguage({ saved: 'fr', profile: 'de', browser: ['es'] }), 'fr');
  assert.equal(chooseLanguage({ saved: null, profile: 'de', browser: ['es'] }), 'de');
  assert.equal(chooseLanguage({ saved: null, profile: 'nl', browser: ['pt-BR', 'es-MX', 'de'] }), 'es');
  assert.equal(chooseLanguage({ saved: 'constructor', profile: null, browser: ['nl'] }), 'en');
  assert.equal(chooseLanguage({ browser: ['DE_at'] }), 'de');
});

test('dates are written in the reader’s form of the language', () => {
  assert.equal(findLocale('en', ['de', 'en-GB']), 'en-GB');
  assert.equal(findLocale('fr', ['de']), 'fr');
  for (const tag of ['en-US@posix', 'en_GB', 'en-']) assert.equal(findLocale('en', [tag]), 'en', tag);
});
