import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createCsv, parseCsv, removeFormulaGuard } from '../../../web/desk/settings/canned/csv.ts';
import {
  describeEffect,
  describeFileProblem,
  describeProblem,
} from '../../../web/desk/settings/canned/describe-reply.ts';
import { exportReplies } from '../../../web/desk/settings/canned/export-file.ts';
import { type ImportRow, planImport } from '../../../web/desk/settings/canned/import-file.ts';
import { findUsualLanguages, listLanguages } from '../../../web/desk/settings/canned/languages.ts';
import { filterReplies, findReplyProblems, type OwnedReply } from '../../../web/desk/settings/canned/reply.ts';
import { cannedTexts } from '../../../web/desk/settings/canned/texts.ts';
import { createTranslate } from '../../../web/shared/texts/texts.ts';

const reply = (shortcut: string, text: string, language: string | null = null): OwnedReply => ({
  ...{ id: shortcut, scope: 'OWN', canEdit: true, group: null, shortcut, text, language },
});

function readRows(text: string, existing: readonly OwnedReply[] = []): readonly ImportRow[] {
  const plan = planImport(text, existing);
  assert.ok(plan.ok, JSON.stringify(plan));
  return plan.rows;
}

const summarize = ({ row, effect, shortcut, language, problems }: ImportRow) =>
  [row, effect, shortcut, language, ...problems].join(' ');

describe('CSV', () => {
  test('quotes, line breaks in quotes, byte order mark, and the delimiters of spreadsheets', () => {
    assert.deepEqual(parseCsv('\ufeffa,b\r\n"x, ""y""\r\nz",2\r\n\r\n'), [
      ['a', 'b'],
      ['x, "y"\r\nz', '2'],
    ]);
    assert.deepEqual(parseCsv('a;b\n"1,5";2'), [
      ['a', 'b'],
      ['1,5', '2'],
    ]);
    assert.deepEqual(parseCsv('a\tb\n1,5\t2'), [
      ['a', 'b'],
      ['1,5', '2'],
    ]);
    assert.equal(parseCsv('a,b\n"open'), undefined);
    assert.deepEqual(parseCsv('a,b\n5" pipe,2'), [
      ['a', 'b'],
      ['5" pipe', '2'],
    ]);
    assert.deepEqual(parseCsv(''), []);
  });

  test('what was written is read again, and no cell is a formula', () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r\n', "'", '=', '+', '-', '@', '\t', ' ', 'é'),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { maxLength: 5 }), (rows) => {
        const written = createCsv([['shortcut', 'text'], ...rows]);
        const read = parseCsv(written)?.map((row) => row.map(removeFormulaGuard));
        const filled = rows.filter((row) => row.some((each) => each !== ''));
        assert.deepEqual(read, [['shortcut', 'text'], ...filled]);
        for (const each of parseCsv(written)?.flat() ?? []) assert.doesNotMatch(each, /^[=+\-@\t\r\n]/);
      }),
    );
  });
});

describe('the preview of an import', () => {
  const existing = [reply('hello', 'Hello'), reply('hello', 'Bonjour', 'fr'), reply('bye', 'Bye')];

  test('says what each row creates, changes and leaves, and what is wrong with it', () => {
    const text = [
      'Language,SHORTCUT,text,other',
      ',hello,Hello,1',
      'FR,/Hello,Salut,2',
      ',new,"Dear {{visitor.name}},\r\nhow are you?",3',
      ',new,again,4',
      ',has space,x,5',
      ',empty,"  ",6',
      'xx,code,x,7',
      ',,x,8',
      ',variable,{{visitor.password}},9',
    ].join('\n');
    const rows = readRows(text, existing);
    assert.deepEqual(rows.map(summarize), [
      '1 same hello ',
      '2 change Hello fr',
      '3 create new ',
      '4 wrong new  repeated',
      '5 wrong has space  shortcutInvalid',
      '6 wrong empty  textMissing',
      '7 wrong code xx languageUnknown',
      '8 wrong   shortcutMissing',
      '9 wrong variable  variableUnknown',
    ]);
    assert.equal(rows[1]?.before?.text, 'Bonjour');
    assert.equal(rows[2]?.text, 'Dear {{visitor.name}},\nhow are you?');
  });

  test('JSON is a list, or an object with one', () => {
    const list = [{ shortcut: 'a', text: 'A', language: 'de' }, { shortcut: 'b', text: 5 }, null, 'x'];
    const expected = ['1 create a de', '2 wrong b  textMissing', '3 wrong   shortcutMissing textMissing'];
    for (const content of [list, { replies: list }]) {
      assert.deepEqual(
        readRows(`\ufeff ${JSON.stringify(content)}`)
          .slice(0, 3)
          .map(summarize),
        expected,
      );
    }
  });

  test('a file that cannot be used says why', () => {
    const problemOf = (text: string) => {
      const plan = planImport(text, []);
      return plan.ok ? undefined : plan.problem;
    };
    assert.equal(problemOf('{"replies": ['), 'unreadable');
    assert.equal(problemOf('shortcut,text\n"open'), 'unreadable');
    assert.equal(problemOf('name,body\na,b'), 'noColumns');
    assert.equal(problemOf('{"other": 1}'), 'noColumns');
    assert.equal(problemOf(''), 'noColumns');
    assert.equal(problemOf('shortcut,text'), 'empty');
    assert.equal(problemOf(`shortcut,text\n${'a,b\n'.repeat(501)}`), 'tooMany');
  });

  test('an exported file changes nothing when it is imported', () => {
    const all = [...existing, reply('sum', '=SUM(A1)'), reply('quoted', `'=x, "y"\nz`), reply('dash', '- a\n- b')];
    assert.deepEqual(
      readRows(exportReplies(all), all).map(({ effect }) => effect),
      all.map(() => 'same'),
    );
  });

  test('every problem and effect has its words in every language', () => {
    for (const language of ['en', 'de', 'es', 'fr'] as const) {
      const t = createTranslate(cannedTexts, language);
      const words = [
        ...(
          [
            'shortcutMissing',
            'shortcutInvalid',
            'textMissing',
            'textTooLong',
            'variableUnknown',
            'languageUnknown',
            'repeated',
          ] as const
        ).map((problem) => describeProblem(problem, t)),
        ...(['unreadable', 'noColumns', 'empty', 'tooMany'] as const).map((problem) => describeFileProblem(problem, t)),
        ...(['create', 'change', 'same', 'wrong'] as const).map((effect) => describeEffect({ effect }, t)),
      ];
      assert.equal(new Set(words).size, words.length, language);
      for (const text of words) assert.doesNotMatch(text, /undefined|^$|\{(?!\{)\w+\}(?!\})/);
    }
  });
});

describe('a reply', () => {
  test('its mistakes are those of the service', () => {
    const problems = (changed: object) => findReplyProblems({ ...reply('ok', 'Text'), ...changed });
    assert.deepEqual(problems({}), []);
    assert.deepEqual(problems({ shortcut: 'größe_1.a-b', text: '{{visitor.firstname}} {x}', language: 'pt' }), []);
    assert.deepEqual(problems({ shortcut: 'x'.repeat(41) }), ['shortcutInvalid']);
    assert.deepEqual(problems({ text: 'x'.repeat(10_001) }), ['textTooLong']);
    for (const language of ['', 'deu', 'DE', 'zz']) assert.deepEqual(problems({ language }), ['languageUnknown']);
  });

  test('is found by its shortcut, text and group, without accents', () => {
    const replies = [
      reply('größe', 'Size'),
      reply('b', 'Über uns'),
      { ...reply('c', ''), group: { id: '1', name: 'Nörd' } },
    ];
    const find = (typed: string) => filterReplies(replies, typed).map(({ shortcut }) => shortcut);
    assert.deepEqual(find('/GROSS'), []);
    assert.deepEqual(find('/groß'), ['größe']);
    assert.deepEqual(find(' uber '), ['b']);
    assert.deepEqual(find('nord'), ['c']);
    assert.deepEqual(find(''), ['größe', 'b', 'c']);
  });

  test('the languages have names, each once, and the usual ones come first', () => {
    const usual = findUsualLanguages(['fr', 'de'], [{ language: null }, { language: 'fr' }, { language: 'xx' }]);
    const { options, usualCount } = listLanguages('de', usual);
    assert.deepEqual(Object.entries(options).slice(0, usualCount), [
      ['de', 'Deutsch'],
      ['fr', 'Französisch'],
      ['xx', 'xx'],
    ]);
    const names = Object.values(options);
    assert.ok(names.length > 150);
    assert.equal(new Set(names).size, names.length);
    const others = names.slice(usualCount);
    assert.deepEqual(
      others,
      others.toSorted((a, b) => a.localeCompare(b, 'de')),
    );
  });
});
